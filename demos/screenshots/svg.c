/* Makes an SVG picture of a captured terminal screen (tmux capture-pane -e -p): text with colours on stdin, SVG on
 * stdout.
 *
 *   svg COLUMNS ROWS [TITLE [CAPTION [light]]] <screen.ansi >screen.svg
 *
 * Reads SGR sequences (bold, dim, italic, underlined, reversed, 16, 256 and 24-bit colours); others are skipped. */
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { COLS_MAX = 400, ROWS_MAX = 200, PARAMS = 16 };
enum { BOLD = 1, DIM = 2, ITALIC = 4, UNDERLINED = 8, REVERSED = 16 };
#define CELL_W 8.4
#define CELL_H 17.0
#define MARGIN 14.0
#define BAR 30.0
#define CAPTION 30.0

static uint32_t foreground = 0xd3d7de, background = 0x14171c;

struct style {
	uint32_t fg, bg;
	unsigned flags;
};

struct cell {
	wchar_t wc; /* 0: the right half of a wide character */
	struct style style;
};

static struct cell cells[ROWS_MAX][COLS_MAX];

static uint32_t palette(int i)
{
	static const uint32_t basic[16] = {0x1d2026, 0xd0623f, 0x5fa97c, 0xd9a441, 0x5394d6, 0xb07cc6, 0x55aebb, 0xcfd3da,
	                                   0x6b7280, 0xf0845c, 0x83cba0, 0xf2c46d, 0x7db8f0, 0xcf9fe2, 0x7fd0dc, 0xf5f7fa};
	static const unsigned steps[6] = {0, 95, 135, 175, 215, 255};
	if (i < 16)
		return basic[i < 0 ? 7 : i];
	if (i >= 232) {
		unsigned grey = 8 + 10 * (unsigned)(i - 232);
		return grey << 16 | grey << 8 | grey;
	}
	i -= 16;
	return steps[i / 36 % 6] << 16 | steps[i / 6 % 6] << 8 | steps[i % 6];
}

/* ---- reading ---- */
/* Reads a colour after 38 or 48; returns how many parameters it took. */
static int extended(const int *p, int n, uint32_t *colour)
{
	if (n >= 2 && p[0] == 5) {
		*colour = palette(p[1]);
		return 2;
	}
	if (n >= 4 && p[0] == 2) {
		*colour = (uint32_t)(p[1] & 255) << 16 | (uint32_t)(p[2] & 255) << 8 | (uint32_t)(p[3] & 255);
		return 4;
	}
	return 0;
}

static void apply(struct style *s, const int *p, int n)
{
	const struct style plain = {foreground, background, 0};
	for (int i = 0; i < n; i++) {
		int v = p[i];
		if (v == 0)
			*s = plain;
		else if (v == 1 || v == 2 || v == 3 || v == 4)
			s->flags |= 1u << (v - 1);
		else if (v == 7)
			s->flags |= REVERSED;
		else if (v == 22)
			s->flags &= ~(unsigned)(BOLD | DIM);
		else if (v == 23 || v == 24)
			s->flags &= ~(unsigned)(v == 23 ? ITALIC : UNDERLINED);
		else if (v == 27)
			s->flags &= ~(unsigned)REVERSED;
		else if (v == 38)
			i += extended(p + i + 1, n - i - 1, &s->fg);
		else if (v == 48)
			i += extended(p + i + 1, n - i - 1, &s->bg);
		else if (v >= 30 && v <= 37)
			s->fg = palette(v - 30);
		else if (v >= 90 && v <= 97)
			s->fg = palette(v - 82);
		else if (v >= 40 && v <= 47)
			s->bg = palette(v - 40);
		else if (v >= 100 && v <= 107)
			s->bg = palette(v - 92);
		else if (v == 39)
			s->fg = foreground;
		else if (v == 49)
			s->bg = background;
	}
}

/* Reads a sequence after ESC. */
static void read_escape(FILE *f, struct style *s)
{
	int p[PARAMS] = {0}, n = 0;
	wint_t c = fgetwc(f);
	if (c == L'(' || c == L')')
		fgetwc(f);
	if (c != L'[')
		return;
	while ((c = fgetwc(f)) != WEOF && c < 0x40) {
		if (c >= L'0' && c <= L'9')
			p[n] = p[n] * 10 + (int)(c - L'0');
		else if ((c == L';' || c == L':') && n < PARAMS - 1)
			n++;
	}
	if (c == L'm')
		apply(s, p, n + 1);
}

