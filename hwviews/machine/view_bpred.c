/* `view bpred`: the direction predictor's counters around the branch that is asked for. */
#include <inttypes.h>
#include <stdio.h>

#include "core/pipe/plugin.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/machine/predictor.h"
#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"what", "branch", "", ALIGN_LEFT, 0, true, false},
	{"predicts", "predicts", "", ALIGN_LEFT, 0, true, false},
	{"outcome", "outcome", "", ALIGN_LEFT, 0, false, false},
	{"bimodal", "bimodal", "", ALIGN_LEFT, 0, false, false},
	{"two_level", "two-level", "", ALIGN_LEFT, 0, false, false},
	{"chooser", "chooser", "", ALIGN_LEFT, 0, false, false},
	{"seq", "seq", "", ALIGN_LEFT, 0, false, false},
	{"history", "history", "", ALIGN_LEFT, 0, false, false},
};

/* Of perceptrons. */
static const struct grid_column sum_columns[] = {
	{"what", "branch", "", ALIGN_LEFT, 0, true, false},
	{"predicts", "predicts", "", ALIGN_LEFT, 0, true, false},
	{"outcome", "outcome", "", ALIGN_LEFT, 0, false, false},
	{"sum", "sum", "", ALIGN_RIGHT, 0, false, false},
	{"seq", "seq", "", ALIGN_LEFT, 0, false, false},
	{"history", "history", "", ALIGN_LEFT, 0, false, false},
};

enum { KEY_COUNTERS = 1, KEY_HISTORY = 8, KEY_BRANCH = 16 };
enum { TABLE_ROWS = 6, ROOMY = 16, BRANCHES_DEFAULT = 24 };

/* "512, 25%": how many counters of a table are in a state. */
static void cell_share(struct grid *g, bool used, const uint8_t *table, uint32_t mask,
                       unsigned state)
{
	uint32_t n = 0;
	char digits[32];
	if (!used) {
		grid_blank(g);
		return;
	}
	for (uint32_t i = 0; i <= mask; i++)
		n += table[i] == state;
	grid_uint_text(g, ROLE_NUMBER, n, "%s, %.0f%%", group_digits(n, digits),
	               100.0 * n / ((double)mask + 1));
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
		grid_blank(g);
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

/* The tables' say on one branch, as of its mark. */
static void cells_tables(struct grid *g, const struct bpred *b, const struct bpred_mark *mark)
{
	if (b->kind == BPRED_PERCEPTRON) {
		const int sum = bpred_perceptron_sum(b, mark->bimodal, mark->old_history);
		grid_text(g, ROLE_NUMBER, "%+d", sum);
		return;
	}
	cell_counter(g, bpred_uses_bimodal(b), b->bimodal[mark->bimodal],
	             mark->flags & BPM_BIMODAL_TAKEN, "taken", "not");
	cell_counter(g, bpred_uses_two_level(b), b->l2[mark->l2], mark->flags & BPM_L2_TAKEN,
	             "taken", "not");
	cell_counter(g, b->kind == BPRED_COMBINED, b->meta[mark->meta], mark->flags & BPM_USED_L2,
	             "two-level", "bimodal");
}

static void branch_row(struct grid *g, const struct session *s, const struct uop *u)
{
	const struct pipe *p = machine_pipe(s->machine);
	char where[128], buf[64];
	struct grid_row *row = grid_row(g, KEY_BRANCH + u->seq, uop_row_role(s, u));
	row->seq = u->seq;
	row->pc = u->pc;
	grid_text(g, ROLE_ADDRESS, "%s %s", format_addr(s, u->pc, where, sizeof where),
	          op_info[u->inst.op].mnemonic);
	grid_text(g, ROLE_PLAIN, "%s", u->mark.flags & BPM_TAKEN ? "taken" : "not taken");
	if (u->state == UOP_DONE || u->state == UOP_RETIRED)
		grid_text(g, u->flags & UF_MISPREDICT ? ROLE_MISS : ROLE_HIT, "%s%s",
		          u->flags & UF_MISPREDICT ? "wrong: " : "right",
		          !(u->flags & UF_MISPREDICT) ? ""
		          : u->exec.taken             ? "taken"
		                                      : "not taken");
	else
		grid_text(g, ROLE_DIM, "not known");
	cells_tables(g, &p->bpred, &u->mark);
	grid_text(g, ROLE_DIM, "%s", format_seq(p, u, buf, sizeof buf));
	if (bpred_shows_history(&p->bpred) &&
	    ((u->mark.flags & BPM_HISTORY) || p->bpred.kind == BPRED_PERCEPTRON))
		grid_text(g, ROLE_NUMBER, "%s",
		          format_history(&p->bpred, u->mark.old_history, buf, sizeof buf));
}

static bool is_shown(const struct uop *u)
{
	return (inst_flags(&u->inst) & OPF_BRANCH) && (!uop_ended(u) || u->state == UOP_RETIRED);
}

/* The latest branches, in flight or committed, that the machine still holds; as many as there is
 * room for. */
static bool branch_rows(struct grid *g, const struct session *s, size_t most, struct err *err)
{
	struct pipe_rows r;
	size_t from, n = 0;
	if (!pipe_rows_init(&r, machine_pipe(s->machine), NULL, 0))
		return err_set(err, "out of memory");
	for (from = r.count; from > 0 && n < most; from--)
		n += is_shown(r.uops[from - 1]);
	for (; from < r.count; from++)
		if (is_shown(r.uops[from]))
			branch_row(g, s, r.uops[from]);
	pipe_rows_deinit(&r);
	return true;
}

static void address_row(struct grid *g, const struct session *s, uint64_t pc)
{
	const struct bpred *b = &machine_pipe(s->machine)->bpred;
	struct bpred_mark mark;
	char buf[128];
	bpred_peek(b, pc, &mark);
	struct grid_row *row = grid_row(g, KEY_BRANCH, ROLE_PLAIN);
	row->pc = pc;
	grid_text(g, ROLE_ADDRESS, "a branch at %s", format_addr(s, pc, buf, sizeof buf));
	if (b->kind == BPRED_PERFECT)
		grid_text(g, ROLE_PLAIN, "right");
	else
		grid_text(g, ROLE_PLAIN, "%s", mark.flags & BPM_TAKEN ? "taken" : "not taken");
	grid_text(g, ROLE_DIM, "if fetched now");
	cells_tables(g, b, &mark);
	grid_blank(g);
	if (bpred_shows_history(b))
		grid_text(g, ROLE_NUMBER, "%s",
		          format_history(b, b->history[mark.history_index], buf, sizeof buf));
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct bpred *b = &machine_pipe(s->machine)->bpred;
	const struct stats *st = machine_stats(s->machine);
	uint64_t pc = 0;
	char hits[32], branches[32], history[40];
	if (!arg_count(args, 1, "bpred", err) ||
	    (args->argc && !arg_address(s, args->argv[0], &pc, err)))
		return false;
	if (b->kind == BPRED_PERCEPTRON)
		grid_init(out, "Direction predictor", sum_columns,
		          sizeof sum_columns / sizeof *sum_columns);
	else
		grid_init(out, "Direction predictor", columns, sizeof columns / sizeof *columns);
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
	             group_digits(STAT(st, bpred_dir_hits), hits),
	             group_digits(STAT(st, commit_branches), branches), bpred_kind_name(b->kind),
	             cost);
	/* What the tables hold stands below the branches, where there is room for both. */
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
		grid_blank(out);
		grid_blank(out);
		grid_int(out, ROLE_NUMBER, bpred_perceptron_threshold(b));
	}
	if (bpred_shows_history(b) && b->l1_mask == 0) {
		grid_row(out, KEY_HISTORY, ROLE_PLAIN);
		grid_text(out, ROLE_DIM, "history, newest right");
		grid_blank(out);
		grid_blank(out);
		if (b->kind != BPRED_PERCEPTRON)
			grid_blank(out);
		grid_text(out, ROLE_NUMBER, "%s",
		          format_history(b, b->history[0], history, sizeof history));
	}
	return true;
}

