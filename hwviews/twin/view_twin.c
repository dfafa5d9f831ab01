/* `view twin`: which machine is ahead, and the diagrams of the same instructions in both pipelines.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/grid/picture.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/grid/view.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/session/view_text.h"
#include "hwviews/twin/twin.h"

enum {
	INSTS_DEFAULT = 12, INSTS_MOST = 64, /* of each machine */
	CYCLES_DEFAULT = 64, CYCLES_MIN = 16, CYCLES_MAX = 240,
	ROWS_MOST = 4 * INSTS_MOST, /* of each, with inserted ones */
	BESIDE = 48, /* character columns beside the diagram */
	STAMPS = 5
};

/* The stamps of an instruction, NO_CYCLE for those after the machine's present cycle. */
static void stamps_of(const struct session *s, const struct uop *u, uint64_t out[STAMPS])
{
	static const enum uop_field fields[STAMPS] = {UOP_FIELD_fetched, UOP_FIELD_dispatched,
	                                              UOP_FIELD_issued, UOP_FIELD_done,
	                                              UOP_FIELD_ended};
	for (unsigned i = 0; i < STAMPS; i++)
		if (!uop_field(machine_pipe(s->machine), u, fields[i], &out[i]) ||
		    out[i] >= machine_cycle(s->machine))
			out[i] = NO_CYCLE;
}

/* Writes the diagram of `cycles` cycles to line[CYCLES_MAX * 2 + 1]; returns it. */
static char *view_twin_format_pipeline(const struct session *s, const struct uop *u, uint64_t from,
                                       unsigned cycles, char *line)
{
	size_t n = 0, used = 0;
	for (uint64_t c = from; c < from + cycles && c < machine_cycle(s->machine); c++) {
		const char *letter = pipe_letter(machine_pipe(s->machine), u, c);
		memcpy(line + n, letter, strlen(letter));
		n += strlen(letter);
		if (*letter != ' ')
			used = n;
	}
	line[used] = '\0';
	return line;
}

/* "waits +12, turn -3": each step in which B took more or fewer cycles. */
static void cell_differs(struct grid *g, const uint64_t a[STAMPS], const uint64_t b[STAMPS])
{
	static const char *const steps[STAMPS - 1] = {"front", "waits", "executes", "turn"};
	char text[96] = "";
	bool known = false;
	for (unsigned i = 0; i + 1 < STAMPS; i++) {
		if (a[i] == NO_CYCLE || a[i + 1] == NO_CYCLE || b[i] == NO_CYCLE ||
		    b[i + 1] == NO_CYCLE)
			continue;
		const int64_t more = (int64_t)(b[i + 1] - b[i] - (a[i + 1] - a[i]));
		known = true;
		if (more)
			snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %+" PRId64,
			         *text ? ", " : "", steps[i], more);
	}
	grid_text(g, *text ? ROLE_WAITING : ROLE_DIM, "%s", *text || !known ? text : "=");
}

struct shown {
	const struct session *of[TWIN_MACHINES];
	uint64_t first, count; /* numbers */
	unsigned cycles;       /* of the diagram */
	uint64_t start[TWIN_MACHINES]; /* the cycle in the common column */
	uint64_t lead;         /* columns before it */
};

/* Aligns the commits of the first instruction, or, if it has not committed, its fetches. */
static void view_twin_align_machines(struct shown *w)
{
	w->lead = 0;
	for (unsigned i = 0; i < TWIN_MACHINES; i++) {
		const struct uop *u = twin_uop(w->of[TWIN_A], i, w->first);
		const bool committed = u && uop_ended(u);
		w->start[i] = committed ? u->when.end : u ? u->when.fetch : 0;
		if (committed && w->start[i] - u->when.fetch > w->lead)
			w->lead = w->start[i] - u->when.fetch;
	}
	for (unsigned i = 0; i < TWIN_MACHINES; i++)
		w->lead = w->lead < w->start[i] ? w->lead : w->start[i];
	if (w->lead > w->cycles / 2)
		w->lead = w->cycles / 2;
}

