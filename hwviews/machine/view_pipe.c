/* `view pipe`: the pipeline diagram, a row for each instruction, a column for each cycle. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "core/os/os.h"
#include "core/os/thread.h"
#include "hwviews/machine/pipe_window.h"
#include "hwviews/machine/pipe_zoom.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/sampler/sampler_rows.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/waits.h"

enum {
	CYCLES_DEFAULT = 64,
	CYCLES_MIN = 16,
	CYCLES_MAX = 240,
	BESIDE = 52, /* character columns beside the diagram, at 80 */
	THREAD = 4, /* more for the column of threads */
	BESIDE_FAR = 34, /* the same when zoomed out */
	ROWS_DEFAULT = 32,
	ROWS_MAX = 2000,
	WITH_LEGEND = 10, /* panes with more rows than this spare one for the legend */
	TICK = 20 /* cycles between labels of the ruler */
};

/* ---- folding: cycles in which no row changes are drawn as their number ---- */
enum { FOLD_LEAST = 10, FOLD_CELLS = 7, FOLD_CYCLES = 4096 };

/* Columns of a folded diagram: a cycle each, or FOLD_CELLS for several. */
struct pipe_fold {
	bool on;
	struct pipe_fold_part {
		uint64_t from, cycles; /* folded if more than one */
	} part[CYCLES_MAX]; /* [count], in time */
	unsigned count;
};

static bool view_pipe_is_quiet(const struct pipe *p, const struct pipe_window *w, uint64_t c)
{
	for (size_t i = 0; i < w->count; i++) {
		const char *now = pipe_letter(p, w->shown[i], c);
		if (*now != *pipe_letter(p, w->shown[i], c - 1) ||
		    *now != *pipe_letter(p, w->shown[i], c + 1))
			return false;
	}
	return true;
}

/* Chooses the columns: as many cycles, up to the window's last one, as have room when quiet ones
 * are folded, at most back to the first fetch of the rows. */
static void view_pipe_fold_window(struct pipe_fold *f, const struct pipe *p, struct pipe_window *w)
{
	const uint64_t end = w->from + w->cycles < w->end ? w->from + w->cycles : w->end;
	uint64_t first = end, c = end;
	unsigned cells = (unsigned)w->cycles, n = CYCLES_MAX;
	f->on = true;
	for (size_t i = 0; i < w->count; i++)
		if (w->shown[i]->when.fetch < first)
			first = w->shown[i]->when.fetch;
	if (end - first > FOLD_CYCLES)
		first = end - FOLD_CYCLES;
	while (c > first && cells && n) {
		uint64_t quiet = 0;
		while (c - quiet > first + 1 && view_pipe_is_quiet(p, w, c - quiet - 1))
			quiet++;
		if (quiet >= FOLD_LEAST && cells < FOLD_CELLS)
			break;
		const bool folds = quiet >= FOLD_LEAST;
		const uint64_t take = folds ? quiet : 1;
		c -= take;
		f->part[--n] = (struct pipe_fold_part){c, take};
		cells -= folds ? FOLD_CELLS : 1;
	}
	f->count = CYCLES_MAX - n;
	memmove(f->part, f->part + n, f->count * sizeof *f->part);
}

/* The cells of folded cycles in which u has this letter: "·⋯196⋯·", blanks where it has none. */
static size_t view_pipe_folded_cells(char *out, const char *letter, uint64_t cycles)
{
	char number[8];
	size_t n = 0;
	const size_t digits = (size_t)snprintf(number, sizeof number, "%" PRIu64, cycles % 100000),
		     dots = FOLD_CELLS - 2 - digits;
	if (*letter == ' ') {
		memset(out, ' ', FOLD_CELLS);
		return FOLD_CELLS;
	}
	n += (size_t)sprintf(out + n, "%s", letter);
	for (size_t i = 0; i < dots / 2; i++)
		n += (size_t)sprintf(out + n, "⋯");
	n += (size_t)sprintf(out + n, "%s", number);
	for (size_t i = dots / 2; i < dots; i++)
		n += (size_t)sprintf(out + n, "⋯");
	n += (size_t)sprintf(out + n, "%s", letter);
	return n;
}

