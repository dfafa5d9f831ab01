#include "ui/cli/assemble.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/output_file.h"
#include "loader/asm/asm.h"
#include "ui/render/safe_print.h"

/* Reads a file, malloc'd; NULL with *err. Reads at most a byte more than allowed, so that the
 * assembler reports a text that is too long. */
static char *assemble_read_source(const char *path, size_t *n, struct err *err)
{
	FILE *f = open_input(path);
	if (!f)
		return err_set(err, "%s: %s", path, open_input_error()), NULL;
	char *text = alloc_bytes(ASM_TEXT_MAX + 1);
	if (text)
		*n = fread(text, 1, ASM_TEXT_MAX + 1, f);
	else
		err_set(err, "out of memory");
	if (text && ferror(f)) {
		err_set(err, "%s: %s", path, strerror(errno));
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

/* Reads a file for .incbin: in the present folder or below it, wherever links lead. */
static uint8_t *assemble_read_bytes(const char *name, size_t *n, struct err *err)
{
	char *folder = alloc_real_path("."), *path = alloc_real_path(name);
	const size_t length = folder ? strlen(folder) : 0;
	FILE *f = NULL;
	uint8_t *bytes = NULL;
	if (!folder || !path)
		err_set(err, "%.150s: %s", name, strerror(errno));
	else if (strncmp(path, folder, length) != 0 || (length > 1 && path[length] != '/'))
		err_set(err, "%.150s lies outside of the present folder", name);
	else if (!(f = open_input(path)))
		err_set(err, "%.150s: %s", name, open_input_error());
	else if (!(bytes = alloc_bytes(ASM_BYTES_MAX + 1)))
		err_set(err, "out of memory");
	if (bytes)
		*n = fread(bytes, 1, ASM_BYTES_MAX + 1, f);
	if (bytes && (ferror(f) || *n > ASM_BYTES_MAX)) {
		err_set(err, "%.150s: %s", name,
		        ferror(f) ? strerror(errno) : "too large; expected at most 64 MB");
		free(bytes);
		bytes = NULL;
	}
	if (f)
		fclose(f);
	free(folder);
	free(path);
	return bytes;
}

static bool write_program(const char *out, const struct asm_result *r, struct err *err)
{
	struct output_file o;
	if (!output_begin(&o, out, OUTPUT_FILE_ANY, err))
		return false;
	output_make_executable(&o);
	fwrite(r->elf, 1, r->size, o.f);
	return output_end(&o, out, err);
}

static const char *assemble_abi_title(enum os_abi abi)
{
	static const char *const titles[OS_ABIS] = {"Linux", "RARS", "Ripes", "Venus",
	                                            "bare metal (HTIF)"};
	return titles[abi];
}

bool assemble_files(char *const *names, unsigned count, const char *out, bool words,
                    unsigned xlen, int abi, const char *isa, struct err *err)
{
	struct asm_source sources[ASM_SOURCES_MAX];
	char folder[PATH_MAX], line[512];
	unsigned read = 0;
	struct asm_result *r = alloc_zeroed(1, sizeof *r);
	bool ok = count <= ASM_SOURCES_MAX
	                  ? r || err_set(err, "out of memory")
	                  : err_set(err, "%u files; expected at most %d", count, ASM_SOURCES_MAX);
	for (; ok && read < count; read += ok) {
		/* Names the source as compilers do: debuggers find it in the same way. */
		sources[read].name = names[read];
		sources[read].text = assemble_read_source(names[read], &sources[read].n, err);
		ok = sources[read].text != NULL;
	}
	const struct asm_options options = {
		.folder = getcwd(folder, sizeof folder),
		.words = words,
		.xlen = xlen,
		.read = assemble_read_bytes,
		.abi = abi};
	if (ok) {
		ok = asm_assemble(sources, count, &options, r);
		for (unsigned i = 0; i < r->message_count; i++)
			say(stderr, "%s\n",
			    asm_message_text(&r->message[i], names[r->message[i].source], line,
			                     sizeof line));
		if (!ok)
			err_set(err, "%s does not assemble: %u error%s%s",
			        names[r->message[0].source], r->message_count,
			        r->message_count == 1 ? "" : "s",
			        r->more ? ", and more after them" : "");
		if (ok && *r->abi_why)
			say(stderr,
			    "cyclops: %s: taken as %s, on registers of %d bits; to change: --abi "
			    "linux%s%s\n",
			    r->abi_why, assemble_abi_title(r->abi), r->rv32 ? 32 : 64, isa,
			    r->rv32 ? "all" : "rv32gc");
		if (ok && *r->rv32_why)
			say(stderr,
			    "cyclops: %s, and no instruction of 64 bits: taken as RV32; to change:"
			    "%sall\n",
			    r->rv32_why, isa + strspn(isa, ","));
		ok = ok && write_program(out, r, err);
		asm_result_deinit(r);
	}
	while (read)
		free((char *)(uintptr_t)sources[--read].text);
	free(r);
	return ok;
}
