#include "ui/screen/end_page.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/defs/stats.h"
#include "core/run/run.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/program/death.h"
#include "ui/screen/narration.h"

static const char end_page_panes[] = "(rows 56 spent 44 output)";
static const char end_page_large[] = "(rows 40 spent 60 (columns 58 cpi 42 output))";

bool end_page_init(struct end_page *e, struct err *err)
{
	e->tree = tiles_parse(end_page_panes, err);
	e->large = e->tree ? tiles_parse(end_page_large, err) : NULL;
	return e->large;
}

struct node **end_page_tree(struct end_page *e, const struct rect *area)
{
	enum { LARGE_COLS = 110, LARGE_ROWS = 26 };
	return area->w >= LARGE_COLS && area->h >= LARGE_ROWS ? &e->large : &e->tree;
}

void end_page_deinit(struct end_page *e)
{
	tiles_free(e->tree);
	tiles_free(e->large);
	*e = (struct end_page){0};
}

void end_page_leave(struct screen *s)
{
	if (!s->end.shown || machine_has_ended(screen_session(s)->machine))
		return;
	s->end.shown = false;
	s->focus = NULL;
	screen_choose_tree(s);
}

bool end_page_has_passed(const struct screen *s)
{
	const struct session *se = screen_session(s);
	return se->machine && s->end.ended != machine_has_ended(se->machine);
}

/* A death that takes several rows, and would cover the timeline, is left to the page's title. */
static void end_page_shorten(struct screen *s)
{
	const struct machine *m = screen_session(s)->machine;
	char insts[32];
	if (!s->message.n || !death_has_lost(m) ||
	    (int)utf8_width(s->message.s) <= s->canvas.cols - 2)
		return;
	screen_say(s, false, "The program died in cycle %s, after %s instructions",
	           GROUPED(machine_cycle(m)), group_digits(machine_insts(m), insts));
}

/* Adds the difference from the run that ended before to the message. */
static void end_page_compare(struct screen *s)
{
	struct end_page *e = &s->end;
	const struct machine *m = screen_session(s)->machine;
	const uint64_t cycles = machine_cycle(m), insts = machine_insts(m),
		       untimed = insts - STAT(machine_stats(m), insts);
	char now[32], was[32], more[33];
	/* After `sample goto` only a part of the run has cycles: no comparison with all of it. */
	if (e->of != m && e->cycles && e->insts && untimed == e->untimed) {
		char *text = alloc_text(s->message.n ? s->message.s : "");
		if (text && cycles == e->cycles && insts == e->insts)
			screen_say(s, false, "%s; %s cycles again: nothing has changed", text,
			           group_digits(cycles, now));
		else if (text)
			screen_say(s, false,
			           "%s; the run before took %s: %+.1f %% cycles, %s instructions",
			           text, group_digits(e->cycles, was),
			           100 * ((double)cycles / (double)e->cycles - 1),
			           group_digits_signed((int64_t)(insts - e->insts), more));
		free(text);
	}
	e->of = m;
	e->cycles = cycles;
	e->insts = insts;
	e->untimed = untimed;
}

void end_page_follow(struct screen *s, bool ended)
{
	struct end_page *e = &s->end;
	const struct session *se = screen_session(s);
	const bool now = machine_has_ended(se->machine);
	end_page_leave(s);
	if (!now || ended || narration_on(&s->narration) || s->playground || se->twin)
		return;
	e->shown = true;
	s->focus = NULL;
	s->zoomed = false;
	screen_choose_tree(s);
	end_page_shorten(s);
	end_page_compare(s);
}