/* Labels at the first cycle and right of each fold. */
static void view_pipe_append_folded_ruler(struct grid *g, const struct pipe_fold *f)
{
	char line[CYCLES_MAX + 32], label[32];
	size_t at = 0, used = 0;
	memset(line, ' ', sizeof line);
	for (unsigned i = 0; i < f->count; i++) {
		const bool folds = f->part[i].cycles > 1;
		if (!folds && (!i || f->part[i - 1].cycles > 1)) {
			const size_t len = (size_t)snprintf(label, sizeof label, "|%s",
			                                    GROUPED(f->part[i].from));
			if (at >= used && at + len <= CYCLES_MAX) {
				memcpy(line + at, label, len);
				used = at + len;
			}
		}
		at += folds ? FOLD_CELLS : 1;
	}
	line[used] = '\0';
	grid_row(g, UINT64_MAX, ROLE_HEAD);
	grid_skip_to(g, "pipeline");
	grid_text(g, ROLE_HEAD, "%s", line);
}

static void view_pipe_append_ruler_row(struct grid *g, const struct pipe_window *w)
{
	char line[CYCLES_MAX + 32], label[32];
	size_t n = 0;
	uint64_t end = w->from + w->cycles;
	memset(line, ' ', sizeof line);
	for (uint64_t c = w->from + (TICK - w->from % TICK) % TICK; c < end; c += TICK) {
		size_t at = (size_t)(c - w->from);
		snprintf(label, sizeof label, "|%s", GROUPED(c));
		size_t len = strlen(label);
		if (at + len > w->cycles)
			len = 1;
		memcpy(line + at, label, len);
		n = at + len;
	}
	line[n] = '\0';
	grid_row(g, UINT64_MAX, ROLE_HEAD);
	grid_skip_to(g, "pipeline");
	grid_text(g, ROLE_HEAD, "%s", line);
}

struct row {
	struct uop_row at;
	const struct pipe_window *w;
	const struct pipe_fold *fold;
	const struct uop *selected; /* NULL: none */
};

static void view_pipe_fill_folded(struct grid *g, const struct row *r)
{
	const struct pipe *p = machine_pipe(r->at.s->machine);
	const struct uop *u = r->at.u;
	char line[CYCLES_MAX * 4 + 32];
	size_t n = 0, used = 0;
	for (unsigned i = 0; i < r->fold->count; i++) {
		const struct pipe_fold_part *part = &r->fold->part[i];
		const char *letter = pipe_letter(p, u, part->from);
		n += part->cycles > 1 ? view_pipe_folded_cells(line + n, letter, part->cycles)
		                      : (size_t)sprintf(line + n, "%s", letter);
		if (*letter != ' ')
			used = n;
	}
	line[used] = '\0';
	grid_text(g, uop_ended(u) && u->state == UOP_SQUASHED ? ROLE_SQUASHED : ROLE_PLAIN, "%s",
	          line);
}

static void view_pipe_fill_pipeline(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct pipe_window *w = r->w;
	const struct uop *u = r->at.u;
	const struct pipe *p = machine_pipe(r->at.s->machine);
	char line[CYCLES_MAX * 2 + 1];
	size_t n = 0, used = 0;
	if (r->fold->on) {
		view_pipe_fill_folded(g, r);
		return;
	}
	for (uint64_t c = w->from; c < w->from + w->cycles && c < w->end; c++) {
		const char *letter = pipe_letter(p, u, c);
		size_t len = strlen(letter);
		memcpy(line + n, letter, len);
		n += len;
		if (*letter != ' ')
			used = n;
	}
	line[used] = '\0';
	grid_text(g, uop_ended(u) && u->state == UOP_SQUASHED ? ROLE_SQUASHED : ROLE_PLAIN, "%s",
	          line);
}

