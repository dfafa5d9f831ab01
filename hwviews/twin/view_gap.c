/* `view gap`: where one machine fell behind the other, by instruction, line or function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "hwviews/program/code_place.h"
#include "hwviews/session/view_text.h"
#include "hwviews/twin/gap.h"
#include "hwviews/twin/twin.h"

/* The sum in one row. */
struct part {
	struct code_place at;
	struct gap_inst sum;
};

static int64_t gap_of(const struct gap_inst *e)
{
	return (int64_t)(e->cycles[TWIN_B] - e->cycles[TWIN_A]);
}

static struct part view_gap_init_part(const struct session *s, const struct gap_inst *e,
                                      enum code_by by)
{
	struct part part = {.at = code_place_of(s, e->pc, by), .sum = *e};
	if (by == CODE_BY_FUNCTION)
		part.sum.pc = part.at.first;
	return part;
}

ORDER(by_place, struct part, code_place_compare(&a->at, &b->at))

static int64_t size_of(const struct part *part)
{
	return llabs(gap_of(&part->sum));
}

ORDER(by_size, struct part, (size_of(a) < size_of(b)) - (size_of(a) > size_of(b)) ?: UP(sum.pc))

static void view_gap_add_gap_sums(struct gap_inst *sum, const struct gap_inst *more)
{
	for (unsigned i = 0; i < TWIN_MACHINES; i++) {
		sum->times[i] += more->times[i];
		sum->cycles[i] += more->cycles[i];
	}
	sum->put_in += more->put_in;
	if (more->most_seq && (!sum->most_seq || more->most > sum->most)) {
		sum->most = more->most;
		sum->most_seq = more->most_seq;
	}
	if (more->least_seq && (!sum->least_seq || more->least < sum->least)) {
		sum->least = more->least;
		sum->least_seq = more->least_seq;
	}
}

/* Owned by the caller; NULL if memory is out. */
static struct part *view_gap_sum_parts(const struct session *s, const struct gap_sums *p,
                                       enum code_by by, size_t *count)
{
	struct part *parts = alloc_bytes((p->count + 1) * sizeof *parts);
	size_t n = 0;
	for (size_t i = 0; parts && i < p->count; i++)
		parts[i] = view_gap_init_part(s, &p->insts[i], by);
	if (parts && p->count)
		sort_stable(parts, p->count, sizeof *parts, by_place);
	for (size_t i = 0; parts && i < p->count; i++) {
		if (!n || by_place(&parts[n - 1], &parts[i])) {
			parts[n++] = parts[i];
			continue;
		}
		if (parts[i].sum.pc < parts[n - 1].sum.pc)
			parts[n - 1].sum.pc = parts[i].sum.pc;
		view_gap_add_gap_sums(&parts[n - 1].sum, &parts[i].sum);
	}
	if (n)
		sort_stable(parts, n, sizeof *parts, by_size);
	*count = n;
	return parts;
}

/* ---- rows ---- */
struct row {
	const struct session *s;
	const struct part *part;
	enum code_by by;
	const char *what; /* label of a sum of several places; NULL: one place */
	uint64_t seq;     /* of the largest instance; 0: none */
	int64_t widest;   /* gap of a full half of the bar */
};

static bool is_ahead(const struct row *r)
{
	return gap_of(&r->part->sum) < 0;
}

FILL(fill_place, struct row, r->what ? grid_text(g, ROLE_PLAIN, "%s", r->what)
	: cell_code_place(g, r->s, &r->part->at, r->part->sum.pc))
FILL(fill_gap, struct row, const int64_t gap = gap_of(&r->part->sum);
	grid_int(g, gap > 0 ? ROLE_MISS : ROLE_NUMBER, gap))
FILL(fill_cycles, struct row, grid_uint(g, ROLE_NUMBER, r->part->sum.cycles[grid_of(g)]))