const struct view view_bpred = {
	.name = "bpred",
	.also = "predictor",
	.title = "Direction predictor",
	.args = "[ADDRESS]",
	.help = "How the machine guesses which way conditional branches go. Tables of two-bit\n"
		"counters learn: 0 and 1 say not taken, 2 and 3 say taken; it takes two wrong\n"
		"guesses to turn a strong one. `bimodal` is indexed by the branch's address;\n"
		"`two-level` by the latest outcomes of all branches (or of this one), so that\n"
		"it learns patterns; the chooser counts which of the two is right more often.\n"
		"\n"
		"A row is a branch, in flight or among the last that have committed, oldest\n"
		"first:\n"
		"\n"
		"  branch     where it is, and which\n"
		"  predicts   what fetch expected of it\n"
		"  outcome    how it came out; not known before it is complete\n"
		"  bimodal, two-level, chooser  what the table's counter is now, and what it\n"
		"             said when the branch was fetched\n"
		"  sum        of perceptrons, in place of these\n"
		"  seq        number in fetch order; ? = on a wrong path\n"
		"\n"
		"With ADDRESS, what the tables would say of a branch there. Below, where there\n"
		"is room:\n"
		"\n"
		"  counters at N   how many of each table's counters are in each state\n"
		"  history         the latest outcomes, T taken, n not\n"
		"\n"
		"A perceptron has a weight for each outcome in the history and one more, which\n"
		"are added or, for branches not taken, subtracted: from 0 on the sum says\n"
		"taken, and how far from 0 it is says how surely (Jimenez and Lin, 2001).\n"
		"\n"
		"With bpred.update=fetch the history holds guesses of branches in flight, put\n"
		"right when one turns out wrong.\n"
		"\n"
		"Many counters at 1 and 2 are branches without a habit. A branch that flips\n"
		"between taken and not is one for the history. Shaped by bpred.*.",
	.build = build,
};