/* Writes the reason of the wait of an instruction in flight; of one that left, its longest wait or
 * its end. */
static void fill_note(struct grid *g, const void *row)
{
	const struct row *own = row;
	const struct pipe_rows *r = &own->w->rows;
	const struct uop *u = own->at.u;
	const struct pipe *p = machine_pipe(own->at.s->machine);
	char buf[128];
	if (!uop_ended(u)) {
		struct why w = uop_why(p, u);
		why_cell(p, u, &w, buf, sizeof buf);
		if (w.due != NO_CYCLE && w.due > p->st->cycle && *buf)
			grid_text(g, why_role(&w), "%s, %" PRIu64 " left", buf,
			          w.due - p->st->cycle);
		else
			grid_text(g, why_role(&w), "%s", buf);
	} else if (u->state == UOP_SQUASHED) {
		const struct uop *by = pipe_squasher(p, r, u);
		if (by)
			grid_text(g, ROLE_SQUASHED, "squashed by #%" PRIu64, by->seq);
		else
			grid_text(g, ROLE_SQUASHED, "squashed");
	} else if (u->state == UOP_DROPPED) {
		struct why w = uop_why(p, u);
		const bool wrong = u->flags & UF_MISFETCH;
		const char *how = !wrong                ? ""
		                  : u->flags & UF_SKIPS ? ", stale skip"
		                                        : ", mis-fetched";
		grid_text(g, wrong ? ROLE_MISS : why_role(&w), "%s%s",
		          why_cell(p, u, &w, buf, sizeof buf), how);
	} else if (u->flags & UF_FLAG_MISS) {
		grid_text(g, ROLE_MISS, "skipped, but flag %u on", u->profile_type);
	} else {
		grid_text(g, ROLE_DIM, "%s",
		          own->at.s->waits ? waits_longest(own->at.s->waits, p, u, buf, sizeof buf)
		                           : "");
	}
}

/* Stamps from recorded history may be later than the present. */
static void fill_stamp(struct grid *g, const void *row)
{
	const struct row *r = row;
	uint64_t cycle;
	if (uop_field(machine_pipe(r->at.s->machine), r->at.u, (enum uop_field)grid_of(g),
	              &cycle) &&
	    cycle < r->w->now)
		grid_uint(g, ROLE_NUMBER, cycle);
	else
		grid_blank(g);
}

static bool view_pipe_uop_consumes_result(const struct uop *u, uint64_t seq)
{
	return uop_dispatched(u) && seq &&
	       (u->src.seq[0] == seq || u->src.seq[1] == seq || u->src.seq[2] == seq ||
	        (u->mem.wait_seq == seq && u->mem.level == LEVEL_FORWARD));
}

/* A row for a block of profile instructions that fetch skipped after u, if any: they were never
 * fetched and have no rows. */
static void view_pipe_append_gap_row(struct grid *g, const struct session *s, const struct uop *u)
{
	uint64_t first = u->pc + uop_len(u);
	/* Decode found the flag on, or the descriptor stale, so the block was fetched after all. */
	if (!(u->flags & UF_SKIPS) || (u->flags & (UF_FLAG_MISS | UF_MISFETCH)))
		return;
	unsigned n = code_count(s, first, u->pred_next);
	struct grid_row *row = grid_row(g, u->seq | UINT64_C(1) << 63, ROLE_HEAD);
	row->seq = u->seq;
	row->pc = first;
	grid_blank(g);
	grid_text(g, ROLE_DROPPED, "⋯");
	grid_skip_to(g, "instruction");
	grid_text(g, ROLE_DROPPED, "%u skipped, to %s", n,
	          format_addr(s, u->pred_next, BUFFER(96)));
}

