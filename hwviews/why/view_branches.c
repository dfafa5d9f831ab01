/* `view branches`: outcomes, predictions and lost slots of each branch. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/pipe/frontend/predictor.h"
#include "hwviews/grid/order.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"
#include "hwviews/why/stacks.h"

#define KEY_REST (KEY_OTHERS - 1)

struct branch {
	struct hot_inst sum;
	uint64_t wrong_path, refill; /* dispatch slots */
};

static uint64_t branches_lost_slots(const struct branch *b)
{
	return b->wrong_path + b->refill;
}

ORDER(dearer, struct branch,
	(branches_lost_slots(a) < branches_lost_slots(b))
	- (branches_lost_slots(a) > branches_lost_slots(b))
	?: DOWN(sum.wrong) ?: DOWN(sum.predicted) ?: UP(sum.pc))

ORDER(by_pc, struct branch, UP(sum.pc))

static void view_branches_add_branch(struct branch *sum, const struct branch *more)
{
	hot_add(&sum->sum, &more->sum);
	sum->wrong_path += more->wrong_path;
	sum->refill += more->refill;
}

/* Branches that committed, or were only charged slots, as on a wrong path; *rest: bad speculation
 * not due to mispredictions. Owned by the caller; NULL if memory is out. */
static struct branch *branches_of(const struct hot_profile *p, size_t *count, struct branch *rest)
{
	struct branch *all = alloc_zeroed(p->count + p->charge_count + 1, sizeof *all);
	size_t n = 0, kept = 0;
	*rest = (struct branch){0};
	for (size_t i = 0; all && i < p->count; i++)
		if (p->insts[i].predicted)
			all[n++].sum = p->insts[i];
	for (size_t i = 0; all && i < p->charge_count; i++) {
		const struct charge *c = &p->charges[i];
		const uint64_t slots = (uint64_t)c->slots;
		switch ((int)c->row - CHARGE_SLOT) {
		case SLOT_wrong_path:
			all[n++] = (struct branch){.sum.pc = c->pc, .wrong_path = slots};
			break;
		case SLOT_branch_refill:
			all[n++] = (struct branch){.sum.pc = c->pc, .refill = slots};
			break;
		case SLOT_replayed:
		case SLOT_interrupted:
			rest->wrong_path += slots;
			break;
		case SLOT_replay_refill:
			rest->refill += slots;
			break;
		default:
			break;
		}
	}
	if (n)
		sort_stable(all, n, sizeof *all, by_pc);
	for (size_t i = 0; i < n; i++) {
		if (!kept || all[kept - 1].sum.pc != all[i].sum.pc) {
			all[kept++] = all[i];
			continue;
		}
		/* only the one with `predicted` has outcomes */
		struct branch one = all[i].sum.predicted ? all[i] : all[kept - 1];
		const struct branch *other = all[i].sum.predicted ? &all[kept - 1] : &all[i];
		one.wrong_path += other->wrong_path;
		one.refill += other->refill;
		all[kept - 1] = one;
	}
	if (kept)
		sort_stable(all, kept, sizeof *all, dearer);
	*count = kept;
	return all;
}

/* "TTnT", the newest right; predictions likewise, `t` if the target was wrong. */
static void cell_last(struct grid *g, const struct hot_inst *e, bool predictions)
{
	char text[HOT_OUTCOMES + 1];
	const unsigned n = e->predicted < HOT_OUTCOMES ? (unsigned)e->predicted : HOT_OUTCOMES;
	for (unsigned i = 0; i < n; i++) {
		const unsigned bit = n - 1 - i;
		const bool taken = (predictions ? e->said : e->took) >> bit & 1;
		text[i] = !taken ? 'n' : predictions && (e->missed >> bit & 1) ? 't' : 'T';
	}
	text[n] = '\0';
	grid_text(g, ROLE_PLAIN, "%s", text);
}

/* "two-level 95, bimodal 5": most frequent first. */
static void cell_believed(struct grid *g, const struct session *s, const struct hot_inst *e)
{
	const char *const names[HOT_SOURCES] = {
		[HOT_BY_DIRECTION] = machine_pipe(s->machine)->bpred.by->title,
		[HOT_BY_BIMODAL] = "bimodal",
		[HOT_BY_TWO_LEVEL] = "two-level",
		[HOT_BY_RAS] = "return stack",
		[HOT_BY_BTB] = "BTB",
		[HOT_BY_DECODE] = "none",
	};
	char text[256] = "";
	bool done[HOT_SOURCES] = {false};
	for (unsigned k = 0; k < HOT_SOURCES; k++) {
		unsigned most = HOT_SOURCES;
		for (unsigned i = 0; i < HOT_SOURCES; i++)
			if (!done[i] && e->believed[i] &&
			    (most == HOT_SOURCES || e->believed[i] > e->believed[most]))
				most = i;
		if (most == HOT_SOURCES)
			break;
		done[most] = true;
		const size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "", names[most],
		         GROUPED(e->believed[most]));
	}
	grid_text(g, ROLE_DIM, "%s", text);
}

