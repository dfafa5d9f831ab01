/* why, select: about one instruction. */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/pipe/pipe.h"
#include "core/prof/sampler/compressor.h"
#include "hwviews/cop/cop_rows.h"
#include "hwviews/reports/report.h"
#include "hwviews/sampler/why_tuple.h"
#include "hwviews/values/vsample_rows.h"
#include "hwviews/why/inst_history.h"
#include "hwviews/why/waits.h"
#include "hwviews/why/why_text.h"
#include "scripting/script.h"
#include "ui/console/args.h"

static struct uop *cmd_why_find_uop(struct console *c, uint64_t seq)
{
	struct uop *u = pipe_find(machine_pipe(c->session->machine), seq);
	if (!seq)
		console_fail(c, "instructions are numbered from 1");
	else if (!u)
		console_fail(c,
		             "#%" PRIu64 " is not in the pipeline: `goto #%" PRIu64
		             "` goes to its fetch",
		             seq, seq);
	return u;
}

static void cmd_why_print_line(void *ctx, const char *line)
{
	console_print(ctx, "%s\n", line);
}

static enum command_result cmd_why_explain_uop(struct console *c, const struct uop *u)
{
	char line[1024];
	console_print(c, "%s\n", why_line(c->session, u, line, sizeof line));
	if (why_gave_last_tuple(c->session, u) && why_last_tuple(c->session, line, sizeof line))
		console_print(c, "its tuple: %s\n", line);
	if (*why_tagged(c->session, u, line, sizeof line))
		console_print(c, "for the co-processor: %s\n", line);
	return CMD_OK;
}

/* If u is the oldest instruction and done, prints the oldest one that still waits. */
static void put_first_waiting(struct console *c, const struct uop *u)
{
	const struct pipe *p = machine_pipe(c->session->machine);
	char line[1024];
	uint32_t i = 0;
	while (i < p->st->rob_count && pipe_rob_at(p, i)->state == UOP_DONE)
		i++;
	if (i && i < p->st->rob_count && pipe_rob_at(p, 0) == u)
		console_print(c, "after it: %s\n",
		              why_line(c->session, pipe_rob_at(p, i), line, sizeof line));
}

/* Prints why an instruction waits, and its history if that was recorded. */
static enum command_result put_inst_history(struct console *c, uint64_t seq)
{
	const struct uop *u = pipe_find(machine_pipe(c->session->machine), seq);
	struct story y;
	char line[1024];
	if (c->answer)
		c->answer->about = seq;
	if (u)
		cmd_why_explain_uop(c, u);
	if (!inst_history_gather(c->session, seq, &y, &c->err) ||
	    (!u && !inst_history_line(c->session, &y, line, sizeof line, &c->err))) {
		if (u)
			return CMD_OK;
		return CMD_ERROR;
	}
	if (!u)
		console_print(c, "%s\n", line);
	if (c->answer && c->answer->whole &&
	    (c->answer->story = alloc_resize(c->answer->story, sizeof y)))
		*c->answer->story = y;
	if (y.left && *waits_line(c->session, &y.uop, line, sizeof line))
		console_print(c, "%s\n", line);
	inst_history_tell(c->session, &y, cmd_why_print_line, c);
	return CMD_OK;
}

static enum command_result cmd_why_explain_cop(struct console *c)
{
	char line[512];
	if (!device_there(c->session, "cop", &c->err))
		return CMD_ERROR;
	console_print(c, "%s\n", why_cop(c->session, line, sizeof line));
	return CMD_OK;
}

static enum command_result cmd_why_explain_vsample(struct console *c)
{
	char line[512];
	if (!device_there(c->session, "vsample", &c->err))
		return CMD_ERROR;
	console_print(c, "%s\n", why_vsample(c->session, line, sizeof line));
	return CMD_OK;
}

static enum command_result cmd_why_explain_tuple(struct console *c)
{
	char line[1024];
	if (!why_last_tuple(c->session, line, sizeof line))
		return console_fail(c, "%s", line);
	console_print(c, "%s\n", line);
	for (unsigned stage = 0; stage < COMPRESSOR_STAGES_MAX; stage++)
		if (why_taken_tuple(c->session, stage, line, sizeof line))
			console_print(c, "%s\n", line);
	return CMD_OK;
}

