#include "ui/screen/pane.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/picture.h"

enum { SEARCH_PAGES = 200 }; /* pages of a windowed view that a search visits in each direction */

/* ---- the view ---- */
static bool split_words(struct pane *p, const char *words, struct err *err)
{
	char *copy = alloc_text(words), *keep = alloc_text(words), *at;
	const char *argv[PANE_WORDS];
	int argc = 0;
	if (!copy || !keep) {
		free(copy);
		free(keep);
		return err_set(err, "out of memory");
	}
	for (char *w = strtok_r(copy, " \t", &at); w && argc < PANE_WORDS;
	     w = strtok_r(NULL, " \t", &at))
		argv[argc++] = w;
	free(p->words);
	free(p->split);
	p->words = keep;
	p->split = copy;
	p->argc = argc;
	memcpy(p->argv, argv, sizeof argv);
	return true;
}

static void forget_grids(struct pane *p)
{
	if (p->built)
		grid_deinit(&p->grid);
	if (p->has_before)
		grid_deinit(&p->before);
	p->built = p->has_before = false;
}

static void forget_widths(struct pane *p)
{
	memset(p->widths, 0, sizeof p->widths);
	memset(p->numbers, 0, sizeof p->numbers);
	memset(p->used, 0, sizeof p->used);
}

static void pane_reset_state(struct pane *p)
{
	forget_grids(p);
	forget_widths(p);
	p->top = 0;
	p->view_scroll = 0;
	p->first_column = p->text_scroll = 0;
	p->selected = -1;
	p->selected_key = 0;
	p->follow = true;
	p->search[0] = '\0';
}

bool pane_set_view(struct pane *p, const struct session *s, const char *words, struct err *err)
{
	char name[64];
	size_t n = strcspn(words, " \t");
	snprintf(name, sizeof name, "%.*s", (int)n, words);
	if (!*name)
		return err_set(err, "no view given; `help views` lists them");
	const struct view *v = view_find(s, name, err);
	if (!v || !split_words(p, words, err))
		return false;
	p->view = v;
	pane_reset_state(p);
	return true;
}

struct pane *pane_new(const char *words)
{
	struct pane *p = alloc_zeroed(1, sizeof *p);
	if (!p)
		return NULL;
	pane_reset_state(p);
	if (!pane_set_view(p, NULL, words, &p->error) && !split_words(p, words, &p->error)) {
		free(p);
		return NULL;
	}
	return p;
}

void pane_free(struct pane *p)
{
	if (!p)
		return;
	forget_grids(p);
	free(p->words);
	free(p->split);
	free(p);
}

const char *pane_title(const struct pane *p)
{
	return p->built ? p->grid.title : p->view ? p->view->title : p->words;
}

/* ---- size ---- */
const struct picture *pane_picture(const struct pane *p)
{
	return p->built && p->grid.picture && p->grid.picture->width + 2 <= (unsigned)p->r.w
	               ? p->grid.picture
	               : NULL;
}

/* Lines of the picture or rows of the grid. */
static int line_count(const struct pane *p)
{
	const struct picture *picture = pane_picture(p);
	return (int)(picture ? picture->height : p->grid.row_count);
}

bool pane_has_heads(const struct pane *p)
{
	if (pane_picture(p))
		return false;
	for (unsigned i = 0; p->built && p->grid.row_count && i < p->grid.column_count; i++)
		if (*p->grid.columns[i].title)
			return true;
	return false;
}

int pane_rows(const struct pane *p)
{
	int rows = p->r.h - 1 - pane_has_heads(p);
	return rows > 0 ? rows : 0;
}

void pane_place(struct pane *p, struct rect r)
{
	if (p->r.w != r.w)
		forget_widths(p);
	p->r = r;
}

