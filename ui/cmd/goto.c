/* goto: to a cycle or an instruction, in either direction. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/grid/grid.h"
#include "hwviews/session/marks.h"
#include "hwviews/why/spent.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"
#include "ui/console/here.h"
#include "ui/console/location.h"
#include "ui/console/motion.h"
#include "ui/console/step_goals.h"
#include "ui/remote/commanded.h"

/* True if args name a place in the code, not a cycle. */
static bool cmd_goto_is_code_location(const struct console *c, const char *args)
{
	char name[256];
	size_t n = strcspn(args, " \t+-");
	if (*args == '*' || *args == '&' || (strchr(args, ':') && !strpbrk(args, "\"'(")))
		return true;
	snprintf(name, sizeof name, "%.*s", (int)(n < sizeof name ? n : sizeof name - 1), args);
	return program_symbol_by_name(c->session->program, name) != NULL;
}

/* The program has ended before reaching the place: returns to the starting cycle. */
static enum command_result not_there(struct console *c, const char *place, uint64_t from,
                                     struct run_stop_info *info, struct err *err)
{
	char end[32];
	group_digits(machine_cycle(c->session->machine), end);
	const bool back =
		run_goto_cycle(c->session->run, from, info, err) && info->reason == STOPPED_DONE;
	if (back)
		motion_undone(c);
	else
		info->reason = STOPPED_EXIT;
	if (motion_end_report(c, true, info, err, MOTION_STATUS) == CMD_ERROR)
		return CMD_ERROR;
	if (!back)
		return console_fail(c, "the program ended before it reached %s", place);
	return console_fail(c,
	                    "the program does not reach %s again before it ends in cycle %s, so "
	                    "nothing moved; `reverse-until %s` goes back to the last time",
	                    place, end, place);
}

/* Goes forward to the next arrival at the place. */
static enum command_result go_to_place(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct location to;
	struct goal g;
	struct err err;
	if (!location_parse(c, args, &to))
		return CMD_ERROR;
	const struct symbol *sym = program_symbol_at(c->session->program, to.addr);
	if (sym && !sym->code)
		return console_fail(c,
		                    "%s is data: goto takes a cycle or a place in the code; `watch "
		                    "%s` stops when it changes",
		                    args, args);
	if (machine_has_ended(c->session->machine))
		return console_fail(c,
		                    "the program has ended, without reaching %s again; "
		                    "`reverse-until %s` goes back to the last time",
		                    args, args);
	if (!motion_start(c, true))
		return CMD_ERROR;
	const uint64_t from = machine_cycle(c->session->machine);
	goal_init(&g, c->session, 0);
	g.target = &to.addr;
	g.targets = 1;
	bool began = run_until(c->session->run, goal_reach, &g, &info, &err);
	motion_reached(c, began, &info);
	if (began)
		commanded_cycles_end(c, &info);
	if (began && info.reason == STOPPED_EXIT &&
	    machine_status(c->session->machine) == MACHINE_EXITED)
		return not_there(c, args, from, &info, &err);
	return motion_end_report(c, began, &info, &err, MOTION_SOURCE);
}

/* How far the place may be from the middle of its time: farther away, the middle is in code that it
 * has called. */
enum { SPENT_NEAR = 20000 };

/* Goes to the cycle `middle`, in called code, then back to the call; if there is no call, to
 * `middle` again. */
static bool goto_spent_call(struct console *c, const uint64_t *pcs, size_t n, uint64_t middle,
                            struct goal *g, struct run_stop_info *info, struct err *err)
{
	struct run *run = c->session->run;
	if (!run_goto_cycle(run, middle, info, err))
		return false;
	goal_init(g, c->session, 0);
	g->forth_only = true;
	g->target = pcs;
	g->targets = n;
	if (!run_back_until(run, goal_wait, g, info, err))
		return false;
	return info->reason == STOPPED_DONE || info->reason == STOPPED_INTERRUPT ||
	       run_goto_cycle(run, middle, info, err);
}

/* Goes to a place of `view spent`: to where it is next to commit, in the middle of its time. */
static enum command_result cmd_goto_spent(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct goal g;
	struct err err;
	struct spent all;
	uint64_t n, pcs[SPENT_INSTS], cycle;
	char text[512];
	if (!parse_count(c, args, 1, &n))
		return CMD_ERROR;
	if (!spent_find(c->session, &all))
		return console_fail(c, "no profile yet: `view spent` gathers one");
	if (!n || n > all.count)
		return console_fail(c, "no place %" PRIu64 "; expected 1 to %u", n, all.count);
	const size_t targets = spent_goal(c->session, &all.place[n - 1], pcs, &cycle);
	if (!motion_start(c, false))
		return CMD_ERROR;
	bool began = run_goto_cycle(c->session->run, cycle, &info, &err);
	if (began && info.reason == STOPPED_DONE) {
		goal_init(&g, c->session, 0);
		g.target = pcs;
		g.targets = targets;
		began = run_until(c->session->run, goal_wait, &g, &info, &err);
		if (began && info.reason != STOPPED_INTERRUPT &&
		    (info.reason != STOPPED_DONE ||
		     machine_cycle(c->session->machine) - cycle > SPENT_NEAR))
			began = goto_spent_call(c, pcs, targets, cycle, &g, &info, &err);
	}
	const enum command_result r = motion_end_report(c, began, &info, &err, MOTION_STATUS);
	const struct spent_place *p = &all.place[n - 1];
	if (r == CMD_OK)
		console_print(c, "%s; would help: %s\n",
		              spent_sentence(c->session, p, text, sizeof text), p->cause->advice);
	return r;
}

