#include "ui/screen/start_page.h"

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "hwviews/grid/utf8.h"
#include "ui/screen/draw.h"
#include "ui/screen/keys.h"
#include "ui/screen/term.h"
#include "ui/screen/theme.h"

enum { HEAD = 4, NAME_X = 2, HELP_X = 18, WHEEL_ROWS = 3 };
/* Text is no wider than this, and in the middle of a wider terminal. */
enum { WIDEST = 116, LEAST_PREVIEW = 3 };
/* The page leaves room for this many rows of a preview before it moves down a taller terminal. */
enum { PREVIEW_ROWS = 16 };
/* A large terminal shows all previews, in two columns of at least that width. */
enum { GUTTER = 2, COLUMN_LEAST = 76, LISTS_MOST = 16 };
/* A page of that width has the list on the left, two or three rows for each, and on its right
 * columns of previews. */
enum { LIST_CELLS = 44, BESIDE_LEAST = 70, BESIDE_TOP = 2, SPACIOUS = 3, DENSE = 2 };

enum shape {
	STACKED, /* a preview below the list */
	BESIDE,  /* previews on the right, as many as have room */
	SPREAD,  /* all previews, with their helps */
};

struct page {
	struct canvas canvas;
	const struct start_list *lists;
	unsigned count;
	struct start_place *at;
	bool typing, done, leave;
	const struct start_item *chosen;
	unsigned top;
	enum shape shape;
	unsigned lead; /* BESIDE: the list whose preview stands first */
	unsigned item_top; /* BESIDE: the first item in sight of a list without room for all */
	struct rect box[LISTS_MOST]; /* of the previews, unless STACKED; h = 0: it has no room */
};

static const struct start_list *start_page_current_list(const struct page *p)
{
	return &p->lists[p->at->list];
}

static unsigned start_page_row_count(const struct page *p)
{
	return p->at->inside ? start_page_current_list(p)->count : p->count;
}

static unsigned *start_page_cursor_row(struct page *p)
{
	return p->at->inside ? &p->at->item : &p->at->list;
}

/* ---- places ---- */
/* Lines of a list's preview in which each item has a line. */
static int start_page_preview_lines(const struct start_list *l)
{
	int lines = l->about ? 1 : (int)l->count;
	for (const char *c = l->about; c && (c = strchr(c, '\n')); c++)
		lines++;
	return lines ? lines : 1;
}

/* Places the previews below the list and beside it, if all have room. */
static bool start_page_spread(struct page *p)
{
	const int width = (p->canvas.cols - 3 * GUTTER) / 2, bottom = p->canvas.rows - 2;
	int end[2] = {HEAD + (int)p->count + 1, 1};
	if (width < COLUMN_LEAST)
		return false;
	for (unsigned i = 0; i < p->count; i++) {
		const int rows = start_page_preview_lines(&p->lists[i]) + 2;
		int column = i && end[1] < end[0];
		if (end[column] + rows > bottom)
			column = !column;
		if (end[column] + rows > bottom)
			return false;
		p->box[i] = (struct rect){.y = end[column],
		                          .x = GUTTER + column * (width + GUTTER),
		                          .h = rows,
		                          .w = width};
		end[column] += rows;
	}
	return true;
}

/* Rows of each list's entry when the previews stand beside the lists; 0: there is no room. */
static int start_page_pitch(const struct page *p)
{
	const int rows = p->canvas.rows - HEAD - 2;
	return (int)p->count * SPACIOUS <= rows ? SPACIOUS
	       : (int)p->count * DENSE <= rows  ? DENSE
	                                        : 0;
}

/* Places the preview of `lead` on the right of the lists, and below it those of the following
 * lists, each where it has room. */