struct row {
	const struct session *s;
	const struct branch *b;
	uint32_t width;   /* dispatch slots in a cycle */
	const char *what; /* label of a sum of several branches; NULL: one branch */
};

static const struct hot_inst *view_branches_row_inst(const void *row)
{
	return &((const struct row *)row)->b->sum;
}

FILL(fill_place, struct row,
     r->what ? grid_text(g, ROLE_PLAIN, "%s", r->what)
             : cell_addr(g, r->s, ROLE_ADDRESS, view_branches_row_inst(r)->pc))
FILL(fill_executed, struct row, grid_uint(g, ROLE_NUMBER, view_branches_row_inst(r)->predicted))
FILL(fill_taken, struct row, grid_uint(g, ROLE_NUMBER, view_branches_row_inst(r)->taken))
FILL(fill_wrong, struct row, const uint64_t wrong = view_branches_row_inst(r)->wrong;
     grid_uint(g, wrong ? ROLE_MISS : ROLE_NUMBER, wrong))
FILL(fill_lost, struct row,
     cell_slots(g, branches_lost_slots(r->b) ? ROLE_MISS : ROLE_NUMBER, branches_lost_slots(r->b),
                r->width))

static void fill_each(struct grid *g, const void *row)
{
	const struct row *r = row;
	const uint64_t wrong = view_branches_row_inst(r)->wrong;
	if (wrong)
		grid_double(g, ROLE_NUMBER,
		            (double)branches_lost_slots(r->b) / r->width / (double)wrong, 2);
	else
		grid_blank(g);
}

FILL(fill_outcomes, struct row,
     r->what ? grid_blank(g) : cell_last(g, view_branches_row_inst(r), false))
FILL(fill_predictions, struct row,
     r->what ? grid_blank(g) : cell_last(g, view_branches_row_inst(r), true))

static void fill_resolving(struct grid *g, const void *row)
{
	const struct hot_inst *e = view_branches_row_inst(row);
	if (e->wrong)
		grid_double(g, ROLE_NUMBER, (double)e->resolving / (double)e->wrong, 2);
	else
		grid_blank(g);
}

static void fill_rate(struct grid *g, const void *row)
{
	const struct hot_inst *e = view_branches_row_inst(row);
	const double rate = e->predicted ? 100 * (double)e->wrong / (double)e->predicted : 0;
	if (e->predicted)
		grid_double_text(g, ROLE_NUMBER, rate, "%.1f%%", rate);
	else
		grid_blank(g);
}

FILL(fill_believed, struct row,
     r->what ? grid_blank(g) : cell_believed(g, r->s, view_branches_row_inst(r)))

static void view_branches_fill_instruction(struct grid *g, const void *row)
{
	const struct row *r = row;
	char text[160];
	struct code c;
	if (!r->what && code_at(r->s, view_branches_row_inst(r)->pc, &c))
		grid_text(g, ROLE_PLAIN, "%s", code_text(r->s, &c, text, sizeof text));
	else
		grid_blank(g);
}

FILL(fill_address, struct row,
     r->what ? grid_blank(g) : grid_hex(g, ROLE_DIM, view_branches_row_inst(r)->pc))
FILL(fill_wrong_path, struct row, grid_uint(g, ROLE_DIM, r->b->wrong_path))
FILL(fill_refill, struct row, grid_uint(g, ROLE_DIM, r->b->refill))
FILL(fill_slots, struct row, grid_uint(g, ROLE_DIM, branches_lost_slots(r->b)))

static const struct grid_column columns[] = {
	{"place", "at", "", fill_place, FLEXIBLE,
         .help = "the branch or jump; address: the same as a number"},
	{"executed", "times", "times", fill_executed, AT_RIGHT,
	 .help = "commits; taken ones of these; jumps always are"},
	{"taken", "taken", "times", fill_taken, AT_RIGHT, .help = "how often it was"},
	{"wrong", "wrong", "mispredictions", fill_wrong, AT_RIGHT,
         .help = "mispredictions: direction or target, found when it completed"},
	{"lost", "lost", "cycles", fill_lost, AT_RIGHT,
	 .help = "their cost: dispatch slots of the wrong path, and those left empty until the "
		 "right path is dispatched, in cycles"},
	{"each", "each", "cycles", fill_each, AT_RIGHT, .help = "the same for each misprediction"},
	{"outcomes", "outcomes", "", fill_outcomes, AT_RIGHT,
         .help = "the last 16, T taken, n not, the newest right"},
	{"predictions", "predictions", "", fill_predictions, AT_RIGHT,
	 .help = "fetch's prediction for the same; t: taken, to another target"},
	{"resolving", "resolving", "cycles", fill_resolving, AT_RIGHT,
	 .help = "cycles from its fetch until its outcome, on average over the mispredicted ones"},
	{"rate", "wrong %", "percent of times", fill_rate, AT_RIGHT, .help = "the share of these"},
	{"believed", "believed", "", fill_believed, .min_width = 14, FLEXIBLE,
	 .help = "source of the prediction: of conditional branches a part of the direction "
		 "predictor (bpred.kind); of jumps the return stack, the branch target buffer "
		 "(BTB), or none: decode or execution found the target"},
	{"instruction", "instruction", "", view_branches_fill_instruction, .min_width = 16,
         FLEXIBLE, .help = "as assembly"},
	{"address", "address", "", fill_address, AT_RIGHT, .help = "where it is"},
	{"wrong_path", "wrong path", "slots", fill_wrong_path, AT_RIGHT,
         .help = "slots taken on the wrong path"},
	{"refill", "refill", "slots", fill_refill, AT_RIGHT,
	 .help = "slots that fetch left empty after the misprediction"},
	{"slots", "slots", "slots", fill_slots, AT_RIGHT, .help = "both: `lost`, undivided"},
};

