/* `view hot`: time by instruction, line or function. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "hwviews/program/code_place.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/stacks.h"

enum { ESSENTIAL = 6 };

/* The sum in one row. */
struct part {
	struct code_place at;
	struct hot_inst sum;
	int64_t row[CHARGE_ROWS]; /* of both stacks */
};

struct asked {
	enum code_by by;
	bool all, off;
};

/* ---- summing ---- */
static struct part view_hot_init_part(const struct session *s, const struct hot_profile *p,
                                      const struct hot_inst *e, enum code_by by)
{
	struct part part = {.at = code_place_of(s, e->pc, by), .sum = *e};
	if (!e->interpreted)
		stack_add(p, e->pc, part.row);
	if (by != CODE_BY_INSTRUCTION)
		part.sum.interpreted = false;
	if (by == CODE_BY_FUNCTION)
		part.sum.pc = part.at.first;
	return part;
}

static void view_hot_add_part(struct part *sum, const struct part *more)
{
	hot_add(&sum->sum, &more->sum);
	for (unsigned i = 0; i < CHARGE_ROWS; i++)
		sum->row[i] += more->row[i];
}

/* Parts of the same row are equal. */
ORDER(by_place, struct part, code_place_compare(&a->at, &b->at) ?: UP(sum.interpreted))

static uint64_t hot_part_heat(const struct part *part)
{
	return part->sum.executed + part->sum.lost;
}

ORDER(by_heat, struct part,
	(hot_part_heat(a) < hot_part_heat(b)) - (hot_part_heat(a) > hot_part_heat(b))
	?: UP(sum.pc) ?: UP(sum.interpreted))

/* Owned by the caller; NULL if memory is out. */
static struct part *view_hot_sum_parts(const struct session *s, const struct hot_profile *p,
                                       enum code_by by, size_t *count)
{
	struct part *parts = alloc_bytes((p->count + 1) * sizeof *parts);
	size_t n = 0;
	for (size_t i = 0; parts && i < p->count; i++)
		parts[i] = view_hot_init_part(s, p, &p->insts[i], by);
	if (parts && p->count)
		sort_stable(parts, p->count, sizeof *parts, by_place);
	for (size_t i = 0; parts && i < p->count; i++) {
		if (!n || by_place(&parts[n - 1], &parts[i])) {
			parts[n++] = parts[i];
			continue;
		}
		if (parts[i].sum.pc < parts[n - 1].sum.pc)
			parts[n - 1].sum.pc = parts[i].sum.pc;
		view_hot_add_part(&parts[n - 1], &parts[i]);
	}
	if (n)
		sort_stable(parts, n, sizeof *parts, by_heat);
	*count = n;
	return parts;
}

/* ---- rows ---- */
struct row {
	const struct session *s;
	const struct hot_profile *p;
	const struct part *part;
	enum code_by by;
	/* label of a sum of several places, which is not highlighted; NULL: one place */
	const char *what, *text;
};

FILL(fill_place, struct row, r->what ? grid_text(g, ROLE_PLAIN, "%s", r->what)
	: cell_code_place(g, r->s, &r->part->at, r->part->sum.pc))
FILL(fill_executed, struct row, grid_uint(g, ROLE_NUMBER, r->part->sum.executed))

/* In percent of all commit slots. */
static double view_hot_row_percent(const struct row *r)
{
	const struct hot_inst *e = &r->part->sum;
	return 100 * (double)(e->executed + e->lost) /
	       (double)((r->p->to - r->p->from) * r->p->width);
}

FILL(fill_held, struct row,
     cell_slots(g, view_hot_row_percent(r) >= 10 && !r->what ? ROLE_HOT : ROLE_NUMBER,
                r->part->sum.lost, r->p->width))
FILL(fill_share, struct row, const double share = view_hot_row_percent(r);
     grid_double_text(g, ROLE_NUMBER, share, "%.1f%%", share))

static void view_hot_fill_code(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct hot_inst *e = &r->part->sum;
	if (r->what)
		grid_text(g, ROLE_DIM, "%s", r->text);
	else
		grid_text(g, e->interpreted ? ROLE_PROFILE : ROLE_PLAIN, "%s%s",
		          code_place_text(r->s, r->by, &r->part->at, e->pc, BUFFER(160)),
		          e->interpreted ? " (interpreted)" : "");
}

