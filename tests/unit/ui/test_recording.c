/* A recording of the screen ends at its bound, after a whole picture. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <curses.h>

#include "core/base/alloc.h"
#include "tests/cases.h"
#include "ui/screen/recording.h"
#include "ui/screen/recording_gif.h"
#include "ui/screen/recording_svg.h"

enum { ROWS = 150, COLUMNS_ = 400, PICTURES_MAX = 500 };

/* A picture whose cells all differ from their neighbours and from the previous picture. */
static void recording_draw_picture(unsigned n)
{
	for (int y = 0; y < LINES; y++)
		for (int x = 0; x < COLS; x++) {
			const unsigned mix = (unsigned)(y * COLS + x) * 7919 + n * 104729;
			attrset((x + (int)n) % 2 ? A_BOLD | A_UNDERLINE : A_REVERSE);
			mvaddch(y, x, (chtype)('!' + mix % 90));
		}
}

TEST(ends_at_its_bound)
{
	char folder[] = "/tmp/cyclops-XXXXXX", path[64], line[256];
	uint64_t pictures = 0, bytes = 0, before = 0;
	struct err err;
	bool full = false;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/talk.cast", folder);
	struct recording *r = recording_new(path, LINES, COLS, false, &err);
	assert_non_null(r);
	for (unsigned n = 0; !full && n < PICTURES_MAX; n++) {
		before = bytes;
		recording_draw_picture(n);
		recording_take(r, false);
		bytes = recording_bytes(r, &pictures, &full);
	}
	assert_true(full);
	assert_true(bytes <= RECORDING_BYTES_MAX);
	assert_int_equal(bytes, before); /* the last picture is missing as a whole */
	assert_true(bytes > RECORDING_BYTES_MAX / 10 * 9);
	const uint64_t taken = pictures;
	recording_draw_picture(PICTURES_MAX);
	recording_take(r, true);
	assert_int_equal(recording_bytes(r, &pictures, &full), bytes);
	assert_int_equal(pictures, taken);
	assert_true(recording_end(r, &err));
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	assert_non_null(strstr(line, "\"version\": 2"));
	uint64_t lines = 1;
	int last = '\n', ch;
	for (; (ch = fgetc(f)) != EOF; last = ch)
		lines += ch == '\n';
	assert_int_equal(last, '\n');
	assert_int_equal(lines, taken + 1);
	assert_true((uint64_t)ftell(f) <= RECORDING_BYTES_MAX + sizeof line);
	fclose(f);
	unlink(path);
	/* The moving picture has a bound of its own. */
	snprintf(path, sizeof path, "%s/talk.svg", folder);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	assert_true(ftell(f) > RECORDING_SVG_BYTES_MAX);
	assert_true(ftell(f) < 2 * RECORDING_SVG_BYTES_MAX);
	fclose(f);
	unlink(path);
	snprintf(path, sizeof path, "%s/talk.gif", folder);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	assert_true(ftell(f) < 2 * RECORDING_GIF_BYTES_MAX);
	fclose(f);
	unlink(path);
	rmdir(folder);
}

/* The same rows at the same times are the same GIF, and a GIF without its font is refused. */
TEST(draws_the_same_gif)
{
	char folder[] = "/tmp/cyclops-XXXXXX", path[64], *texts[2] = {NULL};
	size_t sizes[2] = {0};
	struct err err = {{0}};
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/talk.gif", folder);
	assert_null(recording_gif_new(2, 3, false, folder, &err));
	assert_non_null(strstr(err.msg, "fonts-dejavu-core"));
	struct recording_gif *films[2] = {recording_gif_new(2, 3, true, NULL, &err),
	                                  recording_gif_new(2, 3, true, NULL, &err)};
	for (unsigned i = 0; i < 2; i++) {
		assert_non_null(films[i]);
		for (unsigned n = 0; n < 40; n++) {
			const struct glyph row[3] = {
				{.text = L"a", .fg = (int)n, .bg = -1},
				{.text = L"▃", .attr = A_BOLD, .fg = 3, .bg = 4},
				{.text = L"漢", .attr = A_ITALIC, .fg = -1, .bg = -1}};
			recording_gif_row(films[i], (int)(n % 2), row, 0.03 * n);
		}
		assert_true(recording_gif_write(films[i], path, 2, &err));
		recording_gif_free(films[i]);
		FILE *f = fopen(path, "r"), *to = alloc_stream(&texts[i], &sizes[i]);
		assert_true(f && to);
		for (int ch; (ch = fgetc(f)) != EOF;)
			fputc(ch, to);
		fclose(to);
		fclose(f);
	}
	assert_int_equal(sizes[0], sizes[1]);
	assert_true(sizes[0] > 200);
	assert_memory_equal(texts[0], texts[1], sizes[0]);
	free(texts[0]);
	free(texts[1]);
	unlink(path);
	rmdir(folder);
}