static void read_screen(FILE *f, int rows, int cols)
{
	struct style style = {foreground, background, 0};
	int row = 0, col = 0;
	wint_t c;
	for (int r = 0; r < rows; r++)
		for (int i = 0; i < cols; i++)
			cells[r][i] = (struct cell){L' ', style};
	while ((c = fgetwc(f)) != WEOF && row < rows) {
		if (c == 27) {
			read_escape(f, &style);
		} else if (c == L'\n') {
			row++;
			col = 0;
		} else if (c >= 32 && col < cols) {
			int width = wcwidth((wchar_t)c);
			cells[row][col] = (struct cell){(wchar_t)c, style};
			for (int i = 1; i < width && col + i < cols; i++)
				cells[row][col + i] = (struct cell){0, style};
			col += width > 0 ? width : 0;
		}
	}
}

/* ---- writing ---- */
static struct style shown(const struct cell *c)
{
	struct style s = c->style;
	if (!s.fg && !s.bg)
		s = (struct style){foreground, background, 0};
	if (s.flags & REVERSED) {
		uint32_t fg = s.fg;
		s.fg = s.bg;
		s.bg = fg;
	}
	if (s.flags & DIM) {
		uint32_t half = 0;
		for (int shift = 0; shift < 24; shift += 8)
			half |= (((s.fg >> shift & 255) * 3 + (s.bg >> shift & 255) * 2) / 5) << shift;
		s.fg = half;
	}
	s.flags &= ~(unsigned)(DIM | REVERSED);
	return s;
}

static bool same(struct style a, struct style b)
{
	return a.fg == b.fg && a.bg == b.bg && a.flags == b.flags;
}

static double x_of(int col)
{
	return MARGIN + col * CELL_W;
}

static double y_of(int row)
{
	return BAR + row * CELL_H;
}

/* Bits of a box-drawing character: 1 up, 2 right, 4 down, 8 left; 0 for others. */
static unsigned line_bits(wchar_t wc)
{
	static const struct {
		wchar_t wc;
		unsigned bits;
	} table[] = {{L'─', 10}, {L'│', 5}, {L'┌', 6}, {L'┐', 12}, {L'└', 3}, {L'┘', 9},
	             {L'├', 7}, {L'┤', 13}, {L'┬', 14}, {L'┴', 11}, {L'┼', 15}};
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (table[i].wc == wc)
			return table[i].bits;
	return 0;
}

static void put_char(wchar_t wc)
{
	if (wc == L'<' || wc == L'>' || wc == L'&')
		printf("&#%d;", (int)wc);
	else
		printf("%lc", (wint_t)wc);
}

static void write_backgrounds(int rows, int cols)
{
	for (int r = 0; r < rows; r++) {
		for (int c = 0, end; c < cols; c = end) {
			struct style s = shown(&cells[r][c]);
			for (end = c + 1; end < cols && shown(&cells[r][end]).bg == s.bg; end++)
				;
			if (s.bg != background)
				printf("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' fill='#%06x'/>\n", x_of(c), y_of(r),
				       (end - c) * CELL_W, CELL_H + 0.3, s.bg);
		}
	}
}

/* Whether the line of a cell reaches its right or lower edge, and the next cell goes on with it. */
static bool goes_on(const struct cell *c, const struct cell *next, unsigned out, unsigned in)
{
	return (line_bits(c->wc) & out) && (line_bits(next->wc) & in) && shown(c).fg == shown(next).fg;
}