/* ---- building ---- */
static bool pane_build_grid(struct pane *p, const struct session *s, int64_t scroll,
                            struct grid *out)
{
	struct view_args args = {
		.argc = p->argc - 1,
		.argv = p->argv + 1,
		.rows = (unsigned)(p->r.h > 2 ? p->r.h - 2 : 1),
		.columns = (unsigned)(p->r.w > 2 ? p->r.w - 2 : 1),
		.scroll = scroll,
	};
	return p->view && view_fill(p->view, s, &args, out, &p->error);
}

static int find_key(const struct pane *p, uint64_t key)
{
	for (unsigned i = 0; key && i < p->grid.row_count; i++)
		if (p->grid.rows[i].key == key)
			return (int)i;
	return -1;
}

static int pane_clamp_index(int64_t v, int64_t lo, int64_t hi)
{
	return (int)(v > hi ? hi < lo ? lo : hi : v < lo ? lo : v);
}

/* Scrolls to the focus row if the pane follows it, and keeps top in range. */
static void pane_scroll_to_focus(struct pane *p)
{
	int rows = pane_rows(p), count = line_count(p);
	if (p->follow && p->grid.focus_row != UINT_MAX && !p->view_scroll) {
		int focus = (int)p->grid.focus_row;
		if (focus < p->top || focus >= p->top + rows)
			p->top = focus - rows / 4;
	}
	p->top = pane_clamp_index(p->top, 0, count - rows);
}

static void keep_selection(struct pane *p)
{
	if (p->selected < 0)
		return;
	if (p->selected_key) {
		int at = find_key(p, p->selected_key);
		/* Deselect an instruction that has left the machine. */
		p->selected = at;
		if (at < 0)
			p->selected_key = 0;
	} else if (p->selected >= (int)p->grid.row_count) {
		p->selected = -1;
	}
}

/* A session's own views may be defined after the layout that names them. */
static void find_again(struct pane *p, const struct session *s)
{
	char *words = alloc_text(p->words);
	if (words)
		pane_set_view(p, s, words, &p->error);
	free(words);
}

static bool same_columns(const struct grid *a, const struct grid *b)
{
	if (a->column_count != b->column_count)
		return false;
	for (unsigned c = 0; c < a->column_count; c++)
		if (strcmp(a->columns[c].name, b->columns[c].name) != 0)
			return false;
	return true;
}

/* Installs a new grid, and takes it over. */
static void pane_store_grid(struct pane *p, struct grid g, uint64_t now, uint64_t last_stop)
{
	if (p->built && !same_columns(&p->grid, &g))
		forget_widths(p);
	if (p->built && p->cycle == last_stop && p->cycle != now) {
		if (p->has_before)
			grid_deinit(&p->before);
		p->before = p->grid;
		p->before_cycle = p->cycle;
		p->has_before = true;
	} else if (p->built) {
		grid_deinit(&p->grid);
	}
	if (p->has_before && p->before_cycle != last_stop) {
		grid_deinit(&p->before);
		p->has_before = false;
	}
	p->grid = g;
	p->built = true;
	p->cycle = now;
	grid_mark_changes(&p->grid, p->has_before ? &p->before : NULL);
	keep_selection(p);
	pane_scroll_to_focus(p);
}

void pane_build(struct pane *p, const struct session *s, uint64_t last_stop)
{
	struct grid g;
	if (!p->view)
		find_again(p, s);
	if (!p->view || p->r.h < PANE_MIN_ROWS)
		return;
	if (pane_build_grid(p, s, p->view_scroll, &g)) {
		pane_store_grid(p, g, machine_cycle(s->machine), last_stop);
		return;
	}
	if (p->built)
		grid_deinit(&p->grid);
	p->built = false;
}

void pane_refresh(struct pane *p, const struct session *s, uint64_t last_stop)
{
	struct grid g;
	if (p->built && p->r.h >= PANE_MIN_ROWS && pane_build_grid(p, s, p->view_scroll, &g))
		pane_store_grid(p, g, machine_cycle(s->machine), last_stop);
}

