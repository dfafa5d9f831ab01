/* `cyclops demo`: opens a demo program from any folder. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/option_text.h"
#include "ui/cli/options.h"
#include "ui/render/safe_print.h"
#include "ui/screen/screen.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

static void cli_demo_print_entry(void *ctx, const char *name, const char *help)
{
	(void)ctx;
	say(stdout, "  %-10s %s\n", name, help);
}

/* Makes the command line of a demo with the user's options: an array like that of
 * tour_command_line(), for a tour of the program without text. *all: to be freed, too. */
static char **cli_demo_build_argv(const char *name, char **options, int option_count, int *argc,
                                  char ***all, struct err *err)
{
	char program[256], none[] = "";
	const struct tour t = {.program = program, .options = none, .input = none};
	if (snprintf(program, sizeof program, "%s", name) >= (int)sizeof program ||
	    strpbrk(name, " \t"))
		return err_set(err, "'%.60s' is no name of a demo; `cyclops demo` lists them",
		               name),
		       NULL;
	char **own = tour_command_line(&t, argc, err);
	char **words =
		own ? alloc_zeroed((size_t)*argc + (size_t)option_count + 1, sizeof *words) : NULL;
	*all = own;
	if (!words)
		return own ? (err_set(err, "out of memory"), NULL) : NULL;
	words[0] = own[0];
	memcpy(words + 1, options, (size_t)option_count * sizeof *words);
	memcpy(words + 1 + option_count, own + 1, (size_t)(*argc - 1) * sizeof *words);
	*argc += option_count;
	return words;
}

/* Runs the demo. `cyclops run` has no --source; its program reads our standard input. */
static int run_it(char **words, int count)
{
	int n = 0;
	words[n++] = (char *)(uintptr_t) "run";
	bool behind = false; /* after "--": arguments of the program */
	for (int i = 1; i < count; i++) {
		behind |= !strcmp(words[i], "--");
		if (behind) {
			words[n++] = words[i];
			continue;
		}
		const bool input = !strcmp(words[i], "--stdin");
		if (input && i + 1 < count && !freopen(words[i + 1], "r", stdin))
			return say_error("%s: %s", words[i + 1], strerror(errno));
		if (input || !strcmp(words[i], "--source"))
			i++;
		else
			words[n++] = words[i];
	}
	words[n] = NULL;
	return cli_run.run(n, words);
}

static const struct cli_option demo_options[] = {
	{{"course", required_argument, NULL, COURSE_OPTION}, "FOLDER", COURSE_HELP},
};

/* Removes --course from the user's options and applies it: the course determines the demos and
 * their options. False with *err. */
static bool demo_take_course(int *argc, char **argv, struct err *err)
{
	static const char name[] = "--course";
	const size_t n = sizeof name - 1;
	for (int i = 1; i < *argc; i++) {
		const int took = !strcmp(argv[i], name)                            ? 2
		                 : !strncmp(argv[i], name, n) && argv[i][n] == '=' ? 1
		                                                                   : 0;
		if (!took)
			continue;
		if (i + took > *argc)
			return err_set(err, "--course needs an argument: FOLDER");
		if (!course_choose(took == 2 ? argv[i + 1] : argv[i] + n + 1, err))
			return false;
		*argc -= took;
		memmove(argv + i, argv + i + took, (size_t)(*argc - i + 1) * sizeof *argv);
		i--;
	}
	return true;
}

static int cli_demo_main(int argc, char **argv)
{
	struct options o;
	struct tour_place place = {0};
	struct err err;
	if (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))) {
		option_text_head(stdout, cli_demo.usage, cli_demo.help);
		cli_print_options(demo_options, 1, stdout);
		return 0;
	}
	if (!demo_take_course(&argc, argv, &err) || !course_enter(&err))
		return say_error("%s", err.msg);
	if (argc == 1) {
		puts("Demo programs, for `cyclops demo NAME`:\n");
		tour_each_demo(cli_demo_print_entry, NULL);
		puts("\nScenarios are scenarios/NAME: `cyclops demo "
		     "scenarios/forwarding`.");
		return 0;
	}
	if (*argv[argc - 1] == '-')
		return say_error("no demo given; expected cyclops %s", cli_demo.usage);
	int count;
	char **own = NULL,
	     **words = cli_demo_build_argv(argv[argc - 1], argv + 1, argc - 2, &count, &own, &err);
	if (!words) {
		free(own);
		return say_error("%s", err.msg);
	}
	int status;
	/* Without a screen or options, just run it. */
	const bool looks = screen_possible() || argc > 2;
	if (!looks) {
		status = run_it(words, count);
	} else if (!options_parse(&o, FOR_INSPECT, count, words, &err)) {
		status = say_error("%s", err.msg);
	} else {
		options_prefer_terminal(&o);
		status = cli_inspect_options(&o, &place);
		options_deinit(&o);
		status = cli_tour_next(&place, status);
	}
	free(words);
	free(own);
	return status;
}

const struct cli_command cli_demo = {
	.name = "demo",
	.usage = "demo [[OPTIONS] NAME]",
	.help = "Inspects a demo program with its arguments and input, from anywhere; alone, lists "
		"them. OPTIONS are those of `cyclops\n"
		"inspect`. Where there is no terminal, and without options, it runs. A session's "
		"files stay in the current folder of a\n"
		"checkout; with an installed Cyclops in your own, ~/.local/share/cyclops/course.",
	.options = demo_options,
	.option_count = 1,
	.run = cli_demo_main,
};