/* ---- rows ---- */
struct row {
	const struct shown *w;
	const struct session *s;  /* of its machine */
	unsigned machine;
	const struct twin_inst *i;
	const struct uop *u, *a;  /* the instruction; a: its counterpart in A, if known */
	uint64_t was;             /* address in the session's program; 0: inserted */
	uint64_t stamps[STAMPS];
};

/* B's difference from A for an instruction. */
static void fill_differs(struct grid *g, const void *row)
{
	const struct row *r = row;
	uint64_t other[STAMPS];
	if (r->machine == TWIN_A) {
		grid_blank(g);
	} else if (!r->i->number) {
		grid_text(g, !r->was ? ROLE_PROFILE : ROLE_MISS, "%s",
		          !r->was ? "+ put in" : "not in A");
	} else if (!r->a || r->a->pc != r->was) {
		grid_text(g, ROLE_MISS, "%s", r->a ? "another than in A" : "");
	} else {
		stamps_of(r->w->of[TWIN_A], r->a, other);
		cell_differs(g, other, r->stamps);
	}
}

FILL(fill_machine, struct row, grid_text(g, ROLE_HEAD, "%c", 'A' + (int)r->machine))
FILL(fill_number, struct row, grid_uint_if(g, r->i->number, ROLE_DIM, r->i->number))
FILL(fill_instruction, struct row, cell_inst(g, r->s, r->u))
FILL(fill_pipeline, struct row, grid_text(g, ROLE_PLAIN, "%s",
	view_twin_format_pipeline(r->s, r->u, r->w->start[r->machine] - r->w->lead, r->w->cycles,
	                          (char[CYCLES_MAX * 2 + 1]){0})))
FILL(fill_fetched_as, struct row, grid_uint_text(g, ROLE_DIM, r->u->seq, "#%" PRIu64, r->u->seq))
FILL(fill_stamp, struct row, r->stamps[grid_of(g)] == NO_CYCLE ? grid_blank(g)
	: grid_int(g, ROLE_NUMBER, (int64_t)(r->stamps[grid_of(g)] - r->w->start[r->machine])))

static const struct grid_column columns[] = {
	{"machine", "", "", fill_machine, .min_width = 1, .help = "A or B"},
	{"number", "no.", "", fill_number, AT_RIGHT,
	 .help = "its number in the order of commit, the same in both; empty: added to B's program "
		 "(twin instrument=KIND)"},
	{"instruction", "instruction", "", fill_instruction, FLEXIBLE, .help = "as assembly"},
	{"pipeline", "cycles", "cycle a column", fill_pipeline, .restless = true,
	 .help = "the diagram, with the letters of `view pipe`. The start is the commit of the "
	         "first row's instruction, one column in both"},
	{"differs", "differs", "", fill_differs, FLEXIBLE,
	 .help = "cycles that B took more for a step, or fewer: front, from fetch to dispatch; "
	         "waits, until issue; executes, until its result; turn, until commit. =: none. + "
	         "put in: by instrumentation. not in A: the program inspects itself and takes "
	         "another path for a while"},
	{"seq", "seq", "", fill_fetched_as,
	 .help = "its number in fetch order, which wrong paths make different"},
	{"fetch", "fetch", "cycle from the start", fill_stamp, .of = 0, AT_RIGHT,
	 .help = "cycles since the start, or before"},
	{"dispatch", "dispatch", "cycle from the start", fill_stamp, .of = 1, AT_RIGHT,
	 .help = AS_BEFORE},
	{"issue", "issue", "cycle from the start", fill_stamp, .of = 2, AT_RIGHT,
	 .help = AS_BEFORE},
	{"done", "done", "cycle from the start", fill_stamp, .of = 3, AT_RIGHT, .help = AS_BEFORE},
	{"end", "end", "cycle from the start", fill_stamp, .of = 4, AT_RIGHT, .help = AS_BEFORE},
};

/* Inserted code has no number, and a key of its own. */
static void view_twin_append_inst_row(struct grid *g, const struct shown *w, unsigned machine,
                                      const struct twin_inst *i)
{
	struct row r = {.w = w, .s = w->of[machine], .machine = machine, .i = i, .u = i->u};
	r.a = i->number ? twin_uop(w->of[TWIN_A], TWIN_A, i->number) : NULL;
	r.was = twin_was(w->of[TWIN_A]->twin, machine, r.u->pc);
	stamps_of(r.s, r.u, r.stamps);
	struct grid_row *row =
		grid_row(g, i->number ? i->number << 1 | machine : UINT64_C(1) << 63 | r.u->seq,
	                 uop_ended(r.u) ? ROLE_PLAIN : ROLE_CURRENT);
	row->pc = r.was;
	row->seq = r.a && r.a->pc == r.was ? r.a->seq : 0;
	grid_cells(g, &r);
}