/* Prints what fetch waits for. */
static enum command_result cmd_why_explain_nothing(struct console *c)
{
	char line[512];
	const bool held = session_vsample(c->session) && vsample_runs(c->session);
	console_print(c, "nothing is in flight: %s\n",
	              held ? why_vsample(c->session, line, sizeof line)
	                   : why_fetch_line(c->session, line, sizeof line));
	return CMD_OK;
}

static enum command_result cmd_why_explain_all_uops(struct console *c)
{
	const struct pipe *p = machine_pipe(c->session->machine);
	if (!p->st->rob_count && !p->st->fetchq_count)
		return cmd_why_explain_nothing(c);
	for (uint32_t i = 0; i < p->st->rob_count; i++)
		cmd_why_explain_uop(c, pipe_rob_at(p, i));
	for (uint32_t i = 0; i < p->st->fetchq_count; i++)
		cmd_why_explain_uop(c, pipe_fetchq_at(p, i));
	return CMD_OK;
}

static enum command_result cmd_why_exec(struct console *c, const char *args)
{
	uint64_t seq;
	if (!strcmp(args, "all"))
		return cmd_why_explain_all_uops(c);
	if (!strncmp(args, "slow", 4) && (!args[4] || args[4] == ' '))
		return console_run(c, args);
	if (!strcmp(args, "tuple"))
		return cmd_why_explain_tuple(c);
	if (!strcmp(args, "cop"))
		return cmd_why_explain_cop(c);
	if (!strcmp(args, "vsample"))
		return cmd_why_explain_vsample(c);
	if (*args && !parse_seq(args, &seq))
		return console_fail(c,
		                    "why '%s': expected an instruction as the views number them, "
		                    "such as #81213",
		                    args);
	const struct uop *u = *args ? NULL : session_uop(c->session);
	if (u) {
		const enum command_result r = put_inst_history(c, u->seq);
		put_first_waiting(c, u);
		return r;
	}
	if (*args)
		return put_inst_history(c, seq);
	return cmd_why_explain_nothing(c);
}

static enum command_result cmd_select_exec(struct console *c, const char *args)
{
	uint64_t seq;
	if (!*args || !strcmp(args, "none")) {
		c->session->selected_seq = 0;
		return CMD_OK;
	}
	if (!parse_seq(args, &seq))
		return console_fail(c, "expected select #INSTRUCTION");
	struct uop *u = cmd_why_find_uop(c, seq);
	if (!u)
		return CMD_ERROR;
	c->session->selected_seq = seq;
	return c->screen ? CMD_OK : cmd_why_explain_uop(c, u);
}

const struct command cmd_why = {
	.name = "why",
	.aliases = "w",
	.group = "views",
	.usage = "why [#INSTRUCTION | all | slow | tuple | cop | vsample]",
	.summary = "explain an instruction's wait, down to the cause, and its history",
	.help = "Without a number: the selected instruction, else that of the event at which\n"
		"the machine has just stopped, else the oldest in flight; if that one waits\n"
		"for nothing, the wait of the oldest that waits comes last.\n"
		"The first line explains its wait. Below, as far as there is history:\n"
		"  waited        of one that has left: the reasons of its waits, with their\n"
		"                cycles, in order; in brackets the last wait of the\n"
		"                instruction that it waited for\n"
		"  predicted     the predictor, its counters and history at the time\n"
		"  decode        redirected fetch for it\n"
		"  outcome       the target, and when it was known\n"
		"  data          of a load: the store or level that supplied it\n"
		"  cost          squashed instructions, and when dispatch resumed\n"
		"  squashed by   the instruction and the reason\n"
		"Instructions of the past have theirs, too: `why #1000`.\n"
		"`why slow`: why the program is slow, in a few sentences (`help slow`).\n"
		"`why tuple`, of the stream sampler: the place of the last selected tuple,\n"
		"its counter, and why software was notified of it or not; then the work of\n"
		"components in this cycle.\n"
		"`why cop`: what the co-processor does, or waits for. In machines with\n"
		"one, a second line shows whether an instruction was tagged for it, and why.\n"
		"`why vsample`: what the value sampler's handler does, or waits for.",
	.words = "all slow tuple cop vsample",
	.repeats = true,
	.exec = cmd_why_exec,
};

const struct command cmd_select = {
	.name = "select",
	.aliases = "sel",
	.group = "views",
	.usage = "select #INSTRUCTION | none",
	.summary = "choose the instruction for `why` and the views",
	.help = "",
	.words = "none",
	.exec = cmd_select_exec,
};
