/* Makes an SVG picture of a captured terminal screen (tmux capture-pane -e -p): text with colours on stdin, SVG on
 * stdout.
 *
 *   svg COLUMNS ROWS [TITLE [CAPTION [light]]] <screen.ansi >screen.svg
 *
 * Reads SGR sequences (bold, dim, italic, underlined, reversed, 16, 256 and 24-bit colours); others are skipped. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "ui/screen/svg_row.h"

enum { COLS_MAX = 400, ROWS_MAX = 200, PARAMS = 16 };
#define MARGIN 14.0
#define BAR 30.0
#define CAPTION 30.0

static const struct glyph plain = {.text = L" ", .fg = -1, .bg = -1};
static struct glyph cells[ROWS_MAX][COLS_MAX];

/* ---- reading ---- */
/* Reads a colour after 38 or 48; returns how many parameters it took. */
static int svg_take_long_colour(const int *p, int n, int *colour)
{
	if (n >= 2 && p[0] == 5) {
		*colour = p[1] & 255;
		return 2;
	}
	if (n >= 4 && p[0] == 2) {
		*colour = SVG_RGB | (p[1] & 255) << 16 | (p[2] & 255) << 8 | (p[3] & 255);
		return 4;
	}
	return 0;
}

static void svg_apply_look(struct glyph *s, const int *p, int n)
{
	static const attr_t attributes[] = {[1] = A_BOLD, [2] = A_DIM, [3] = A_ITALIC, [4] = A_UNDERLINE, [7] = A_REVERSE};
	for (int i = 0; i < n; i++) {
		int v = p[i];
		if (v == 0)
			*s = plain;
		else if (v <= 7)
			s->attr |= attributes[v];
		else if (v == 22)
			s->attr &= ~(A_BOLD | A_DIM);
		else if (v == 23 || v == 24 || v == 27)
			s->attr &= ~attributes[v - 20];
		else if (v == 38)
			i += svg_take_long_colour(p + i + 1, n - i - 1, &s->fg);
		else if (v == 48)
			i += svg_take_long_colour(p + i + 1, n - i - 1, &s->bg);
		else if (v >= 30 && v <= 37)
			s->fg = v - 30;
		else if (v >= 90 && v <= 97)
			s->fg = v - 82;
		else if (v >= 40 && v <= 47)
			s->bg = v - 40;
		else if (v >= 100 && v <= 107)
			s->bg = v - 92;
		else if (v == 39)
			s->fg = -1;
		else if (v == 49)
			s->bg = -1;
	}
}

/* Reads a sequence after ESC. */
static void read_escape(FILE *f, struct glyph *s)
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
		svg_apply_look(s, p, n + 1);
}

static void read_screen(FILE *f, int rows, int cols)
{
	struct glyph now = plain;
	int row = 0, col = 0;
	wint_t c;
	for (int r = 0; r < rows; r++)
		for (int i = 0; i < cols; i++)
			cells[r][i] = plain;
	while ((c = fgetwc(f)) != WEOF && row < rows) {
		if (c == 27) {
			read_escape(f, &now);
		} else if (c == L'\n') {
			row++;
			col = 0;
		} else if (c >= 32 && col < cols) {
			int width = wcwidth((wchar_t)c);
			now.text[0] = (wchar_t)c;
			for (int i = 0; i < width && col < cols; i++)
				cells[row][col++] = now;
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
	const struct svg_look look = svg_look(argc > 5 && !strcmp(argv[5], "light"));
	read_screen(stdin, rows, cols);
	const double caption = argc > 4 && *argv[4] ? CAPTION : 0;
	const double width = 2 * MARGIN + cols * SVG_CELL_WIDTH, height = BAR + rows * SVG_CELL_HEIGHT + MARGIN + caption;
	svg_begin(stdout, &look, width, height);
	for (int i = 0; i < 3; i++)
		printf("<circle cx='%d' cy='15' r='5' fill='#3a4049'/>\n", 18 + 17 * i);
	fputs(SVG_GROUP, stdout);
	if (argc > 3)
		printf("<text x='%.0f' y='19' font-size='12' fill='#8b93a1' text-anchor='middle'>%s</text>\n", width / 2, argv[3]);
	if (caption > 0)
		printf("<text x='%.0f' y='%.0f' font-size='17' font-weight='bold' fill='#f2c46d' text-anchor='middle'>%s</text>\n",
		       width / 2, height - MARGIN - 4, argv[4]);
	for (int r = 0; r < rows; r++) {
		printf("<g transform='translate(%.0f %.0f)'>", MARGIN, BAR + r * SVG_CELL_HEIGHT);
		svg_row_write(stdout, &look, cells[r], cols);
		printf("</g>\n");
	}
	printf("</g>\n</svg>\n");
	return 0;
}
