#include "ui/screen/survey.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/why/spent.h"
#include "hwviews/why/what_if.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/term.h"

/* Cycles of a piece: some 30 ms. What-if begins after a pause without keys, since its first answer
 * to a key can take longer. */
enum { SURVEY_PIECE = 100000, SURVEY_PAUSE_MS = 250 };

/* A key stops what-if; it begins again when the screen waits. */
static bool survey_may_continue(void *ctx, unsigned done, unsigned all, uint64_t steps)
{
	(void)ctx, (void)done, (void)all, (void)steps;
	return !term_wait(0);
}

/* Runs what-if for the cycles around the first place, unless that is its last answer. */
static bool survey_ask(struct screen *s)
{
	struct session *se = screen_session(s);
	struct region r;
	struct err err;
	if (!spent_measured(se, &r) || (se->what_if && !strcmp(se->what_if->text, r.text)))
		return true;
	if (term_wait(SURVEY_PAUSE_MS))
		return false;
	struct what_if *w = alloc_bytes(sizeof *w);
	const bool ran = w && what_if_run(se, &r, survey_may_continue, s, w, &err);
	if (ran) {
		free(se->what_if);
		se->what_if = w;
		s->changed = true;
		return true;
	}
	free(w);
	return !term_wait(0); /* done if what-if refuses this run; else a key interrupted it */
}

/* True if a command has profiled a part of the run instead (`slow`, `view hot`): the end's page
 * shows no figures of a part. A view in a box keeps its profile until the box closes. */
static bool survey_is_lost(const struct screen *s)
{
	return s->end.shown && !s->popup.open && spent_counted(screen_session(s)) < 1;
}

bool survey_go_on(struct screen *s)
{
	struct session *se = screen_session(s);
	struct survey *v = &s->survey;
	struct run_history h;
	struct err err;
	bool counted;
	if (v->off || !se->run || s->cmdline.open || s->animation.on || !screen_shows(s, "spent"))
		return false;
	run_history(se->run, &h);
	const bool same =
		v->of == se->machine && v->cuts == h.cuts && v->newest == h.newest_cycle;
	if (same && v->done && (v->refused || !survey_is_lost(s)))
		return false;
	const bool again = same && (v->done || v->again), drawn = same && v->counted;
	*v = (struct survey){
		.of = se->machine, .cuts = h.cuts, .newest = h.newest_cycle, .again = again};
	if (!spent_gather(se, SURVEY_PIECE, &counted, &err)) {
		v->done = v->refused = true;
	} else if (counted && !drawn) {
		v->counted = s->changed = true;
	} else if (counted) {
		v->counted = s->changed = true;
		v->done = (again && se->what_if) || survey_ask(s);
	}
	return !v->done;
}