static void start_page_place_beside(struct page *p, unsigned lead)
{
	enum { COLUMNS_MOST = 8 };
	const int left = GUTTER + LIST_CELLS + GUTTER, room = p->canvas.cols - left,
		  bottom = p->canvas.rows - 2;
	int columns = room / (BESIDE_LEAST + GUTTER), end[COLUMNS_MOST];
	columns = columns > COLUMNS_MOST ? COLUMNS_MOST : columns;
	const int width = room / columns - GUTTER;
	for (int i = 0; i < columns; i++)
		end[i] = BESIDE_TOP;
	for (unsigned k = 0; k < p->count; k++) {
		const unsigned i = (lead + k) % p->count;
		int column = 0, rows = start_page_preview_lines(&p->lists[i]) + 2;
		if (!k && rows > bottom - BESIDE_TOP)
			rows = bottom - BESIDE_TOP;
		while (column < columns && end[column] + rows > bottom)
			column++;
		p->box[i] = (struct rect){0};
		if (column == columns)
			continue;
		p->box[i] = (struct rect){.y = end[column],
		                          .x = left + column * (width + GUTTER),
		                          .h = rows,
		                          .w = width};
		end[column] += rows;
	}
}

/* Chooses the page's shape, and places the previews. Those beside the lists stay where they are
 * while the chosen one is among them. */
static void start_page_arrange(struct page *p)
{
	const struct start_list *chosen = &p->lists[p->at->list];
	p->shape = STACKED;
	if (p->count > LISTS_MOST)
		return;
	if (start_page_spread(p)) {
		p->shape = SPREAD;
		return;
	}
	if (p->canvas.cols < 2 * GUTTER + LIST_CELLS + BESIDE_LEAST + GUTTER ||
	    !start_page_pitch(p))
		return;
	p->shape = BESIDE;
	start_page_place_beside(p, p->lead);
	if (!p->box[p->at->list].h) {
		p->lead = p->at->list;
		start_page_place_beside(p, p->lead);
	}
	const unsigned rows = (unsigned)(p->box[p->at->list].h - 2);
	if (!p->at->inside || chosen->count <= rows || p->at->item < p->item_top)
		p->item_top = p->at->inside && chosen->count > rows ? p->at->item : 0;
	else if (p->at->item >= p->item_top + rows)
		p->item_top = p->at->item - rows + 1;
}

/* True if the page shows a list's items in place of the lists. */
static bool start_page_shows_items(const struct page *p)
{
	return p->at->inside && p->shape == STACKED;
}

static int start_page_left(const struct page *p)
{
	return p->shape != STACKED             ? GUTTER
	       : p->canvas.cols > WIDEST + 4 ? (p->canvas.cols - WIDEST) / 2
	                                     : 2;
}

/* The column after the lists' text. */
static int start_page_end(const struct page *p)
{
	return p->shape == SPREAD   ? p->box[0].x + p->box[0].w
	       : p->shape == BESIDE ? GUTTER + LIST_CELLS
	                            : p->canvas.cols - start_page_left(p);
}

/* Rows of each entry. */
static int start_page_entry_rows(const struct page *p)
{
	return p->shape == BESIDE ? start_page_pitch(p) : 1;
}

/* Empty rows above the page in a tall terminal. */
static int start_page_above(const struct page *p)
{
	const int page = (int)p->count + 1 + PREVIEW_ROWS;
	const int list = p->at->inside ? (int)start_page_current_list(p)->count : 0;
	const int free_rows = p->canvas.rows - HEAD - 2 - (list > page ? list : page);
	return free_rows > 0 && p->shape == STACKED ? free_rows / 2 : 0;
}

static int start_page_first_row(const struct page *p)
{
	return HEAD + start_page_above(p);
}

static int start_page_visible_rows(const struct page *p)
{
	const int rows =
		(p->canvas.rows - start_page_first_row(p) - 2) / start_page_entry_rows(p);
	return rows > 1 ? rows : 1;
}

/* ---- drawing ---- */
static void start_page_draw_text(struct page *p, int y, int x, unsigned meaning, const char *s)
{
	if (y < p->canvas.rows && x < p->canvas.cols)
		draw_text(&p->canvas, y, x, p->canvas.cols - x - 1,
		          theme_ink(&p->canvas.theme, meaning, GROUND_NONE), s);
}