/* Draws lines as shapes, not characters, since fonts leave gaps between rows; a line in one piece. */
static void write_lines(int rows, int cols)
{
	for (int r = 0; r < rows; r++) {
		for (int c = 0, end; c < cols; c = end + 1) {
			for (end = c; end + 1 < cols && goes_on(&cells[r][end], &cells[r][end + 1], 2, 8); end++)
				;
			unsigned first = line_bits(cells[r][c].wc), last = line_bits(cells[r][end].wc);
			if ((first | last) & 10)
				printf("<path stroke='#%06x' d='M%.1f %.1fH%.1f'/>\n", shown(&cells[r][c]).fg,
				       first & 8 ? x_of(c) : x_of(c) + CELL_W / 2, y_of(r) + CELL_H / 2,
				       last & 2 ? x_of(end + 1) : x_of(end) + CELL_W / 2);
		}
	}
	for (int c = 0; c < cols; c++) {
		for (int r = 0, end; r < rows; r = end + 1) {
			for (end = r; end + 1 < rows && goes_on(&cells[end][c], &cells[end + 1][c], 4, 1); end++)
				;
			unsigned first = line_bits(cells[r][c].wc), last = line_bits(cells[end][c].wc);
			if ((first | last) & 5)
				printf("<path stroke='#%06x' d='M%.1f %.1fV%.1f'/>\n", shown(&cells[r][c]).fg,
				       x_of(c) + CELL_W / 2, first & 1 ? y_of(r) : y_of(r) + CELL_H / 2,
				       last & 4 ? y_of(end + 1) : y_of(end) + CELL_H / 2);
		}
	}
}

static void write_run(int r, int from, int to, struct style s)
{
	printf("<text x='%.1f' y='%.1f' textLength='%.1f' fill='#%06x'%s%s%s>", x_of(from), y_of(r) + 12.8,
	       (to - from) * CELL_W, s.fg, s.flags & BOLD ? " font-weight='bold'" : "",
	       s.flags & ITALIC ? " font-style='italic'" : "", s.flags & UNDERLINED ? " text-decoration='underline'" : "");
	for (int c = from; c < to; c++)
		if (cells[r][c].wc)
			put_char(cells[r][c].wc);
	printf("</text>\n");
}

static bool blank(const struct cell *c)
{
	return !c->wc || c->wc == L' ' || line_bits(c->wc);
}

/* Writes words that are one blank apart as one text; wider gaps would vary with the font. */
static void write_texts(int rows, int cols)
{
	for (int r = 0; r < rows; r++) {
		for (int c = 0; c < cols; c++) {
			if (blank(&cells[r][c]))
				continue;
			struct style s = shown(&cells[r][c]);
			int end = c + 1;
			while (end < cols && (!blank(&cells[r][end]) || !cells[r][end].wc) && same(shown(&cells[r][end]), s))
				end++;
			write_run(r, c, end, s);
			c = end - 1;
		}
	}
}

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "C.UTF-8");
	int cols = argc > 2 ? atoi(argv[1]) : 0, rows = argc > 2 ? atoi(argv[2]) : 0;
	if (cols < 1 || rows < 1 || cols > COLS_MAX || rows > ROWS_MAX) {
		fprintf(stderr, "usage: svg COLUMNS ROWS [TITLE [CAPTION [light]]] <screen.ansi >screen.svg\n");
		return 1;
	}
	if (argc > 5 && !strcmp(argv[5], "light")) {
		foreground = 0x202327;
		background = 0xffffff;
	}
	read_screen(stdin, rows, cols);
	const double caption = argc > 4 && *argv[4] ? CAPTION : 0;
	double width = 2 * MARGIN + cols * CELL_W, height = BAR + rows * CELL_H + MARGIN + caption;
	printf("<svg xmlns='http://www.w3.org/2000/svg' width='%.0f' height='%.0f' viewBox='0 0 %.0f %.0f'>\n", width, height,
	       width, height);
	printf("<rect width='100%%' height='100%%' rx='9' fill='#%06x'/>\n", background);
	for (int i = 0; i < 3; i++)
		printf("<circle cx='%d' cy='15' r='5' fill='#3a4049'/>\n", 18 + 17 * i);
	printf("<g font-family='DejaVu Sans Mono,Menlo,Consolas,monospace' font-size='14' fill='none' stroke-width='1' "
	       "style='white-space:pre'>\n");
	if (argc > 3)
		printf("<text x='%.0f' y='19' font-size='12' fill='#8b93a1' text-anchor='middle'>%s</text>\n", width / 2, argv[3]);
	if (caption > 0)
		printf("<text x='%.0f' y='%.0f' font-size='17' font-weight='bold' fill='#f2c46d' text-anchor='middle'>%s</text>\n",
		       width / 2, height - MARGIN - 4, argv[4]);
	write_backgrounds(rows, cols);
	write_lines(rows, cols);
	write_texts(rows, cols);
	printf("</g>\n</svg>\n");
	return 0;
}
