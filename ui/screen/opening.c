#include "ui/screen/opening.h"

#include <inttypes.h>
#include <string.h>

#include "core/pipe/pipe.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/program/death.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/place_text.h"
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

/* Shows the first text that fits in one row, or else the last: a longer one would cover the
 * timeline. */
static void opening_say(struct screen *s, char *const *text, unsigned n)
{
	unsigned i = 0;
	while (i + 1 < n && (int)utf8_width(text[i]) > s->canvas.cols - 2)
		i++;
	screen_say(s, false, "%s", text[i]);
}

/* "31 % of the time: linked.c:38; for 22 % it waits for L2": a short spent_sentence(); without the
 * loss's share unless `share`, and without the loss unless `loss`. */
static char *opening_brief(const struct session *se, const struct spent_place *p, bool share,
                           bool loss, char *buf, size_t n)
{
	char where[256], lost[32] = "";
	if (p->at.file)
		snprintf(where, sizeof where, "%s:%u", file_base_name(p->at.file), p->at.line);
	else
		spent_where(se, p, where, sizeof where);
	if (share && 200 * p->lost >= 1)
		snprintf(lost, sizeof lost, "for %.0f %% ", 100 * p->lost);
	if (loss)
		snprintf(buf, n, "%.0f %% of the time: %s; %sit %s", 100 * p->share, where, lost,
		         p->cause->doing);
	else
		snprintf(buf, n, "%.0f %% of the time: %s", 100 * p->share, where);
	return buf;
}

/* Shows what the program spends its time on; `part`: it was not run to its end. Then each text is
 * limited to that part: a program may still be in its setup. */
static void opening_say_spent(struct screen *s, const struct spent *spent, bool part,
                              const char *hint)
{
	enum { TEXTS = 6, TEXT_BYTES = 640 };
	char line[512], brief[512], first[64] = "", text[TEXTS][TEXT_BYTES];
	const struct spent_place *p = &spent->place[0];
	const struct session *se = screen_session(s);
	const char *so_far = part ? "So far: " : "";
	spent_sentence(se, p, line, sizeof line);
	if (part)
		snprintf(first, sizeof first, "Of the first %s cycles: ", GROUPED(spent->to));
	snprintf(text[0], TEXT_BYTES, "%s%s.  %s", first, line, hint);
	snprintf(text[1], TEXT_BYTES, "%s%s.", first, line);
	snprintf(text[2], TEXT_BYTES, "%s%s.", so_far, line);
	for (unsigned i = 3; i < TEXTS; i++)
		snprintf(text[i], TEXT_BYTES, "%s%s", so_far,
		         opening_brief(se, p, i < 4, i < 5, brief, sizeof brief));
	opening_say(s,
	            (char *const[]){text[0], text[1], text[2], text[3], text[4], text[5]}, TEXTS);
}

/* Goes to the cycle before a program died, and shows how. False: it has not died. */
static bool opening_show_death(struct screen *s, const char *hint)
{
	enum { TEXTS = 3, TEXT_BYTES = 640 };
	struct session *se = screen_session(s);
	struct run_stop_info info;
	struct err err;
	char death[512], text[TEXTS][TEXT_BYTES];
	const uint64_t end = machine_cycle(se->machine);
	if (!death_text(se, death, sizeof death))
		return false;
	if (!run_goto_cycle(se->run, end - 1, &info, &err)) {
		screen_say(s, true, "%s", err.msg);
		return true;
	}
	if (info.reason == STOPPED_INTERRUPT)
		return true;
	snprintf(text[0], TEXT_BYTES, "The program %s, in the next cycle.  %s", death, hint);
	snprintf(text[1], TEXT_BYTES, "The program %s, in the next cycle.", death);
	snprintf(text[2], TEXT_BYTES, "It %s", death);
	opening_say(s, (char *const[]){text[0], text[1], text[2]}, TEXTS);
	return true;
}

/* Runs on from main, or in a stripped program from the first cycle, and goes to the middle of the
 * time of the place that held most of it: the screen begins with what the program spends its time
 * on. If the program dies, it begins a cycle before that. Returns if Esc stops that. */
static void opening_look_ahead(struct screen *s, bool from_main)
{
	struct session *se = screen_session(s);
	const uint64_t began = machine_cycle(se->machine);
	const char *hint = from_main ? "m main, t tours" : "t tours";
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
	const bool died = ran && !stopped && opening_show_death(s, hint);
	running_end(s);
	s->changed |= died;
	if (died) {
		s->opened = machine_cycle(se->machine);
		return;
	}
	struct spent spent;
	/* A program that waits for input at once has not begun its work. */
	const bool asks = info.reason == STOPPED_INPUT && machine_cycle(se->machine) < 2 * began;
	const bool known = counted && !asks && spent_find(se, &spent) && spent.count;
	if (known && screen_console(s, "goto spent 1") == CMD_OK) {
		s->console->err.msg[0] = '\0';
		s->opened = machine_cycle(se->machine);
		opening_say_spent(s, &spent, info.reason != STOPPED_EXIT, hint);
		return;
	}
	if (!run_goto_cycle(se->run, began, &info, &err))
		screen_say(s, true, "%s", err.msg);
}

static void opening_choose(struct screen *s)
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

void opening_go(struct screen *s)
{
	s->opens = true;
	opening_choose(s);
	s->opens = false;
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