static void view_hot_fill_lost_to(struct grid *g, const void *row)
{
	const struct row *r = row;
	const struct hot_inst *e = &r->part->sum;
	const struct stack_kind k = stack_kind_of(r->s, false);
	int64_t charged = e->interpreted;
	for (unsigned i = 0; i < k.count; i++)
		charged += k.used >> i & 1 ? 0 : r->part->row[k.first + i];
	/* Nothing was lost: its share of all slots is its commits alone. */
	if (e->executed && !e->lost && !charged)
		grid_text(g, ROLE_DIM, "nothing: it ran");
	else
		cell_largest(g, r->part->row);
}

static void cell_some(struct grid *g, const struct row *r, enum role role, uint64_t n)
{
	if (n)
		grid_uint(g, r->what ? ROLE_NUMBER : role, n);
	else
		grid_uint_text(g, ROLE_NUMBER, n, "%s", "");
}

FILL(fill_l2, struct row, cell_some(g, r, ROLE_MISS, r->part->sum.l2))
FILL(fill_memory, struct row, cell_some(g, r, ROLE_MISS, r->part->sum.memory))
FILL(fill_forwards, struct row, cell_some(g, r, ROLE_NUMBER, r->part->sum.forwards))
FILL(fill_wrong, struct row, cell_some(g, r, ROLE_MISS, r->part->sum.wrong))
FILL(fill_address, struct row, r->what ? grid_blank(g) : grid_hex(g, ROLE_DIM, r->part->sum.pc))
FILL(fill_lost, struct row, grid_uint(g, ROLE_DIM, r->part->sum.lost))

static const struct grid_column columns[] = {
	{"place", "place", "", fill_place, FLEXIBLE, .help = "the instruction, line or function"},
	{"executed", "executed", "times", fill_executed, AT_RIGHT,
         .help = "how often it committed"},
	{"held", "held", "cycles", fill_held, AT_RIGHT,
         .help = "cycles that it held up commit: slots that stayed empty while it was the next to "
                 "commit, divided by pipe.commit_width"},
	{"share", "share", "percent of commit slots", fill_share, AT_RIGHT,
         .help = "of all commit slots, those that it used and those that it held up"},
	{"text", "", "", view_hot_fill_code, .min_width = 16, FLEXIBLE,
         .help = "the instruction as assembly, or the source line"},
	{"lost_to", "lost to", "", view_hot_fill_lost_to,
	 .help = "the largest row of the cause that lost most of the dispatch slots charged to it "
		 "(empty: none is), as in `view slots of` it; more is in `view slots "
		 "functions`, `lines` or `instructions`"},
	{"l2", "L2", "loads", fill_l2, AT_RIGHT,
	 .help = "its loads that missed L1D, by source of the data"},
	{"memory", "memory", "loads", fill_memory, AT_RIGHT, .help = AS_BEFORE},
	{"forwards", "forwards", "loads", fill_forwards, AT_RIGHT,
         .help = "its loads that took a value from an older store in the queue"},
	{"wrong", "wrong", "mispredictions", fill_wrong, AT_RIGHT,
         .help = "its mispredictions: see `view branches`"},
	{"address", "address", "", fill_address, AT_RIGHT, .help = "where it is, or begins"},
	{"lost", "lost", "commit slots", fill_lost, AT_RIGHT,
         .help = "the slots of `held`, undivided"},
};

static void view_hot_append_part_row(struct grid *g, const struct session *s,
                                     const struct hot_profile *p, const struct part *part,
                                     enum code_by by)
{
	const struct hot_inst *e = &part->sum;
	grid_row(g, e->pc | e->interpreted,
	         e->pc == machine_seen_pc(s->machine) ? ROLE_CURRENT : ROLE_PLAIN)
		->pc = e->pc;
	grid_cells(g, &(struct row){s, p, part, by, NULL, NULL});
}

static void view_hot_append_rows(struct grid *g, const struct session *s,
                                 const struct hot_profile *p, const struct part *parts, size_t n,
                                 size_t shown, enum code_by by)
{
	struct part others = {0}, total = {0};
	for (size_t i = 0; i < n; i++) {
		view_hot_add_part(&total, &parts[i]);
		if (i < shown)
			view_hot_append_part_row(g, s, p, &parts[i], by);
		else
			view_hot_add_part(&others, &parts[i]);
	}
	if (shown < n) {
		const char *what = parts_sum_row(g, n - shown, BUFFER(48));
		grid_cells(g,
		           &(struct row){s, p, &others, by, what,
		                         by == CODE_BY_FUNCTION ? "" : "`view hot all` has them"});
	}
	const char *what = parts_sum_row(g, 0, BUFFER(48));
	grid_cells(g, &(struct row){s, p, &total, by, what,
	                            by == CODE_BY_FUNCTION ? ""
	                                                   : "every commit slot, and none twice"});
}

