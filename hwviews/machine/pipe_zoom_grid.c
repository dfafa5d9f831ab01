/* The rows of `view pipe by N`: the pipeline diagram from far away. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/machine/pipe_zoom.h"
#include "hwviews/session/view_text.h"

enum { COL_SEQ, COL_COUNT, COL_INST, COL_PIPE };

const struct grid_column pipe_zoom_columns[PIPE_ZOOM_COLUMNS] = {
	{"seq", "seq", "", .help = "number of the row's first instruction"},
	{"instructions", "insts", "", .align = ALIGN_RIGHT, .restless = true,
	 .help = "how many of them were in the machine"},
	{"instruction", "first", "", .flexible = true, .help = "the oldest"},
	{"pipeline", "cycles", "cycles a column", .restless = true, .help = "the diagram"},
	{"mostly", "mostly", "", .flexible = true, .restless = true,
	 .help = "what they were in for most of the row's cycles; percent"},
	{"share", "share", "percent", .align = ALIGN_RIGHT, .restless = true, .help = AS_BEFORE},
	{"committed", "committed", "", .align = ALIGN_RIGHT, .restless = true,
	 .help = "how many of them have been by the end of the window"},
	{"squashed", "squashed", "", .align = ALIGN_RIGHT, .restless = true, .help = AS_BEFORE},
	{"pc", "at", "", .flexible = true, .help = "where the oldest is"},
	{"fetch", "fetch", "cycle", .align = ALIGN_RIGHT, .help = "when the first was fetched"},
	{"end", "end", "cycle", .align = ALIGN_RIGHT,
	 .help = "when the last left: empty while one is in flight"},
};

enum { COLUMNS_MOST = 240, TICK = 20 /* columns between labels of the ruler */ };

static void ruler_row(struct grid *g, const struct zoom *z)
{
	char line[COLUMNS_MOST + 33], label[33], digits[32];
	const uint64_t first = z->base / z->by;
	size_t n = 0;
	memset(line, ' ', sizeof line);
	for (uint64_t c = (TICK - first % TICK) % TICK; c < z->columns; c += TICK) {
		snprintf(label, sizeof label, "|%s", group_digits((first + c) * z->by, digits));
		const size_t len = c + strlen(label) > z->columns ? 1 : strlen(label);
		memcpy(line + c, label, len);
		n = (size_t)c + len;
	}
	line[n] = '\0';
	grid_row(g, UINT64_MAX, ROLE_HEAD);
	for (int i = 0; i < COL_PIPE; i++)
		grid_blank(g);
	grid_text(g, ROLE_HEAD, "%s", line);
}

static void cell_pipeline(struct grid *g, const struct zoom *z, unsigned row)
{
	char line[COLUMNS_MOST * 2 + 1];
	size_t n = 0, used = 0;
	for (unsigned c = 0; c < z->columns; c++) {
		const char *letter = zoom_cell(z, row, c), *shown = letter ? letter : " ";
		memcpy(line + n, shown, strlen(shown));
		n += strlen(shown);
		if (letter)
			used = n;
	}
	line[used] = '\0';
	grid_text(g, ROLE_PLAIN, "%s", line);
}

/* In what its instructions were for most of the row's cycles. */
static void cells_mostly(struct grid *g, const struct zoom *z, unsigned row)
{
	const uint32_t *n = z->count + (size_t)row * z->columns * ZOOM_LETTERS;
	uint64_t sum[ZOOM_LETTERS] = {0}, all = 0;
	unsigned most = 0;
	for (unsigned c = 0; c < z->columns; c++)
		for (unsigned i = 0; i < ZOOM_LETTERS; i++)
			sum[i] += n[c * ZOOM_LETTERS + i];
	for (unsigned i = 0; i < ZOOM_LETTERS; i++) {
		all += sum[i];
		if (sum[i] >= sum[most])
			most = i;
	}
	if (!all) {
		grid_blank(g);
		grid_blank(g);
		return;
	}
	grid_text(g, ROLE_DIM, "%s %s", zoom_letter[most], zoom_word[most]);
	grid_double(g, ROLE_NUMBER, 100.0 * (double)sum[most] / (double)all, 1);
}

static void zoom_row(struct grid *g, const struct session *s, const struct zoom *z, unsigned i)
{
	const struct pipe *p = machine_pipe(s->machine);
	const struct zoom_row *r = &z->row[i];
	struct grid_row *row = grid_row(g, z->first_seq + i * z->per,
	                                r->in_flight                ? ROLE_CURRENT
	                                : r->squashed == r->known ? ROLE_SQUASHED
	                                                            : ROLE_PLAIN);
	row->seq = r->first.seq;
	row->pc = r->first.pc;
	cell_seq(g, p, &r->first);
	grid_uint(g, ROLE_NUMBER, r->known);
	cell_inst(g, s, &r->first);
	cell_pipeline(g, z, i);
	cells_mostly(g, z, i);
	grid_uint(g, ROLE_NUMBER, r->retired);
	grid_uint(g, ROLE_NUMBER, r->squashed);
	cell_field(g, s, &r->first, UOP_FIELD_pc, ROLE_ADDRESS);
	grid_uint(g, ROLE_NUMBER, r->fetch);
	if (r->in_flight)
		grid_blank(g);
	else
		grid_uint(g, ROLE_NUMBER, r->end);
}

bool pipe_zoom_grid(const struct session *s, uint64_t last, uint64_t by, unsigned width,
                    unsigned rows, struct grid *out, struct err *err)
{
	char from[32], end[32], per[32], each[32];
	struct zoom z;
	if (!pipe_zoom_take(s, last, by, width < COLUMNS_MOST ? width : COLUMNS_MOST, rows, &z,
	                    err))
		return false;
	grid_init(out, "Pipe", GRID_TABLE(pipe_zoom_columns));
	out->columns[COL_PIPE].min_width = z.columns;
	out->legend = "each cell: what its instructions were in for most of its cycles · F fetched "
		      "= queue D I X A M W C · waits x squashed";
	grid_empty(out, "no instruction had been fetched by then: each has a row from when it is");
	if (!z.rows)
		return true;
	grid_summary(out, "%s to %s · %s cycles × %s inst%s", group_digits(z.from, from),
	             group_digits(z.end - 1, end), group_digits(z.by, per),
	             group_digits(z.per, each), z.per == 1 ? "" : "s");
	ruler_row(out, &z);
	for (unsigned i = 0; i < z.rows; i++) {
		if (!z.row[i].known)
			continue;
		if (z.row[i].in_flight && out->focus_row == UINT_MAX)
			out->focus_row = out->row_count;
		zoom_row(out, s, &z, i);
	}
	return true;
}