static void start_page_draw_row(struct page *p, int y, bool here, const char *name,
                                const char *help)
{
	const struct theme *t = &p->canvas.theme;
	const enum ground ground = here ? GROUND_SELECTED : GROUND_NONE;
	const int x = start_page_left(p), end = start_page_end(p);
	const bool two = p->shape == BESIDE;
	const int help_y = two ? y + 1 : y, help_x = x + (two ? NAME_X : HELP_X);
	if (here)
		for (int i = y; i <= help_y; i++)
			draw_blank(&p->canvas, i, x, end - x, theme_ink(t, ROLE_PLAIN, ground));
	draw_text(&p->canvas, y, x + NAME_X, HELP_X - NAME_X - 1, theme_ink(t, INK_KEY, ground),
	          name);
	draw_text(&p->canvas, help_y, help_x, end - help_x - !two,
	          theme_ink(t, ROLE_PLAIN, ground), help);
}

/* ---- the preview: what the row under the cursor leads to ---- */
/* The place below the list. h = 0: none. */
static struct rect start_page_preview_place(const struct page *p)
{
	struct rect r = {.y = start_page_first_row(p) + (int)p->count + 1,
	                 .x = start_page_left(p)};
	r.w = start_page_end(p) - r.x;
	r.h = p->canvas.rows - r.y - 2;
	const int lines = start_page_preview_lines(start_page_current_list(p));
	if (r.h > lines + 2)
		r.h = lines + 2;
	if (r.h < LEAST_PREVIEW || p->at->inside)
		r.h = 0;
	return r;
}

static void start_page_draw_about(struct page *p, const struct rect *r, const char *about)
{
	for (int y = r->y; y < r->y + r->h && *about; y++) {
		char line[256];
		const int n = (int)strcspn(about, "\n");
		snprintf(line, sizeof line, "%.*s", n, about);
		draw_text(&p->canvas, y, r->x, r->w,
		          theme_ink(&p->canvas.theme, ROLE_PLAIN, GROUND_NONE), line);
		about += n + (about[n] != '\0');
	}
}

/* Cells of an item's name in a preview. */
static int start_page_item_cells(const struct start_list *l)
{
	int cells = 0;
	for (unsigned i = 0; i < l->count; i++) {
		const int name = (int)utf8_width(l->item[i].name);
		cells = name > cells ? name : cells;
	}
	return cells + 2;
}

/* True if a list's preview, of so many rows, has its items below each other with their helps. */
static bool start_page_lists_items(const struct page *p, const struct start_list *l, unsigned rows)
{
	return l->count <= rows || (p->at->inside && l == start_page_current_list(p));
}

/* Draws a list's items: a row each with its help, or, if they are too many, names in columns. */
static void start_page_draw_items(struct page *p, const struct rect *r, const struct start_list *l)
{
	const struct theme *t = &p->canvas.theme;
	const unsigned rows = (unsigned)r->h;
	const int cells = start_page_item_cells(l);
	const bool lists = start_page_lists_items(p, l, rows),
		   inside = p->shape != STACKED && p->at->inside &&
			    l == start_page_current_list(p);
	const unsigned first = inside && p->shape == BESIDE ? p->item_top : 0;
	for (unsigned i = first; i < l->count; i++) {
		const bool here = inside && i == p->at->item;
		const enum ground ground = here ? GROUND_SELECTED : GROUND_NONE;
		const int x = r->x + (int)((i - first) / rows) * cells,
			  y = r->y + (int)((i - first) % rows);
		if (x + cells > r->x + r->w || (lists && x > r->x))
			break;
		if (here)
			draw_blank(&p->canvas, y, r->x - 1, r->w + 2,
			           theme_ink(t, ROLE_PLAIN, ground));
		draw_text(&p->canvas, y, x, cells - 1, theme_ink(t, INK_KEY, ground),
		          l->item[i].name);
		if (lists)
			draw_text(&p->canvas, y, x + cells, r->w - cells,
			          theme_ink(t, here ? ROLE_PLAIN : ROLE_DIM, ground),
			          l->item[i].help);
	}
}

static void start_page_draw_preview(struct page *p, const struct start_list *l, struct rect r)
{
	const struct theme *t = &p->canvas.theme;
	const bool current = p->shape != STACKED && l == start_page_current_list(p);
	char title[64];
	if (!r.h)
		return;
	draw_box(&p->canvas, &r, theme_ink(t, INK_LINE, GROUND_NONE));
	snprintf(title, sizeof title, " %s ", l->name);
	draw_text(&p->canvas, r.y, r.x + 2, r.w - 4,
	          theme_ink(t, current ? INK_FOCUS : INK_TITLE, GROUND_NONE), title);
	const struct rect inside = {.y = r.y + 1, .x = r.x + 2, .h = r.h - 2, .w = r.w - 4};
	if (l->about)
		start_page_draw_about(p, &inside, l->about);
	else
		start_page_draw_items(p, &inside, l);
}

