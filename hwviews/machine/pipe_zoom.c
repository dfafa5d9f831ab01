/* The zoomed-out pipeline diagram: executes the window again and adds up. */
#include "hwviews/machine/pipe_zoom.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/machine/machine.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/session/session.h"
#include "hwviews/session/view_text.h"

const char *const zoom_letter[ZOOM_LETTERS] = {"F", "=", "D", "·", "I", "X",
                                               "A", "M", "W", "C", "-", "x"};
const char *const zoom_word[ZOOM_LETTERS] = {
	"fetch",   "fetch queue",      "dispatch", "waits",  "issue", "executes",
	"kept from memory", "memory",  "result",   "commit", "dropped", "squashed"};

struct pipe_zoom {
	/* counts, by re-execution, of instructions that left before `upto`; each answer adds the
	 * instructions in flight */
	struct zoom left;
	uint64_t upto;
	const struct machine *of;
	uint64_t cuts;
	uint32_t *count;           /* owned; `left`'s, then the answer's */
	struct zoom_row *row;      /* owned; likewise */
};

struct pipe_zoom *pipe_zoom_new(void)
{
	return alloc_zeroed(1, sizeof(struct pipe_zoom));
}

void pipe_zoom_free(struct pipe_zoom *z)
{
	if (!z)
		return;
	free(z->count);
	free(z->row);
	free(z);
}

static size_t pipe_zoom_count_cells(const struct zoom *z)
{
	return (size_t)z->rows * z->columns * ZOOM_LETTERS;
}

/* ---- adding up ---- */
static unsigned letter_index(const char *letter)
{
	unsigned i = 0;
	while (i < ZOOM_LETTERS && *zoom_letter[i] != *letter)
		i++;
	return i;
}

static void pipe_zoom_update_row_facts(struct zoom_row *row, const struct uop *u)
{
	if (!row->known || u->seq < row->first.seq)
		row->first = *u;
	if (!row->known || u->when.fetch < row->fetch)
		row->fetch = u->when.fetch;
	row->known++;
	if (!uop_ended(u)) {
		row->in_flight++;
		return;
	}
	row->retired += u->state == UOP_RETIRED;
	row->squashed += u->state == UOP_SQUASHED;
	if (u->when.end > row->end)
		row->end = u->when.end;
}

static void pipe_zoom_add_uop(const struct zoom *z, uint32_t *count, struct zoom_row *rows,
                              const struct pipe *p, const struct uop *u)
{
	const uint64_t at = u->seq < z->first_seq ? UINT64_MAX : (u->seq - z->first_seq) / z->per;
	if (at >= z->rows)
		return;
	pipe_zoom_update_row_facts(&rows[at], u);
	uint32_t *cell = count + at * z->columns * ZOOM_LETTERS;
	uint64_t c = u->when.fetch > z->from ? u->when.fetch : z->from,
		 end = z->base + z->columns * z->by;
	if (uop_ended(u) && u->when.end + 1 < end)
		end = u->when.end + 1;
	if (!uop_ended(u) && z->end < end)
		end = z->end;
	for (; c < end; c++) {
		const unsigned i = letter_index(pipe_letter(p, u, c));
		if (i < ZOOM_LETTERS)
			cell[(c - z->base) / z->by * ZOOM_LETTERS + i]++;
	}
}

/* The slot may already be reused. */
static void pipe_zoom_on_leave_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct pipe_zoom *z = ctx;
	if (ev->slot == EVENT_NO_SLOT)
		return;
	const struct pipe *p = machine_pipe(m);
	const struct uop *u = pipe_uop(p, (uint16_t)ev->slot);
	if (u->seq == ev->seq)
		pipe_zoom_add_uop(&z->left, z->count, z->row, p, u);
}

/* ---- instructions in flight ---- */
struct flight {
	uint64_t oldest, next; /* seq of the oldest in flight, and of the next to be fetched */
	const struct zoom *add; /* NULL: adds nothing */
	uint32_t *count;
	struct zoom_row *row;
};

static void pipe_zoom_read_flight(void *ctx, const struct machine *m)
{
	struct flight *f = ctx;
	const struct pipe *p = machine_pipe(m);
	f->oldest = f->next = p->st->next_seq;
	for (uint32_t i = 0; i < p->pool_size; i++) {
		const struct uop *u = &p->pool[i];
		if (!u->seq || uop_ended(u))
			continue;
		if (u->seq < f->oldest)
			f->oldest = u->seq;
		if (f->add)
			pipe_zoom_add_uop(f->add, f->count, f->row, p, u);
	}
}

/* Reads the state after `cycle` cycles. */
static bool pipe_zoom_read_flight_at_cycle(const struct session *s, uint64_t cycle,
                                           struct flight *f, struct err *err)
{
	if (cycle == machine_cycle(s->machine)) {
		pipe_zoom_read_flight(f, s->machine);
		return true;
	}
	return run_look(s->run, cycle, pipe_zoom_read_flight, f, err);
}

