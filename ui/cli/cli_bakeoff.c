/* `cyclops bakeoff`: compares profilers on one program, with the Lua module cyclops.bakeoff. */
#include <inttypes.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/script.h"
#include "ui/cli/cli.h"
#include "ui/cli/compile.h"
#include "ui/cli/lua_field.h"
#include "ui/cli/options.h"
#include "ui/render/safe_print.h"
#include "ui/tour/course.h"

static void put_environment(FILE *f, const struct options *o)
{
	fputs("env = {", f);
	for (unsigned i = 0; i < o->env_count; i++) {
		const char *equals = o->env[i];
		while (*equals != '=')
			equals++;
		char *name = alloc_text_n(o->env[i], (size_t)(equals - o->env[i]));
		if (name) {
			fputc('[', f);
			lua_text(f, name);
			fputs("] = ", f);
			lua_text(f, equals + 1);
			fputs(", ", f);
		}
		free(name);
	}
	fputs("}, ", f);
}

static void put_folders(FILE *f, const struct options *o)
{
	fputs("dirs = {", f);
	for (unsigned i = 0; i < o->folder_count; i++) {
		const struct os_folder *folder = &o->folders[i];
		char *text = alloc_format("/%s=%s%s", folder->at, folder->host,
		                          folder->writing ? ":rw" : "");
		if (!text)
			continue;
		lua_text(f, text);
		fputs(", ", f);
		free(text);
	}
	fputs("}, ", f);
}

/* The folder of the handlers: --handlers, or the course's. */
static void put_handlers(FILE *f, const struct options *o)
{
	char root[PATH_MAX];
	bool installed;
	char *own = !o->handlers && course_root(root, sizeof root, &installed, NULL)
	                    ? alloc_format("%s/build/demos/firmware", root)
	                    : NULL;
	lua_field(f, "firmware", o->handlers ? o->handlers : own);
	free(own);
}

/* Formats the call of the module, malloc'd; NULL if memory is out. */
static char *cli_bakeoff_format_lua_call(const struct options *o)
{
	char *text = NULL;
	size_t n;
	FILE *f = alloc_stream(&text, &n);
	if (!f)
		return NULL;
	fputs("require(\"cyclops.bakeoff_command\").run{", f);
	lua_field(f, "program", o->program_file ? o->program_file : o->argv[0]);
	fputs("args = {", f);
	for (int i = 1; i < o->argc; i++) {
		lua_text(f, o->argv[i]);
		fputs(", ", f);
	}
	fputs("}, ", f);
	put_environment(f, o);
	put_folders(f, o);
	lua_field(f, "sysroot", o->sysroot);
	lua_field(f, "stdin", o->stdin_path);
	lua_field(f, "budgets", o->budgets);
	lua_field(f, "profilers", o->profilers);
	lua_field(f, "questions", o->questions);
	put_handlers(f, o);
	lua_field(f, "json", o->json);
	lua_field(f, "csv", o->csv);
	lua_field(f, "plots", o->plots);
	lua_field(f, "raw", o->raw);
	if (o->max_insts != UINT64_MAX)
		fprintf(f, "max_insts = %" PRIu64 ", ", o->max_insts);
	if (o->looks)
		fprintf(f, "looks = %" PRIu64 ", ", o->looks);
	fprintf(f, "together = %s, quiet = %s}", o->given[OPT_TOGETHER] ? "true" : "false",
	        o->given[OPT_QUIET] ? "true" : "false");
	return fclose(f) ? free(text), NULL : text;
}

/* Messages and tables: the module writes files by itself. */
static void cli_bakeoff_write_output(void *ctx, int fd, const char *text, size_t n)
{
	(void)ctx;
	say_text(fd == 2 ? stderr : stdout, text, n);
}

static int cli_bakeoff_run_module(struct options *o)
{
	struct err err;
	const struct script_options so = {.base = &o->config,
	                                  .base_name = o->config_name,
	                                  .base_files = &o->files,
	                                  .write = cli_bakeoff_write_output};
	struct script *s = script_new(&so, NULL, &err);
	if (!s)
		return say_error("%s", err.msg);
	char *call = cli_bakeoff_format_lua_call(o);
	const int status = !call                                        ? say_error("out of memory")
	                   : script_run_text(s, call, "=bakeoff", &err) ? 0
	                                                                : say_error("%s", err.msg);
	free(call);
	script_free(s);
	return status;
}

static bool cli_bakeoff_validate_options(const struct options *o, struct err *err)
{
	if (!o->argc)
		return err_set(err, "no program given; expected cyclops %s", cli_bakeoff.usage);
	for (unsigned i = 0; i < o->files.count; i++)
		if (config_file_of(o->files.word[i], "firmware") ||
		    config_file_of(o->files.word[i], "cop"))
			return err_set(err,
			               "%s names %s, and the bake-off's profilers have firmware "
			               "and microprograms of their own; expected a machine without",
			               o->config_name, o->files.word[i]);
	return !(o->json && o->csv && !strcmp(o->json, "-") && !strcmp(o->csv, "-")) ||
	       err_set(err, "--json - and --csv -: only one of them goes to standard output");
}

static int cli_bakeoff_main(int argc, char **argv)
{
	struct options o;
	struct err err;
	int status;
	if (!cli_parse_or_print(&cli_bakeoff, argc, argv, &o, &status))
		return status;
	status = cli_bakeoff_validate_options(&o, &err) && compile_source(&o, &err)
	                 ? cli_bakeoff_run_module(&o)
	                 : say_error("%s", err.msg);
	options_deinit(&o);
	return status;
}

const struct cli_command cli_bakeoff = {
	.name = "bakeoff",
	.usage = "bakeoff [OPTIONS] PROGRAM [ARGS...]",
	.help = "Runs a program once for each profiler and question, on the same machine, and "
		"judges "
		"the answers by exact counts:\n"
		"hot blocks, edges, calls, paths, calling contexts, values of loads, latencies. "
		"A table for each question shows how\n"
		"wrong each profiler is (0: exact), by one metric for all and by its paper's own, "
		"and its cost: cycles, accesses\n"
		"to L1D, interrupts, bits of hardware, code; and when its error was below 10 % for "
		"good. -b compares them at equal\n"
		"overheads: it searches settings of that cost and shows the smallest error within "
		"the budget.\n"
		"\n"
		"Instrumented programs are those linked with -static -Wl,--emit-relocs. With "
		"--max-insts all runs stop at the same\n"
		"call of a procedure that is called evenly, or execution of such a block. A "
		"daemon's work on another processor\n"
		"is not charged; handlers are. docs/bakeoff.md has the results.",
	.takes = FOR_BAKEOFF,
	.run = cli_bakeoff_main,
};