/* Draws the keys of every screen below the lists, if that part of the page has room. */
static void start_page_draw_keys(struct page *p)
{
	static const char *const lines[][2] = {
		{"s S", "a cycle forwards, a cycle back"},
		{"c C", "to the next stop, or the last"},
		{"Enter", "why the selected row waits"},
		{"1 to 8", "layouts: window, source, memory"},
		{"Ctrl-P", "finds commands, views, functions"},
		{"?", "all keys, and what letters mean"},
	};
	enum { KEYS = sizeof lines / sizeof *lines, KEY_CELLS = 8 };
	const struct theme *t = &p->canvas.theme;
	const struct rect r = {.y = start_page_first_row(p) +
	                            (int)p->count * start_page_entry_rows(p),
	                       .x = GUTTER,
	                       .h = KEYS + 2,
	                       .w = LIST_CELLS};
	if (r.y + r.h > p->canvas.rows - 2)
		return;
	draw_box(&p->canvas, &r, theme_ink(t, INK_LINE, GROUND_NONE));
	draw_text(&p->canvas, r.y, r.x + 2, r.w - 4, theme_ink(t, INK_TITLE, GROUND_NONE),
	          " Keys of every screen ");
	for (int i = 0; i < KEYS; i++) {
		const int y = r.y + 1 + i, x = r.x + 2;
		draw_text(&p->canvas, y, x, KEY_CELLS, theme_ink(t, INK_KEY, GROUND_NONE),
		          lines[i][0]);
		draw_text(&p->canvas, y, x + KEY_CELLS, r.w - 4 - KEY_CELLS,
		          theme_ink(t, ROLE_DIM, GROUND_NONE), lines[i][1]);
	}
}

static void start_page_draw_page(struct page *p)
{
	start_page_arrange(p);
	const bool items = start_page_shows_items(p);
	const unsigned at = items ? p->at->item : p->at->list;
	const unsigned rows = items ? start_page_current_list(p)->count : p->count;
	if (at < p->top)
		p->top = at;
	if (at >= p->top + (unsigned)start_page_visible_rows(p))
		p->top = at - (unsigned)start_page_visible_rows(p) + 1;
	erase();
	const int first = start_page_first_row(p), x = start_page_left(p);
	start_page_draw_text(p, first - HEAD + 1, x, INK_BRAND, "Cyclops");
	start_page_draw_text(p, first - HEAD + 1, x + 9, ROLE_DIM,
	                     "an out-of-order processor, cycle by cycle, forwards and backwards");
	start_page_draw_text(p, first - HEAD + 2, x, INK_TITLE,
	                     items ? start_page_current_list(p)->name : "What shall it be?");
	for (unsigned i = 0; i < (unsigned)start_page_visible_rows(p) && p->top + i < rows; i++) {
		const unsigned row = p->top + i;
		if (items)
			start_page_draw_row(p, first + (int)i, row == at,
			                    start_page_current_list(p)->item[row].name,
			                    start_page_current_list(p)->item[row].help);
		else
			start_page_draw_row(p, first + (int)i * start_page_entry_rows(p),
			                    row == at, p->lists[row].name,
			                    p->lists[row].help);
	}
	if (p->top + (unsigned)start_page_visible_rows(p) < rows)
		start_page_draw_text(p, first + start_page_visible_rows(p), x + NAME_X, ROLE_DIM,
		                     p->canvas.ascii ? "..." : "…");
	for (unsigned i = 0; p->shape != STACKED && i < p->count; i++)
		start_page_draw_preview(p, &p->lists[i], p->box[i]);
	if (p->shape == STACKED)
		start_page_draw_preview(p, start_page_current_list(p), start_page_preview_place(p));
	if (p->shape == BESIDE)
		start_page_draw_keys(p);
	const int bottom = p->canvas.rows - 1;
	if (p->typing) {
		if (*p->at->wrong)
			start_page_draw_text(p, bottom - 1, 1, ROLE_ERROR, p->at->wrong);
		start_page_draw_text(p, bottom, 1, INK_KEY, start_page_current_list(p)->asks);
		const int at_x = 2 + (int)strlen(start_page_current_list(p)->asks);
		start_page_draw_text(p, bottom, at_x, ROLE_PLAIN, p->at->typed);
		move(bottom, at_x + (int)strlen(p->at->typed) < p->canvas.cols
		                     ? at_x + (int)strlen(p->at->typed)
		                     : p->canvas.cols - 1);
	} else {
		start_page_draw_text(p, bottom, 1, ROLE_DIM,
		                     p->at->inside
		                             ? "Up Down choose  Enter begins  Esc back  q leaves"
		                             : "Up Down choose  Enter opens  q leaves");
	}
	curs_set(p->typing);
	refresh();
}

