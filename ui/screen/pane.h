/* A pane: one view in a rectangle, with its own scrolling, selection and search.
 *
 * It holds the last grid built, so it can be drawn at any time, also while the machine runs.
 * Changes since the last stop are found by comparing with the grid of that stop. */
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
	const struct view *view;   /* NULL: no such view, see error */
	char *split;               /* owned; argv points into it */
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
	bool follow;               /* keep the grid's focus row in sight */
	unsigned first_column;     /* columns scrolled off at the left */
	unsigned text_scroll;      /* cells scrolled off at the left of truncated columns */
	uint64_t selected_key;     /* row->key of the selection, 0 = by position */
	int selected;              /* row of the selection, -1 = none */
	/* widest contents of each column so far, so that columns don't jump while stepping */
	unsigned widths[PANE_COLUMNS];
	unsigned numbers[PANE_COLUMNS]; /* cells of most of its numbers, which are never cut */
	bool used[PANE_COLUMNS];   /* columns that have had text */
	bool crowded;              /* not all columns fit: leave out those without text */
	unsigned fit[PANE_COLUMNS];    /* cells that columns get, 0 = left out */
	unsigned gap;              /* cells between columns */
	unsigned hidden_columns;   /* columns that do not fit at the right */
	char search[PANE_SEARCH];  /* highlighted; "" = nothing */
};

/* Makes a pane for a view from its words. NULL only if memory is short: a pane of an unknown view
 * shows an error, and looks for the view again at each build. */
struct pane *pane_new(const char *words);
void pane_free(struct pane *p);
/* Replaces the view by another view of this session (NULL: built-in views only). False with *err:
 * unchanged. */
bool pane_set_view(struct pane *p, const struct session *s, const char *words, struct err *err);

void pane_place(struct pane *p, struct rect r);
/* Rebuilds the grid. last_stop: cycle of the previous stop; changes are relative to a grid of that
 * cycle. */
void pane_build(struct pane *p, const struct session *s, uint64_t last_stop);
/* Rebuilds the grid while the machine runs; unchanged if the view can't be built then. */
void pane_refresh(struct pane *p, const struct session *s, uint64_t last_stop);

void pane_draw(const struct pane *p, struct canvas *c, bool focused);
/* Adds only the rule of its title line, for draw_lines(). */
void pane_rule(const struct pane *p, struct canvas *c);
/* Computes column widths and which columns fit; call before pane_draw(). */
void pane_measure(struct pane *p);

/* Scrolls by `rows`. */
void pane_scroll(struct pane *p, const struct session *s, int64_t rows);
/* Moves the selection, from the focus row if there is none; scrolls to keep it in sight. */
void pane_select(struct pane *p, const struct session *s, int64_t rows);
void pane_select_row(struct pane *p, int row);
/* In a picture, selects the box right (1) or left (-1) of the selected one, if there is one. False:
 * no picture is shown. */
bool pane_select_beside(struct pane *p, int direction);
/* Selects the first or last row. */
void pane_select_end(struct pane *p, bool last);
/* Clears selection and scrolling, and shows the grid's focus row. */
void pane_follow(struct pane *p, const struct session *s);
/* Selects the next (direction 1) or previous (-1) row that contains p->search. False if none does.
 */
bool pane_find(struct pane *p, const struct session *s, int direction);
/* The selected row, NULL if none. */
const struct grid_row *pane_row(const struct pane *p);
/* Row of the grid at a place on the screen, -1 if none. */
int pane_row_at(const struct pane *p, int y, int x);
/* Rows of the grid that fit, or lines of its picture. */
int pane_rows(const struct pane *p);

/* Number of cells cut off the most truncated text. */
unsigned pane_cut(const struct pane *p);

/* ---- between pane.c and pane_draw.c ---- */
bool pane_has_heads(const struct pane *p);
/* The picture shown in place of the grid's rows; NULL: no picture, or no room. */
const struct picture *pane_picture(const struct pane *p);
const char *pane_title(const struct pane *p);

#endif