/* ---- the window ---- */
static struct zoom pipe_zoom_init_window(uint64_t first_cycle, uint64_t last, uint64_t by,
                                         unsigned columns)
{
	const uint64_t most = ZOOM_CYCLES_MOST / by, column = last / by;
	if (columns > most)
		columns = (unsigned)most;
	const uint64_t before = column + 1 > columns ? column + 1 - columns : 0,
		       first = before > first_cycle / by ? before : first_cycle / by;
	struct zoom z = {.by = by, .base = first * by, .end = last + 1, .columns = columns};
	z.from = z.base > first_cycle ? z.base : first_cycle;
	return z;
}

/* Scales rows to a power of two of instructions, aligned so that they do not depend on the window's
 * place. False: no instructions. */
static bool pipe_zoom_scale_rows(struct zoom *z, const struct flight *begin,
                                 const struct flight *end, unsigned rows)
{
	z->per = 1;
	if (end->next == begin->oldest)
		return false;
	const uint64_t lo = begin->oldest - 1, hi = end->next - 2;
	while (hi / z->per - lo / z->per >= rows)
		z->per *= 2;
	z->first_seq = lo / z->per * z->per + 1;
	z->rows = rows;
	return true;
}

/* True if the counts so far are the beginning of this window. */
static bool pipe_zoom_can_extend(const struct pipe_zoom *z, const struct session *s, uint64_t cuts,
                                 const struct zoom *w, uint64_t end)
{
	const struct zoom *l = &z->left;
	return z->of == s->machine && z->cuts == cuts && l->from == w->from && l->base == w->base &&
	       l->by == w->by && l->columns == w->columns && l->per == w->per &&
	       l->first_seq == w->first_seq && l->rows == w->rows && z->upto <= end;
}

static bool pipe_zoom_reset_counts(struct pipe_zoom *z, const struct session *s, uint64_t cuts,
                                   const struct zoom *w, struct err *err)
{
	free(z->count);
	free(z->row);
	z->count = alloc_zeroed(2 * pipe_zoom_count_cells(w), sizeof *z->count);
	z->row = alloc_zeroed((size_t)2 * w->rows, sizeof *z->row);
	z->of = NULL;
	if (!z->count || !z->row)
		return err_set(err, "out of memory for the pipeline diagram");
	z->of = s->machine;
	z->cuts = cuts;
	z->left = *w;
	z->upto = w->from;
	return true;
}

bool pipe_zoom_take(const struct session *s, uint64_t last, uint64_t by, unsigned columns,
                    unsigned rows, struct zoom *out, struct err *err)
{
	const struct event_filter leaves = {.mask = EVENT_BIT(leave)};
	struct flight then = {0}, now = {0};
	struct pipe_zoom *z = s->pipe_zoom;
	struct run_history h;
	if (!s->run || !z)
		return err_set(err, "this session keeps no history");
	run_history(s->run, &h);
	struct zoom w = pipe_zoom_init_window(h.first_cycle, last, by, columns);
	*out = w;
	if (w.end > machine_cycle(s->machine) || w.end <= w.from)
		return true;
	if (!pipe_zoom_read_flight_at_cycle(s, w.from, &then, err) ||
	    !pipe_zoom_read_flight_at_cycle(s, w.end, &now, err))
		return false;
	if (!pipe_zoom_scale_rows(&w, &then, &now, rows < ZOOM_ROWS_MOST ? rows : ZOOM_ROWS_MOST))
		return true;
	*out = w;
	if (!pipe_zoom_can_extend(z, s, h.cuts, &w, w.end) &&
	    !pipe_zoom_reset_counts(z, s, h.cuts, &w, err))
		return false;
	if (z->upto < w.end &&
	    !run_replay(s->run, z->upto, w.end, &leaves, pipe_zoom_on_leave_event, z, err)) {
		z->of = NULL;
		return false;
	}
	z->upto = z->left.end = w.end;
	uint32_t *count = z->count + pipe_zoom_count_cells(&w);
	struct zoom_row *row = z->row + w.rows;
	memcpy(count, z->count, pipe_zoom_count_cells(&w) * sizeof *count);
	memcpy(row, z->row, w.rows * sizeof *row);
	now.add = &w;
	now.count = count;
	now.row = row;
	if (!pipe_zoom_read_flight_at_cycle(s, w.end, &now, err))
		return false;
	out->count = count;
	out->row = row;
	out->rows = (unsigned)((now.next - 1 - w.first_seq) / w.per + 1);
	return true;
}

/* The letter of a cell; NULL: no instruction was there. */
static const char *zoom_cell(const struct zoom *z, unsigned row, unsigned column)
{
	const uint32_t *n = z->count + ((size_t)row * z->columns + column) * ZOOM_LETTERS;
	unsigned most = 0;
	for (unsigned i = 1; i < ZOOM_LETTERS; i++)
		if (n[i] >= n[most])
			most = i;
	return n[most] ? zoom_letter[most] : NULL;
}

/* ---- the rows of `view pipe by N` ---- */

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
         .help = "their state for most of the row's cycles; percent"},
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
	out->legend = "each cell: the state of its instructions for most of its cycles · F fetched "
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
