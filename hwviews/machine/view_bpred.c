/* `view bpred`: the direction predictor's counters around the branch given. */
#include <inttypes.h>
#include <stdio.h>

#include "core/pipe/plugin.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/machine/predictor.h"
#include "hwviews/session/view_text.h"

enum { KEY_COUNTERS = 1, KEY_HISTORY = 8, KEY_BRANCH = 16 };
enum { TABLE_ROWS = 6, ROOMY = 16, BRANCHES_DEFAULT = 24 };

/* "512, 25%": how many counters of a table are in a state. */
static void cell_share(struct grid *g, bool used, const uint8_t *table, uint32_t mask,
                       unsigned state)
{
	uint32_t n = 0;
	if (!used) {
		grid_blank(g);
		return;
	}
	for (uint32_t i = 0; i <= mask; i++)
		n += table[i] == state;
	grid_uint_text(g, ROLE_NUMBER, n, "%s, %.0f%%", GROUPED(n), 100.0 * n / ((double)mask + 1));
}

static void counter_rows(struct grid *g, const struct bpred *b)
{
	static const char *const states[4] = {
		"counters at 0: strongly not taken", "counters at 1: weakly not taken",
		"counters at 2: weakly taken", "counters at 3: strongly taken"};
	static const char *const choices[4] = {"surely bimodal", "rather bimodal",
	                                       "rather two-level", "surely two-level"};
	for (unsigned state = 4; state-- > 0;) {
		grid_row(g, KEY_COUNTERS + state, ROLE_PLAIN);
		grid_text(g, ROLE_DIM, "%s", states[state]);
		grid_text(g, ROLE_DIM, "%s", b->kind == BPRED_COMBINED ? choices[state] : "");
		grid_skip_to(g, "bimodal");
		cell_share(g, bpred_uses_bimodal(b), b->bimodal, b->bimodal_mask, state);
		cell_share(g, bpred_uses_two_level(b), b->l2, b->l2_mask, state);
		cell_share(g, b->kind == BPRED_COMBINED, b->meta, b->meta_mask, state);
	}
}

static void cell_counter(struct grid *g, bool used, unsigned counter, bool taken, const char *yes,
                         const char *no)
{
	if (used)
		grid_uint_text(g, ROLE_PLAIN, counter, "%u, %s", counter, taken ? yes : no);
	else
		grid_blank(g);
}

/* A branch in flight or committed; or the prediction for an address. */
struct row {
	const struct session *s;
	const struct bpred *b;
	const struct uop *u; /* NULL: none; the prediction is for this address: */
	uint64_t pc;
	const struct bpred_mark *mark;
};

static void view_bpred_fill_what(struct grid *g, const void *row)
{
	const struct row *r = row;
	char where[128];
	format_addr(r->s, r->pc, where, sizeof where);
	if (r->u)
		grid_text(g, ROLE_ADDRESS, "%s %s", where, op_info[r->u->inst.op].mnemonic);
	else
		grid_text(g, ROLE_ADDRESS, "a branch at %s", where);
}

FILL(fill_predicts, struct row, grid_text(g, ROLE_PLAIN, "%s", !r->u && r->b->kind == BPRED_PERFECT
	? "right" : r->mark->flags & BPM_TAKEN ? "taken" : "not taken"))

static void fill_outcome(struct grid *g, const void *row)
{
	const struct uop *u = ((const struct row *)row)->u;
	if (!u)
		grid_text(g, ROLE_DIM, "if fetched now");
	else if (u->state == UOP_DONE || u->state == UOP_RETIRED)
		grid_text(g, u->flags & UF_MISPREDICT ? ROLE_MISS : ROLE_HIT, "%s%s",
		          u->flags & UF_MISPREDICT ? "wrong: " : "right",
		          !(u->flags & UF_MISPREDICT) ? "" : u->exec.taken ? "taken" : "not taken");
	else
		grid_text(g, ROLE_DIM, "not known");
}

FILL(fill_bimodal, struct row, cell_counter(g, bpred_uses_bimodal(r->b),
	r->b->bimodal[r->mark->bimodal], r->mark->flags & BPM_BIMODAL_TAKEN, "taken", "not"))