/* ---- keys ---- */
static void start_page_activate_row(struct page *p)
{
	const struct start_list *l = start_page_current_list(p);
	if (!p->at->inside && l->asks) {
		p->typing = true;
		p->at->typed[0] = p->at->wrong[0] = '\0';
	} else if (!p->at->inside && !l->direct) {
		if (!l->count)
			return;
		p->at->inside = true;
		p->at->item = 0;
		p->top = 0;
	} else {
		p->chosen = &l->item[l->direct ? 0 : p->at->item];
		p->done = true;
	}
}

static void start_page_leave_list(struct page *p)
{
	if (!p->at->inside)
		p->done = p->leave = true;
	p->at->inside = false;
	p->top = 0;
}

static void start_page_move_cursor(struct page *p, int rows)
{
	unsigned *at = start_page_cursor_row(p);
	const long to = (long)*at + rows, last = (long)start_page_row_count(p) - 1;
	*at = (unsigned)(to < 0 ? 0 : to > last ? last : to);
}

static void start_page_on_typed_key(struct page *p, int key)
{
	char bytes[MB_LEN_MAX], *typed = p->at->typed;
	mbstate_t state = {0};
	size_t n = strlen(typed);
	key = key_canonical(key);
	if (key == 27) {
		p->typing = false;
		p->at->wrong[0] = '\0';
	} else if (key == '\r') {
		p->done = *typed;
		p->typing = *typed;
	} else if (key == TERM_SPECIAL + KEY_BACKSPACE) {
		while (n && (typed[--n] & 0xc0) == 0x80)
			;
		typed[n] = '\0';
	} else if (key >= ' ' && key < TERM_SPECIAL) {
		const size_t more = wcrtomb(bytes, (wchar_t)key, &state);
		if (more != (size_t)-1 && n + more < sizeof p->at->typed)
			memcpy(typed + n, bytes, more), typed[n + more] = '\0';
	}
}

/* A press in one of several boxes chooses its list, or an item of it. */
static void start_page_press_box(struct page *p, const struct term_mouse *m)
{
	for (unsigned i = 0; i < p->count; i++) {
		const struct rect *r = &p->box[i];
		const struct start_list *l = &p->lists[i];
		if (!r->h || !rect_has(r, m->y, m->x))
			continue;
		const unsigned rows = (unsigned)(r->h - 2), y = (unsigned)(m->y - r->y - 1),
			       x = m->x > r->x + 2 ? (unsigned)(m->x - r->x - 2) : 0,
			       column = x / (unsigned)start_page_item_cells(l);
		const bool scrolled = p->at->inside && p->at->list == i;
		const unsigned row = start_page_lists_items(p, l, rows)
		                             ? y + (scrolled ? p->item_top : 0)
		                             : column * rows + y;
		const bool inside = y < rows && row < l->count && !l->about;
		const bool again = p->at->list == i && p->at->inside == inside &&
		                   (!inside || p->at->item == row);
		p->at->list = i;
		p->at->inside = inside;
		p->at->item = inside ? row : 0;
		if (again || m->button == MOUSE_DOUBLE)
			start_page_activate_row(p);
	}
}

