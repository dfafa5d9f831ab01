/* Runs the command that the first word of the command line names. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/base/nearest_word.h"
#include "ui/child/environment.h"
#include "ui/cli/cli.h"
#include "ui/cli/last_session.h"
#include "ui/cli/option_text.h"
#include "ui/cli/version.h"
#include "ui/console/ending.h"
#include "ui/render/safe_print.h"
#include "ui/screen/screen.h"
#include "ui/tour/course.h"

static void main_print_usage(FILE *f)
{
	fputs("Cyclops inspects programs on a simulated out-of-order RISC-V processor.\n\n", f);
	for (int i = 0; cli_commands[i]; i++)
		if (cli_commands[i]->usage)
			option_text_usage(f, "  ", cli_commands[i]->usage);
	fputs("\n`cyclops COMMAND --help` lists a command's options, `cyclops help` a session's\n"
	      "commands.\n",
	      f);
}

/* Opens /dev/null for those of descriptors 0 to 2 that are closed: otherwise a file opened later
 * could get such a number, and with it the standard output. False without /dev/null, reported on
 * stderr if there is one. */
static bool claim_standard_streams(void)
{
	for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++) {
		int fd = fcntl(i, F_GETFD);
		while (fd < 0 && (fd = open("/dev/null", O_RDWR)) < 0 && errno == EINTR)
			;
		if (fd < 0) {
			say_error("/dev/null: %s", strerror(errno));
			return false;
		}
	}
	return true;
}

/* Returns the exit status: `status`, unless output was lost or memory ran out. */
static int main_check_stdout(int status)
{
	struct err err;
	if (!alloc_settle(true, &err))
		status = say_lack_said() ? STATUS_ERROR : say_error("%s", err.msg);
	if (status == STATUS_ERROR && ending_came())
		status = 128 + ending_came();
	const bool lost = fflush(stdout) != 0 || ferror(stdout);
	if (status == 0 && lost)
		fputs("cyclops: the output could not be written to standard output\n", stderr);
	return status == 0 && (lost || ferror(stderr)) ? STATUS_ERROR : status;
}

/* Keeps the command line of a command that opens a screen, for the start page to continue it. */
static const struct cli_command *looked_at(const struct cli_command *c, int argc, char **argv)
{
	const bool screen = c == &cli_inspect || c == &cli_tour || c == &cli_demo ||
	                    c == &cli_asm || c == &cli_link ||
	                    (c == &cli_lab && argc == 3);
	if (screen && screen_possible())
		last_session_keep(argc, argv);
	return c;
}

static int main_run_command(int argc, char **argv)
{
	struct nearest n;
	struct err err;
	static const char course[] = "--course=";
	const bool equals = argc == 2 && !strncmp(argv[1], course, sizeof course - 1);
	if (equals || (argc == 3 && !strcmp(argv[1], "--course"))) {
		if (!course_choose(equals ? argv[1] + sizeof course - 1 : argv[2], &err))
			return say_error("%s", err.msg);
		return screen_possible() ? cli_start()
		                         : say_error("--course alone opens the start page, which "
		                                     "needs a terminal");
	}
	if (argc < 2 && screen_possible())
		return cli_start();
	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		main_print_usage(argc < 2 ? stderr : stdout);
		return argc < 2 ? STATUS_ERROR : 0;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("cyclops " CYCLOPS_VERSION);
		return 0;
	}
	nearest_init(&n, argv[1]);
	for (int i = 0; cli_commands[i]; i++) {
		if (!strcmp(cli_commands[i]->name, argv[1]))
			return looked_at(cli_commands[i], argc, argv)->run(argc - 1, argv + 1);
		if (cli_commands[i]->usage)
			nearest_offer(&n, cli_commands[i]->name);
	}
	/* A link as it was pasted. */
	if ((*argv[1] == '#' || strstr(argv[1], "://")) && access(argv[1], F_OK) != 0)
		return looked_at(&cli_link, argc, argv)->run(argc, argv);
	/* A first word that is no command is a program to inspect, if it looks like one. */
	if (*argv[1] == '-' || strchr(argv[1], '/') || access(argv[1], F_OK) == 0)
		return looked_at(&cli_inspect, argc, argv)->run(argc, argv);
	return cli_help_unknown(argc, argv,
	                        nearest_said(&n, "`cyclops --help` lists the commands"));
}

int main(int argc, char **argv)
{
	/* Let a write beyond the file-size limit fail like any other. */
	signal(SIGXFSZ, SIG_IGN);
	environment_make_absolute();
	environment_avoid_pipes();
	json_set_alloc_funcs(alloc_bytes, free);
	ending_catch();
	return claim_standard_streams() ? main_check_stdout(main_run_command(argc, argv))
	                                : STATUS_ERROR;
}
