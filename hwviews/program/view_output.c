/* `view output`: the program's output. */
#include <string.h>

#include "core/os/os.h"
#include "hwviews/program/death.h"
#include "hwviews/session/view_text.h"

enum { LINES_DEFAULT = 100, LINES_MAX = 100000, LINE_BYTES = 1000, TAB = 8 };

/* Appends to the `used` bytes of out, with tabs expanded to blanks. Control characters become
 * visible in the grid. */
static size_t view_output_expand_tabs(const char *bytes, size_t n, char *out, size_t used)
{
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

/* The kept bytes of a stream; those of piece p are the n bytes from `at`. */
struct part {
	const char *bytes;
	uint64_t at;
	size_t n;
	int fd;
};

static struct part view_output_stream_part(const struct os *os, const struct os_output_piece *p,
                                           int fd)
{
	uint64_t first, from = p->from[fd - 1], to = p->to[fd - 1];
	size_t n;
	const char *bytes = os_output(os, fd, &first, &n);
	if (from < first)
		from = first;
	if (to <= from)
		return (struct part){.fd = fd};
	return (struct part){bytes + (from - first), from, (size_t)(to - from), fd};
}

/* Offset of the part's last `lines` lines; *lines becomes the number found. */
static size_t last_lines(const struct part *p, uint64_t *lines)
{
	uint64_t found = p->n > 0;
	size_t at = p->n;
	if (at && p->bytes[at - 1] == '\n')
		at--;
	for (; at > 0; at--)
		if (p->bytes[at - 1] == '\n' && found++ == *lines)
			break;
	*lines = found < *lines ? found : *lines;
	return at;
}

/* A line under construction. */
struct line {
	uint64_t id; /* the line's offset in the output: constant while the line grows */
	int fd, last; /* streams of the first and last bytes */
	bool open;
	bool lost; /* a program that died has not written it */
	size_t used;
	char text[LINE_BYTES + TAB];
};

FILL(fill_stream, struct line, static const char *const streams[] = {"", "err", "typed"};
	grid_text(g, ROLE_DIM, "%s", streams[r->fd - 1]))
FILL(fill_line, struct line, grid_text(g, r->lost ? ROLE_DIM : r->fd == 2 ? ROLE_ERROR : ROLE_PLAIN,
	"%s", r->text))

static const struct grid_column columns[] = {
	{"stream", "", "", fill_stream,
	 .help = "err: to standard error; typed: it begins with typed input"},
	{"text", "text", "", fill_line, FLEXIBLE, .help = "a line"},
};

static void view_output_end_line(struct grid *g, struct line *l)
{
	if (!l->open)
		return;
	grid_row(g, l->id, ROLE_PLAIN);
	grid_cells(g, l);
	l->open = false;
}

/* Typed input follows the question, as on a terminal. */
static void put_lines(struct grid *g, struct line *l, const struct part *p, size_t at)
{
	if (p->fd != OUT_TYPED && l->last != OUT_TYPED)
		view_output_end_line(g, l);
	while (at < p->n) {
		const char *end = memchr(p->bytes + at, '\n', p->n - at);
		size_t len = end ? (size_t)(end - p->bytes) - at : p->n - at;
		if (!l->open)
			*l = (struct line){
				.id = ((p->at + at) << 2 | (uint64_t)(p->fd - 1)) + 1, .fd = p->fd,
				.open = true, .lost = l->lost};
		l->used = view_output_expand_tabs(p->bytes + at, len, l->text, l->used);
		l->last = p->fd;
		if (end)
			view_output_end_line(g, l);
		at += len + 1;
	}
}

/* The parts of a piece, in order: if the order is unknown, errors come first. */
static unsigned view_output_list_stream_parts(const struct os *os, size_t k, size_t pieces,
                                              struct part part[OUT_STREAMS])
{
	const struct os_output_piece p = os_output_piece(os, k, pieces);
	if (p.fd) {
		part[0] = view_output_stream_part(os, &p, p.fd);
		return 1;
	}
	part[0] = view_output_stream_part(os, &p, 2);
	part[1] = view_output_stream_part(os, &p, 1);
	part[2] = view_output_stream_part(os, &p, OUT_TYPED);
	return OUT_STREAMS;
}

/* Writes the last `lines` lines: searches backwards for the first, then writes forwards. */
static void put_last(struct grid *g, const struct os *os, uint64_t lines)
{
	const size_t pieces = os_output_pieces(os);
	size_t k = pieces, at = 0;
	unsigned i = 0;
	struct part part[OUT_STREAMS];
	struct line line = {0};
	while (k && lines) {
		for (i = view_output_list_stream_parts(os, --k, pieces, part); i && lines; i--) {
			uint64_t had = lines;
			at = last_lines(&part[i - 1], &had);
			lines -= had;
		}
	}
	for (bool first = true; k < pieces; k++, i = 0) {
		for (unsigned n = view_output_list_stream_parts(os, k, pieces, part); i < n;
		     i++, first = false)
			put_lines(g, &line, &part[i], first ? at : 0);
	}
	view_output_end_line(g, &line);
}

/* Appends the text that a program that died has left in stdout's buffer. */
static void view_output_put_lost(struct grid *g, const struct session *s, uint64_t at)
{
	enum { SHOWN = 4096 };
	char text[SHOWN + 1];
	struct line line = {.lost = true};
	if (!death_has_lost(s->machine))
		return;
	const size_t all = death_unwritten(s->program, s->machine, text, sizeof text);
	if (!all)
		return;
	grid_row(g, UINT64_MAX, ROLE_DIM);
	grid_skip_to(g, "text");
	grid_text(g, ROLE_DIM, "never written, in stdout's buffer: %s byte%s", GROUPED(all),
	          all == 1 ? "" : "s");
	put_lines(g, &line, &(struct part){text, at, all < SHOWN ? all : SHOWN, 1}, 0);
	view_output_end_line(g, &line);
}

static bool view_output_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	uint64_t lines = LINES_DEFAULT;
	const struct os *os = machine_os_const(s->machine);
	const uint64_t *bytes = os_state_const(os)->out_bytes;
	if (!arg_count(args, 1, "output", err) ||
	    (args->argc && !arg_number(args->argv[0], "a number of lines", LINES_MAX, &lines, err)))
		return false;
	grid_init(out, "Guest output", GRID_TABLE(columns));
	if (lines)
		put_last(out, os, lines);
	if (lines)
		view_output_put_lost(out, s, bytes[0]);
	if (bytes[1])
		grid_summary(out, "%s bytes, and %s of errors", GROUPED(bytes[0]),
		             GROUPED(bytes[1]));
	else
		grid_summary(out, "%s bytes", GROUPED(bytes[0]));
	grid_empty(out, "the program has written nothing%s",
	           machine_has_ended(s->machine) ? "" : " yet");
	if (out->row_count)
		out->focus_row = out->row_count - 1;
	return true;
}

const struct view view_output = {
	.name = "output",
	.title = "Guest output",
	.args = "[LINES]",
	.build = view_output_build_grid,
	.help.about =
		"The last lines that the program has written up to this cycle, to standard\n"
		"output and standard error (marked err), in the order in which it wrote them.",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"It belongs to the place in time: going back takes output back here (the real\n"
		"standard output keeps what it got, and nothing is printed twice). C libraries\n"
		"write in blocks unless the output is a terminal, as it is in a session on the\n"
		"screen: with -o sim.terminal=false it is a pipe.",
};