static void view_pipe_fill_mark(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct uop *u = r->at.u, *selected = r->selected;
	bool is_selected = selected && u->seq == selected->seq;
	bool producer = selected && view_pipe_uop_consumes_result(selected, u->seq),
	     consumer = selected && view_pipe_uop_consumes_result(u, selected->seq);
	const char *mark = is_selected ? "▶" : producer ? "◆" : consumer ? "◇" : "",
		   *tuple = uop_ended(u) && u->when.end >= r->w->now ? ""
	                                                             : sampler_mark(r->at.s, u);
	grid_text(g, is_selected ? ROLE_SELECTED : ROLE_HOT, "%s%s", *mark || !*tuple ? mark : " ",
	          tuple);
}

static const struct grid_column columns[] = {
	{"mark", "", "", view_pipe_fill_mark, .min_width = 1,
	 .help = "the row's relation to the selected one"},
	{"seq", "seq", "", fill_seq, .help = "number in fetch order; ? = on a wrong path"},
	{"thread", "thr", "", fill_thread, .there = has_threads, AT_RIGHT,
         .help = "of programs with several threads: whose it is (`info threads`)"},
	{"instruction", "instruction", "", fill_inst, FLEXIBLE, .help = "as assembly"},
	{"pipeline", "cycles", "cycle a column", view_pipe_fill_pipeline, .restless = true,
         .help = "the diagram"},
	{"waits_for", "waits for", "", fill_note, FLEXIBLE,
	 .help = "in flight: its wait; afterwards: its longest wait"},
	{"pc", "at", "", fill_pc, FLEXIBLE, .help = "where it is"},
	{"fetch", "fetch", "cycle", fill_stamp, .of = UOP_FIELD_fetched, AT_RIGHT,
         .help = "the cycles themselves; memory: it went to the memory system, end: it committed "
                 "or was squashed"},
	{"dispatch", "dispatch", "cycle", fill_stamp, .of = UOP_FIELD_dispatched, AT_RIGHT,
         .help = AS_BEFORE},
	{"issue", "issue", "cycle", fill_stamp, .of = UOP_FIELD_issued, AT_RIGHT,
         .help = AS_BEFORE},
	{"memory", "memory", "cycle", fill_stamp, .of = UOP_FIELD_memory, AT_RIGHT,
         .help = AS_BEFORE},
	{"done", "done", "cycle", fill_stamp, .of = UOP_FIELD_done, AT_RIGHT, .help = AS_BEFORE},
	{"end", "end", "cycle", fill_stamp, .of = UOP_FIELD_ended, AT_RIGHT, .help = AS_BEFORE},
};

static uint64_t view_pipe_count_fitting_cycles(const struct view_args *args, unsigned leave)
{
	if (!args->columns)
		return CYCLES_DEFAULT;
	uint64_t beside = leave + (args->columns > 80 ? (args->columns - 80) / 3 : 0);
	uint64_t n = args->columns > beside + CYCLES_MIN ? args->columns - beside : CYCLES_MIN;
	return n > CYCLES_MAX ? CYCLES_MAX : n;
}

/* Removes "by N" from the end; N is 1 without it. */
static bool take_by(struct view_args *args, uint64_t *by, struct err *err)
{
	*by = 1;
	if (args->argc && !strcmp(args->argv[args->argc - 1], "by"))
		return err_set(err,
		               "no number of cycles per column after by; expected view pipe by 16");
	if (args->argc < 2 || strcmp(args->argv[args->argc - 2], "by") != 0)
		return true;
	if (!arg_number(args->argv[args->argc - 1], "a number of cycles a column", ZOOM_BY_MOST, by,
	                err))
		return false;
	args->argc -= 2;
	return *by || err_set(err, "a column has at least one cycle; expected view pipe by 16");
}

/* Removes "fold" from the end. */
static bool view_pipe_take_fold(struct view_args *args)
{
	const bool fold = args->argc && !strcmp(args->argv[args->argc - 1], "fold");
	args->argc -= fold;
	return fold;
}

