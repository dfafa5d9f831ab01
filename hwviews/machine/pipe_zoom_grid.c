/* The rows of `view pipe by N`: the zoomed-out pipeline diagram. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/machine/pipe_zoom.h"
#include "hwviews/session/view_text.h"

enum { COLUMNS_MOST = 240, TICK = 20 /* columns between labels of the ruler */ };

static void pipe_zoom_grid_append_ruler_row(struct grid *g, const struct zoom *z)
{
	char line[COLUMNS_MOST + 33], label[33];
	const uint64_t first = z->base / z->by;
	size_t n = 0;
	memset(line, ' ', sizeof line);
	for (uint64_t c = (TICK - first % TICK) % TICK; c < z->columns; c += TICK) {
		snprintf(label, sizeof label, "|%s", GROUPED((first + c) * z->by));
		const size_t len = c + strlen(label) > z->columns ? 1 : strlen(label);
		memcpy(line + c, label, len);
		n = (size_t)c + len;
	}
	line[n] = '\0';
	grid_row(g, UINT64_MAX, ROLE_HEAD);
	grid_skip_to(g, "pipeline");
	grid_text(g, ROLE_HEAD, "%s", line);
}

struct row {
	struct uop_row first; /* the oldest known */
	const struct zoom *z;
	const struct zoom_row *of;
	unsigned number;
};

static void pipe_zoom_grid_fill_pipeline(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct zoom *z = r->z;
	char line[COLUMNS_MOST * 2 + 1];
	size_t n = 0, used = 0;
	for (unsigned c = 0; c < z->columns; c++) {
		const char *letter = zoom_cell(z, r->number, c), *shown = letter ? letter : " ";
		memcpy(line + n, shown, strlen(shown));
		n += strlen(shown);
		if (letter)
			used = n;
	}
	line[used] = '\0';
	grid_text(g, ROLE_PLAIN, "%s", line);
}

/* The letter with most of the row's cycles, and its percentage; false: no instruction was in the
 * machine. */
static bool pipe_zoom_grid_find_dominant_letter(const struct row *r, unsigned *letter,
                                                double *percent)
{
	const struct zoom *z = r->z;
	const uint32_t *n = z->count + (size_t)r->number * z->columns * ZOOM_LETTERS;
	uint64_t sum[ZOOM_LETTERS] = {0}, all = 0;
	*letter = 0;
	for (unsigned c = 0; c < z->columns; c++)
		for (unsigned i = 0; i < ZOOM_LETTERS; i++)
			sum[i] += n[c * ZOOM_LETTERS + i];
	for (unsigned i = 0; i < ZOOM_LETTERS; i++) {
		all += sum[i];
		if (sum[i] >= sum[*letter])
			*letter = i;
	}
	*percent = all ? 100.0 * (double)sum[*letter] / (double)all : 0;
	return all != 0;
}

static void fill_mostly(struct grid *g, const void *row)
{
	unsigned most;
	double percent;
	if (pipe_zoom_grid_find_dominant_letter(row, &most, &percent))
		grid_text(g, ROLE_DIM, "%s %s", zoom_letter[most], zoom_word[most]);
	else
		grid_blank(g);
}

FILL(fill_share, struct row, unsigned most; double percent;
     pipe_zoom_grid_find_dominant_letter(r, &most, &percent)
             ? grid_double(g, ROLE_NUMBER, percent, 1)
             : grid_blank(g))
FILL(fill_instructions, struct row, grid_uint(g, ROLE_NUMBER, r->of->known))
FILL(fill_committed, struct row, grid_uint(g, ROLE_NUMBER, r->of->retired))
FILL(fill_squashed, struct row, grid_uint(g, ROLE_NUMBER, r->of->squashed))
FILL(fill_fetch, struct row, grid_uint(g, ROLE_NUMBER, r->of->fetch))
FILL(fill_end, struct row, r->of->in_flight ? grid_blank(g) : grid_uint(g, ROLE_NUMBER, r->of->end))

const struct grid_column pipe_zoom_columns[PIPE_ZOOM_COLUMNS] = {
	{"seq", "seq", "", fill_seq, .help = "number of the row's first instruction"},
	{"instructions", "insts", "", fill_instructions, AT_RIGHT, .restless = true,
         .help = "how many of them were in the machine"},
	{"instruction", "first", "", fill_inst, FLEXIBLE, .help = "the oldest"},
	{"pipeline", "cycles", "cycles a column", pipe_zoom_grid_fill_pipeline, .restless = true,
         .help = "the diagram"},
	{"mostly", "mostly", "", fill_mostly, FLEXIBLE, .restless = true,
         .help = "what they were in for most of the row's cycles; percent"},
	{"share", "share", "percent", fill_share, AT_RIGHT, .restless = true, .help = AS_BEFORE},
	{"committed", "committed", "", fill_committed, AT_RIGHT, .restless = true,
         .help = "how many of them have been by the end of the window"},
	{"squashed", "squashed", "", fill_squashed, AT_RIGHT, .restless = true, .help = AS_BEFORE},
	{"pc", "at", "", fill_pc, FLEXIBLE, .help = "where the oldest is"},
	{"fetch", "fetch", "cycle", fill_fetch, AT_RIGHT, .help = "when the first was fetched"},
	{"end", "end", "cycle", fill_end, AT_RIGHT,
         .help = "when the last left: empty while one is in flight"},
};

static void zoom_grid_row(struct grid *g, const struct session *s, const struct zoom *z, unsigned i)
{
	const struct zoom_row *r = &z->row[i];
	struct grid_row *row = grid_row(g, z->first_seq + i * z->per,
	                                r->in_flight                ? ROLE_CURRENT
	                                : r->squashed == r->known ? ROLE_SQUASHED : ROLE_PLAIN);
	row->seq = r->first.seq;
	row->pc = r->first.pc;
	grid_cells(g, &(struct row){{s, &r->first}, z, r, i});
}

bool pipe_zoom_grid(const struct session *s, uint64_t last, uint64_t by, unsigned width,
                    unsigned rows, struct grid *out, struct err *err)
{
	struct zoom z;
	if (!pipe_zoom_take(s, last, by, width < COLUMNS_MOST ? width : COLUMNS_MOST, rows, &z,
	                    err))
		return false;
	grid_init(out, "Pipe", GRID_TABLE(pipe_zoom_columns));
	grid_column_named(out, "pipeline")->min_width = z.columns;
	out->legend = "each cell: what its instructions were in for most of its cycles · F fetched "
		      "= queue D I X A M W C · waits x squashed";
	grid_empty(out, "no instruction had been fetched by then: each has a row from when it is");
	if (!z.rows)
		return true;
	grid_summary(out, "%s to %s · %s cycles × %s inst%s", GROUPED(z.from), GROUPED(z.end - 1),
	             GROUPED(z.by), GROUPED(z.per), z.per == 1 ? "" : "s");
	pipe_zoom_grid_append_ruler_row(out, &z);
	for (unsigned i = 0; i < z.rows; i++) {
		if (!z.row[i].known)
			continue;
		if (z.row[i].in_flight && out->focus_row == UINT_MAX)
			out->focus_row = out->row_count;
		zoom_grid_row(out, s, &z, i);
	}
	return true;
}