static size_t view_twin_list_machine_insts(const struct shown *w, unsigned machine,
                                           struct twin_inst *out)
{
	return twin_insts(w->of[TWIN_A], machine, w->first, w->first + w->count - 1, out,
	                  ROWS_MOST);
}

/* Half of the rows are committed. With inserted code, fewer instructions of A fit. */
static void view_twin_select_first_inst(struct shown *w, const struct twin_place *place,
                                        unsigned rows)
{
	struct twin_inst insts[ROWS_MOST];
	do {
		const uint64_t committed = (w->count + 1) / 2;
		w->first = place->common > committed ? place->common - committed + 1 : 1;
	} while (rows && w->count + view_twin_list_machine_insts(w, TWIN_B, insts) > rows &&
	         w->count > 1 && w->count--);
}

static void view_twin_append_machine_rows(struct grid *g, const struct shown *w, unsigned machine)
{
	struct twin_inst insts[ROWS_MOST];
	const size_t n = view_twin_list_machine_insts(w, machine, insts);
	for (size_t i = 0; i < n; i++)
		view_twin_append_inst_row(g, w, machine, &insts[i]);
}

/* ---- a picture with both machines in one line ---- */
enum { PICTURE_LEAST = 76, LINES_MOST = 2 * ROWS_MOST };

/* The columns of the picture. */
struct side_by_side {
	struct grid *g;
	const struct shown *w;
	struct picture *p;
	unsigned instruction, pipe, differs; /* widths */
};

/* Draws A's or B's diagram in line y, which is row `row` of the grid. */
static void view_twin_draw_pipeline(const struct side_by_side *d, unsigned machine, unsigned y,
                                    int row, const struct uop *u)
{
	char line[CYCLES_MAX * 2 + 1], one[8];
	const unsigned x = d->instruction + 2 + machine * (d->pipe + 2);
	const uint64_t from = d->w->start[machine] - d->w->lead;
	const char *at = view_twin_format_pipeline(d->w->of[machine], u, from, d->pipe, line);
	for (unsigned i = 0; *at; i++) {
		uint32_t code;
		const size_t n = utf8_decode(at, strlen(at), &code);
		memcpy(one, at, n);
		one[n] = '\0';
		picture_text(d->p, y, x + i, 1, pipe_letter_role(*one, ROLE_PLAIN),
		             (struct picture_of){row, PICTURE_NO_COLUMN}, one);
		at += n;
	}
}

/* Draws line y: the instruction, its diagrams, and B's difference. a, b: rows of the grid, -1 for a
 * machine that has not got it. */
static void view_twin_draw_line(const struct side_by_side *d, unsigned y, int a, int b,
                                const struct uop *const u[TWIN_MACHINES])
{
	enum { INSTRUCTION = 2, DIFFERS = 4 };
	const int row = a >= 0 ? a : b;
	const struct grid_row *of = &d->g->rows[row];
	const struct picture_of about = {row, PICTURE_NO_COLUMN};
	char text[160];
	snprintf(text, sizeof text, "%s %s", of->cells[1].text, of->cells[INSTRUCTION].text);
	picture_text(d->p, y, 0, d->instruction, of->role, about, text);
	if (a >= 0)
		view_twin_draw_pipeline(d, TWIN_A, y, row, u[TWIN_A]);
	if (b < 0)
		return;
	view_twin_draw_pipeline(d, TWIN_B, y, row, u[TWIN_B]);
	const struct cell *differs = &d->g->rows[b].cells[DIFFERS];
	snprintf(text, sizeof text, "%s", differs->text);
	/* A number is shown whole or not at all. */
	for (char *comma; strlen(text) > d->differs && (comma = strrchr(text, ','));)
		snprintf(comma, sizeof text - (size_t)(comma - text), " …");
	picture_text(d->p, y, d->p->width - d->differs, d->differs, differs->role, about, text);
}

