/* A pane for displays, in every layout: it opens with the first display and closes after the last.
 */
#include <string.h>

#include "ui/console/display.h"
#include "ui/screen/screen_state.h"

enum { BESIDE_ROWS = 2, ALWAYS_ROWS = 5, SHARE_OF_AREA = 4, AREA_ROWS = 15 };

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

void displays_arrange(struct screen *s)
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