static void start_page_on_mouse(struct page *p)
{
	const struct term_mouse *m = term_mouse();
	const int first = start_page_first_row(p),
		  row = (m->y - first) / start_page_entry_rows(p) + (int)p->top;
	const bool outside = p->shape != STACKED &&
	                     (row >= (int)p->count || m->x >= start_page_end(p));
	if (outside && (m->button == MOUSE_PRESS || m->button == MOUSE_DOUBLE)) {
		start_page_press_box(p, m);
		return;
	}
	if (p->shape != STACKED && m->button == MOUSE_PRESS)
		p->at->inside = false;
	if (m->button == MOUSE_WHEEL_UP || m->button == MOUSE_WHEEL_DOWN) {
		start_page_move_cursor(p, m->button == MOUSE_WHEEL_UP ? -WHEEL_ROWS : WHEEL_ROWS);
	} else if (m->button != MOUSE_DRAG && m->y >= first && row < (int)start_page_row_count(p)) {
		const bool again = *start_page_cursor_row(p) == (unsigned)row;
		*start_page_cursor_row(p) = (unsigned)row;
		if (again || m->button == MOUSE_DOUBLE)
			start_page_activate_row(p);
	}
}

static void start_page_on_key(struct page *p, int code)
{
	if (code == TERM_MOUSE) {
		start_page_on_mouse(p);
		return;
	}
	if (p->typing) {
		start_page_on_typed_key(p, code);
		return;
	}
	switch (key_canonical(code)) {
	case 'q':
		p->done = p->leave = true;
		break;
	case 27:
	case TERM_SPECIAL + KEY_LEFT:
		start_page_leave_list(p);
		break;
	case '\r':
	case ' ':
	case TERM_SPECIAL + KEY_RIGHT:
		start_page_activate_row(p);
		break;
	case 'k':
	case TERM_SPECIAL + KEY_UP:
		start_page_move_cursor(p, -1);
		break;
	case 'j':
	case TERM_SPECIAL + KEY_DOWN:
		start_page_move_cursor(p, 1);
		break;
	case TERM_SPECIAL + KEY_PPAGE:
		start_page_move_cursor(p, -start_page_visible_rows(p));
		break;
	case TERM_SPECIAL + KEY_NPAGE:
		start_page_move_cursor(p, start_page_visible_rows(p));
		break;
	case TERM_SPECIAL + KEY_HOME:
		start_page_move_cursor(p, -START_ITEMS);
		break;
	case TERM_SPECIAL + KEY_END:
		start_page_move_cursor(p, START_ITEMS);
		break;
	default:
		break;
	}
}

static void start_page_poll_signals(struct page *p)
{
	const unsigned what = term_signals();
	if (what & (TERM_GONE | TERM_INTERRUPT))
		p->done = p->leave = true;
	if (what & TERM_STOP)
		term_suspend();
	if (what & TERM_CONTINUED)
		term_continue();
	if (what & TERM_RESIZED)
		term_resize();
}

static void start_page_run_event_loop(struct page *p)
{
	while (!p->done) {
		if ((p->canvas.rows != LINES || p->canvas.cols != COLS) &&
		    !canvas_size(&p->canvas, LINES, COLS))
			p->done = p->leave = true;
		start_page_draw_page(p);
		term_wait(-1);
		for (int code; !p->done && (code = term_key()) != TERM_NO_KEY;)
			start_page_on_key(p, code);
		theme_follow(&p->canvas.theme);
		start_page_poll_signals(p);
	}
}

bool start_page(const struct start_list *lists, unsigned count, struct start_place *place,
                const struct start_item **item, bool *leave, struct err *err)
{
	struct page p = {.lists = lists, .count = count, .at = place,
	                 .typing = *place->wrong};
	setlocale(LC_CTYPE, "");
	if (!term_open(err))
		return false;
	p.canvas.ascii = strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	const bool ok = theme_load(&p.canvas.theme, NULL, err) &&
	                (canvas_size(&p.canvas, LINES, COLS) || err_set(err, "out of memory"));
	if (ok)
		start_page_run_event_loop(&p);
	canvas_deinit(&p.canvas);
	term_close();
	*item = p.chosen;
	*leave = p.leave;
	return ok;
}