/* "   ██│", "     │███": to the left the cycles that B is faster, to the right slower. */
static void view_gap_fill_bar(struct grid *g, const void *row)
{
	enum { HALF = 6, BYTES = 3 };
	const struct row *r = row;
	const int64_t gap = gap_of(&r->part->sum);
	char bar[(2 * HALF + 1) * BYTES + 1];
	size_t used = 0;
	if (r->what || !r->widest) {
		grid_blank(g);
		return;
	}
	int cells = (int)((double)llabs(gap) * HALF / (double)r->widest + 0.5);
	cells = gap && !cells ? 1 : cells > HALF ? HALF : cells;
	const int left = gap < 0 ? cells : 0;
	for (int i = 0; i <= HALF + (gap > 0 ? cells : 0); i++) {
		const char *one = i == HALF ? "│" : i > HALF || i >= HALF - left ? "█" : " ";
		memcpy(bar + used, one, strlen(one));
		used += strlen(one);
	}
	bar[used] = '\0';
	grid_text(g, gap > 0 ? ROLE_MISS : ROLE_HIT, "%s", bar);
}

static bool code_was_put_in(const struct session *s)
{
	return s->twin && s->twin->code;
}

FILL(fill_put_in, struct row, grid_uint(g, ROLE_PROFILE, r->part->sum.put_in))
FILL(fill_executed, struct row, grid_uint(g, ROLE_NUMBER, r->part->sum.times[TWIN_A]))

static void view_gap_fill_code(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (r->what)
		grid_blank(g);
	else
		grid_text(g, ROLE_PLAIN, "%s",
		          code_place_text(r->s, r->by, &r->part->at, r->part->sum.pc, BUFFER(160)));
}

FILL(fill_largest, struct row, r->seq
	? grid_int(g, ROLE_NUMBER, is_ahead(r) ? r->part->sum.least : r->part->sum.most)
	: grid_blank(g))
FILL(fill_instance, struct row, r->seq
	? grid_uint_text(g, ROLE_DIM, r->seq, "#%llu", (unsigned long long)r->seq) : grid_blank(g))
FILL(fill_address, struct row, r->what ? grid_blank(g) : grid_hex(g, ROLE_DIM, r->part->sum.pc))

static const struct grid_column columns[] = {
	{"place", "place", "", fill_place, FLEXIBLE, .help = "the instruction, line or function"},
	{"gap", "gap", "cycles", fill_gap, AT_RIGHT,
         .help = "cycles of B less those of A: what the place cost the twin more; negative: less"},
	{"bar", "faster│slower", "", view_gap_fill_bar, .restless = true,
         .help = "the same as a bar: of B, to the left where it is faster"},
	{"cycles_a", "A", "cycles", fill_cycles, .of = TWIN_A, AT_RIGHT,
         .help = "cycles of each until its instructions had committed"},
	{"cycles_b", "B", "cycles", fill_cycles, .of = TWIN_B, AT_RIGHT, .help = AS_BEFORE},
	{"put_in", "put in", "cycles", fill_put_in, .there = code_was_put_in, AT_RIGHT,
	 .help = "of a twin by `twin instrument=KIND`: B's cycles for the code added before the "
		 "place"},
	{"executed", "executed", "times", fill_executed, AT_RIGHT,
         .help = "how often it committed in A"},
	{"text", "", "", view_gap_fill_code, .min_width = 16, FLEXIBLE,
         .help = "the instruction as assembly, or the source line"},
	{"largest", "largest", "cycles", fill_largest, AT_RIGHT,
	 .help = "the instance with B's largest loss; where the gap is negative, its largest gain"},
	{"seq", "in", "", fill_instance,
	 .help = "that instance's number in A: `twin go #NUMBER` goes there in both and explains "
		 "both; Enter on the screen does it"},
	{"address", "address", "", fill_address, AT_RIGHT, .help = "where it is, or begins"},
};

static void view_gap_append_part_row(struct grid *g, const struct session *s,
                                     const struct part *part, enum code_by by, int64_t widest)
{
	const struct gap_inst *e = &part->sum;
	struct row r = {s, part, by, NULL, 0, widest};
	r.seq = is_ahead(&r) ? e->least_seq : e->most_seq;
	struct grid_row *row = grid_row(g, e->pc, ROLE_PLAIN);
	row->pc = e->pc;
	row->seq = r.seq;
	grid_cells(g, &r);
}

/* others: their number; 0: the row is the total. */
static void view_gap_append_sum_row(struct grid *g, const struct part *sum, size_t others)
{
	const char *what = parts_sum_row(g, others, BUFFER(48));
	grid_cells(g, &(struct row){.part = sum, .what = what});
}

