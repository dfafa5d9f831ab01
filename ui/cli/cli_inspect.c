/* `cyclops PROGRAM`: the inspector; on a terminal the screen, elsewhere a batch of commands. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/alloc.h"
#include "core/machine/params.h"
#include "hwviews/twin/twin_program.h"
#include "ui/cli/cli.h"
#include "ui/cli/compile.h"
#include "ui/cli/link_options.h"
#include "ui/cli/options.h"
#include "ui/cli/standard_input.h"
#include "ui/console/answer_lines.h"
#include "ui/console/batch.h"
#include "ui/console/interrupt.h"
#include "ui/console/prompt.h"
#include "ui/console/quiz.h"
#include "ui/link/moment.h"
#include "ui/render/safe_print.h"
#include "ui/screen/screen.h"
#include "ui/screen/text.h"
#include "ui/tour/tour.h"

static void cli_inspect_write_stdout(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	fwrite(text, 1, n, stdout);
}

/* Writes output, and keeps it for the screen that opens later. */
static void write_and_keep(void *ctx, const char *text, size_t n)
{
	text_append(ctx, text, n);
	cli_inspect_write_stdout(NULL, text, n);
}

/* Writes the program's output through our own buffers, to keep the order of all output. ctx: the
 * answer lines of --json, or NULL. */
static void cli_inspect_write_guest_output(void *ctx, int fd, const void *bytes, size_t n)
{
	if (ctx) {
		answer_lines_output(ctx, fd, bytes, n);
		return;
	}
	if (fd == 2)
		fflush(stdout);
	say_output(fd == 2 ? stderr : stdout, bytes, n);
	/* Flush, so that a prompt appears before the user types. */
	if (fd == 1 && isatty(STDIN_FILENO))
		fflush(stdout);
}

static struct session *cli_inspect_open_session(struct options *o, const char *seen_as, int input,
                                                struct answer_lines *lines, struct err *err)
{
	struct session_options so = {
		.cfg = o->config,
		.config_name = o->config_name,
		.launch = options_launch(o),
		.fast_forward = o->ff,
		.warm = o->given[OPT_WARMUP],
		.history = {.history = !o->given[OPT_NO_HISTORY]},
	};
	char *const path = o->argv[0];
	so.launch.stdin_fd = input;
	if (seen_as)
		o->argv[0] = (char *)(uintptr_t)seen_as; /* the session copies it */
	so.launch.output = cli_inspect_write_guest_output;
	so.launch.output_ctx = lines;
	so.launch.warn = say_warning;
	struct session *s = session_open(&so, err);
	o->argv[0] = path;
	return s;
}

static enum command_result first_commands(struct console *c, const struct options *o,
                                          const struct moment *moment)
{
	if (!o->given[OPT_NO_INIT])
		batch_startup_file(c);
	if (moment && moment_go(c, moment) == CMD_ERROR && c->batch)
		return CMD_ERROR;
	return batch_options(c, o);
}

/* Runs the commands of the startup file and the options, and opens the screen with their answers.
 */
static int open_screen(struct console *c, const struct options *o, struct tour_place *place)
{
	struct text said = {0};
	c->write = write_and_keep;
	c->write_ctx = &said;
	enum command_result r = first_commands(c, o, place->moment);
	if (o->ui_start)
		console_begins_named(o->ui_start, &c->begins);
	c->commanded = o->command_count || place->moment;
	c->write = cli_inspect_write_stdout;
	c->write_ctx = NULL;
	int status = r == CMD_QUIT ? 0 : screen_main(c, place, &said);
	text_deinit(&said);
	return status;
}

/* Runs a session from its first command; returns its exit status. */
static int cli_inspect_run_session(struct console *c, const struct options *o,
                                   const struct standard_input *in, struct tour_place *place)
{
	c->batch = in->batch;
	c->piped = in->commands;
	if (!in->batch && !o->given[OPT_NO_SCREEN] && screen_possible())
		return open_screen(c, o, place);
	enum command_result r = first_commands(c, o, place->moment);
	if (r == CMD_QUIT)
		return 0;
	if (r == CMD_ERROR && in->batch)
		return STATUS_COMMAND_FAILED;
	if (!in->batch)
		return prompt_main(c);
	return in->follow ? batch_input(c) : 0;
}

