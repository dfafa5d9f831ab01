/* Files that a script reads: texts, and assembly texts in a program's place. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/host/memory_file.h"
#include "hwviews/grid/csv_cell.h"
#include "loader/asm/asm.h"
#include "scripting/api/api.h"

/* Reads at most `most` + 1 bytes: *n > most shows that the file is longer. NULL with the cause in
 * *why or errno. */
static char *api_files_read_all(const char *path, size_t most, size_t *n, const char **why)
{
	FILE *f = open_data_input(path);
	if (!f)
		return *why = open_input_error(), NULL;
	char *text = alloc_bytes(most + 2);
	*n = text ? fread(text, 1, most + 1, f) : 0;
	*why = !text ? "out of memory" : ferror(f) ? strerror(errno) : NULL;
	fclose(f);
	if (*why) {
		free(text);
		return NULL;
	}
	text[*n] = '\0';
	return text;
}

static int api_files_read_text(lua_State *L)
{
	enum { MOST = 1 << 20 };
	const char *path = luaL_checkstring(L, 1), *why;
	size_t n;
	api_check_path(L, path, "cyclops.read");
	char *text = api_files_read_all(path, MOST, &n, &why);
	if (!text)
		return binding_fail(L, "%s: %s", path, why);
	if (n > MOST) {
		free(text);
		return binding_fail(L, "%s: more than 1 MiB of text", path);
	}
	lua_pushlstring(L, text, n);
	free(text);
	return 1;
}

bool api_is_assembly(const char *path)
{
	const size_t n = strlen(path);
	return (n > 2 && !strcmp(path + n - 2, ".s")) || (n > 4 && !strcmp(path + n - 4, ".asm"));
}

/* Formats the first errors, a line each. */
static void put_messages(const struct asm_result *r, char *const *paths, struct err *err)
{
	char line[512];
	size_t n = 0;
	err->msg[0] = '\0';
	for (unsigned i = 0; i < r->message_count && i < 3 && n < sizeof err->msg; i++)
		n += (size_t)snprintf(err->msg + n, sizeof err->msg - n, "%s%s", i ? "\n" : "",
		                      asm_message_text(&r->message[i], paths[r->message[i].source],
		                                       line, sizeof line));
}

int api_assemble(char *const *paths, unsigned count, bool rv32, struct err *err)
{
	const char *why = "out of memory";
	struct asm_source sources[ASM_SOURCES_MAX];
	unsigned read = 0;
	char folder[PATH_MAX];
	int fd = -1;
	struct asm_result *r = alloc_zeroed(1, sizeof *r);
	for (bool ok = r != NULL; ok && read < count; read += ok) {
		struct asm_source *s = &sources[read];
		s->name = paths[read];
		s->text = api_files_read_all(s->name, ASM_TEXT_MAX, &s->n, &why);
		ok = s->text != NULL;
	}
	const struct asm_options options = {.folder = getcwd(folder, sizeof folder),
	                                    .xlen = rv32 ? 32 : 0,
	                                    .abi = ASM_ABI_GUESS};
	if (read < count) {
		err_set(err, "%s: %s", paths[read], why);
	} else if (!asm_assemble(sources, count, &options, r)) {
		put_messages(r, paths, err);
	} else {
		fd = memory_file_of("program", r->elf, r->size);
		if (fd < 0)
			err_set(err, "%s: no room for its program: %s", paths[0], strerror(errno));
	}
	if (r)
		asm_result_deinit(r);
	free(r);
	while (read)
		free((char *)(uintptr_t)sources[--read].text);
	return fd;
}

static int files_csv(lua_State *L)
{
	const char *text = host_text(L, 1, NULL);
	char *cell = NULL;
	size_t n;
	FILE *f = alloc_stream(&cell, &n);
	if (f)
		csv_cell(f, text);
	if (!f || fclose(f) != 0 || !lua_checkstack(L, 1)) {
		free(cell);
		return binding_fail(L, "out of memory");
	}
	lua_pushlstring(L, cell, n);
	free(cell);
	return 1;
}

static const struct binding functions[] = {
	{"csv", files_csv, "cyclops.csv(VALUE) -> TEXT",
         "A value as a cell of comma-separated values: on one line, quoted if necessary, never "
         "taken for a formula by a spreadsheet."},
	{"read", api_files_read_text, "cyclops.read(FILE) -> TEXT",
         "The text of a file, of 1 MiB at most. With `--lua-safe` the file must be below the "
         "current directory or the script's folder, or an argument of the script."},
};

const struct binding_area area_files = {
	.name = "files",
	.object = "cyclops",
	.summary = "files that a script reads, and cells of tables",
	.text = "",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};
