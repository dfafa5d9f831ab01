/* `view twin`: who is ahead, and the same instructions in the pipelines of both machines. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/grid/view.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/session/view_text.h"
#include "hwviews/twin/twin.h"

enum column { COL_MACHINE, COL_NUMBER, COL_INST, COL_PIPE };

static const struct grid_column columns[] = {
	{"machine", "", "", .min_width = 1, .help = "A or B"},
	{"number", "no.", "", .align = ALIGN_RIGHT,
	 .help = "how manieth it is in the order of commit, the same in both"},
	{"instruction", "instruction", "", .flexible = true, .help = "as assembly"},
	{"pipeline", "cycles", "cycle a column", .restless = true,
	 .help = "the diagram, with the letters of `view pipe`. The start is the commit of "
	         "the first row's instruction, one column in both"},
	{"differs", "differs", "", .flexible = true,
	 .help = "cycles that B took more for a step, or fewer: front, from fetch to "
	         "dispatch; waits, until issue; executes, until its result; turn, until "
	         "commit. =: none"},
	{"seq", "seq", "", .help = "its number in fetch order, which wrong paths make different"},
	{"fetch", "fetch", "cycle from the start", .align = ALIGN_RIGHT,
	 .help = "cycles since the start, or before"},
	{"dispatch", "dispatch", "cycle from the start", .align = ALIGN_RIGHT, .help = AS_BEFORE},
	{"issue", "issue", "cycle from the start", .align = ALIGN_RIGHT, .help = AS_BEFORE},
	{"done", "done", "cycle from the start", .align = ALIGN_RIGHT, .help = AS_BEFORE},
	{"end", "end", "cycle from the start", .align = ALIGN_RIGHT, .help = AS_BEFORE},
};

enum {
	INSTS_DEFAULT = 12, INSTS_MOST = 64, /* of each machine */
	CYCLES_DEFAULT = 64, CYCLES_MIN = 16, CYCLES_MAX = 240,
	BESIDE = 48, /* character columns that the diagram leaves to what stands beside it */
	STAMPS = 5
};

/* The stamps of an instruction, NO_CYCLE where it has not come so far by the end of the machine's
 * present cycle. */
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

static void cell_pipeline(struct grid *g, const struct session *s, const struct uop *u,
                          uint64_t from, unsigned cycles)
{
	char line[CYCLES_MAX * 2 + 1];
	size_t n = 0, used = 0;
	for (uint64_t c = from; c < from + cycles && c < machine_cycle(s->machine); c++) {
		const char *letter = pipe_letter(machine_pipe(s->machine), u, c);
		memcpy(line + n, letter, strlen(letter));
		n += strlen(letter);
		if (*letter != ' ')
			used = n;
	}
	line[used] = '\0';
	grid_text(g, ROLE_PLAIN, "%s", line);
}

/* "waits +12, turn -3": each step of the way in which B took more cycles or fewer. */
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
	uint64_t start[TWIN_MACHINES]; /* the cycle that is one column in both */
	uint64_t lead;         /* columns before it */
};