/* Scrolls by rows: a row covers its fraction of the window. */
static bool build_far(const struct session *s, uint64_t last, uint64_t by, unsigned width,
                      unsigned rows, int64_t scroll, struct grid *out, struct err *err)
{
	const uint64_t now = machine_cycle(s->machine), row = width * by / rows + 1,
		       up = scroll < 0 ? (uint64_t)-scroll * row : 0;
	struct run_history h = {0};
	if (s->run)
		run_history(s->run, &h);
	if (up)
		last = last > h.first_cycle + up ? last - up : h.first_cycle;
	if (last >= now && now)
		last = now - 1;
	return pipe_zoom_grid(s, last, by, width, rows, out, err);
}

/* Finds the waits of the shown instructions that have ended; without history they have none. */
static void view_pipe_cover_waits(const struct session *s, const struct pipe_window *w)
{
	uint64_t from = w->now, to = 0;
	struct err none;
	for (size_t i = 0; i < w->count; i++) {
		const struct uop *u = w->shown[i];
		if (u->state != UOP_RETIRED || u->when.end >= w->now)
			continue;
		from = u->when.fetch < from ? u->when.fetch : from;
		to = u->when.end > to ? u->when.end : to;
	}
	if (from < to && s->run && s->waits)
		waits_cover(s->waits, s, from, to, &none);
}

static bool view_pipe_build_grid(const struct session *s, const struct view_args *given,
                                 struct grid *out, struct err *err)
{
	struct view_args own = *given, *args = &own;
	uint64_t now = machine_cycle(s->machine), last = now ? now - 1 : 0, by;
	struct pipe_fold fold = {.on = false};
	const bool folds = view_pipe_take_fold(args);
	if (!take_by(args, &by, err))
		return false;
	const unsigned room = args->rows > WITH_LEGEND ? args->rows - 1 : args->rows;
	uint64_t rows = room > 2 ? room - 1 : room ? 2 : ROWS_DEFAULT;
	struct pipe_window w;
	if (!arg_count(args, 2, "pipe", err) ||
	    (args->argc > 0 && !arg_number(args->argv[0], "a cycle", last, &last, err)) ||
	    (args->argc > 1 &&
	     !arg_number(args->argv[1], "a number of rows", ROWS_MAX, &rows, err)))
		return false;
	if (by > 1)
		return build_far(s, last, by,
		                 (unsigned)view_pipe_count_fitting_cycles(args, BESIDE_FAR),
		                 rows ? (unsigned)rows : 1, args->scroll, out, err);
	const unsigned thread = has_threads(s) ? THREAD : 0;
	if (!pipe_window_open(&w, s, last, view_pipe_count_fitting_cycles(args, BESIDE + thread),
	                      (size_t)rows, args->scroll, err))
		return false;
	grid_init_for(out, "Pipe", GRID_TABLE(columns), s);
	grid_column_named(out, "pipeline")->min_width = (unsigned)w.cycles;
	sampler_mark_column(s, grid_column_named(out, "mark"));
	const struct pipe *p = machine_pipe(s->machine);
	out->legend = p->unordered && p->unified_port
	                      ? "F fetched D decoded X executes M memory W written back · "
	                        "again: stalls there s data has the port x killed"
	              : p->unordered
	                      ? "F fetched D decoded X executes M memory W written back · "
	                        "again: stalls there x killed"
	              : CONFIG(machine_config(s->machine), memory_stage)
	                      ? "F fetched = queue D decoded X executes M memory W written back · "
	                        "waits x squashed"
	                      : "F fetched = queue D dispatched I issued X executes M memory W "
	                        "result C committed · waits x squashed";
	grid_empty(out, "no instruction had been fetched by then: each has a row from when it is");
	if (folds && w.count)
		view_pipe_fold_window(&fold, p, &w);
	if (fold.on) {
		grid_summary(out, "cycles %s to %s", GROUPED(fold.part[0].from),
		             GROUPED(fold.part[fold.count - 1].from +
		                     fold.part[fold.count - 1].cycles - 1));
		view_pipe_append_folded_ruler(out, &fold);
	} else if (w.count) {
		uint64_t end = (w.from + w.cycles < w.end ? w.from + w.cycles : w.end) - 1;
		grid_summary(out, "cycles %s to %s", GROUPED(w.from), GROUPED(end));
		view_pipe_append_ruler_row(out, &w);
	}
	view_pipe_cover_waits(s, &w);
	const struct uop *selected =
		s->selected_seq ? pipe_rows_find(&w.rows, s->selected_seq) : NULL;
	for (size_t i = 0; i < w.count && (!room || out->row_count < room); i++) {
		const struct uop *u = w.shown[i];
		if (uop_in_flight(u) && out->focus_row == UINT_MAX)
			out->focus_row = out->row_count;
		uop_grid_row(out, s, u);
		grid_cells(out, &(struct row){{s, u}, &w, &fold, selected});
		view_pipe_append_gap_row(out, s, u);
	}
	pipe_window_close(&w);
	return true;
}