/* ---- moving ---- */
static bool same_window(const struct grid *a, const struct grid *b)
{
	if (a->row_count != b->row_count)
		return false;
	for (unsigned i = 0; i < a->row_count; i++) {
		if (a->rows[i].key != b->rows[i].key)
			return false;
		for (unsigned c = 0; !a->rows[i].key && c < a->column_count; c++)
			if (strcmp(a->rows[i].cells[c].text, b->rows[i].cells[c].text) != 0)
				return false;
	}
	return true;
}

/* Moves the view's own window of rows, if it has one. */
static bool scroll_view(struct pane *p, const struct session *s, int64_t rows)
{
	struct grid g;
	if (!pane_build_grid(p, s, p->view_scroll + rows, &g))
		return false;
	bool moved = !same_window(&g, &p->grid) && g.row_count > 0;
	if (!moved) {
		grid_deinit(&g);
		return false;
	}
	grid_deinit(&p->grid);
	p->grid = g;
	p->view_scroll += rows;
	grid_mark_changes(&p->grid, p->has_before ? &p->before : NULL);
	for (unsigned i = 0; i < p->grid.row_count; i++) /* new in the window, not in the machine */
		p->grid.rows[i].fresh = false;
	keep_selection(p);
	p->top = 0;
	return true;
}

void pane_scroll(struct pane *p, const struct session *s, int64_t rows)
{
	if (!p->built || !rows)
		return;
	int most = line_count(p) - pane_rows(p), before = p->top;
	p->follow = false;
	if (!p->view_scroll) {
		p->top = pane_clamp_index((int64_t)p->top + rows, 0, most);
		rows -= p->top - before;
	}
	/* At the end of the grid, scroll the view's window, if it has one. */
	if (rows)
		scroll_view(p, s, rows);
}

void pane_select_row(struct pane *p, int row)
{
	if (row < 0 || row >= (int)p->grid.row_count)
		return;
	p->selected = row;
	p->selected_key = p->grid.rows[row].key;
}

static void show_selection(struct pane *p)
{
	int rows = pane_rows(p);
	unsigned first = (unsigned)p->selected, last = first;
	if (pane_picture(p) && !picture_find(pane_picture(p), p->selected, &first, &last))
		return;
	if ((int)first < p->top)
		p->top = (int)first;
	else if ((int)last >= p->top + rows)
		p->top = (int)last - rows + 1;
	p->follow = false;
}

void pane_select(struct pane *p, const struct session *s, int64_t rows)
{
	if (!p->built || !p->grid.row_count)
		return;
	if (p->selected < 0) {
		bool focus = p->grid.focus_row != UINT_MAX && (int)p->grid.focus_row >= p->top &&
		             (int)p->grid.focus_row < p->top + pane_rows(p);
		pane_select_row(p, focus ? (int)p->grid.focus_row : p->top);
		return;
	}
	int64_t want = p->selected + rows;
	int last = (int)p->grid.row_count - 1;
	if ((want < 0 || want > last) && scroll_view(p, s, want < 0 ? want : want - last)) {
		last = (int)p->grid.row_count - 1;
		pane_select_row(p, want < 0 ? 0 : last);
	} else {
		pane_select_row(p, pane_clamp_index(want, 0, last));
	}
	show_selection(p);
}

bool pane_select_beside(struct pane *p, int direction)
{
	const struct picture *picture = pane_picture(p);
	unsigned first, last;
	if (!picture || p->selected < 0 || !picture_find(picture, p->selected, &first, &last))
		return picture != NULL;
	/* Search along the middle line of the box for the next one. */
	const unsigned y = (first + last) / 2;
	int x = direction > 0 ? (int)picture->width - 1 : 0;
	while (picture_at(picture, y, (unsigned)x)->row != p->selected)
		x -= direction;
	for (x += direction; x >= 0 && x < (int)picture->width; x += direction) {
		const int row = picture_at(picture, y, (unsigned)x)->row;
		if (row < 0)
			continue;
		pane_select_row(p, row);
		show_selection(p);
		break;
	}
	return true;
}