/* The first instruction commits in one column, or if it has not, is fetched there. */
static void align(struct shown *w)
{
	w->lead = 0;
	for (unsigned i = 0; i < TWIN_MACHINES; i++) {
		const struct uop *u = twin_uop(w->of[i], w->first);
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

static void rows_of(struct grid *g, const struct shown *w, unsigned machine)
{
	const struct session *s = w->of[machine];
	const uint64_t start = w->start[machine];
	uint64_t stamps[STAMPS], other[STAMPS];
	for (uint64_t n = w->first; n < w->first + w->count; n++) {
		const struct uop *u = twin_uop(s, n), *a = twin_uop(w->of[TWIN_A], n);
		if (!u)
			continue;
		stamps_of(s, u, stamps);
		struct grid_row *row =
			grid_row(g, n << 1 | machine, uop_ended(u) ? ROLE_PLAIN : ROLE_CURRENT);
		row->pc = u->pc;
		row->seq = a && a->pc == u->pc ? a->seq : 0;
		grid_text(g, ROLE_HEAD, "%c", 'A' + (int)machine);
		grid_uint(g, ROLE_DIM, n);
		cell_inst(g, s, u);
		cell_pipeline(g, s, u, start - w->lead, w->cycles);
		if (machine == TWIN_A)
			grid_blank(g);
		else if (!a || a->pc != u->pc)
			grid_text(g, ROLE_MISS, "%s", a ? "another than in A" : "");
		else {
			stamps_of(w->of[TWIN_A], a, other);
			cell_differs(g, other, stamps);
		}
		grid_uint_text(g, ROLE_DIM, u->seq, "#%" PRIu64, u->seq);
		for (unsigned i = 0; i < STAMPS; i++)
			if (stamps[i] == NO_CYCLE)
				grid_blank(g);
			else
				grid_int(g, ROLE_NUMBER, (int64_t)(stamps[i] - start));
	}
}

/* In step by instruction: until the last that both have committed. */
static double ipc(const struct session *s, const struct twin_place *p, unsigned machine)
{
	const uint64_t insts = s->twin->by_cycle ? p->insts[machine] : p->common;
	return p->at[machine] ? (double)insts / (double)p->at[machine] : 0;
}

static void summary(struct grid *g, const struct session *s, const struct twin_place *p)
{
	char how[64], cycles[2][32], digits[32], insts[32];
	const bool by_cycle = s->twin->by_cycle;
	const uint64_t a = by_cycle ? p->insts[TWIN_B] : p->at[TWIN_A],
		       b = by_cycle ? p->insts[TWIN_A] : p->at[TWIN_B];
	if (a == b)
		snprintf(how, sizeof how, "as far as A");
	else
		snprintf(how, sizeof how, "%s %s %s", group_digits(a > b ? a - b : b - a, digits),
		         by_cycle ? "instructions" : "cycles", a > b ? "ahead of A" : "behind A");
	grid_summary(g, "B is %s %s %s, IPC %.3f and %.3f, %s %s and %s; B: %s", how,
	             by_cycle ? "in cycle" : "at instruction",
	             group_digits(by_cycle ? p->cycle[TWIN_A] : p->common, insts),
	             ipc(s, p, TWIN_A), ipc(s, p, TWIN_B), by_cycle ? "instruction" : "cycle",
	             group_digits(by_cycle ? p->insts[TWIN_A] : p->at[TWIN_A], cycles[0]),
	             group_digits(by_cycle ? p->insts[TWIN_B] : p->at[TWIN_B], cycles[1]),
	             s->twin->what);
}

static unsigned cycles_that_fit(const struct view_args *args)
{
	const unsigned fit = !args->columns           ? CYCLES_DEFAULT
	                     : args->columns > BESIDE ? args->columns - BESIDE
	                                              : 0;
	return fit < CYCLES_MIN ? CYCLES_MIN : fit > CYCLES_MAX ? CYCLES_MAX : fit;
}

/* A view of B, where A is. */
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
		grid_init(out, v->title, columns, sizeof columns / sizeof *columns);
		grid_empty(out, "%s", why.msg);
	} else if (!view_fill(v, s->twin->session, &own, out, err)) {
		return false;
	}
	if (asprintf(&title, "B: %s", out->title) < 0)
		return true;
	free(out->title);
	out->title = title;
	return true;
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	if (args->argc && !isdigit((unsigned char)args->argv[0][0]))
		return build_of_twin(s, args, out, err);
	uint64_t insts = args->rows ? args->rows / 2 : INSTS_DEFAULT;
	struct twin_place place;
	struct err why;
	if (!arg_count(args, 1, "twin", err) ||
	    (args->argc &&
	     !arg_number(args->argv[0], "a number of instructions", INSTS_MOST, &insts, err)))
		return false;
	insts = insts < 1 ? 1 : insts > INSTS_MOST ? INSTS_MOST : insts;
	const bool known = twin_bring(s, &place, &why);
	grid_init(out, "Twin", columns, sizeof columns / sizeof *columns);
	grid_empty(out, "%s", known ? "no instruction has been fetched yet" : why.msg);
	if (!known)
		return true;
	struct shown w = {
		.of = {s, s->twin->session}, .count = insts, .cycles = cycles_that_fit(args)};
	const uint64_t committed = (insts + 1) / 2;
	w.first = place.common > committed ? place.common - committed + 1 : 1;
	align(&w);
	out->columns[COL_PIPE].min_width = w.cycles;
	summary(out, s, &place);
	for (unsigned i = 0; i < TWIN_MACHINES; i++)
		rows_of(out, &w, i);
	return true;
}

const struct view view_twin = {
	.name = "twin",
	.title = "Twin",
	.args = "[INSTRUCTIONS | VIEW [ARGS]]",
	.help.about =
		"Two machines in step: A is the session's, B its twin, which does the same\n"
		"program with other parameters. `twin PARAMETER=VALUE` opens one; it comes to\n"
		"where A is, forwards and backwards, when it is looked at.\n"
		"The first line says who is ahead, by how many cycles at the same instruction:\n"
		"the last that A has committed. After `twin by cycle` it says by how many\n"
		"instructions in the same cycle. Below the same instructions stand twice, pipe\n"
		"above pipe, half of them committed and half in flight in A. `view twin VIEW`\n"
		"is any view of B, where A is: view twin rob, view twin pipe by 16.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"\n"
		"What to look for: rows in which B waits longer, and what they wait for: `twin\n"
		"why #SEQ` says it of A's #SEQ in B. `view gap` says where the gap grew in all\n"
		"of the run.",
	.build = build,
};
