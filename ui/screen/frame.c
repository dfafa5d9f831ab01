/* Draws everything. ncurses sends only changes to the terminal. */
#include <ncurses.h>
#include <stdio.h>
#include <string.h>

#include "ui/screen/cmdline.h"
#include "ui/screen/end_page.h"
#include "ui/screen/message.h"
#include "ui/screen/narration.h"
#include "ui/screen/playground.h"
#include "ui/screen/tabs.h"
#include "ui/screen/timeline.h"

static void draw_too_small(struct screen *s)
{
	char text[96];
	struct canvas *c = &s->canvas;
	snprintf(text, sizeof text, "%dx%d needed, this is %dx%d; q leaves", SCREEN_MIN_COLS,
	         SCREEN_MIN_ROWS, c->cols, c->rows);
	int x = (c->cols - (int)strlen(text)) / 2;
	draw_text(c, c->rows / 2, x > 0 ? x : 0, c->cols,
	          theme_ink(&c->theme, ROLE_SELECTED, GROUND_NONE), text);
}

static void draw_panes(struct screen *s)
{
	struct pane *p[LAYOUT_PANES];
	unsigned n = screen_panes(s, p);
	struct canvas *c = &s->canvas;
	if (s->zoomed)
		pane_rule(s->focus, c);
	else
		tiles_lines(*s->root, c);
	narration_lines(&s->narration, c);
	playground_lines(s->playground, c);
	draw_lines(c, theme_ink(&c->theme, INK_LINE, GROUND_NONE));
	for (unsigned i = 0; i < n; i++) {
		pane_measure(p[i]);
		pane_draw(p[i], c, p[i] == s->focus);
	}
	tabs_draw(s);
	timeline_draw(s);
	narration_draw(s);
	playground_draw(s);
}

static bool too_small(const struct screen *s)
{
	return s->canvas.cols < SCREEN_MIN_COLS || s->canvas.rows < SCREEN_MIN_ROWS;
}

void screen_draw(struct screen *s)
{
	struct canvas *c = &s->canvas;
	const size_t said = s->message.n;
	if ((c->rows != LINES || c->cols != COLS) && canvas_size(c, LINES, COLS))
		screen_choose_tree(s);
	else if ((displays_have_changed(s) || end_page_has_passed(s)) && !s->running.on)
		screen_choose_tree(s);
	/* While the machine moves, panes are not rebuilt. A larger terminal builds them anew. */
	if (too_small(s))
		s->changed = false;
	else if (s->changed && !s->running.on)
		screen_build(s);
	/* That a recording has begun is no part of its first picture. */
	if (recording_is_empty(s->recording))
		s->message.n = 0;
	erase();
	if (too_small(s)) {
		draw_too_small(s);
	} else {
		struct rect area = screen_area(s);
		draw_panes(s);
		status_draw(s);
		message_draw(s);
		hints_draw(s);
		area.h += s->timeline.r.h;
		if (s->popup.open)
			popup_draw(&s->popup, c, &area);
		if (s->cmdline.open)
			cmdline_draw(s);
	}
	const bool edits = s->playground && s->playground->focused && !s->popup.open;
	const bool cursor = s->cmdline.open || (s->popup.open && s->popup.finds) || edits;
	curs_set(cursor);
	refresh();
	recording_take(s->recording, cursor);
	if (s->message.n != said) {
		s->message.n = said;
		message_draw(s);
		refresh();
	}
	s->damaged = false;
}