/* Merges the rows of both machines, A's first and then B's, into lines by instruction. */
static void view_twin_take_picture(struct grid *g, const struct shown *w, unsigned width)
{
	struct twin_inst a[ROWS_MOST], b[ROWS_MOST];
	const size_t na = view_twin_list_machine_insts(w, TWIN_A, a),
	             nb = view_twin_list_machine_insts(w, TWIN_B, b);
	struct {
		int a, b; /* indices of the lists, -1: none */
	} lines[LINES_MOST];
	unsigned n = 0;
	for (size_t i = 0, k = 0; (i < na || k < nb) && n < LINES_MOST; n++) {
		const bool only_b = k < nb && (!b[k].number || i == na),
			   only_a = !only_b && (k == nb || a[i].number != b[k].number);
		lines[n].a = only_b ? -1 : (int)i++;
		lines[n].b = only_a ? -1 : (int)k++;
	}
	struct shown near = *w;
	struct side_by_side d = {.g = g, .w = &near, .instruction = width / 4,
	                         .differs = width / 6};
	d.instruction = d.instruction > 36 ? 36 : d.instruction;
	d.differs = d.differs > 28 ? 28 : d.differs;
	d.pipe = (width - d.instruction - d.differs - 5) / 2;
	d.pipe = d.pipe > CYCLES_MAX ? CYCLES_MAX : d.pipe;
	near.cycles = d.pipe;
	view_twin_align_machines(&near);
	d.p = picture_new(width, n + 1);
	if (d.p) {
		const struct picture_of none = {PICTURE_NO_ROW, PICTURE_NO_COLUMN};
		picture_text(d.p, 0, d.instruction + 2, d.pipe, ROLE_HEAD, none, "A");
		picture_text(d.p, 0, d.instruction + d.pipe + 4, d.pipe, ROLE_HEAD, none, "B");
		picture_text(d.p, 0, width - d.differs, d.differs, ROLE_HEAD, none, "A to B");
		for (unsigned i = 0; i < n; i++) {
			const struct uop *const u[] = {lines[i].a < 0 ? NULL : a[lines[i].a].u,
			                               lines[i].b < 0 ? NULL : b[lines[i].b].u};
			view_twin_draw_line(&d, i + 1, lines[i].a,
			                    lines[i].b < 0 ? -1 : (int)na + lines[i].b, u);
		}
		if (n) {
			picture_line(d.p, 0, d.instruction, n, d.instruction, ROLE_DIM);
			picture_line(d.p, 0, d.instruction + d.pipe + 2, n,
			             d.instruction + d.pipe + 2, ROLE_DIM);
			picture_line(d.p, 0, width - d.differs - 1, n, width - d.differs - 1,
			             ROLE_DIM);
		}
	}
	grid_take_picture(g, d.p);
}

/* IPC of a machine; in step by instruction: up to the last common instruction. */
static double view_twin_machine_ipc(const struct session *s, const struct twin_place *p,
                                    unsigned machine)
{
	const uint64_t insts = s->twin->by_cycle ? p->insts[machine] : p->common;
	return p->at[machine] ? (double)insts / (double)p->at[machine] : 0;
}

static void view_twin_format_summary(struct grid *g, const struct session *s,
                                     const struct twin_place *p)
{
	char how[64];
	const bool by_cycle = s->twin->by_cycle;
	const uint64_t a = by_cycle ? p->insts[TWIN_B] : p->at[TWIN_A],
		       b = by_cycle ? p->insts[TWIN_A] : p->at[TWIN_B];
	if (a == b)
		snprintf(how, sizeof how, "as far as A");
	else
		snprintf(how, sizeof how, "%s %s %s", GROUPED(a > b ? a - b : b - a),
		         by_cycle ? "instructions" : "cycles", a > b ? "ahead of A" : "behind A");
	grid_summary(g, "B is %s %s %s, IPC %.3f and %.3f, %s %s and %s; B: %s", how,
	             by_cycle ? "in cycle" : "at instruction",
	             GROUPED(by_cycle ? p->cycle[TWIN_A] : p->common),
	             view_twin_machine_ipc(s, p, TWIN_A), view_twin_machine_ipc(s, p, TWIN_B),
	             by_cycle ? "instruction" : "cycle",
	             GROUPED(by_cycle ? p->insts[TWIN_A] : p->at[TWIN_A]),
	             GROUPED(by_cycle ? p->insts[TWIN_B] : p->at[TWIN_B]), s->twin->what);
}