/* The bytes of a GIF of two rows, both from `from` on, and then of a prompt, which is dropped. */
static size_t recording_bytes_of_gif(const char *path, double from, bool prompt, char *out,
                                     size_t room)
{
	struct err err = {{0}};
	struct recording_gif *g = recording_gif_new(2, 1, false, NULL, &err);
	assert_non_null(g);
	for (int y = 0; y < 2; y++)
		recording_gif_row(g, y, &(struct glyph){.text = L"a", .fg = 3 + y, .bg = -1}, from);
	if (prompt) {
		recording_gif_mark(g);
		for (int y = 0; y < 2; y++)
			recording_gif_row(g, y, &(struct glyph){.text = L"b", .fg = 6, .bg = -1},
			                  from + 1 + y);
		recording_gif_return(g);
	}
	assert_true(recording_gif_write(g, path, from + 1, &err));
	recording_gif_free(g);
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	const size_t n = fread(out, 1, room, f);
	fclose(f);
	assert_true(n > 0 && n < room);
	return n;
}

/* The first picture is whole, whenever it is taken; a prompt's pictures can be dropped. */
TEST(first_and_last_picture)
{
	char folder[] = "/tmp/cyclops-XXXXXX", path[64], line[1 << 16];
	static char gifs[3][1 << 16];
	struct err err;
	uint64_t pictures;
	bool full;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/talk.gif", folder);
	const size_t whole = recording_bytes_of_gif(path, 0, false, gifs[0], sizeof gifs[0]);
	assert_int_equal(recording_bytes_of_gif(path, 0, true, gifs[1], sizeof gifs[1]), whole);
	assert_memory_equal(gifs[0], gifs[1], whole);
	/* Only the time differs. */
	assert_int_equal(recording_bytes_of_gif(path, 0.5, false, gifs[2], sizeof gifs[2]), whole);
	snprintf(path, sizeof path, "%s/talk.cast", folder);
	struct recording *r = recording_new(path, LINES, COLS, false, &err);
	assert_non_null(r);
	assert_true(recording_is_empty(r));
	usleep(60000);
	erase();
	mvaddstr(3, 3, "kept");
	recording_take(r, false);
	recording_prompt(r, true);
	recording_prompt(r, false);
	mvaddstr(4, 3, "answer");
	recording_take(r, false);
	recording_prompt(r, true);
	mvaddstr(5, 3, "record stop");
	recording_take(r, true);
	recording_drop_prompt(r);
	recording_bytes(r, &pictures, &full);
	assert_int_equal(pictures, 2);
	assert_true(recording_end(r, &err));
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "%s/talk.%s", folder, i ? "svg" : "cast");
		FILE *f = fopen(path, "r");
		bool kept = false, answer = false;
		assert_non_null(f);
		while (fgets(line, sizeof line, f)) {
			assert_null(strstr(line, "record stop"));
			kept |= strstr(line, "kept") != NULL;
			answer |= strstr(line, "answer") != NULL;
			/* All rows of the first picture are seen at once. */
			assert_false(strstr(line, "@keyframes k3{0%{visibility:hidden}"));
			assert_false(!i && kept && !answer && strncmp(line, "[0.000000,", 10) != 0);
		}
		assert_true(kept && answer);
		fclose(f);
		unlink(path);
	}
	snprintf(path, sizeof path, "%s/talk.gif", folder);
	unlink(path);
	rmdir(folder);
}

/* A pause is cut, and keys are shown below the screen until the next keys. */
TEST(cuts_pauses_and_shows_keys)
{
	char folder[] = "/tmp/cyclops-XXXXXX", path[64];
	static char line[1 << 20];
	struct err err;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/talk.raw", folder);
	struct recording *r = recording_new(path, LINES, COLS, false, &err);
	assert_non_null(r);
	assert_null(recording_films(r));
	erase();
	recording_take(r, false);
	recording_key(r, "s");
	recording_key(r, "S");
	recording_take(r, false);
	sleep(3);
	recording_key(r, "F5");
	recording_take(r, false);
	assert_true(recording_end(r, &err));
	FILE *f = fopen(path, "r");
	double times[3];
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	for (unsigned i = 0; i < 3; i++) {
		assert_non_null(fgets(line, sizeof line, f));
		assert_int_equal(sscanf(line, "[%lf", &times[i]), 1);
		assert_true((strstr(line, " s") != NULL || strstr(line, " S") != NULL) == (i == 1));
		assert_true((strstr(line, " F5") != NULL) == (i == 2));
	}
	assert_true(times[2] - times[1] <= RECORDING_PAUSE_SECONDS + 1e-5);
	assert_null(fgets(line, sizeof line, f));
	fclose(f);
	unlink(path);
	rmdir(folder);
}

static FILE *recording_nowhere;
static SCREEN *recording_screen;

static int recording_open_screen(__attribute__((unused)) void **state)
{
	char rows[8], columns[8];
	snprintf(rows, sizeof rows, "%d", ROWS);
	snprintf(columns, sizeof columns, "%d", COLUMNS_);
	setenv("LINES", rows, 1);
	setenv("COLUMNS", columns, 1);
	recording_nowhere = fopen("/dev/null", "r+");
	recording_screen = newterm("xterm-256color", recording_nowhere, recording_nowhere);
	if (!recording_screen)
		fputs("ncurses does not know the terminal xterm-256color\n", stderr);
	return !recording_screen;
}

static int recording_close_screen(__attribute__((unused)) void **state)
{
	endwin();
	delscreen(recording_screen);
	return fclose(recording_nowhere);
}

TEST_GROUP(recording_open_screen, recording_close_screen)
