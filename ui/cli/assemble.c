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

/* True if the real path lies in this folder or below it. */
static bool assemble_is_below(const char *path, const char *folder)
{
	char *real = alloc_real_path(folder);
	const size_t length = real ? strlen(real) : 0;
	const bool is = real && !strncmp(path, real, length) &&
	                (length == 1 || path[length] == '/');
	free(real);
	return is;
}

/* Whether the real path lies in a folder of the files that were named, or below it. */
static bool assemble_is_beside(const struct asm_reader *r, const char *path)
{
	bool is = false;
	for (unsigned i = 0; i < r->count && !is; i++) {
		char folder[PATH_MAX];
		const char *slash = strrchr(r->names[i], '/');
		const int n = slash ? (int)(slash - r->names[i] + 1) : 0;
		is = n && n < PATH_MAX && snprintf(folder, sizeof folder, "%.*s", n, r->names[i]) &&
		     assemble_is_below(path, folder);
	}
	return is;
}

uint8_t *assemble_read_bytes(void *reader, const char *name, bool text, size_t *n, struct err *err)
{
	char *path = alloc_real_path(name);
	FILE *f = NULL;
	uint8_t *bytes = NULL;
	if (!path)
		err_set(err, "%.150s: %s", name, strerror(errno));
	else if (!assemble_is_below(path, ".") && !(text && assemble_is_beside(reader, path)))
		err_set(err, "%.150s lies outside of the present folder%s", name,
		        text ? " and of the including file's" : "");
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
	free(path);
	return bytes;
}

bool assemble_takes_instead(const char *path, const char *given, char *why, size_t room)
{
	struct err err;
	size_t n;
	char *text = assemble_read_source(path, &n, &err);
	const bool takes = text && asm_takes_instead(text, n, given, why, room);
	free(text);
	return takes;
}

void assemble_note_rv32(const char *path)
{
	struct err err;
	char why[16];
	size_t n;
	char *text = assemble_read_source(path, &n, &err);
	char unused[80];
	if (text && asm_text_seems_rv32(text, n, why, sizeof why))
		say(stderr,
		    "cyclops: %s: %s, and no instruction of 64 bits: compiled for RV64; for RV32: "
		    "%s\n",
		    path, why,
		    asm_takes_instead(text, n, "", unused, sizeof unused)
		            ? "-o isa=rv32gc"
		            : "--cc \"riscv64-linux-gnu-gcc -march=rv32gc -mabi=ilp32d -nostdlib "
		              "-static\"");
	free(text);
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
	struct asm_reader reader = {names, count};
	const struct asm_options options = {
		.folder = getcwd(folder, sizeof folder),
		.words = words,
		.xlen = xlen,
		.read = assemble_read_bytes,
		.reader = &reader,
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
		if (ok && *r->note)
			say(stderr, "cyclops: %s\n", r->note);
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
