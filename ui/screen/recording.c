/* Records the screen by comparing its cells with those recorded last. */
#include "ui/screen/recording.h"

#include <limits.h>
#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/alloc.h"
#include "core/base/output_file.h"
#include "ui/render/render_json.h"
#include "ui/screen/recording_gif.h"
#include "ui/screen/recording_svg.h"

enum { KEYS_MAX = 64 };
/* A key typed later than this after the one before begins a new caption. */
#define KEYS_SECONDS 1.5

struct recording {
	struct output_file file;
	char *path;         /* owned */
	struct glyph *shown; /* [rows * cols], owned: cells recorded last */
	int rows, cols;
	int y, x;           /* the cursor; y -1: not shown */
	bool first, full, failed;
	struct timespec last; /* when `time` was set */
	double time;          /* of the recording, seconds: pauses are cut */
	double event_time;    /* of the event before */
	char keys[KEYS_MAX];  /* the caption */
	double key_time;      /* of its last key */
	bool key_shown;       /* it is in the last picture */
	struct recording_svg *svg; /* owned; NULL: none */
	struct recording_gif *gif; /* owned; NULL: none */
	char *svg_path, *gif_path; /* owned; NULL: none */
	char *films;               /* both in words; owned */
	struct err no_gif;
	double film_end;           /* films end here: the terminal's size changed; 0: not yet */
	uint64_t bytes, pictures;
	struct recording_mark {
		bool set;
		long at; /* in the file; -1: not known */
		double time;
		uint64_t bytes, pictures;
	} prompt; /* when a prompt was opened */
};

static void recording_free(struct recording *r)
{
	if (!r)
		return;
	recording_svg_free(r->svg);
	recording_gif_free(r->gif);
	free(r->svg_path);
	free(r->gif_path);
	free(r->films);
	free(r->shown);
	free(r->path);
	free(r);
}

/* Prepares the animated pictures beside the recording. */
static bool recording_begin_films(struct recording *r, const char *path, int rows, int cols,
                                  bool light)
{
	const int stem = (int)strlen(path) - 5;
	r->svg = recording_svg_new(rows, cols, light);
	r->svg_path = alloc_format("%.*s.svg", stem, path);
	r->gif_path = alloc_format("%.*s.gif", stem, path);
	r->gif = recording_gif_new(rows, cols, light, NULL, &r->no_gif);
	if (r->svg_path && r->gif_path)
		r->films = r->gif ? alloc_format("%s and %s", r->svg_path, r->gif_path)
		                  : alloc_text(r->svg_path);
	return r->svg && r->films;
}

struct recording *recording_new(const char *path, int rows, int cols, bool light, struct err *err)
{
	struct recording *r = alloc_zeroed(1, sizeof *r);
	if (!r || !(r->path = alloc_text(path)) ||
	    !(r->shown = alloc_zeroed((size_t)rows * (size_t)cols, sizeof *r->shown)) ||
	    (output_ends_in(path, ".cast") &&
	     !recording_begin_films(r, path, rows + 1, cols, light))) {
		err_set(err, "out of memory for a recording");
	} else if (output_begin(&r->file, path, OUTPUT_FILE_ANY, err)) {
		r->rows = rows;
		r->cols = cols;
		r->first = true;
		clock_gettime(CLOCK_MONOTONIC, &r->last);
		const int n = fprintf(r->file.f,
		                      "{\"version\": 2, \"width\": %d, \"height\": %d, \"title\": "
		                      "\"Cyclops\", \"env\": {\"TERM\": \"xterm-256color\"}}\n",
		                      cols, rows + 1);
		r->bytes = n > 0 ? (uint64_t)n : 0;
		return r;
	}
	recording_free(r);
	return NULL;
}

const char *recording_films(const struct recording *r)
{
	return r->films;
}

const char *recording_no_gif(const struct recording *r)
{
	return r->films && !r->gif ? r->no_gif.msg : "";
}

const char *recording_path(const struct recording *r)
{
	return r->path;
}

uint64_t recording_bytes(const struct recording *r, uint64_t *pictures, bool *full)
{
	*pictures = r->pictures;
	*full = r->full;
	return r->bytes;
}

/* Brings the recording's time to now, less what is cut of a pause. */
static void recording_pass_time(struct recording *r)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	const double passed = (double)(now.tv_sec - r->last.tv_sec) +
	                      1e-9 * (double)(now.tv_nsec - r->last.tv_nsec);
	const double most = r->event_time + RECORDING_PAUSE_SECONDS;
	r->time = r->time + passed < most ? r->time + passed : most;
	r->last = now;
}