/* ---- arguments ---- */
static bool view_hot_parse_args(const struct region *r, struct asked *out, struct err *err)
{
	*out = (struct asked){0};
	for (int i = 0; i < r->argc; i++) {
		if (!strcmp(r->argv[i], "lines") && !out->by)
			out->by = CODE_BY_LINE;
		else if (!strcmp(r->argv[i], "functions") && !out->by)
			out->by = CODE_BY_FUNCTION;
		else if (!strcmp(r->argv[i], "all") && !out->all)
			out->all = true;
		else if (!strcmp(r->argv[i], "off") && r->argc == 1 && !r->given)
			out->off = true;
		else
			return err_set(err,
			               "'%.40s': view hot [lines | functions] [all] " REGION_ARGS
			               " | off",
			               r->argv[i]);
	}
	return true;
}

static bool view_hot_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	static const char *const titles[] = {"Hot instructions", "Hot lines", "Hot functions"};
	static const char *const heads[] = {"instruction", "source", ""};
	struct region region;
	struct asked asked;
	struct hot_profile p;
	struct err why = {.msg = ""};
	size_t n = 0;
	if (!region_take(s, args->argc, args->argv, &region, err) ||
	    !view_hot_parse_args(&region, &asked, err))
		return false;
	if (asked.off && s->hot)
		hot_clear(s->hot);
	const bool known = !asked.off && hot_take(s, &region, &p, &why);
	if (!known && region.given)
		return err_set(err, "%s", why.msg);
	struct part *parts = known ? view_hot_sum_parts(s, &p, asked.by, &n) : NULL;
	if (known && !parts)
		return err_set(err, "out of memory for a profile");
	grid_init(out, titles[asked.by], GRID_TABLE(columns));
	grid_column_named(out, "text")->title = heads[asked.by];
	if (asked.by == CODE_BY_FUNCTION) /* functions have no text */
		grid_column_named(out, "text")->min_width = 0;
	out->essential = ESSENTIAL;
	grid_empty(out, "%s",
	           asked.off      ? "the profile is forgotten, and its columns in source and disasm"
	           : !known       ? why.msg
	           : region.given ? "no cycle in this region"
	                          : "no cycle has passed yet; `step` executes one");
	if (known && p.from < p.to) {
		struct hot_inst total = {0};
		for (size_t i = 0; i < p.count; i++)
			hot_add(&total, &p.insts[i]);
		grid_summary(out, "%s%s%s cycles, %s instructions", region.text,
		             region.given ? ": " : "", GROUPED(p.to - p.from),
		             GROUPED(total.executed));
		view_hot_append_rows(out, s, &p, parts, n, parts_shown(n, args, asked.all),
		                     asked.by);
	}
	free(parts);
	return true;
}

const struct view view_hot = {
	.name = "hot",
	.title = "Hot instructions",
	.build = view_hot_build_grid,
	.args = "[lines | functions] [all] " REGION_ARGS " | off",
	.help.about =
		"Time by instruction, source line or function: of all that\n"
		"is recorded, or of a region: `view hot since main`, `view hot functions\n"
		"since last`, `view hot lines 1000 2000`. That part of the run is executed once\n"
		"more with counters, so it is exact, and costs nothing before.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"The rows add up: executed to the instructions committed, executed and held to\n"
		"all slots of all cycles, forwards to lsq.forwards, wrong to\n"
		"bpred.mispredicts. Slots after the last commit are held by the next\n"
		"to commit. An instruction may be held up by the one before it, which fetched\n"
		"its line late or mispredicted: `why` and `view cpi` explain its wait. Misses,\n"
		"forwards and mispredictions on wrong paths are not counted, nor firmware's.\n"
		"Instructions that the value sampler interpreted have rows of their own.\n"
		"\n"
		"`held` and `lost to` are two measures. `held` is at commit: it was the oldest\n"
		"while nothing committed. `lost to` is at dispatch: whose wait kept the window\n"
		"full, or whose fetch kept it empty. The consumer of a load can have held\n"
		"commit for long while all dispatch slots were lost to the load; so a row may\n"
		"have much of one and none of the other. Cycles of `lost to` are in `view slots\n"
		"lines`.\n"
		"\n"
		"`view disasm` and `view source` show the last profile beside the code, until\n"
		"`view hot off` or a restart.",
};
