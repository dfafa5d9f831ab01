/* `cyclops help`: prints the help of a session, without a session. */
#include <stdio.h>
#include <string.h>

#include "ui/cli/cli.h"
#include "ui/help/help.h"
#include "ui/help/help_lua.h"
#include "ui/reference/man.h"
#include "ui/reference/reference.h"
#include "ui/render/safe_print.h"

static void cli_help_write_stdout(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	fwrite(text, 1, n, stdout);
}

static int cli_help_main(int argc, char **argv)
{
	struct console c;
	struct err err;
	enum command_result r = CMD_ERROR;
	bool markdown = argc > 1 && !strcmp(argv[1], "--markdown");
	if (argc != 3 && markdown) {
		return say_error("--markdown takes the folder for the pages; expected "
		                 "cyclops help --markdown FOLDER");
	}
	bool lua = argc == 3 && !strcmp(argv[1], "lua");
	if (argc == 2 && !strcmp(argv[1], "--man")) {
		man_put(stdout);
		return 0;
	}
	char topic[128] = "";
	for (int i = 1, n = 0; i < argc && n < (int)sizeof topic; i++)
		n += snprintf(topic + n, sizeof topic - (size_t)n, "%s%s", i > 1 ? " " : "",
		              argv[i]);
	if (console_init(&c, NULL, cli_help_write_stdout, NULL, &err)) {
		if (markdown) {
			r = reference_write(argv[2], &c, &err) ? CMD_OK : CMD_ERROR;
		} else {
			r = lua                              ? help_lua(&c, argv[2])
			    : !strncmp(topic, "apropos ", 8) ? help_search(&c, topic + 8)
			                                     : help_topic(&c, topic);
			err = c.err;
		}
		console_deinit(&c);
	}
	if (r == CMD_ERROR)
		say_error("%s", err.msg);
	return r == CMD_ERROR ? STATUS_ERROR : 0;
}

static void cli_help_drop(void *ctx, const char *text, size_t n)
{
	(void)ctx, (void)text, (void)n;
}

int cli_help_unknown(int argc, char **argv, const char *otherwise)
{
	struct console c;
	struct err err;
	bool known = false;
	const bool help = argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"));
	if (console_init(&c, NULL, cli_help_drop, NULL, &err)) {
		known = help_topic(&c, argv[1]) == CMD_OK;
		console_deinit(&c);
	}
	if (!known)
		return say_error("there is no program and no command '%s'; %s", argv[1], otherwise);
	if (!help)
		return say_error("there is no program and no command '%s'; it is a word of a "
		                 "session: `cyclops help %s`",
		                 argv[1], argv[1]);
	printf("%s is a word of a session (`cyclops PROGRAM`), not of the command line.\n\n",
	       argv[1]);
	return cli_help_main(2, argv);
}

const struct cli_command cli_help = {
	.name = "help",
	.usage = "help [TOPIC... | apropos WORD | lua AREA | --markdown FOLDER | --man]",
	.help = "Explains commands, views, events, statistics, parameters, words of the field and "
		"instructions. With --markdown all\n"
		"of it is written into a folder, as linked pages; --man prints "
		"the manual page of the command\n"
		"line.",
	.run = cli_help_main,
};