const struct view view_pipe = {
	.name = "pipe",
	.also = "pipeline",
	.title = "Pipe",
	.args = "[CYCLE [ROWS]] [by N | fold]",
	.build = view_pipe_build_grid,
	.help.about =
		"The pipeline diagram: an instruction a row, in program order, a cycle a\n"
		"column. Without arguments it ends with the cycle just done; CYCLE shows an\n"
		"earlier time. Its pane scrolls back as far as history goes.\n"
		"by N: zoomed out, N cycles a column and as many instructions a row as it\n"
		"takes; in a pane + and - zoom in and out. See the end.\n"
		"fold: ten cycles and more without a change in any row are their number.\n"
		"\n"
		"  F  fetched (repeated: on its way from the L1I)   = in the fetch queue\n"
		"  D  dispatched into the reorder buffer            I issued to a unit\n"
		"  X  executes; loads and stores: computes the address\n"
		"  A  address known, kept out of memory             M in the memory system\n"
		"  W  result written back                           C committed\n"
		"  ·  waits: between D and I for operands or a unit, after W for its turn\n"
		"  x  squashed: on a path that was not taken\n"
		"  -  dropped by decode: a profile instruction (pi.k) whose flag was off\n"
		"  ⋯  profile instructions that fetch skipped, and how many: see `bdt`\n"
		"With pipe.memory_stage the letters are the textbooks': F D X M W; in classic5\n"
		"and its relatives a letter again is a stall in that stage, F while its line\n"
		"misses; s before F a cycle in which data has the only memory port.\n"
		"\n"
		"  ▶ ◆ ◇      the selected instruction, its producers, its consumers\n"
		"  ● ○        of machines with a sampler: its streams, as they are now, select\n"
		"             it, and it has committed (of kind type: never); a `mark` stands\n"
		"             before it\n"
		"  ◈          of machines with a co-processor: tagged at decode\n",
	.help.tables = {{GRID_TABLE(columns)},
                        {GRID_TABLE(pipe_zoom_columns), .indent = 20,
			 .before = "\nZoomed out (by N):\n\n"}},
	.help.hints =
		"Look for: long rows of `·` after one long `M` (a miss that all of them\n"
		"depend on); steps of one column (a dependency chain); blocks of `x` (a\n"
		"misprediction: its cost is the cycles between its D and its W); rows of\n"
		"`=` (a full window).\n"
		"\n"
		"Zoomed out, a row has as many consecutive instructions as fit the window, a\n"
		"power of two. Each is in one step in each of its cycles, and a cell shows the\n"
		"letter of its instructions in most cycles; of two equals the later\n"
		"in F = D · I X A M W C - x. It executes cycles again: a million at\n"
		"most.",
};
