/* Visible panes, their places and the focus. */
#include <string.h>

#include "core/pipe/pipe.h"
#include "hwviews/flow/contexts.h"
#include "hwviews/flow/flow_paths.h"
#include "ui/console/display.h"
#include "ui/screen/end_page.h"
#include "ui/screen/narration.h"
#include "ui/screen/playground.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/tabs.h"
#include "ui/screen/timeline.h"

enum { BESIDE_ROWS = 2, ALWAYS_ROWS = 5, SHARE_OF_AREA = 4, AREA_ROWS = 15 };

struct rect screen_area(struct screen *s)
{
	struct rect area = {1, 0, s->canvas.rows - 3, s->canvas.cols};
	area = playground_place(s->playground, area);
	area = timeline_place(s, area);
	area = narration_place(&s->narration, area);
	return tabs_place(s, area);
}

unsigned screen_panes(const struct screen *s, struct pane **out)
{
	unsigned n, shown = 0;
	if (s->zoomed) {
		out[0] = s->focus;
		return 1;
	}
	n = tiles_panes(*s->root, out);
	for (unsigned i = 0; i < n; i++)
		if (out[i]->r.h)
			out[shown++] = out[i];
	return shown;
}

bool screen_shows(const struct screen *s, const char *view)
{
	struct pane *p[LAYOUT_PANES];
	const unsigned n = screen_panes(s, p);
	for (unsigned i = 0; i < n; i++)
		if (p[i]->view && !strcmp(p[i]->view->name, view))
			return true;
	return false;
}

void screen_build(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = screen_panes(s, p);
	const struct session *se = screen_session(s);
	uint64_t now = machine_cycle(se->machine);
	if (se->machine != s->machine || now != s->cycle) {
		s->last_stop = se->machine != s->machine ? UINT64_MAX : s->cycle;
		s->machine = se->machine;
		s->cycle = now;
	}
	s->changed = false;
	running_begin(s);
	s->running.builds = true;
	for (unsigned i = 0; i < n; i++)
		pane_build(p[i], se, s->last_stop);
	timeline_build(s);
	running_end(s);
	s->damaged = true;
}

void screen_arrange(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	tabs_arrange(s);
	if (!s->focus->r.h && tiles_panes(*s->root, p))
		s->focus = p[0];
	if (s->zoomed)
		pane_place(s->focus, screen_area(s));
	s->changed = s->damaged = true;
}

/* ---- the pane for displays: it opens with the first display and closes after the last ---- */
static bool shows_displays(const struct pane *p)
{
	return p->view && !strcmp(p->view->name, "displays");
}

static struct node *passing_leaf(struct node *n)
{
	if (n->passing)
		return n;
	for (unsigned i = 0; i < n->count; i++) {
		struct node *found = passing_leaf(n->child[i]);
		if (found)
			return found;
	}
	return NULL;
}

/* True if the user has put another view into the pane, or closed all other panes. */
static bool displays_pane_stays_open(const struct node *leaf)
{
	return !leaf->parent || !shows_displays(leaf->pane);
}

/* Closes the displays' pane. True if it had the focus. */
static bool close_passing(struct screen *s)
{
	struct node *leaf = passing_leaf(*s->root);
	if (!leaf)
		return false;
	if (displays_pane_stays_open(leaf)) {
		leaf->passing = false;
		return false;
	}
	const bool focused = leaf->pane == s->focus;
	tiles_close(s->root, leaf, &(struct err){0});
	return focused;
}

static int wanted_rows(size_t displays, int area)
{
	const int most = area / SHARE_OF_AREA > ALWAYS_ROWS ? area / SHARE_OF_AREA : ALWAYS_ROWS;
	return displays < (size_t)(most - BESIDE_ROWS) ? (int)displays + BESIDE_ROWS : most;
}

bool displays_have_changed(const struct screen *s)
{
	return s->displays != displays_count(s->console);
}

/* Opens a pane for displays if displays exist, no pane shows them, and there is room; closes the
 * pane after the last display is removed. */
static void displays_pane_arrange(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	const bool focused = close_passing(s);
	const unsigned n = tiles_panes(*s->root, p);
	bool shown = n == LAYOUT_PANES;
	for (unsigned i = 0; i < n; i++)
		shown = shown || shows_displays(p[i]);
	s->displays = displays_count(s->console);
	struct node *leaf = NULL;
	const int area = screen_area(s).h;
	if (s->displays && !shown && area >= AREA_ROWS)
		leaf = tiles_put_below(s->root, "displays", wanted_rows(s->displays, area), area);
	if (leaf)
		leaf->passing = true;
	if (!focused)
		return;
	s->focus = leaf ? leaf->pane : NULL;
	s->zoomed = s->zoomed && leaf;
}

/* ---- layouts ---- */
void screen_choose_tree(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	const struct session *of = screen_session(s);
	const struct config *cfg = of && of->machine ? machine_config(of->machine) : NULL;
	const unsigned what = (session_uses_xprof(of) ? LAYOUT_PROFILED : LAYOUT_ANY) |
	                      (cfg && CONFIG(cfg, sampler) ? LAYOUT_SAMPLED : LAYOUT_ANY) |
	                      (cfg && CONFIG(cfg, cop) ? LAYOUT_COP : LAYOUT_ANY) |
	                      (cfg && contexts_are_kept(of) ? LAYOUT_CONTEXTS : LAYOUT_ANY) |
	                      (cfg && session_counts_paths(of) ? LAYOUT_PATHS : LAYOUT_ANY) |
	                      (cfg && CONFIG(cfg, vsample) ? LAYOUT_VALUES : LAYOUT_ANY) |
	                      (of->twin ? LAYOUT_TWIN : LAYOUT_ANY) |
	                      (cfg && machine_pipe(of->machine)->unordered ? LAYOUT_TEXTBOOK
	                       : cfg && machine_has_ended(of->machine)     ? LAYOUT_ENDED
	                                                                   : LAYOUT_ANY);
	const struct rect area = screen_area(s);
	s->end.ended = cfg && machine_has_ended(of->machine);
	s->root = s->narration.on_stage
	                  ? &s->narration.stage
	          : s->end.shown
	                  ? end_page_tree(&s->end, &area)
	                  : layout_tree(&s->layouts.layout[s->layout], area.w,
	                                area.h + 3 + s->timeline.r.h + s->tabs.r.h, what);
	displays_pane_arrange(s);
	unsigned n = tiles_panes(*s->root, p), at = 0;
	while (at < n && p[at] != s->focus)
		at++;
	if (at == n)
		s->focus = p[0];
	screen_arrange(s);
}

void screen_set_layout(struct screen *s, int i)
{
	s->layout = i;
	s->focus = NULL;
	s->zoomed = false;
	s->narration.on_stage = false;
	s->end.shown = false;
	screen_choose_tree(s);
	tabs_follow_tour(s);
}

void screen_focus(struct screen *s, struct pane *p)
{
	s->timeline.focused = false;
	if (p == s->focus)
		return;
	s->focus = p;
	s->damaged = true;
	if (s->zoomed)
		screen_arrange(s);
}