int cli_inspect_options(struct options *o, struct tour_place *place)
{
	struct console c;
	struct err err;
	if (!o->argc)
		return say_error("no program given; expected cyclops [OPTIONS] PROGRAM [ARGS...]");
	link_options_begin(o, place);
	if (!compile_source(o, &err))
		return say_error("%s", err.msg);
	place->source = o->compiled_from;
	struct answer_lines *lines = o->given[OPT_JSON_LINES] ? answer_lines_new(stdout) : NULL;
	if (o->given[OPT_JSON_LINES] && !lines)
		return say_error("out of memory for answers");
	struct standard_input in;
	struct session *s = NULL;
	if (standard_input_decide(&in, o, &err) &&
	    (in.batch || !o->on_terminal || config_set(&o->config, "sim.terminal", "true", &err)))
		s = cli_inspect_open_session(o, place->seen_as, in.program, lines, &err);
	if (s && o->twin &&
	    !twin_open_on(s, o->twin, o->twin_program, o->twin_name, &err)) {
		session_free(s);
		s = NULL;
	}
	if (!s) {
		answer_lines_free(lines);
		return say_error("%s", err.msg);
	}
	int status = STATUS_ERROR;
	if (console_init(&c, s, lines ? answer_lines_say : cli_inspect_write_stdout, lines, &err)) {
		interrupt_attach(s->run, c.exprs);
		c.lines = lines;
		if (place && place->quiz) {
			c.quiz = place->quiz;
			quiz_restart(c.quiz);
		}
		if (lines)
			c.width = 0;
		status = cli_inspect_run_session(&c, o, &in, place);
		if (c.batch && c.values_failed && !status)
			status = STATUS_ERROR; /* as in `cyclops run` */
		interrupt_attach(NULL, NULL);
		if (!console_end(&c, &err))
			status = say_error("%s", err.msg);
		console_deinit(&c);
	} else {
		say_error("%s", err.msg);
	}
	session_free(s);
	answer_lines_free(lines);
	return status;
}

static int cli_inspect_main(int argc, char **argv)
{
	struct options o;
	struct err err;
	int status;
	if (!cli_parse_or_print(&cli_inspect, argc, argv, &o, &status))
		return status;
	if (!o.cc && compile_texts(&o) && screen_possible() && !o.given[OPT_BATCH] &&
	    !o.given[OPT_NO_SCREEN]) {
		options_deinit(&o);
		return cli_edit(argc, argv);
	}
	options_deinit(&o);
	struct tour_place place = {.argv = argv};
	do {
		/* a session changes its words */
		char **words = alloc_bytes(((size_t)argc + 1) * sizeof *words);
		if (!words)
			return say_error("out of memory");
		memcpy(words, argv, ((size_t)argc + 1) * sizeof *words);
		place.again = false;
		if (options_parse(&o, FOR_INSPECT, argc, words, &err)) {
			options_prefer_terminal(&o);
			status = cli_inspect_options(&o, &place);
			options_deinit(&o);
		} else {
			status = say_error("%s", err.msg);
		}
		free(words);
	} while (place.again && status == 0);
	return cli_tour_next(&place, status);
}

const struct cli_command cli_inspect = {
	.name = "inspect",
	.usage = "[inspect] [OPTIONS] PROGRAM [ARGS...]",
	.help = "Inspects a program cycle by cycle, forwards and backwards. On a terminal commands "
		"are typed, elsewhere and with --batch\n"
		"they come from -e and -x, and the status is 1 if one fails; `cyclops help` lists "
		"them. A file or a pipe as standard\n"
		"input belongs to the program; commands come from there with --batch alone, "
		"with -x -, and beside --stdin.",
	.takes = FOR_INSPECT,
	.run = cli_inspect_main,
};
