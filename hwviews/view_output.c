#include <stdio.h>
#include <string.h>

#include "core/os/os.h"
#include "hwviews/tell.h"

enum { LINES_DEFAULT = 100, LINES_MAX = 100000, LINE_BYTES = 1000, TAB = 8 };

static const struct grid_column columns[] = {
	{"stream", "", "", ALIGN_LEFT, 0, false, false},
	{"text", "text", "", ALIGN_LEFT, 0, true, false},
};

/* Tabs become blanks; what a terminal would act on becomes visible in the grid. */
static size_t expand(const char *bytes, size_t n, char *out)
{
	size_t used = 0;
	for (size_t i = 0; i < n && used + TAB < LINE_BYTES; i++) {
		if (bytes[i] == '\t') {
			do
				out[used++] = ' ';
			while (used % TAB);
		} else if (bytes[i] == '\0') {
			out[used++] = 1;
		} else if (bytes[i] != '\r') {
			out[used++] = bytes[i];
		}
	}
	out[used] = '\0';
	return used;
}

/* Offset of the start of the last `lines` lines. */
static size_t last_lines(const char *bytes, size_t n, uint64_t lines)
{
	size_t at = n;
	if (at && bytes[at - 1] == '\n')
		at--;
	while (at > 0) {
		if (bytes[at - 1] == '\n' && --lines == 0)
			return at;
		at--;
	}
	return 0;
}

static uint64_t stream_rows(struct grid *g, const struct session *s, int fd, uint64_t lines)
{
	uint64_t first;
	size_t n;
	const char *bytes = os_output(machine_os_const(s->machine), fd, &first, &n);
	char line[LINE_BYTES + TAB];
	for (size_t at = last_lines(bytes, n, lines); at < n;) {
		const char *end = memchr(bytes + at, '\n', n - at);
		size_t len = end ? (size_t)(end - bytes) - at : n - at;
		/* A line is where it begins: so it stays the same while it grows. */
		grid_row(g, ((first + at) << 1 | (uint64_t)(fd - 1)) + 1, ROLE_PLAIN);
		grid_text(g, ROLE_DIM, "%s", fd == 2 ? "err" : "");
		expand(bytes + at, len, line);
		grid_text(g, fd == 2 ? ROLE_ERROR : ROLE_PLAIN, "%s", line);
		at += len + 1;
	}
	return first + n;
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	uint64_t lines = LINES_DEFAULT;
	char a[32], b[32];
	if (!arg_count(args, 1, "output", err) ||
	    (args->argc && !arg_number(args->argv[0], "a number of lines", LINES_MAX, &lines, err)))
		return false;
	grid_init(out, "Guest output", columns, sizeof columns / sizeof *columns);
	uint64_t errors = 0, bytes = 0;
	if (lines) {
		errors = stream_rows(out, s, 2, lines);
		bytes = stream_rows(out, s, 1, lines);
	}
	if (errors)
		grid_summary(out, "%s bytes, and %s of errors", group_digits(bytes, a), group_digits(errors, b));
	else
		grid_summary(out, "%s bytes", group_digits(bytes, a));
	grid_empty(out, "the program has written nothing yet");
	if (out->row_count)
		out->focus_row = out->row_count - 1;
	return true;
}

const struct view view_output = {
	.name = "output",
	.title = "Guest output",
	.args = "[LINES]",
	.help = "What the program has written up to this cycle, the last lines of each stream:\n"
		"standard error first (marked err), then standard output.\n"
		"\n"
		"It belongs to the place in time: going back takes output back here (the real\n"
		"standard output keeps what it got, and nothing is printed twice). C libraries\n"
		"write in blocks unless the output is a terminal: sim.terminal=true makes the\n"
		"program write line by line.",
	.build = build,
};
