/* A pane: one view in a rectangle, with its own scrolling, selection and search.
 *
 * It holds the grid that was built last, so it can be drawn at any time, also while the machine
 * runs. What changed since the last stop is found by comparing with the grid of that stop. */
#ifndef CYCLOPS_UI_SCREEN_PANE_H
#define CYCLOPS_UI_SCREEN_PANE_H

#include <stdbool.h>
#include <stdint.h>

#include "hwviews/grid/grid.h"
#include "hwviews/grid/view.h"
#include "hwviews/session/session.h"
#include "ui/screen/draw.h"

enum { PANE_WORDS = 8, PANE_COLUMNS = 24, PANE_SEARCH = 64, PANE_MIN_ROWS = 3, PANE_MIN_COLS = 12 };

struct pane {
	char *words;               /* "mem sp 64": view and arguments; owned */
	const struct view *view;   /* NULL: no such view, error says so */
	char *split;               /* owned; what argv points into */
	const char *argv[PANE_WORDS];
	int argc;
	struct err error;          /* why there is no grid */

	struct rect r;             /* with the title line; r.h = 0: hidden */
	struct grid grid, before;  /* owned; initialised if the flags below say so */
	bool built, has_before;
	uint64_t cycle;            /* of `grid` */
	uint64_t before_cycle;

	int top;                   /* first row shown */
	int64_t view_scroll;       /* rows, for views whose window moves with the pane */
	bool follow;               /* keeps the grid's focus row in sight */
	unsigned first_column;     /* columns scrolled off at the left */
	unsigned text_scroll;      /* cells scrolled off at the left of columns that are cut */
	uint64_t selected_key;     /* row->key of the selection, 0 = by position */
	int selected;              /* row of the selection, -1 = none */
	/* cells that columns have needed so far: they don't jump while stepping */
	unsigned widths[PANE_COLUMNS];
	bool used[PANE_COLUMNS];   /* they have had text so far */
	bool crowded;              /* not all fits: columns without text are left out */
	unsigned fit[PANE_COLUMNS];    /* cells they get, 0 = left out */
	unsigned gap;              /* cells between columns */
	unsigned hidden_columns;   /* that do not fit at the right */
	char search[PANE_SEARCH];  /* highlighted; "" = nothing */
};

/* Shows a view from its words. NULL only if memory is short: an unknown view is told about in the
 * pane, which looks for it among the session's whenever it is built. */
struct pane *pane_new(const char *words);
void pane_free(struct pane *p);
/* Another view of this session (NULL: one that all have) in the same place. False with *err:
 * everything as it was. */
bool pane_set_view(struct pane *p, const struct session *s, const char *words, struct err *err);

void pane_place(struct pane *p, struct rect r);
/* Asks the view again. last_stop: cycle of the stop before this one; a grid of that cycle is what
 * changes are found against. */
void pane_build(struct pane *p, const struct session *s, uint64_t last_stop);
/* The same while the machine runs: what can't be asked then stays as it is. */
void pane_refresh(struct pane *p, const struct session *s, uint64_t last_stop);

void pane_draw(const struct pane *p, struct canvas *c, bool focused);
/* Its title line's rule, and only that, for draw_lines(). */
void pane_rule(const struct pane *p, struct canvas *c);
/* Learns how wide columns are and which fit; before pane_draw(). */
void pane_measure(struct pane *p);

/* Moves what is shown by `rows`. */
void pane_scroll(struct pane *p, const struct session *s, int64_t rows);
/* Moves the selection, from the focus row if there is none; scrolls to keep it in sight. */
void pane_select(struct pane *p, const struct session *s, int64_t rows);
void pane_select_row(struct pane *p, int row);
/* Of a picture, to the box right (1) or left (-1) of the selected one, if there is one. False: no
 * picture is shown. */
bool pane_select_beside(struct pane *p, int direction);
/* To the first or last row. */
void pane_select_end(struct pane *p, bool last);
/* No selection, no scrolling: what matters most is in sight. */
void pane_follow(struct pane *p, const struct session *s);
/* Selects the next row (direction 1) or previous one (-1) that contains p->search. False if none
 * does. */
bool pane_find(struct pane *p, const struct session *s, int direction);
/* The selected row, NULL if none. */
const struct grid_row *pane_row(const struct pane *p);
/* Row of the grid at a place on the screen, -1 if none. */
int pane_row_at(const struct pane *p, int y, int x);
/* Rows of the grid that fit, or lines of its picture. */
int pane_rows(const struct pane *p);

/* Cells of the text that is cut most. */
unsigned pane_cut(const struct pane *p);

/* ---- between pane.c and pane_draw.c ---- */
bool pane_has_heads(const struct pane *p);
/* What is shown in place of the grid's rows; NULL: it has none, or there is no room. */
const struct picture *pane_picture(const struct pane *p);
const char *pane_title(const struct pane *p);

#endif