static void view_branches_append_branch_row(struct grid *g, const struct session *s,
                                            const struct branch *b, uint32_t width)
{
	grid_row(g, b->sum.pc, ROLE_PLAIN)->pc = b->sum.pc;
	grid_cells(g, &(struct row){s, b, width, NULL});
}

static void view_branches_append_rows(struct grid *g, const struct session *s,
                                      const struct branch *branches, size_t n,
                                      const struct branch *rest, size_t shown)
{
	const uint32_t width = pipe_slots(machine_config(s->machine));
	struct branch others = {0}, total = *rest;
	for (size_t i = 0; i < n; i++) {
		view_branches_add_branch(&total, &branches[i]);
		if (i < shown)
			view_branches_append_branch_row(g, s, &branches[i], width);
		else
			view_branches_add_branch(&others, &branches[i]);
	}
	if (shown < n) {
		const char *what = parts_sum_row(g, n - shown, BUFFER(48));
		grid_cells(g, &(struct row){NULL, &others, width, what});
	}
	if (branches_lost_slots(rest)) {
		grid_row(g, KEY_REST, ROLE_DIM);
		grid_cells(g, &(struct row){NULL, rest, width, "replay traps, interrupts"});
	}
	if (n || branches_lost_slots(rest)) {
		const char *what = parts_sum_row(g, 0, BUFFER(48));
		grid_cells(g, &(struct row){NULL, &total, width, what});
	}
}

static bool view_branches_build_grid(const struct session *s, const struct view_args *args,
                                     struct grid *out, struct err *err)
{
	struct region region;
	struct hot_profile p = {0};
	struct branch rest;
	struct err why = {.msg = ""};
	size_t n = 0;
	if (!region_take(s, args->argc, args->argv, &region, err))
		return false;
	const bool all = region.argc == 1 && !strcmp(region.argv[0], "all");
	if (region.argc && !all)
		return err_set(err, "'%.40s': view branches [all] " REGION_ARGS,
		               region.argv[region.argc > 1 && !strcmp(region.argv[0], "all")]);
	const bool known = hot_take(s, &region, &p, &why);
	if (!known && region.given)
		return err_set(err, "%s", why.msg);
	struct branch *branches = branches_of(&p, &n, &rest);
	if (!branches)
		return err_set(err, "out of memory for a profile");
	grid_init(out, "Branches", GRID_TABLE(columns));
	grid_empty(out, "%s",
	           known ? "no branch or jump has committed; each gets a row at its first commit"
	                 : why.msg);
	if (known)
		grid_summary(out, "%s%s%s cycles", region.text, region.given ? ": " : "",
		             GROUPED(p.to - p.from));
	view_branches_append_rows(out, s, branches, n, &rest, parts_shown(n, args, all));
	free(branches);
	return true;
}

const struct view view_branches = {
	.name = "branches",
	.title = "Branches",
	.args = "[all] " REGION_ARGS,
	.build = view_branches_build_grid,
	.help.about = "Each branch and jump, by cost of mispredictions, highest first: of all\n"
		      "that is recorded, or of a region, as in `view hot`. That part of the run\n"
		      "is executed once more with counters.",
	.help.tables = {{GRID_TABLE(columns), .indent = 15}},
	.help.hints =
		"`slots` adds up to bad speculation of `view slots` in the same region: the\n"
		"cost of replay traps and interrupts has a row of its own, and so may a branch\n"
		"that executed on wrong paths only. Slots that fetch left empty until the\n"
		"misprediction was found are in `refill`. Slots for which the window had no\n"
		"room meanwhile belong to its cause: a branch that waits long for its operands\n"
		"may cost those as well. `wrong` adds up to bpred.mispredicts, `times` to\n"
		"commit.branches and commit.jumps of the same region. Wrong paths and firmware\n"
		"are not counted. Outcomes that repeat a pattern suit a two-level predictor;\n"
		"TTTTTTTn is a loop. `view bpred ADDRESS` shows the tables' entries for one.",
};