static void view_gap_append_rows(struct grid *g, const struct session *s, const struct part *parts,
                                 size_t n, size_t shown, enum code_by by)
{
	struct part others = {0}, total = {0};
	for (size_t i = 0; i < n; i++) {
		view_gap_add_gap_sums(&total.sum, &parts[i].sum);
		if (i < shown)
			view_gap_append_part_row(g, s, &parts[i], by, size_of(&parts[0]));
		else
			view_gap_add_gap_sums(&others.sum, &parts[i].sum);
	}
	if (shown < n)
		view_gap_append_sum_row(g, &others, n - shown);
	view_gap_append_sum_row(g, &total, 0);
}

static bool view_gap_parse_args(const struct view_args *args, enum code_by *by, bool *all,
                                bool *run, struct err *err)
{
	*by = CODE_BY_INSTRUCTION;
	*all = *run = false;
	for (int i = 0; i < args->argc; i++) {
		if (!strcmp(args->argv[i], "lines") && !*by)
			*by = CODE_BY_LINE;
		else if (!strcmp(args->argv[i], "functions") && !*by)
			*by = CODE_BY_FUNCTION;
		else if (!strcmp(args->argv[i], "all") && !*all)
			*all = true;
		else if (!strcmp(args->argv[i], "run") && !*run)
			*run = true;
		else
			return err_set(err,
			               "'%.40s' is not understood; expected view gap [lines | "
			               "functions] [all] [run]",
			               args->argv[i]);
	}
	return true;
}

static bool view_gap_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	static const char *const titles[] = {"Gap", "Gap by line", "Gap by function"};
	struct twin_place place;
	struct gap_sums sums;
	struct err why;
	char put_in[64] = "";
	enum code_by by;
	bool all, run;
	size_t n = 0;
	if (!view_gap_parse_args(args, &by, &all, &run, err))
		return false;
	const bool known =
		twin_bring(s, &place, &why) && gap_take(s, run, &place, &sums, &why);
	struct part *parts = known ? view_gap_sum_parts(s, &sums, by, &n) : NULL;
	if (known && !parts)
		return err_set(err, "out of memory for the gap");
	grid_init_for(out, titles[by], GRID_TABLE(columns), s);
	grid_empty(out, "%s", known ? "nothing has committed in both yet" : why.msg);
	if (n) {
		const int64_t gap = (int64_t)(sums.cycles[TWIN_B] - sums.cycles[TWIN_A]);
		if (s->twin->code)
			snprintf(put_in, sizeof put_in, " and %s put in", GROUPED(sums.put_in));
		grid_summary(out, "B %s%s cycles in %s instructions%s%s%s; B: %s",
		             gap > 0 ? "+" : "", GROUPED_SIGNED(gap), GROUPED(sums.number), put_in,
		             sums.parted ? "; the two part at instruction " : "",
		             sums.parted ? GROUPED(sums.parted) : "", s->twin->what);
		view_gap_append_rows(out, s, parts, n, parts_shown(n, args, all), by);
	}
	free(parts);
	return true;
}

const struct view view_gap = {
	.name = "gap",
	.title = "Gap",
	.args = "[lines | functions] [all] [run]",
	.build = view_gap_build_grid,
	.help.about =
		"Where the gap between the session's machine, A, and its twin, B, grew: by\n"
		"instruction, source line or function, the largest first. `twin` opens one.\n"
		"The cycles from one commit to the next belong to the instruction that commits\n"
		"then, in both machines. Both runs are executed once more, so it is exact,\n"
		"and costs nothing before. Going back in the run removes later commits;\n"
		"with `run` they stay: the whole run is listed.",
	.help.tables = {{GRID_TABLE(columns), .indent = 17}},
	.help.hints =
		"The rows add up to the total, which is B's delay in cycles at the\n"
		"last instruction that both have committed, exactly. Programs that read the\n"
		"time may act differently in the two: they diverge at the instruction that is\n"
		"then named, and later rows compare different instructions.\n"
		"\n"
		"An instruction that waits for an older one's miss commits right after it: the\n"
		"cycles are with the miss. With commit by several a cycle the first of them has\n"
		"them all.",
};