FILL(fill_two_level, struct row, cell_counter(g, bpred_uses_two_level(r->b), r->b->l2[r->mark->l2],
	r->mark->flags & BPM_L2_TAKEN, "taken", "not"))
FILL(fill_chooser, struct row, cell_counter(g, r->b->kind == BPRED_COMBINED,
	r->b->meta[r->mark->meta], r->mark->flags & BPM_USED_L2, "two-level", "bimodal"))
FILL(fill_sum, struct row, grid_text(g, ROLE_NUMBER, "%+d", bpred_perceptron_sum(r->b,
	r->mark->bimodal, r->mark->old_history)))
FILL(fill_number, struct row, grid_text(g, ROLE_DIM, "%s", r->u
	? format_seq(machine_pipe(r->s->machine), r->u, BUFFER(64)) : ""))

static void fill_history(struct grid *g, const void *row)
{
	const struct row *r = row;
	const bool had = !r->u || (r->mark->flags & BPM_HISTORY) || r->b->kind == BPRED_PERCEPTRON;
	char buf[128];
	if (bpred_shows_history(r->b) && had)
		grid_text(g, ROLE_NUMBER, "%s", format_history(r->b,
		                         r->u ? r->mark->old_history
		                              : r->b->history[r->mark->history_index],
		                         buf, sizeof buf));
	else
		grid_blank(g);
}

static const struct grid_column columns[] = {
	{"what", "branch", "", view_bpred_fill_what, FLEXIBLE, .help = "where it is, and which"},
	{"predicts", "predicts", "", fill_predicts, FLEXIBLE, .help = "what fetch expected of it"},
	{"outcome", "outcome", "", fill_outcome,
	 .help = "its outcome; not known before it is complete"},
	{"bimodal", "bimodal", "", fill_bimodal,
	 .help = "the table's counter now, and its prediction at the branch's fetch"},
	{"two_level", "two-level", "", fill_two_level, .help = AS_BEFORE},
	{"chooser", "chooser", "", fill_chooser, .help = AS_BEFORE},
	{"sum", "sum", "", fill_sum, AT_RIGHT, .help = "of perceptrons, in place of these"},
	{"seq", "seq", "", fill_number, .help = "number in fetch order; ? = on a wrong path"},
	{"history", "history", "", fill_history,
         .help = "the outcomes of all branches before it, T taken, n not"},
};

static void view_bpred_append_branch_row(struct grid *g, const struct session *s,
                                         const struct uop *u)
{
	uop_grid_row(g, s, u)->key = KEY_BRANCH + u->seq;
	grid_cells(g, &(struct row){s, &machine_pipe(s->machine)->bpred, u, u->pc, &u->mark});
}

static bool view_bpred_uop_is_shown(const struct uop *u)
{
	return (inst_flags(&u->inst) & OPF_BRANCH) && (!uop_ended(u) || u->state == UOP_RETIRED);
}

/* Rows for the latest branches, in flight or committed, that the machine still holds; as many as
 * fit. */
static bool branch_rows(struct grid *g, const struct session *s, size_t most, struct err *err)
{
	struct pipe_rows r;
	size_t from, n = 0;
	if (!pipe_rows_init(&r, machine_pipe(s->machine), NULL, 0))
		return err_set(err, "out of memory");
	for (from = r.count; from > 0 && n < most; from--)
		n += view_bpred_uop_is_shown(r.uops[from - 1]);
	for (; from < r.count; from++)
		if (view_bpred_uop_is_shown(r.uops[from]))
			view_bpred_append_branch_row(g, s, r.uops[from]);
	pipe_rows_deinit(&r);
	return true;
}

static void address_row(struct grid *g, const struct session *s, uint64_t pc)
{
	const struct bpred *b = &machine_pipe(s->machine)->bpred;
	struct bpred_mark mark;
	bpred_peek(b, pc, &mark);
	grid_row(g, KEY_BRANCH, ROLE_PLAIN)->pc = pc;
	grid_cells(g, &(struct row){s, b, NULL, pc, &mark});
}

