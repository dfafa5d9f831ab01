/* sample: measures the whole run in short units, and goes to any of them. */
#include "hwviews/why/sampled_run.h"

#include <stdlib.h>
#include <string.h>

#include "core/machine/machine.h"
#include "hwviews/session/marks.h"
#include "ui/console/command.h"
#include "ui/console/motion.h"
#include "ui/console/traces.h"

enum { PHASES = 8 };

static bool cmd_sample_should_continue(void *ctx)
{
	const struct console *c = ctx;
	return !machine_interrupted(c->session->machine);
}

/* Parses a number from 1 to `most`; 0 if it is not one. */
static unsigned long cmd_sample_parse_number(const char *text, unsigned long most)
{
	char *end;
	const unsigned long n = *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
	return n && !*end && n <= most ? n : 0;
}

static enum command_result cmd_sample_goto_unit(struct console *c, const char *word)
{
	struct session *s = c->session;
	if (!s->sampled)
		return console_fail(c, "no sample was taken yet: `sample` takes one");
	const unsigned long n = cmd_sample_parse_number(word, s->sampled->count);
	if (!n)
		return console_fail(c,
		                    "'%.40s' is not understood; expected sample goto 1 to %zu, a "
		                    "row of `view sample`",
		                    word, s->sampled->count);
	machine_clear_interrupt(s->machine);
	const bool there = sampled_run_go(s, n - 1, cmd_sample_should_continue, c, &c->err);
	machine_clear_interrupt(s->machine);
	if (!there)
		return CMD_ERROR;
	region_motion_begins(s);
	if (!traces_new_run(c))
		return CMD_ERROR;
	console_print(c, "unit %lu: history begins before it\n", n);
	if (!c->screen)
		motion_status(c);
	return CMD_OK;
}

static enum command_result cmd_sample_exec(struct console *c, const char *args)
{
	struct session *s = c->session;
	unsigned long units = SAMPLED_UNITS;
	if (!console_may(c, "sample runs machines outside the step budget"))
		return CMD_ERROR;
	if (!strncmp(args, "goto", 4) && (!args[4] || args[4] == ' '))
		return cmd_sample_goto_unit(c, args + strspn(args + 4, " ") + 4);
	if (*args && !(units = cmd_sample_parse_number(args, SAMPLED_UNITS_MAX)))
		return console_fail(c,
		                    "'%.40s' is not understood; expected sample, sample 2 to %d, "
		                    "sample goto UNIT",
		                    args, SAMPLED_UNITS_MAX);
	machine_clear_interrupt(s->machine);
	struct sampled_run *r = sampled_run_make(s, (unsigned)units, PHASES,
	                                         cmd_sample_should_continue, c, &c->err);
	machine_clear_interrupt(s->machine);
	if (!r)
		return CMD_ERROR;
	free(s->sampled);
	s->sampled = r;
	return console_run(c, "view sample");
}

const struct command cmd_sample = {
	.name = "sample",
	.aliases = "",
	.group = "views",
	.usage = "sample [UNITS] | sample goto UNIT",
	.summary = "measure the whole run in short units, and go to one of them",
	.help = "Finds slow parts: the program is executed from its beginning to its end\n"
		"beside the session: without timing, with 100 short units of timing, or\n"
		"UNITS, each at random in its part of the run. `view sample` shows them,\n"
		"`view phases` their phases. `sample goto 17` takes the machine to that\n"
		"unit: history begins a little before it, and all commands work there, also\n"
		"backwards. `run` begins anew. Refused where the run would differ: after\n"
		"typed input, changes by hand, with --rw or firmware. Ctrl-C ends it.\n"
		"    sample        sample 500        sample goto 17",
	.words = "goto",
	.exec = cmd_sample_exec,
};
