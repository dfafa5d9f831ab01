/* step, reverse-step: by cycles; step into: by source lines, into calls. */
#include <string.h>

#include "core/pipe/pipe.h"
#include "ui/console/args.h"
#include "ui/console/here.h"
#include "ui/console/motion.h"
#include "ui/remote/commanded.h"

/* True if only the breakpoint at the instruction where the motion began (with `insts` instructions
 * committed) stopped the motion: its stop was reported before. */
static bool cmd_step_leaves_breakpoint(struct console *c, const struct run_stop_info *info,
                                       uint64_t insts)
{
	const struct group g = spot_group(here_spot(c));
	struct stop_hits h;
	stop_hits_read(&h, c->session->run, info);
	bool same = h.n && g.n && machine_insts(c->session->machine) - g.n == insts;
	for (unsigned i = 0; i < h.n && i <= RUN_ALSO_MAX; i++) {
		const struct stop_point *sp = run_stop(c->session->run, h.hit[i].stop_id);
		same &= sp && sp->kind == STOP_POINT_PC && sp->stage == STAGE_COMMIT &&
		        h.hit[i].seq == g.u[0]->seq;
	}
	return same;
}

static enum command_result step_into(struct console *c, const char *args, bool forward)
{
	struct goal g = {0};
	uint64_t n;
	if (!parse_steps(c, args, "lines", &n))
		return CMD_ERROR;
	struct mover *v = commanded_begin(c, forward);
	if (!v)
		return CMD_ERROR;
	for (uint64_t i = 0; i < n && commanded_goes_on(v) && !g.gone; i++)
		if (forward)
			motion_line(v, LINE_INTO, 0, &g);
		else
			motion_back_line(v, LINE_INTO, 0, &g);
	return commanded_end(v, MOTION_SOURCE);
}

static enum command_result cmd_step_exec(struct console *c, const char *args)
{
	char word[8];
	const char *lines = parse_word(args, word, sizeof word);
	if (!strcmp(word, "into"))
		return step_into(c, lines, true);
	const struct machine *m = c->session->machine;
	struct run_stop_info info;
	struct err err;
	uint64_t n;
	const struct spot from = *here_spot(c);
	const bool shown = from.reached && !from.back && !from.ahead;
	if (!parse_steps(c, args, "cycles", &n) || !motion_start(c, true))
		return CMD_ERROR;
	const uint64_t insts = machine_insts(m), end = machine_cycle(m) + n;
	bool began, leaves;
	do {
		began = run_cycles(c->session->run, end > n ? end - machine_cycle(m) : n, true,
		                   &info, &err);
		leaves = began && shown && info.reason == STOPPED_BREAK &&
		         cmd_step_leaves_breakpoint(c, &info, insts);
		if (leaves)
			info = (struct run_stop_info){0};
	} while (leaves && machine_cycle(m) < end);
	if (began)
		commanded_cycles_end(c, &info);
	motion_enter_inlined(c, machine_seen_pc(c->session->machine), NULL);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

static enum command_result cmd_reverse_step_exec(struct console *c, const char *args)
{
	char word[8];
	const char *lines = parse_word(args, word, sizeof word);
	if (!strcmp(word, "into"))
		return step_into(c, lines, false);
	struct run_stop_info info;
	struct err err;
	uint64_t n;
	if (!parse_steps(c, args, "cycles", &n) || !motion_start(c, false))
		return CMD_ERROR;
	bool began = run_back_cycles(c->session->run, n, &info, &err);
	motion_enter_inlined(c, machine_seen_pc(c->session->machine), NULL);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

const struct command cmd_step = {
	.name = "step",
	.aliases = "s",
	.group = "running",
	.words = "into",
	.usage = "step [CYCLES] | step into [LINES]",
	.summary = "go on by one clock cycle, or by CYCLES; into: by source lines, into calls",
	.help = "For a source line use `next`, for an instruction `stepi`. Breakpoints on the\n"
		"way stop it. Stepping through recorded history repeats it exactly.\n"
		"`step into` is like `next`, but stops in a called function that has lines.\n"
		"    step        step 20        step 10k        step into",
	.repeats = true,
	.exec = cmd_step_exec,
};

const struct command cmd_reverse_step = {
	.name = "reverse-step",
	.aliases = "rs",
	.group = "running",
	.words = "into",
	.usage = "reverse-step [CYCLES] | reverse-step into [LINES]",
	.summary = "go back by one clock cycle, or by CYCLES; into: by source lines, into calls",
	.help = "The machine is then exactly as it was in that cycle: registers, memory,\n"
		"queues, caches, predictors. The program's output stays written and\n"
		"is not repeated when you go on.\n"
		"`reverse-step into` is like `reverse-next`, but stops in a called function\n"
		"that has lines.",
	.repeats = true,
	.exec = cmd_reverse_step_exec,
};