void recording_key(struct recording *r, const char *name)
{
	if (!r)
		return;
	recording_pass_time(r);
	const size_t used = strlen(r->keys);
	const bool more = used && r->time - r->key_time < KEYS_SECONDS &&
	                  used + strlen(name) + 2 < KEYS_MAX;
	snprintf(r->keys + (more ? used : 0), KEYS_MAX - (more ? used : 0), "%s%s", more ? " " : "",
	         name);
	r->key_time = r->time;
	r->key_shown = false;
}

void recording_prompt(struct recording *r, bool prompt)
{
	if (!r || prompt == r->prompt.set)
		return;
	r->prompt.set = prompt;
	if (!prompt)
		return;
	recording_pass_time(r);
	r->prompt.at = ftell(r->file.f);
	r->prompt.time = r->time;
	r->prompt.bytes = r->bytes;
	r->prompt.pictures = r->pictures;
	if (r->svg)
		recording_svg_mark(r->svg);
	if (r->gif)
		recording_gif_mark(r->gif);
}

void recording_drop_prompt(struct recording *r)
{
	if (!r->prompt.set || r->prompt.at < 0 || fflush(r->file.f) != 0 ||
	    ftruncate(fileno(r->file.f), r->prompt.at) != 0 ||
	    fseek(r->file.f, r->prompt.at, SEEK_SET) != 0)
		return;
	r->bytes = r->prompt.bytes;
	r->pictures = r->prompt.pictures;
	if (r->film_end <= 0 || r->film_end > r->prompt.time)
		r->film_end = r->prompt.time;
	if (r->svg)
		recording_svg_return(r->svg);
	if (r->gif)
		recording_gif_return(r->gif);
	r->prompt.set = false;
}

bool recording_is_empty(const struct recording *r)
{
	return r && r->first && !r->pictures;
}

bool recording_end(struct recording *r, struct err *err)
{
	if (!r)
		return true;
	bool ok = true;
	if (r->failed) {
		output_drop(&r->file);
		ok = err_set(err, "%s: out of memory while the screen was recorded", r->path);
	} else {
		recording_pass_time(r);
		const double end = r->film_end > 0 ? r->film_end : r->time;
		ok = output_end(&r->file, r->path, err) &&
		     (!r->svg || recording_svg_write(r->svg, r->svg_path, end, err)) &&
		     (!r->gif || recording_gif_write(r->gif, r->gif_path, end, err));
	}
	recording_free(r);
	return ok;
}

/* ---- a picture ---- */
static struct glyph recording_read_glyph(int y, int x)
{
	struct glyph c = {.fg = -1, .bg = -1};
	cchar_t is;
	short narrow;
	int pair = 0;
	if (mvin_wch(y, x, &is) == ERR || getcchar(&is, c.text, &c.attr, &narrow, &pair) == ERR)
		return (struct glyph){.text = L" ", .fg = -1, .bg = -1};
	if (pair)
		extended_pair_content(pair, &c.fg, &c.bg);
	c.attr &= A_BOLD | A_DIM | A_REVERSE | A_STANDOUT | A_UNDERLINE | A_ITALIC | A_BLINK;
	if (!c.text[0])
		wcscpy(c.text, L" ");
	return c;
}

static bool same_glyph(const struct glyph *a, const struct glyph *b)
{
	return glyph_same_look(a, b) && !wcscmp(a->text, b->text);
}

static void put_colour(FILE *f, int colour, int base)
{
	if (colour >= 16)
		fprintf(f, ";%d;5;%d", base + 8, colour);
	else if (colour >= 8)
		fprintf(f, ";%d", base + 60 + colour - 8);
	else if (colour >= 0)
		fprintf(f, ";%d", base + colour);
}

static void put_look(FILE *f, const struct glyph *c)
{
	fputs("\033[0", f);
	if (c->attr & A_BOLD)
		fputs(";1", f);
	if (c->attr & A_DIM)
		fputs(";2", f);
	if (c->attr & A_ITALIC)
		fputs(";3", f);
	if (c->attr & A_UNDERLINE)
		fputs(";4", f);
	if (c->attr & A_BLINK)
		fputs(";5", f);
	if (c->attr & (A_REVERSE | A_STANDOUT))
		fputs(";7", f);
	put_colour(f, c->fg, 30);
	put_colour(f, c->bg, 40);
	fputc('m', f);
}

static void recording_add_to_films(struct recording *r, int y, const struct glyph *row)
{
	if (r->svg && r->film_end <= 0)
		recording_svg_row(r->svg, y, row, r->time);
	if (r->gif && r->film_end <= 0)
		recording_gif_row(r->gif, y, row, r->time);
}

