/* Draws a pane: title, column heads, and the rows that fit. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/grid/picture.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/machine/pipe_rows.h"
#include "ui/screen/pane.h"
#include "ui/screen/wrap.h"

enum { COMFORT = 24, TIGHT = 12, GREEDY = 60, PART = 8, NEEDED = 5, MOST_NEEDED = 3, GAP = 2 };

/* ---- widths ---- */
static unsigned column_count(const struct pane *p)
{
	return p->grid.column_count < PANE_COLUMNS ? p->grid.column_count : PANE_COLUMNS;
}

static unsigned pane_draw_max(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

/* Cells in which at least three of four hexadecimal numbers of a column fit, 0 without any. The
 * others are left out where they have no room. */
static unsigned pane_draw_number_width(const struct pane *p, unsigned c)
{
	enum { HEX_CELLS = 18 };
	unsigned of[HEX_CELLS + 1] = {0}, all = 0, fit = 0, w = 0;
	for (unsigned r = 0; r < p->grid.row_count; r++) {
		const char *text = p->grid.rows[r].cells[c].text;
		const size_t n = utf8_is_hex(text) ? strlen(text) : 0;
		if (n && n <= HEX_CELLS) {
			of[n]++;
			all++;
		}
	}
	while (all && 4 * fit < 3 * all)
		fit += of[++w];
	return w;
}

/* Updates the width of each column: the most cells needed since the pane has its present size. */
static void learn_widths(struct pane *p)
{
	for (unsigned c = 0; c < column_count(p); c++) {
		const struct grid_column *column = &p->grid.columns[c];
		unsigned w = pane_draw_max(pane_draw_max(p->widths[c], column->min_width),
		                           utf8_width(column->title));
		for (unsigned r = 0; r < p->grid.row_count; r++) {
			const char *text = p->grid.rows[r].cells[c].text;
			if (!*text)
				continue;
			w = pane_draw_max(w, utf8_width(text));
			p->used[c] = true;
		}
		p->widths[c] = w;
		p->numbers[c] = pane_draw_max(p->numbers[c], pane_draw_number_width(p, c));
	}
}

/* Cells that a column should get: none if it has had only a title and the pane is crowded. Columns
 * for marks are kept. */
static unsigned pane_draw_wanted_width(const struct pane *p, unsigned c)
{
	const struct grid_column *column = &p->grid.columns[c];
	return p->crowded && !p->used[c] && *column->title && !column->min_width ? 0 : p->widths[c];
}

/* Least cells of a column: `least` for a flexible one, but all of its hexadecimal numbers, which
 * have no shorter form. */
static unsigned pane_draw_least_width(const struct pane *p, unsigned c, unsigned least)
{
	const struct grid_column *column = &p->grid.columns[c];
	const unsigned want = pane_draw_wanted_width(p, c);
	if (column->greedy && least >= COMFORT)
		least = want < GREEDY ? want : GREEDY;
	least = pane_draw_max(pane_draw_max(least, column->min_width), p->numbers[c]);
	return column->flexible && want > least ? least : want;
}

/* Least total of columns [from, to), with gaps. */
static unsigned least_total(const struct pane *p, unsigned from, unsigned to, unsigned least,
                            unsigned gap)
{
	unsigned sum = 0, shown = 0;
	for (unsigned c = from; c < to; c++) {
		sum += pane_draw_least_width(p, c, least);
		shown += pane_draw_wanted_width(p, c) > 0;
	}
	return sum + (shown ? shown - 1 : 0) * gap;
}

/* Index after the last column that fits. Views put important columns first: the last are left out
 * before others are squeezed. */
static unsigned pane_draw_fitting_columns(const struct pane *p, unsigned from, unsigned n,
                                          unsigned room, unsigned least, unsigned gap)
{
	unsigned to = n;
	while (to > from + 1 && least_total(p, from, to, least, gap) > room)
		to--;
	return to;
}

/* Distributes the room to columns. False if something is cut. */
static bool share_room(struct pane *p)
{
	unsigned room = p->r.w > 2 ? (unsigned)p->r.w - 2 : 1, n = column_count(p), least = COMFORT;
	unsigned from = p->first_column < n ? p->first_column : n ? n - 1 : 0;
	p->gap = least_total(p, from, n, COMFORT, GAP) <= room ? GAP : 1;
	unsigned to = pane_draw_fitting_columns(p, from, n, room, COMFORT, p->gap);
	if (to < n && to < from + NEEDED && !(to > from && p->grid.columns[to - 1].greedy)) {
		least = TIGHT;
		to = pane_draw_fitting_columns(p, from, from + NEEDED < n ? from + NEEDED : n, room,
		                               TIGHT, p->gap);
	}
	unsigned used = least_total(p, from, to, least, p->gap),
		 left = room > used + p->gap ? room - used - p->gap : 0;
	for (unsigned c = 0; c < n; c++)
		p->fit[c] = c >= from && c < to ? pane_draw_least_width(p, c, least) : 0;
	if (n && p->fit[from] > room)
		p->fit[from] = room;
	/* Show part of an important column rather than none of it. */
	if (to < n && to < from + MOST_NEEDED && left >= pane_draw_max(PART, p->numbers[to])) {
		p->fit[to] = left;
		used = room;
		to++;
	}
	p->hidden_columns = n - to;
	/* Give remaining cells in turn to columns that need more. */
	for (bool given = true; given && used < room;) {
		given = false;
		for (unsigned c = from; c < to && used < room; c++) {
			if (p->fit[c] >= pane_draw_wanted_width(p, c))
				continue;
			p->fit[c]++;
			used++;
			given = true;
		}
	}
	bool whole = to == n;
	for (unsigned c = from; c < to; c++)
		whole = whole && p->fit[c] >= pane_draw_wanted_width(p, c);
	return whole;
}

void pane_measure(struct pane *p)
{
	if (!p->built)
		return;
	learn_widths(p);
	p->crowded = false;
	if (share_room(p))
		return;
	p->crowded = true;
	share_room(p);
}

static unsigned pane_draw_truncated_cells(const struct pane *p, unsigned c)
{
	return p->fit[c] && p->grid.columns[c].flexible && p->grid.columns[c].align == ALIGN_LEFT &&
	                       p->widths[c] > p->fit[c]
	               ? p->widths[c] - p->fit[c]
	               : 0;
}

unsigned pane_cut(const struct pane *p)
{
	unsigned most = 0;
	for (unsigned c = 0; p->built && c < column_count(p); c++)
		most = pane_draw_max(most, pane_draw_truncated_cells(p, c));
	return most;
}

/* ---- the title line ---- */
void pane_rule(const struct pane *p, struct canvas *c)
{
	if (p->r.h)
		draw_hline(c, p->r.y, p->r.x - 1, p->r.w + 2);
}

/* True if a part of a summary ends before text[n]: "5.1% misses (9 of 180); 64 KB, 2-way", or "3/32
 * next main+0x8". */
static bool part_ends(const char *text, size_t n)
{
	return text[n] == ' ' ? text[n + 1] == '(' || text[n + 1] == ' '
	                      : strchr(",;", text[n]) && text[n + 1] == ' ';
}

/* Length of a summary without its last part; 0: it has only one. */
static size_t without_last_part(const char *text, size_t n)
{
	while (n-- > 1)
		if (part_ends(text, n))
			return n;
	return 0;
}

/* Cuts the summary to the whole parts that fit; the first is the most important. Returns its cells,
 * 0: none fits. */
static int fit_summary(const struct pane *p, int room, const char *cut, const char *left,
                       const char *right, char *out, size_t n)
{
	const char *all = p->grid.summary;
	const size_t whole = strlen(all);
	for (size_t length = whole; length; length = without_last_part(all, length)) {
		snprintf(out, n, " %s%.*s%s%s ", left, (int)length, all,
		         length == whole ? "" : cut, right);
		const int width = (int)utf8_width(out);
		if (width <= room)
			return width;
	}
	snprintf(out, n, " %s%s ", left, right);
	return *left || *right ? (int)utf8_width(out) : 0;
}

static void pane_draw_title(const struct pane *p, struct canvas *c, bool focused)
{
	char text[512];
	int room = p->r.w - 2;
	snprintf(text, sizeof text, " %s ", pane_title(p));
	int used =
		draw_text(c, p->r.y, p->r.x + 1, room - 1,
	                  theme_ink(&c->theme, focused ? INK_FOCUS : INK_TITLE, GROUND_NONE), text);
	const bool left_hidden = (p->first_column || p->text_scroll) && !pane_picture(p);
	const bool right_hidden =
		(p->hidden_columns || pane_cut(p) > p->text_scroll) && !pane_picture(p);
	const char *left = left_hidden ? c->ascii ? "< " : "‹ " : "";
	const char *right = right_hidden && focused ? c->ascii ? " >" : " ›" : "";
	if (!p->built)
		return;
	const int width =
		fit_summary(p, room - used - 2, c->ascii ? " ..." : " …", left, right, text,
	                    sizeof text);
	if (width && used + width + 2 <= room)
		draw_text(c, p->r.y, p->r.x + p->r.w - width - 1, width,
		          theme_ink(&c->theme, ROLE_DIM, GROUND_NONE), text);
}

/* ---- rows ---- */
static bool is_pipeline(const struct pane *p, unsigned col)
{
	return !strcmp(p->grid.columns[col].name, "pipeline");
}

static bool is_map(const struct pane *p, unsigned col)
{
	return !strcmp(p->grid.columns[col].name, "map");
}

/* True for the cells of view pflag that hold flags. */
static bool is_flags(const struct pane *p, unsigned col, const char *text)
{
	return !strcmp(p->grid.columns[col].name, "flags") &&
	       (!strncmp(text, "●", 3) || !strncmp(text, "○", 3) || *text == '?');
}

/* Text of a cell at the last stop; NULL if its row did not exist then. */
static const char *text_before(const struct pane *p, const struct grid_row *row, unsigned col)
{
	for (unsigned i = 0; p->has_before && row->key && i < p->before.row_count; i++)
		if (p->before.rows[i].key == row->key)
			return p->before.rows[i].cells[col].text;
	return NULL;
}

/* Role of a character in maps of caches and counters: see the help of views l1d and buckets. */
static enum role map_role(uint32_t code)
{
	if (code < 0x80) /* words beside a bar */
		return ROLE_PLAIN;
	switch (code) {
	case 0x25c6: /* ◆ used in this cycle */
		return ROLE_CURRENT;
	case 0xd7: /* × waits to be evicted */
		return ROLE_WAITING;
	case 0x2584: /* ▄ half full, and more */
	case 0x2585:
	case 0x2586:
		return ROLE_PROFILE;
	case 0x2587: /* ▇ nearly full */
		return ROLE_HOT;
	case 0x2193: /* ↓ a line on its way */
		return ROLE_MISS;
	case 0x2588: /* █ touched just now */
		return ROLE_HOT;
	case 0xb7: /* · empty */
		return ROLE_DIM;
	default:
		return ROLE_DONE;
	}
}

/* Role of a profile flag: see the help of view pflag. */
static enum role flag_role(uint32_t code)
{
	return code == '?' ? ROLE_WAITING : code == 0x25cf ? ROLE_PROFILE : ROLE_DIM;
}

/* Draws a cell in which every character has its own meaning, ink and change mark: a stage of a
 * pipeline, a part of a cache, a flag. */
static void draw_characters(const struct pane *p, struct canvas *c, const struct grid_row *row,
                            unsigned col, int y, int x, enum ground ground)
{
	const struct cell *cell = &row->cells[col];
	enum role whole = cell->role == ROLE_PLAIN ? row->role : cell->role;
	bool stages = is_pipeline(p, col);
	const char *text = cell->text, *old = cell->changed ? text_before(p, row, col) : NULL;
	for (int width = (int)p->fit[col]; *text && width > 0; width--, x++) {
		char one[8];
		uint32_t code, was = 0;
		size_t len = utf8_decode(text, strlen(text), &code);
		enum role role = stages           ? pipe_letter_role(*text, whole)
		                 : is_map(p, col) ? map_role(code)
		                                  : flag_role(code);
		if (old && *old)
			old += utf8_decode(old, strlen(old), &was);
		const struct ink ink = theme_ink(&c->theme, role, ground);
		memcpy(one, text, len);
		one[len] = '\0';
		if (*one != ' ')
			draw_text(c, y, x, 1,
			          old && was != code ? theme_changed(&c->theme, ink) : ink, one);
		text += len;
	}
}

static void draw_cell(const struct pane *p, struct canvas *c, const struct grid_row *row,
                      unsigned col, int y, int x, enum ground ground)
{
	const struct cell *cell = &row->cells[col];
	int width = (int)p->fit[col], cells = (int)utf8_width(cell->text);
	enum role role = cell->role == ROLE_PLAIN ? row->role : cell->role;
	if (row->role != ROLE_HEAD &&
	    (is_pipeline(p, col) || is_map(p, col) || is_flags(p, col, cell->text))) {
		draw_characters(p, c, row, col, y, x, ground);
		return;
	}
	if (p->search[0] && strcasestr(cell->text, p->search))
		ground = GROUND_MATCH;
	enum align align = p->grid.columns[col].align;
	int left = cells < width ? width - cells : 0;
	x += align == ALIGN_RIGHT ? left : align == ALIGN_CENTRE ? left / 2 : 0;
	char shorter[256];
	width -= align == ALIGN_LEFT ? 0 : left;
	const unsigned off = p->text_scroll < pane_draw_truncated_cells(p, col)
	                             ? p->text_scroll
	                             : pane_draw_truncated_cells(p, col);
	const char *text = off ? cell->text + utf8_fit(cell->text, off)
	                       : utf8_shorten(cell->text, (unsigned)width, shorter, sizeof shorter);
	const struct ink ink = theme_ink(&c->theme, role, ground);
	draw_text(c, y, x, width, cell->changed ? theme_changed(&c->theme, ink) : ink, text);
}

static void pane_draw_row(const struct pane *p, struct canvas *c, const struct grid_row *row, int y,
                          enum ground ground)
{
	int x = p->r.x + 1;
	if (ground != GROUND_NONE)
		draw_blank(c, y, p->r.x, p->r.w, theme_ink(&c->theme, ROLE_PLAIN, ground));
	for (unsigned col = 0; col < column_count(p); col++) {
		if (!p->fit[col])
			continue;
		int room = p->r.x + p->r.w - x;
		if (room > 0)
			draw_cell(p, c, row, col, y, x, ground);
		x += (int)(p->fit[col] + p->gap);
	}
}

static void draw_heads(const struct pane *p, struct canvas *c)
{
	struct ink ink = theme_ink(&c->theme, ROLE_HEAD, GROUND_NONE);
	int x = p->r.x + 1;
	for (unsigned col = 0; col < column_count(p); col++) {
		if (!p->fit[col])
			continue;
		const char *title = p->grid.columns[col].title;
		int width = (int)p->fit[col], left = width - (int)utf8_width(title);
		enum align align = p->grid.columns[col].align;
		if (left < 0)
			left = 0;
		left = align == ALIGN_RIGHT ? left : align == ALIGN_CENTRE ? left / 2 : 0;
		draw_text(c, p->r.y + 1, x + left, width - left, ink, title);
		x += width + (int)p->gap;
	}
}

/* Text in a pane without rows. */
struct paragraph {
	struct canvas *c;
	struct rect r; /* remaining place */
	struct ink ink;
};

static void pane_draw_paragraph_line(void *ctx, char *line)
{
	struct paragraph *to = ctx;
	if (to->r.h > 0)
		draw_text(to->c, to->r.y, to->r.x, to->r.w, to->ink, line);
	to->r.y++;
	to->r.h--;
	free(line);
}

static void draw_paragraph(const struct pane *p, struct canvas *c, enum role role, const char *text)
{
	struct paragraph to = {c,
	                       {p->r.y + 1, p->r.x + 1, p->r.h - 1, p->r.w - 2},
	                       theme_ink(&c->theme, role, GROUND_NONE)};
	wrap_text(text, (unsigned)to.r.w, pane_draw_paragraph_line, &to);
}

/* Draws a line of the picture. A selected box is highlighted as a whole; text of changed cells is
 * marked. */
static void draw_picture_line(const struct pane *p, struct canvas *c, unsigned line, int y,
                              bool focused)
{
	const struct picture *picture = pane_picture(p);
	char text[PICTURE_BYTES];
	for (unsigned x = 0; x < picture->width; x++) {
		const struct picture_cell *cell = picture_at(picture, line, x);
		const struct grid_row *row = cell->row >= 0 ? &p->grid.rows[cell->row] : NULL;
		const bool changed = row && cell->column < p->grid.column_count &&
		                     row->cells[cell->column].changed;
		const bool found = row && p->search[0] && strcasestr(row->cells[0].text, p->search);
		const enum ground ground = found                              ? GROUND_MATCH
		                           : !row || cell->row != p->selected ? GROUND_NONE
		                           : focused                          ? GROUND_SELECTED
		                                                              : GROUND_RESTING;
		const struct ink ink = theme_ink(&c->theme, cell->role, ground);
		draw_text(c, y, p->r.x + 1 + (int)x, 1,
		          changed ? theme_changed(&c->theme, ink) : ink, picture_char(cell, text));
	}
}

static void draw_picture(const struct pane *p, struct canvas *c, bool focused)
{
	for (int i = 0; i < pane_rows(p) && p->top + i < (int)pane_picture(p)->height; i++)
		draw_picture_line(p, c, (unsigned)(p->top + i), p->r.y + 1 + i, focused);
}

void pane_draw(const struct pane *p, struct canvas *c, bool focused)
{
	if (p->r.h < PANE_MIN_ROWS)
		return;
	pane_draw_title(p, c, focused);
	if (!p->built) {
		draw_paragraph(p, c, ROLE_DIM, p->error.msg);
		return;
	}
	if (!p->grid.row_count) {
		draw_paragraph(p, c, ROLE_DIM, p->grid.empty);
		return;
	}
	int first = p->r.y + 1, rows = pane_rows(p),
	    count = (int)(pane_picture(p) ? pane_picture(p)->height : p->grid.row_count);
	if (pane_has_heads(p)) {
		draw_heads(p, c);
		first++;
	}
	if (pane_picture(p))
		draw_picture(p, c, focused);
	for (int i = 0; !pane_picture(p) && i < rows && p->top + i < count; i++) {
		int row = p->top + i;
		enum ground ground = row != p->selected ? GROUND_NONE
		                     : focused          ? GROUND_SELECTED
		                                        : GROUND_RESTING;
		pane_draw_row(p, c, &p->grid.rows[row], first + i, ground);
	}
	if (p->grid.legend && first + count - p->top < p->r.y + p->r.h)
		draw_text(c, p->r.y + p->r.h - 1, p->r.x + 1, p->r.w - 2,
		          theme_ink(&c->theme, ROLE_DIM, GROUND_NONE), p->grid.legend);
	struct ink mark = theme_ink(&c->theme, INK_TITLE, GROUND_NONE);
	if (p->top > 0)
		draw_text(c, first, p->r.x + p->r.w - 1, 1, mark, c->ascii ? "^" : "▲");
	if (p->top + rows < count)
		draw_text(c, first + rows - 1, p->r.x + p->r.w - 1, 1, mark, c->ascii ? "v" : "▼");
}
