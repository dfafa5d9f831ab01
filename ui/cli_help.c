/* `cyclops help`: what help says in a session, without one. */
#include <stdio.h>

#include "ui/cli.h"
#include "ui/help.h"

static void write_stdout(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	fwrite(text, 1, n, stdout);
}

static int help(int argc, char **argv)
{
	struct console c;
	struct err err;
	enum command_result r = CMD_ERROR;
	if (argc > 2) {
		fprintf(stderr, "cyclops: one word at a time; right: cyclops %s\n", cli_help.usage);
		return STATUS_ERROR;
	}
	if (console_init(&c, NULL, write_stdout, NULL, &err)) {
		r = help_topic(&c, argc > 1 ? argv[1] : "");
		err = c.err;
		console_deinit(&c);
	}
	if (r == CMD_ERROR)
		fprintf(stderr, "cyclops: %s\n", err.msg);
	return r == CMD_ERROR ? STATUS_ERROR : 0;
}

const struct cli_command cli_help = {
	.name = "help",
	.usage = "help [TOPIC]",
	.help = "Explains commands, views, events, statistics, parameters.",
	.run = help,
};
