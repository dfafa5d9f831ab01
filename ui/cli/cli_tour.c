/* `cyclops tour`: plays guided tours, on the screen step by step, elsewhere as text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/cli/cli.h"
#include "ui/cli/cli_options.h"
#include "ui/cli/option_text.h"
#include "ui/cli/options.h"
#include "ui/render/safe_print.h"
#include "ui/render/terminal.h"
#include "ui/screen/screen.h"
#include "ui/screen/wrap.h"
#include "ui/tour/course.h"
#include "ui/tour/tour.h"

enum { TITLE_X = 13, LEAST_TITLE = 20 };

/* Takes over the line. */
static void put_title_line(void *ctx, char *line)
{
	const char **name = ctx;
	say(stdout, "  %-10s %s\n", *name, line + strspn(line, " "));
	*name = "";
	free(line);
}

static void put_tour(void *ctx, const struct tour *t)
{
	const char *name = t->name;
	const unsigned width = terminal_width();
	(void)ctx;
	wrap_text(t->title,
	          !width                          ? TOUR_TITLE
	          : width > TITLE_X + LEAST_TITLE ? width - TITLE_X
	                                          : LEAST_TITLE,
	          put_title_line, &name);
}

static int cli_tour_list_tours(void)
{
	struct err err;
	if (!course_enter(&err))
		return say_error("%s", err.msg);
	puts("Tours, for `cyclops tour NAME`: on a terminal Space goes on, and other keys explore "
	     "in between.\n");
	tour_each(put_tour, NULL);
	return 0;
}

/* Plays one session of a tour, from its beginning or from place->beat on. */
static int play_once(const struct tour *t, bool text, struct tour_place *place)
{
	struct options o;
	struct err err;
	int argc;
	char **argv = tour_command_line(t, &argc, &err);
	if (!argv)
		return say_error("%s", err.msg);
	if (!options_parse(&o, FOR_INSPECT, argc, argv, &err)) {
		free(argv);
		return say_error("%s: %s", t->path, err.msg);
	}
	if (text) {
		o.given[OPT_BATCH] = true;
		o.commands[0] = (struct option_command){.file = true, .text = t->path};
		o.command_count = 1;
	}
	const int status = cli_inspect_options(&o, place);
	options_deinit(&o);
	free(argv);
	return status;
}

static int cli_tour_play_tour(const char *name, bool text)
{
	char next[TOUR_NAME] = "";
	int status;
	do {
		struct tour t;
		struct err err;
		if (!(strchr(name, '/') || strstr(name, ".cyc")) && !course_enter(&err))
			return say_error("%s", err.msg);
		if (!tour_find(&t, name, &err))
			return say_error("%s", err.msg);
		struct tour_place place = {.tour = &t};
		do {
			place.again = false;
			status = play_once(&t, text, &place);
		} while (place.again && status == 0);
		tour_deinit(&t);
		memcpy(next, place.next, sizeof next);
		name = next;
	} while (*next && status == 0);
	return status;
}

int cli_tour_next(struct tour_place *place, int status)
{
	return *place->next && status == 0 ? cli_tour_play_tour(place->next, false) : status;
}

struct tour_request {
	bool text, help;
};

static bool tour_take(void *ctx, int id, int argc, char **argv, struct err *err)
{
	struct tour_request *r = ctx;
	(void)argc;
	(void)argv;
	if (id == COURSE_OPTION)
		return course_choose(optarg, err);
	return *(id == 'b' ? &r->text : &r->help) = true;
}

static const struct cli_option tour_options[] = {
	{{"batch", no_argument, NULL, 'b'}, NULL, "play it as text"},
	{{"course", required_argument, NULL, COURSE_OPTION}, "FOLDER", COURSE_HELP},
	{{"help", no_argument, NULL, 'h'}, NULL, "this text"},
};
enum { TOUR_OPTIONS = sizeof tour_options / sizeof *tour_options };

static int cli_tour_main(int argc, char **argv)
{
	struct tour_request r = {.text = !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) ||
	                                 !screen_possible()};
	struct err err;
	if (!cli_read_options(tour_options, TOUR_OPTIONS, argc, argv, tour_take, &r, &err))
		return say_error("%s", err.msg);
	if (r.help) {
		option_text_head(stdout, cli_tour.usage, cli_tour.help);
		cli_print_options(tour_options, TOUR_OPTIONS, stdout);
		return 0;
	}
	if (optind == argc)
		return cli_tour_list_tours();
	if (optind + 1 != argc)
		return say_error("'%s' is one word too many; expected cyclops %s", argv[optind + 1],
		                 cli_tour.usage);
	return cli_tour_play_tour(argv[optind], r.text);
}

const struct cli_command cli_tour = {
	.name = "tour",
	.usage = "tour [[OPTIONS] NAME | FILE.cyc]",
	.help = "Plays a guided tour; alone, lists them. On a terminal Space does the next step, "
		"any other key explores the machine,\n"
		"and Space leads back. Elsewhere, and with --batch, a tour is a text. A "
		"tour of your own is a command file whose\n"
		"comments are its prose; its first lines name it and its program: "
		"demos/tours/first.cyc.",
	.options = tour_options,
	.option_count = TOUR_OPTIONS,
	.run = cli_tour_main,
};
