/* A recording of the screen ends at its bound: whole pictures, and no byte more. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include <curses.h>

#include "ui/screen/recording.h"

enum { ROWS = 150, COLUMNS_ = 400, PICTURES_MAX = 500 };

/* A picture in which no cell is as its neighbour, nor as it was. */
static void recording_draw_picture(unsigned n)
{
	for (int y = 0; y < LINES; y++)
		for (int x = 0; x < COLS; x++) {
			const unsigned mix = (unsigned)(y * COLS + x) * 7919 + n * 104729;
			attrset((x + (int)n) % 2 ? A_BOLD | A_UNDERLINE : A_REVERSE);
			mvaddch(y, x, (chtype)('!' + mix % 90));
		}
}

static void ends_at_its_bound(void **state)
{
	(void)state;
	char folder[] = "/tmp/cyclops-XXXXXX", path[64], line[256];
	uint64_t pictures = 0, bytes = 0, before = 0;
	struct err err;
	bool full = false;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof path, "%s/talk.cast", folder);
	struct recording *r = recording_new(path, LINES, COLS, &err);
	assert_non_null(r);
	for (unsigned n = 0; !full && n < PICTURES_MAX; n++) {
		before = bytes;
		recording_draw_picture(n);
		recording_take(r, false);
		bytes = recording_bytes(r, &pictures, &full);
	}
	assert_true(full);
	assert_true(bytes <= RECORDING_BYTES_MAX);
	assert_int_equal(bytes, before); /* the last one was not taken, not even in part */
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
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(ends_at_its_bound)};
	char rows[8], columns[8];
	snprintf(rows, sizeof rows, "%d", ROWS);
	snprintf(columns, sizeof columns, "%d", COLUMNS_);
	setenv("LINES", rows, 1);
	setenv("COLUMNS", columns, 1);
	FILE *nowhere = fopen("/dev/null", "r+");
	SCREEN *s = nowhere ? newterm("xterm-256color", nowhere, nowhere) : NULL;
	if (!s) {
		fputs("ncurses does not know the terminal xterm-256color\n", stderr);
		return 1;
	}
	const int failed = cmocka_run_group_tests_name("recording", tests, NULL, NULL);
	endwin();
	delscreen(s);
	fclose(nowhere);
	return failed;
}
