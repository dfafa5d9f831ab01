#include "ui/screen/opening.h"

#include <inttypes.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "hwviews/session/marks.h"
#include "hwviews/why/spent.h"
#include "ui/screen/cmd.h"
#include "ui/screen/narration.h"
#include "ui/screen/screen_state.h"

/* Limit of cycles, so that opening is quick. Programs with longer setup need `start`. */
#define CYCLES_MOST UINT64_C(4000000)
/* Cycles to run ahead from main on, to find where the program spends its time. */
#define CYCLES_AHEAD UINT64_C(500000)

struct way {
	uint64_t to;
	bool there;
};

/* Stops when the instruction at main has completed and is next to commit: the window has filled by
 * then. Pipelines without this state stop when it has committed. */
static bool there_or_too_far(void *ctx, const struct machine *m, const struct event *ev)
{
	struct way *w = ctx;
	const struct pipe *p = machine_pipe(m);
	const bool next =
		machine_pc(m) == w->to && p->st->rob_count && pipe_rob_at(p, 0)->pc == w->to;
	w->there = (next && pipe_rob_at(p, 0)->state == UOP_DONE) ||
	           ((EVENT_BIT(commit) >> ev->id & 1 && ev->pc == w->to));
	return w->there || machine_cycle(m) >= CYCLES_MOST;
}

/* False after --ff, a startup file's `continue` or other commands that move the machine. */
static bool is_at_reset(const struct session *se)
{
	return !machine_cycle(se->machine) && !machine_insts(se->machine) &&
	       !machine_has_ended(se->machine);
}

/* True if the screen begins where most of the time goes. */
static bool opening_wants_ahead(const struct screen *s)
{
	const struct console *c = s->console;
	return c->begins == CONSOLE_BEGINS_AHEAD ||
	       (c->begins == CONSOLE_BEGINS_UNSAID && !c->commanded);
}

static bool wants_main(const struct screen *s)
{
	return s->console->begins == CONSOLE_BEGINS_MAIN || opening_wants_ahead(s);
}

/* Returns to the first cycle if main was not reached. */
static void opening_return_to_start(struct screen *s)
{
	struct session *se = screen_session(s);
	struct run_stop_info info;
	struct err err;
	if (!run_goto_cycle(se->run, 0, &info, &err) && !session_restart(se, &err))
		screen_say(s, true, "%s", err.msg);
}

static void opening_run_to_main(struct screen *s, uint64_t addr)
{
	struct session *se = screen_session(s);
	struct way w = {.to = addr};
	const struct event_filter of = {.mask = EVENT_BIT(commit) | EVENT_BIT(writeback)};
	struct run_stop_info info;
	struct err err;
	screen_build(s);
	running_begin(s);
	region_motion_begins(se);
	const bool began = run_until_event(se->run, &of, there_or_too_far, &w, &info, &err);
	/* Stay at a stop by Esc, by input or by a breakpoint of the startup file. */
	const bool stays = began && (w.there || info.reason == STOPPED_INTERRUPT ||
	                             info.reason == STOPPED_INPUT || info.reason == STOPPED_BREAK);
	if (began && !stays)
		opening_return_to_start(s);
	running_end(s);
	if (w.there && !region_mark(se, "main", &err))
		screen_say(s, true, "%s", err.msg);
	s->changed = true;
}

/* True if the program may be run ahead: its run is recorded, for the way back, and it writes no
 * files. */
static bool opening_looks_ahead(const struct screen *s)
{
	const struct session *se = screen_session(s);
	struct run_history h;
	run_history(se->run, &h);
	return opening_wants_ahead(s) && se->history.history && !launch_writes(&se->launch) &&
	       !se->twin && machine_cycle(se->machine) == h.newest_cycle;
}

/* Runs on from main, or in a stripped program from the first cycle, and goes to the middle of the
 * time of the place that held most of it: the screen begins with what the program spends its time
 * on. Returns if Esc stops that. */
static void opening_look_ahead(struct screen *s, bool from_main)
{
	struct session *se = screen_session(s);
	const uint64_t began = machine_cycle(se->machine);
	struct run_stop_info info;
	struct err err;
	bool counted = false;
	const int layout = layouts_find(&s->layouts, "source", &err);
	if (layout >= 0)
		screen_set_layout(s, layout);
	screen_build(s);
	running_begin(s);
	s->running.ahead = true;
	bool ran = run_cycles(se->run, CYCLES_AHEAD, true, &info, &err);
	const bool stopped = ran && (info.reason == STOPPED_INTERRUPT || s->quit);
	while (ran && !stopped && !counted)
		ran = spent_gather(se, UINT64_MAX, &counted, &err);
	running_end(s);
	struct spent spent;
	/* A program that waits for input at once has not begun its work. */
	const bool asks = info.reason == STOPPED_INPUT && machine_cycle(se->machine) < 2 * began;
	const bool known = counted && !asks && spent_find(se, &spent) && spent.count;
	if (known && screen_console(s, "goto spent 1") == CMD_OK) {
		s->console->err.msg[0] = '\0';
		s->opened = machine_cycle(se->machine);
		char text[512], first[64] = "";
		if (info.reason != STOPPED_EXIT)
			snprintf(first, sizeof first, "Of the first %s cycles: ",
			         GROUPED(spent.to));
		screen_say(s, false, "%s%s.  %st tours", first,
		           spent_sentence(se, &spent.place[0], text, sizeof text),
		           from_main ? "m main, " : "");
		return;
	}
	if (!run_goto_cycle(se->run, began, &info, &err))
		screen_say(s, true, "%s", err.msg);
}

void opening_go(struct screen *s)
{
	const struct session *se = screen_session(s);
	const struct symbol *main_symbol = program_symbol_by_name(se->program, "main");
	const bool named = main_symbol && main_symbol->code;
	if (narration_on(&s->narration) || !is_at_reset(se) || !wants_main(s))
		return;
	if (named)
		opening_run_to_main(s, main_symbol->addr);
	if ((!named || machine_pc(se->machine) == main_symbol->addr) && opening_looks_ahead(s))
		opening_look_ahead(s, named);
	if (!s->message.n && machine_cycle(se->machine))
		screen_say(s, false,
		           "Opened at main: s steps, S back, c runs, ? help, Ctrl-P finds all, t "
		           "tours%s",
		           s->log.n ? ", l what was printed" : "");
}

bool exec_to_main(struct screen *s, const char *args, struct err *err)
{
	struct session *se = screen_session(s);
	const struct mark *m;
	struct run_history h;
	(void)args;
	(void)err;
	run_history(se->run, &h);
	for (unsigned i = 0; (m = region_mark_at(se, i)); i++)
		if (!strcmp(m->name, "main") && m->cycle >= h.first_cycle &&
		    m->cycle <= h.newest_cycle && se->history.history) {
			screen_runf(s, "goto %" PRIu64, m->cycle);
			return true;
		}
	screen_run(s, "start");
	return true;
}