static unsigned view_twin_count_fitting_cycles(const struct view_args *args)
{
	const unsigned fit = !args->columns           ? CYCLES_DEFAULT
	                     : args->columns > BESIDE ? args->columns - BESIDE : 0;
	return fit < CYCLES_MIN ? CYCLES_MIN : fit > CYCLES_MAX ? CYCLES_MAX : fit;
}

/* Builds a view of B at A's place. */
static bool build_of_twin(const struct session *s, const struct view_args *args, struct grid *out,
                          struct err *err)
{
	struct twin_place place;
	struct err why;
	char *title;
	struct view_args own = *args;
	const struct view *v = view_find(s, args->argv[0], err);
	if (!v)
		return false;
	own.argc--;
	own.argv++;
	if (!twin_bring(s, &place, &why)) {
		grid_init(out, v->title, GRID_TABLE(columns));
		grid_empty(out, "%s", why.msg);
	} else if (!view_fill(v, s->twin->session, &own, out, err)) {
		return false;
	}
	if (!(title = alloc_format("B: %s", out->title)))
		return true;
	free(out->title);
	out->title = title;
	return true;
}

static bool view_twin_build_grid(const struct session *s, const struct view_args *args,
                                 struct grid *out, struct err *err)
{
	if (args->argc && !isdigit((unsigned char)args->argv[0][0]))
		return build_of_twin(s, args, out, err);
	const bool side_by_side = args->columns >= PICTURE_LEAST;
	uint64_t insts = !args->rows ? INSTS_DEFAULT : side_by_side ? args->rows : args->rows / 2;
	struct twin_place place;
	struct err why;
	if (!arg_count(args, 1, "twin", err) ||
	    (args->argc &&
	     !arg_number(args->argv[0], "a number of instructions", INSTS_MOST, &insts, err)))
		return false;
	insts = insts < 1 ? 1 : insts > INSTS_MOST ? INSTS_MOST : insts;
	const bool known = twin_bring(s, &place, &why);
	grid_init(out, "Twin", GRID_TABLE(columns));
	grid_empty(out, "%s", known ? "no instruction has been fetched yet" : why.msg);
	if (!known)
		return true;
	struct shown w = {.of = {s, s->twin->session},
	                  .count = insts,
	                  .cycles = view_twin_count_fitting_cycles(args)};
	view_twin_select_first_inst(&w, &place,
	                            args->argc ? 0 : side_by_side ? 2 * args->rows : args->rows);
	view_twin_align_machines(&w);
	grid_column_named(out, "pipeline")->min_width = w.cycles;
	view_twin_format_summary(out, s, &place);
	for (unsigned i = 0; i < TWIN_MACHINES; i++)
		view_twin_append_machine_rows(out, &w, i);
	if (side_by_side && out->row_count)
		view_twin_take_picture(out, &w, args->columns);
	return true;
}

const struct view view_twin = {
	.name = "twin",
	.title = "Twin",
	.args = "[INSTRUCTIONS | VIEW [ARGS]]",
	.build = view_twin_build_grid,
	.help.about =
		"Two machines in step: A is the session's, B its twin, which does the same\n"
		"program with other parameters. `twin PARAMETER=VALUE` opens one; it follows\n"
		"A, forwards and backwards, when a view reads it.\n"
		"The first line shows which one is ahead, by how many cycles at the same\n"
		"instruction: the last that A has committed. After `twin by cycle` it counts\n"
		"instructions in the same cycle. Below, each instruction has its pipe in A and\n"
		"in B side by side, or, without the room, one above the other: half of them\n"
		"committed and half in flight in A. `view twin VIEW` is any view of B, at A's\n"
		"place: view twin rob, view twin pipe by 16.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"Look for rows in which B waits longer, and their waits: `twin\n"
		"why #SEQ` explains A's #SEQ in B. `view gap` shows where the gap grew in all\n"
		"of the run.",
};