static bool view_bpred_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	const struct bpred *b = &machine_pipe(s->machine)->bpred;
	const struct stats *st = machine_stats(s->machine);
	uint64_t pc = 0;
	char branches[32];
	if (!arg_count(args, 1, "bpred", err) ||
	    (args->argc && !arg_address(s, args->argv[0], &pc, err)))
		return false;
	grid_init(out, "Direction predictor", GRID_TABLE(columns));
	if (b->kind == BPRED_PERCEPTRON)
		grid_keep_columns(out, "what predicts outcome sum seq history");
	else
		grid_drop_column(out, "sum");
	grid_texts(out, "two_level");
	grid_texts(out, "sum");
	grid_texts(out, "history");
	double rate = STAT(st, commit_branches) ? 100.0 * (double)STAT(st, bpred_dir_hits) /
	                                                  (double)STAT(st, commit_branches)
	                                        : 0;
	char cost[64] = "";
	if (b->kind == BPRED_EXTERNAL)
		snprintf(cost, sizeof cost, " of %" PRIu64 " bits",
		         plugin_bits(b->plugins->at[PLUGIN_PREDICTOR]));
	grid_summary(out, "%.1f%% right (%s of %s directions); %s%s", rate,
	             GROUPED(STAT(st, bpred_dir_hits)),
	             group_digits(STAT(st, commit_branches), branches), bpred_kind_name(b->kind),
	             cost);
	/* Contents of the tables follow the branches, if there is room for both. */
	const size_t rows = args->rows > 1 ? args->rows - 1 : args->rows ? 1 : BRANCHES_DEFAULT;
	if (args->argc)
		address_row(out, s, pc);
	else if (!branch_rows(out, s, rows > ROOMY && args->rows ? rows - TABLE_ROWS : rows, err)) {
		grid_deinit(out);
		return false;
	}
	if (bpred_uses_bimodal(b) || bpred_uses_two_level(b))
		counter_rows(out, b);
	if (b->kind == BPRED_PERCEPTRON) {
		grid_row(out, KEY_COUNTERS, ROLE_PLAIN);
		grid_text(out, ROLE_DIM, "learns when wrong, and up to a sum of");
		grid_skip_to(out, "sum");
		grid_int(out, ROLE_NUMBER, bpred_perceptron_threshold(b));
	}
	if (bpred_shows_history(b) && b->l1_mask == 0) {
		grid_row(out, KEY_HISTORY, ROLE_PLAIN);
		grid_text(out, ROLE_DIM, "history, newest right");
		grid_skip_to(out, b->kind == BPRED_PERCEPTRON ? "sum" : "two_level");
		grid_text(out, ROLE_NUMBER, "%s", format_history(b, b->history[0], BUFFER(40)));
	}
	return true;
}

const struct view view_bpred = {
	.name = "bpred",
	.also = "predictor",
	.title = "Direction predictor",
	.args = "[ADDRESS]",
	.build = view_bpred_build_grid,
	.help.about =
		"Predictions of the direction of conditional branches. Tables of two-bit\n"
		"counters learn: 0 and 1 predict not taken, 2 and 3 taken; it takes two wrong\n"
		"guesses to turn a strong one. `bimodal` is indexed by the branch's address;\n"
		"`two-level` by the latest outcomes of all branches (or of this one), so that\n"
		"it learns patterns; the chooser counts which of the two is right more often.\n"
		"\n"
		"A row is a branch, in flight or among the last that have committed, oldest\n"
		"first:",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"With ADDRESS, the tables' prediction for a branch there. Below, where there\n"
		"is room:\n"
		"\n"
		"  counters at N   how many of each table's counters are in each state\n"
		"  history         the latest outcomes, T taken, n not\n"
		"\n"
		"A perceptron has a weight for each outcome in the history and one more, which\n"
		"are added or, for branches not taken, subtracted: a sum of 0 or more predicts\n"
		"taken, and its distance from 0 is the confidence (Jimenez and Lin, 2001).\n"
		"\n"
		"With bpred.update=fetch the history holds guesses of branches in flight,\n"
		"corrected after a misprediction.\n"
		"\n"
		"Many counters at 1 and 2 mean branches without a bias. A branch that\n"
		"alternates between taken and not needs the history. Shaped by bpred.*.",
};