void pane_select_end(struct pane *p, bool last)
{
	if (!p->built || !p->grid.row_count)
		return;
	pane_select_row(p, last ? (int)p->grid.row_count - 1 : 0);
	show_selection(p);
}

void pane_follow(struct pane *p, const struct session *s)
{
	p->selected = -1;
	p->selected_key = 0;
	p->search[0] = '\0';
	p->follow = true;
	p->top = 0;
	if (p->view_scroll && p->built)
		scroll_view(p, s, -p->view_scroll);
	if (p->built)
		pane_scroll_to_focus(p);
}

const struct grid_row *pane_row(const struct pane *p)
{
	return p->built && p->selected >= 0 ? &p->grid.rows[p->selected] : NULL;
}

int pane_row_at(const struct pane *p, int y, int x)
{
	const struct picture *picture = pane_picture(p);
	if (picture) {
		const int line = y - p->r.y - 1 + p->top, column = x - p->r.x - 1;
		const bool inside = y > p->r.y && line < (int)picture->height && column >= 0 &&
		                    column < (int)picture->width;
		return inside ? picture_at(picture, (unsigned)line, (unsigned)column)->row : -1;
	}
	int row = y - p->r.y - 1 - pane_has_heads(p) + p->top;
	if (!p->built || row < p->top || row >= (int)p->grid.row_count ||
	    row >= p->top + pane_rows(p))
		return -1;
	return row;
}

/* Finds the first row with the search text, from `row` on in a direction; -1: none. */
static int pane_find_matching_row(const struct pane *p, const struct grid *g, int row,
                                  int direction)
{
	for (; row >= 0 && row < (int)g->row_count; row += direction)
		for (unsigned c = 0; c < g->column_count; c++)
			if (strcasestr(g->rows[row].cells[c].text, p->search))
				return row;
	return -1;
}

static int pane_first_search_row(const struct grid *g, int direction)
{
	return direction > 0 ? 0 : (int)g->row_count - 1;
}

/* Moves a view's window page by page, `way` up or down, to the view's end, searching each in
 * `direction`. Finds the last page with the text if `last`, else the first. True: *scroll is its
 * position. */
static bool find_page(struct pane *p, const struct session *s, int way, int direction, bool last,
                      int64_t *scroll)
{
	const int64_t page = p->grid.row_count ? p->grid.row_count : 1;
	struct grid before = p->grid, g;
	bool found = false, own = false;
	for (int i = 1; i <= SEARCH_PAGES && (last || !found); i++) {
		const int64_t at = p->view_scroll + way * i * page;
		if (!pane_build_grid(p, s, at, &g))
			break;
		const bool end = !g.row_count || same_window(&g, &before);
		if (!end && pane_find_matching_row(p, &g, pane_first_search_row(&g, direction),
		                                   direction) >= 0) {
			*scroll = at;
			found = true;
		}
		if (own)
			grid_deinit(&before);
		before = g;
		own = true;
		if (end)
			break;
	}
	if (own)
		grid_deinit(&before);
	return found;
}

bool pane_find(struct pane *p, const struct session *s, int direction)
{
	if (!p->search[0] || !p->built)
		return false;
	int from = p->selected >= 0 ? p->selected + direction : direction > 0 ? p->top : p->top - 1;
	int row = pane_find_matching_row(p, &p->grid, from, direction);
	int64_t scroll;
	if (row < 0 &&
	    (find_page(p, s, direction, direction, false, &scroll) ||
	     find_page(p, s, -direction, direction, true, &scroll)) &&
	    scroll_view(p, s, scroll - p->view_scroll))
		row = pane_find_matching_row(p, &p->grid,
		                             pane_first_search_row(&p->grid, direction), direction);
	else if (row < 0)
		row = pane_find_matching_row(p, &p->grid,
		                             pane_first_search_row(&p->grid, direction), direction);
	if (row < 0)
		return false;
	pane_select_row(p, row);
	show_selection(p);
	return true;
}
