#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hwviews/code_lines.h"
#include "hwviews/hot.h"
#include "hwviews/predictor.h"
#include "hwviews/tell.h"

static const struct grid_column columns[] = {
	{"place", "at", "", ALIGN_LEFT, 0, true, false},
	{"executed", "times", "times", ALIGN_RIGHT, 0, false, false},
	{"taken", "taken", "times", ALIGN_RIGHT, 0, false, false},
	{"wrong", "wrong", "mispredictions", ALIGN_RIGHT, 0, false, false},
	{"outcomes", "outcomes", "", ALIGN_RIGHT, 0, false, false},
	{"predictions", "predictions", "", ALIGN_RIGHT, 0, false, false},
	{"rate", "wrong %", "percent of times", ALIGN_RIGHT, 0, false, false},
	{"believed", "believed", "", ALIGN_LEFT, 14, true, false},
	{"instruction", "instruction", "", ALIGN_LEFT, 16, true, false},
	{"address", "address", "", ALIGN_RIGHT, 0, false, false},
};

enum { ROWS = 20, OTHERS = 2 };
#define KEY_TOTAL UINT64_MAX
#define KEY_OTHERS (UINT64_MAX - 1)

static int worse(const void *a, const void *b)
{
	const struct hot_inst *x = a, *y = b;
	if (x->wrong != y->wrong)
		return x->wrong < y->wrong ? 1 : -1;
	if (x->predicted != y->predicted)
		return x->predicted < y->predicted ? 1 : -1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

/* "TTnT", the newest right; predictions as those were, `t` where the target was wrong. */
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

/* "two-level 95, bimodal 5": the most often first. */
static void cell_believed(struct grid *g, const struct session *s, const struct hot_inst *e)
{
	const char *const names[HOT_SOURCES] = {
		[HOT_BY_DIRECTION] = bpred_kind_name(machine_pipe(s->machine)->bpred.kind), [HOT_BY_BIMODAL] = "bimodal", [HOT_BY_TWO_LEVEL] = "two-level",
		[HOT_BY_RAS] = "return stack", [HOT_BY_BTB] = "BTB", [HOT_BY_DECODE] = "nobody",
	};
	char text[256] = "", digits[32];
	bool done[HOT_SOURCES] = {false};
	for (unsigned k = 0; k < HOT_SOURCES; k++) {
		unsigned most = HOT_SOURCES;
		for (unsigned i = 0; i < HOT_SOURCES; i++)
			if (!done[i] && e->believed[i] && (most == HOT_SOURCES || e->believed[i] > e->believed[most]))
				most = i;
		if (most == HOT_SOURCES)
			break;
		done[most] = true;
		const size_t used = strlen(text);
		snprintf(text + used, sizeof text - used, "%s%s %s", used ? ", " : "", names[most], group_digits(e->believed[most], digits));
	}
	grid_text(g, ROLE_DIM, "%s", text);
}

static void cells_counts(struct grid *g, const struct hot_inst *e)
{
	grid_uint(g, ROLE_NUMBER, e->predicted);
	grid_uint(g, ROLE_NUMBER, e->taken);
	grid_uint(g, e->wrong ? ROLE_MISS : ROLE_NUMBER, e->wrong);
}

static void cell_rate(struct grid *g, const struct hot_inst *e)
{
	const double rate = 100 * (double)e->wrong / (double)e->predicted;
	grid_double_text(g, ROLE_NUMBER, rate, "%.1f%%", rate);
}

static void branch_row(struct grid *g, const struct session *s, const struct hot_inst *e)
{
	char text[160];
	struct code c;
	struct grid_row *row = grid_row(g, e->pc, ROLE_PLAIN);
	row->pc = e->pc;
	cell_addr(g, s, ROLE_ADDRESS, e->pc);
	cells_counts(g, e);
	cell_last(g, e, false);
	cell_last(g, e, true);
	cell_rate(g, e);
	cell_believed(g, s, e);
	grid_text(g, ROLE_PLAIN, "%s", code_at(s, e->pc, &c) ? code_text(s, &c, text, sizeof text) : "");
	grid_hex(g, ROLE_DIM, e->pc);
}

static void sum_row(struct grid *g, const struct hot_inst *sum, uint64_t key, const char *what)
{
	grid_row(g, key, key == KEY_TOTAL ? ROLE_CURRENT : ROLE_DIM);
	grid_text(g, ROLE_PLAIN, "%s", what);
	cells_counts(g, sum);
	grid_blank(g);
	grid_blank(g);
	cell_rate(g, sum);
}

static void fill(struct grid *g, const struct session *s, const struct hot_inst *branches, size_t n, size_t most)
{
	struct hot_inst others = {0}, total = {0};
	char digits[32], what[48];
	const size_t shown = n <= most + 1 ? n : most;
	for (size_t i = 0; i < n; i++) {
		hot_add(&total, &branches[i]);
		if (i < shown)
			branch_row(g, s, &branches[i]);
		else
			hot_add(&others, &branches[i]);
	}
	if (shown < n) {
		snprintf(what, sizeof what, "%s others", group_digits(n - shown, digits));
		sum_row(g, &others, KEY_OTHERS, what);
	}
	if (n)
		sum_row(g, &total, KEY_TOTAL, "total");
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	struct region region;
	struct hot_profile p = {0};
	struct err why = {.msg = ""};
	char cycles[32];
	size_t n = 0;
	if (!region_take(s, args->argc, args->argv, &region, err))
		return false;
	const bool all = region.argc == 1 && !strcmp(region.argv[0], "all");
	if (region.argc && !all)
		return err_set(err, "'%.40s': view branches [all] " REGION_ARGS, region.argv[region.argc > 1 && !strcmp(region.argv[0], "all")]);
	const bool known = hot_take(s, &region, &p, &why);
	if (!known && region.given)
		return err_set(err, "%s", why.msg);
	struct hot_inst *branches = malloc((p.count + 1) * sizeof *branches);
	if (!branches)
		return err_set(err, "out of memory for a profile");
	for (size_t i = 0; i < p.count; i++)
		if (p.insts[i].predicted)
			branches[n++] = p.insts[i];
	if (n)
		qsort(branches, n, sizeof *branches, worse);
	grid_init(out, "Branches", columns, sizeof columns / sizeof *columns);
	grid_empty(out, "%s", known ? "no branch or jump has committed" : why.msg);
	if (known)
		grid_summary(out, "%s%s%s cycles", region.text, region.given ? ": " : "", group_digits(p.to - p.from, cycles));
	fill(out, s, branches, n, all ? n : args->rows > OTHERS ? args->rows - OTHERS : ROWS);
	free(branches);
	return true;
}

const struct view view_branches = {
	.name = "branches",
	.title = "Branches",
	.args = "[all] " REGION_ARGS,
	.help = "Each branch and jump that committed, the worst predicted first: of all that\n"
		"is recorded, or of a region, as `view hot` has them. That part of the run is\n"
		"executed once more with somebody who counts.\n"
		"\n"
		"  at           the branch or jump; address: the same as a number\n"
		"  times        how often it committed; taken, of these; jumps always are\n"
		"  taken        how often it was\n"
		"  wrong        mispredictions: direction or target, found when it completed\n"
		"  wrong %      the share of these\n"
		"  outcomes     the last 16, T taken, n not, the newest right\n"
		"  predictions  what fetch expected of the same; t: taken, to another target\n"
		"  believed     who was: of conditional branches a part of the direction\n"
		"               predictor (bpred.kind); of jumps the return stack, the branch\n"
		"               target buffer (BTB), or nobody: decode found the target, or\n"
		"               the end of execution did\n"
		"  instruction  as assembly\n"
		"  address      where it is\n"
		"\n"
		"`wrong` adds up to bpred.mispredicts, `times` to commit.branches and\n"
		"commit.jumps of the same region. Wrong paths and firmware are not counted.\n"
		"Outcomes that repeat a pattern are one for a two-level predictor; TTTTTTTn is\n"
		"a loop. `view bpred ADDRESS` says what the tables hold for one.",
	.build = build,
};
