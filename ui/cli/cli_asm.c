/* `cyclops asm`: the built-in assembler. */
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "loader/asm/asm.h"
#include "ui/cli/assemble.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/compile.h"
#include "ui/cli/option_text.h"
#include "ui/cli/options.h"
#include "ui/cli/own_folder.h"
#include "ui/render/safe_print.h"
#include "ui/screen/playground.h"
#include "ui/screen/screen.h"
#include "ui/tour/tour.h"

static const struct cli_option options[] = {
	{{"output", required_argument, NULL, 'o'},
         "OUT",
         "write the program there instead of inspecting it"},
	{{"words", no_argument, NULL, 'w'},
         NULL,
         "with -o: no compressed instructions unless .option rvc allows them"},
	{{"isa", required_argument, NULL, 'i'},
         "NAME",
         "with -o: rv32gc for a 32-bit program, or all; .attribute arch,\"rv32gc\" in the text "
         "does the same"},
	{{"abi", required_argument, NULL, 'a'},
         "NAME",
         "ecalls of the text: linux, rars, ripes, venus, htif (bare metal); found out by default"},
	{{"help", no_argument, NULL, 'h'}, NULL, "this text"},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct request {
	const char *output;
	bool words, help;
	unsigned xlen; /* 0: not given */
	int abi;
};

static bool cli_asm_parse_option(void *ctx, int id, int argc, char **argv, struct err *err)
{
	struct request *r = ctx;
	(void)argc;
	(void)argv;
	switch (id) {
	case 'o':
		r->output = optarg;
		return *optarg || err_set(err, "-o needs a file's name");
	case 'w':
		return r->words = true;
	case 'i':
		r->xlen = !strcmp(optarg, "rv32gc") ? 32 : 64;
		return r->xlen == 32 || !strcmp(optarg, "all") ||
		       err_set(err, "--isa %s: expected all or rv32gc", optarg);
	case 'a':
		r->abi = os_abi_find(optarg);
		return r->abi >= 0 ||
		       err_set(err, "--abi %s: expected linux, htif, rars, ripes or venus", optarg);
	default:
		return r->help = true;
	}
}

void cli_asm_print_options(FILE *f)
{
	cli_print_options(options, OPTIONS, f);
}

/* Compiles the text, and shows the compiler's messages in it. False: there is no program. */
static bool compile_text(struct options *o, struct playground *p)
{
	struct err err = {0};
	FILE *said = tmpfile();
	fflush(stderr);
	const int kept = said ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
	if (kept >= 0)
		dup2(fileno(said), STDERR_FILENO);
	const bool ok = playground_save(p, &err) && compile_source(o, &err);
	if (kept >= 0) {
		dup2(kept, STDERR_FILENO);
		close(kept);
		rewind(said);
	}
	playground_compiled(p, ok, said, err.msg);
	if (said)
		fclose(said);
	return ok;
}

/* Begins a session on the present text. */
static int cli_asm_run_session(struct options *o, struct tour_place *place)
{
	char program[PATH_MAX], folder[PATH_MAX];
	struct err err;
	struct asm_reader reader = {o->argv, compile_texts(o)};
	place->playground->options =
		(struct asm_options){.folder = getcwd(folder, sizeof folder),
	                             .xlen = compile_xlen(o),
	                             .read = assemble_read_bytes,
	                             .reader = &reader,
	                             .abi = o->abi};
	if (place->playground->c && compile_text(o, place->playground))
		return cli_inspect_options(o, place);
	if (!compiled_place(o->argv[0], "", program, sizeof program, &err) ||
	    !playground_assemble(place->playground, program, &err) ||
	    !options_compiled(o, program, &err))
		return say_error("%s", err.msg);
	return cli_inspect_options(o, place);
}

/* Writes the path where an edit of a file is kept. False: there is none. */
static bool cli_asm_kept_path(const char *source, char *out, size_t n)
{
	char whole[PATH_MAX], name[64];
	struct err unused;
	const char *dot = strrchr(source, '.');
	if (*source == '/')
		snprintf(whole, sizeof whole, "%s", source);
	else if (!getcwd(whole, sizeof whole) ||
	         strlen(whole) + strlen(source) + 2 > sizeof whole)
		return false;
	else
		strcat(strcat(whole, "/"), source);
	snprintf(name, sizeof name, "kept-%016" PRIx64 "%s", hash_text(whole),
	         dot && !strcmp(dot, ".c") ? ".c" : ".s");
	return own_file(name, out, n, &unused);
}

/* Opens the texts that the options name. */
static bool cli_asm_open_texts(const struct options *o, struct playground *p, struct err *err)
{
	const unsigned texts = compile_texts(o);
	char kept[PATH_MAX];
	bool ok = true;
	for (unsigned i = 0; ok && i < (texts ? texts : 1); i++)
		ok = playground_open(p, o->argv[i], texts > 1,
		                     cli_asm_kept_path(o->argv[i], kept, sizeof kept) ? kept : NULL,
		                     err);
	return ok;
}

int cli_edit_at(int argc, char **argv, struct tour_place place)
{
	struct playground *p = place.playground = alloc_zeroed(1, sizeof *p);
	struct options o;
	struct err err = {"out of memory"};
	bool ok = p != NULL;
	int status = STATUS_ERROR;
	do {
		place.again = false;
		optind = 0;
		ok = ok && options_parse(&o, FOR_INSPECT, argc, argv, &err);
		if (!ok)
			break;
		/* its slot receives the program's name, which is freed with the options */
		char **const last = o.argv + (compile_texts(&o) ? compile_texts(&o) - 1 : 0),
			    *const source = *last;
		ok = p->count || cli_asm_open_texts(&o, p, &err);
		if (ok)
			status = cli_asm_run_session(&o, &place);
		*last = source;
		options_deinit(&o);
		place.moment = NULL; /* an edited text begins at its beginning */
	} while (ok && place.again && status == 0);
	if (p)
		playground_deinit(p);
	free(p);
	return ok ? cli_tour_next(&place, status) : say_error("%s", err.msg);
}

int cli_edit(int argc, char **argv)
{
	return cli_edit_at(argc, argv, (struct tour_place){0});
}

static int cli_asm_edit_or_inspect(int argc, char **argv)
{
	return screen_possible() ? cli_edit(argc, argv) : cli_inspect.run(argc, argv);
}

/* Edits the user's own text, if no file is given. */
static int cli_asm_edit_own_file(void)
{
	char path[PATH_MAX], name[] = "asm", *argv[] = {name, path, NULL};
	struct err err;
	if (!own_file("playground.s", path, sizeof path, &err))
		return say_error("%s", err.msg);
	/* The program does not see the path of the user's folder: all users' cycles are equal. */
	return cli_edit_at(2, argv, (struct tour_place){.seen_as = "playground"});
}

static int cli_asm_main(int argc, char **argv)
{
	struct request r = {.abi = ASM_ABI_GUESS};
	struct err err;
	if (!cli_read_options(options, OPTIONS, argc, argv, cli_asm_parse_option, &r, &err))
		return say_error("%s", err.msg);
	if (r.help) {
		option_text_head(stdout, cli_asm.usage, cli_asm.help);
		cli_asm_print_options(stdout);
		return 0;
	}
	if (optind == argc && !r.output && screen_possible())
		return cli_asm_edit_own_file();
	if (optind == argc)
		return say_error("no file given; expected cyclops %s", cli_asm.usage);
	const char *source = argv[optind], *dot = strrchr(source, '.');
	if (!r.output && r.xlen)
		return say_error("--isa goes with -o; use -o isa=rv32gc of `cyclops run` and "
		                 "`inspect`");
	if (!r.output && r.words)
		return say_error("-w goes with -o; use .option norvc in %s", source);
	const bool c = dot && !strcmp(dot, ".c");
	if (c && r.output)
		return say_error(
			"%s is C, for a compiler; use riscv64-linux-gnu-gcc -O2 -g -o %s %s",
			source, r.output, source);
	if (!r.output && !c && (!dot || strcmp(dot, ".s") != 0))
		return say_error("%s: the name of an assembly file ends in .s, of C in .c", source);
	if (!r.output)
		return cli_asm_edit_or_inspect(argc - optind + 1, argv + optind - 1);
	for (int i = optind; i < argc; i++)
		if (!strcmp(r.output, argv[i]))
			return say_error("%s would be overwritten; -o needs another name", argv[i]);
	return assemble_files(argv + optind, (unsigned)(argc - optind), r.output, r.words, r.xlen,
	                      r.abi, ", --isa ", &err)
	               ? 0
	               : say_error("%s", err.msg);
}

const struct cli_command cli_asm = {
	.name = "asm",
	.usage = "asm [[-o OUT [-w]] FILE.s|FILE.c... [ARGS...]]",
	.help = "Assembles RISC-V assembly in the syntax of GNU as, without a toolchain, and "
		"inspects the\n"
		"program; on a terminal beside its text, which can be edited: F5 runs the edited "
		"text. C works\n"
		"too, where there is a cross compiler. Alone it opens a text of your own, "
		"playground.s. With -o\n"
		"the program is written instead, also of several files. Errors name line and "
		"column. A program\n"
		"begins at _start, or else in main.",
	.options = options,
	.option_count = OPTIONS,
	.run = cli_asm_main,
};