/* Writes the changed part of a row, without splitting wide characters. */
static void recording_write_row_diff(struct recording *r, FILE *f, int y, struct glyph *now)
{
	struct glyph *was = &r->shown[y * r->cols];
	int from = 0, to = r->cols;
	const struct glyph *look = NULL;
	char text[MB_LEN_MAX * (CCHARW_MAX + 1)];
	while (from < to && same_glyph(&was[from], &now[from]))
		from++;
	while (to > from && same_glyph(&was[to - 1], &now[to - 1]))
		to--;
	if (from == to)
		return;
	if (from > 0 && wcwidth(now[from - 1].text[0]) > 1)
		from--;
	fprintf(f, "\033[%d;%dH", y + 1, from + 1);
	for (int x = from; x < to; x++) {
		if (!look || !glyph_same_look(look, &now[x]))
			put_look(f, &now[x]);
		look = &now[x];
		const size_t n = wcstombs(text, now[x].text, sizeof text - 1);
		fwrite(text, 1, n == (size_t)-1 ? 0 : n, f);
		x += wcwidth(now[x].text[0]) > 1;
	}
	memcpy(was, now, (size_t)r->cols * sizeof *now);
	recording_add_to_films(r, y, now);
}

/* Writes the keys into the row below the screen. */
static void recording_write_keys(struct recording *r, FILE *f, struct glyph *row)
{
	if (r->key_shown || !*r->keys)
		return;
	r->key_shown = true;
	wchar_t text[KEYS_MAX] = L"";
	const size_t n = mbstowcs(text, r->keys, KEYS_MAX - 1);
	fprintf(f, "\033[%d;1H\033[0;1;33m %.*s\033[0m\033[K", r->rows + 1, r->cols - 2, r->keys);
	for (int x = 0; x < r->cols; x++) {
		const bool inside = x > 0 && (size_t)x <= n && n != (size_t)-1;
		row[x] = (struct glyph){
			.text = {inside ? text[x - 1] : L' '}, .attr = A_BOLD, .fg = 3, .bg = -1};
	}
	recording_add_to_films(r, r->rows, row);
}

/* Writes all changes as terminal output. */
static void put_picture(struct recording *r, FILE *f, struct glyph *row, bool cursor)
{
	int y, x;
	getyx(stdscr, y, x);
	if (r->first)
		fputs("\033[0m\033[2J\033[?25l", f);
	for (int i = 0; i < r->rows; i++) {
		for (int k = 0; k < r->cols; k++)
			row[k] = recording_read_glyph(i, k);
		recording_write_row_diff(r, f, i, row);
	}
	recording_write_keys(r, f, row);
	move(y, x);
	const int shown = cursor ? y : -1;
	const bool drawn = ftell(f) > 0;
	if (shown != r->y || x != r->x || (drawn && cursor) || r->first)
		fprintf(f, cursor ? "\033[%d;%dH\033[?25h" : "\033[?25l", y + 1, x + 1);
	r->y = shown;
	r->x = cursor ? x : r->x;
	r->first = false;
}

static void recording_write_event(struct recording *r, const char *kind, const char *text, size_t n)
{
	char *line = NULL;
	size_t bytes = 0;
	FILE *f = alloc_stream(&line, &bytes);
	if (f) {
		fprintf(f, "[%.6f, \"%s\", ", r->time, kind);
		render_json_bytes(f, text, n);
		fputs("]\n", f);
	}
	if (!f || fclose(f) != 0) {
		r->failed = true;
	} else if (r->bytes + bytes > RECORDING_BYTES_MAX) {
		r->full = true;
	} else {
		fwrite(line, 1, bytes, r->file.f);
		r->event_time = r->time;
		r->bytes += bytes;
		r->pictures += *kind == 'o';
	}
	free(line);
}

/* Records a new size of the terminal; everything is redrawn. */
static bool recording_resize_screen(struct recording *r)
{
	char size[32];
	struct glyph *shown = alloc_zeroed((size_t)LINES * (size_t)COLS, sizeof *shown);
	if (!shown)
		return false;
	free(r->shown);
	r->shown = shown;
	r->film_end = r->film_end > 0 ? r->film_end : r->time;
	r->rows = LINES;
	r->cols = COLS;
	r->first = true;
	recording_write_event(r, "r", size,
	                      (size_t)snprintf(size, sizeof size, "%dx%d", COLS, LINES + 1));
	r->key_shown = false;
	return true;
}

void recording_take(struct recording *r, bool cursor)
{
	if (!r || r->full || r->failed)
		return;
	recording_pass_time(r);
	if (recording_is_empty(r))
		r->time = 0;
	if ((LINES != r->rows || COLS != r->cols) && !recording_resize_screen(r)) {
		r->failed = true;
		return;
	}
	char *text = NULL;
	size_t n = 0;
	struct glyph *row = alloc_zeroed((size_t)r->cols, sizeof *row);
	FILE *f = row ? alloc_stream(&text, &n) : NULL;
	if (f) {
		put_picture(r, f, row, cursor);
		r->failed = fclose(f) != 0;
	} else {
		r->failed = true;
	}
	if (n && !r->failed)
		recording_write_event(r, "o", text, n);
	free(text);
	free(row);
}
