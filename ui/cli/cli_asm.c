/* `cyclops asm`: the built-in assembler. */
#include <stdio.h>
#include <string.h>

#include "ui/cli/assemble.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/render/safe_print.h"

static const struct cli_option options[] = {
	{{"output", required_argument, NULL, 'o'}, "OUT", "write the program there instead of inspecting it"},
	{{"words", no_argument, NULL, 'w'}, NULL, "with -o: no compressed instructions, unless .option rvc allows them"},
	{{"help", no_argument, NULL, 'h'}, NULL, "this text"},
};
enum { OPTIONS = sizeof options / sizeof *options };

struct request {
	const char *output;
	bool words, help;
};

static bool take(void *ctx, int id, int argc, char **argv, struct err *err)
{
	struct request *r = ctx;
	(void)argc;
	(void)argv;
	switch (id) {
	case 'o': r->output = optarg; return *optarg || err_set(err, "-o needs a file's name");
	case 'w': return r->words = true;
	default: return r->help = true;
	}
}

void cli_asm_print_options(FILE *f)
{
	cli_print_options(options, OPTIONS, f);
}

static int run(int argc, char **argv)
{
	struct request r = {0};
	struct err err;
	if (!cli_read_options(options, OPTIONS, argc, argv, take, &r, &err))
		return say_error("%s", err.msg);
	if (r.help) {
		printf("cyclops %s\n%s\n\n", cli_asm.usage, cli_asm.help);
		cli_asm_print_options(stdout);
		return 0;
	}
	if (optind == argc || (r.output && optind + 1 != argc))
		return say_error("%s; right: cyclops %s", optind == argc ? "which file?" : "one file at a time", cli_asm.usage);
	const char *source = argv[optind], *dot = strrchr(source, '.');
	if (!r.output && r.words)
		return say_error("-w goes with -o; right: .option norvc in %s", source);
	if (!r.output && (!dot || strcmp(dot, ".s") != 0))
		return say_error("%s: the name of an assembly file ends in .s", source);
	if (!r.output)
		return cli_inspect.run(argc - optind + 1, argv + optind - 1);
	if (!strcmp(r.output, source))
		return say_error("%s would be overwritten; -o needs another name", source);
	return assemble_file(source, r.output, r.words, &err) ? 0 : say_error("%s", err.msg);
}

const struct cli_command cli_asm = {
	.name = "asm",
	.usage = "asm [-o OUT [-w]] FILE.s [ARGS...]",
	.help = "Assembles RISC-V assembly as GNU as reads it, without a toolchain, and inspects the "
                "program; `cyclops FILE.s` does the\n"
		"same. With -o it is written instead. What is wrong is said by line and column. A "
                "program begins at _start, or else in main.",
	.options = options,
	.option_count = OPTIONS,
	.run = run,
};