/* Finds the cycle of the mark of this name; false: there is none. */
static bool cmd_goto_find_mark(const struct console *c, const char *name, uint64_t *cycle)
{
	const struct mark *m = NULL;
	for (unsigned i = 0; (m = region_mark_at(c->session, i)) && strcmp(m->name, name) != 0; i++)
		;
	*cycle = m ? m->cycle : 0;
	return m;
}

static enum command_result cmd_goto_refuse_called(struct console *c)
{
	return console_fail(c, "a function called by an expression is in progress; `finish` "
	                       "returns from it, `continue`, too");
}

static enum command_result cmd_goto_instruction(struct console *c, uint64_t seq, uint64_t newest)
{
	struct run_stop_info info;
	struct err err;
	struct run *run = c->session->run;
	const struct machine *m = c->session->machine;
	const uint64_t now = machine_cycle(m);
	if (!motion_start(c, false))
		return CMD_ERROR;
	/* A call that is in progress ends with the newest cycle. */
	const bool asks = c->state->called_count && seq >= machine_pipe(m)->st->next_seq;
	bool began = !asks || run_goto_cycle(run, newest, &info, &err);
	if (began && asks && seq >= machine_pipe(m)->st->next_seq) {
		began = run_goto_cycle(run, now, &info, &err);
		spot_return(here_spot(c), &c->state->departed, false);
		return began ? cmd_goto_refuse_called(c) : console_fail(c, "%s", err.msg);
	}
	began = began && run_goto_seq(run, seq, &info, &err);
	if (began && info.reason == STOPPED_DONE)
		c->session->selected_seq = seq;
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

static enum command_result cmd_goto_exec(struct console *c, const char *args)
{
	struct run_stop_info info;
	struct err err;
	struct run_history h;
	uint64_t n, now = machine_cycle(c->session->machine);
	bool began;
	run_history(c->session->run, &h);
	if (!strncmp(args, "cycle", 5) && isspace((unsigned char)args[5])) {
		const char *number = args + 5 + strspn(args + 5, " \t");
		if (isdigit((unsigned char)*number))
			args = number;
	}
	if (!*args)
		return console_fail(c, "no place given; expected goto CYCLE, +N, -N, #INSTRUCTION, "
		                       "start, live, end, LOCATION");
	if (!strncmp(args, "spent", 5) && (!args[5] || isspace((unsigned char)args[5])))
		return cmd_goto_spent(c, args + 5 + strspn(args + 5, " \t"));
	if (*args == '#') {
		if (!parse_seq(args, &n))
			return console_fail(c, "'%s' is no instruction: #81213", args);
		return cmd_goto_instruction(c, n, h.newest_cycle);
	}
	if (!strcmp(args, "start") || !strcmp(args, "begin")) {
		n = h.first_cycle;
	} else if (!strcmp(args, "live") || !strcmp(args, "newest")) {
		n = h.newest_cycle;
	} else if (!strcmp(args, "end")) {
		n = UINT64_MAX;
	} else if (*args == '+' || *args == '-') {
		uint64_t by;
		if (!parse_count(c, args + 1, 1, &by))
			return CMD_ERROR;
		if (*args == '-' && by > now)
			by = now;
		n = *args == '+' ? now + by : now - by;
	} else if (cmd_goto_is_code_location(c, args)) {
		return go_to_place(c, args);
	} else if (!cmd_goto_find_mark(c, args, &n) && !parse_count(c, args, 0, &n)) {
		return CMD_ERROR;
	}
	if (n > h.newest_cycle && c->state->called_count)
		return cmd_goto_refuse_called(c);
	if (!motion_start(c, n > h.newest_cycle))
		return CMD_ERROR;
	began = run_goto_cycle(c->session->run, n, &info, &err);
	return motion_end_report(c, began, &info, &err, MOTION_STATUS);
}

const struct command cmd_goto = {
	.name = "goto",
	.aliases = "g",
	.group = "running",
	.usage =
		"goto [cycle] N | +N | -N | #INSTRUCTION | start | live | end | MARK | spent N | "
		"LOCATION",
	.summary = "go to a cycle, to an instruction's fetch, or to a place in the code",
	.help = "Forwards and backwards, past any breakpoint. `start` is the beginning of\n"
		"history, `live` the newest cycle reached, `end` the program's end, and the\n"
		"name of a `mark` its cycle, if no function has that name.\n"
		"`goto #81213` goes to the cycle in which instruction 81213 was fetched and\n"
		"selects it for `why`. `goto spent 1` goes to the middle of the time of the\n"
		"first place of `view spent`.\n"
		"    goto 1,204,377    goto +100      goto -1k      goto #81213\n"
		"A place in the code (`help locations`) is where the program gets next, and\n"
		"stop points on the way stop: goto main, goto words.c:41. If the program ends\n"
		"without getting there, nothing moves. A bare number is a cycle, never a line.",
	.words = "start live end spent",
	.exec = cmd_goto_exec,
};
