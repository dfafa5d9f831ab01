/* The mouse: focus, select, scroll, breakpoints. */
#include <string.h>

#include "ui/screen/playground.h"
#include "ui/screen/screen_state.h"
#include "ui/screen/tabs.h"
#include "ui/screen/term.h"
#include "ui/screen/timeline.h"

enum { WHEEL_ROWS = 3, MARK_CELLS = 3 };

static struct pane *pane_under(const struct screen *s, int y, int x)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = screen_panes(s, p);
	for (unsigned i = 0; i < n; i++)
		if (rect_has(&p[i]->r, y, x))
			return p[i];
	return NULL;
}

/* True at the column in which views of code show their marks. */
static bool on_marks(const struct pane *p, int x)
{
	return p->view && (!strcmp(p->view->name, "disasm") || !strcmp(p->view->name, "source")) &&
	       x < p->r.x + MARK_CELLS;
}

static void mouse_on_press(struct screen *s, const struct term_mouse *m)
{
	const char *tab = tabs_at(s, m->y, m->x);
	struct pane *p = pane_under(s, m->y, m->x);
	if (tab)
		tabs_show(s, tab);
	if (!p)
		return;
	screen_focus(s, p);
	int row = pane_row_at(p, m->y, m->x);
	if (row < 0)
		return;
	pane_select_row(p, row);
	screen_run(s, "row 0");
	if (m->button == MOUSE_DOUBLE)
		screen_run(s, "explain");
	else if (on_marks(p, m->x))
		screen_run(s, "break-here");
}

void screen_mouse(struct screen *s)
{
	const struct term_mouse *m = term_mouse();
	bool wheel = m->button == MOUSE_WHEEL_UP || m->button == MOUSE_WHEEL_DOWN;
	int by = m->button == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS;
	s->damaged = true;
	if (s->popup.open) {
		const char *command = NULL;
		if (wheel)
			popup_scroll(&s->popup, by);
		else if (m->button != MOUSE_DRAG)
			command = popup_click(&s->popup, m->y, m->x);
		if (command)
			screen_run(s, command);
		return;
	}
	if (!s->cmdline.open && timeline_mouse(s, m))
		return;
	if (!s->cmdline.open && playground_mouse(s))
		return;
	if (m->button == MOUSE_DRAG)
		return;
	if (wheel) {
		struct pane *p = pane_under(s, m->y, m->x);
		if (p)
			pane_scroll(p, screen_session(s), by);
		return;
	}
	if (!s->cmdline.open)
		mouse_on_press(s, m);
}
