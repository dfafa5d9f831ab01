/* `view bpred`: the direction predictor's counters around the branch given. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/textbuf.h"
#include "core/pipe/plugin.h"
#include "hwviews/machine/pipe_rows.h"
#include "hwviews/machine/predictor.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"

enum { KEY_COUNTERS = 1, KEY_HISTORY = 8, KEY_BRANCH = 16 };
enum { TABLE_ROWS = 6, ROOMY = 16, BRANCHES_DEFAULT = 24 };
/* Least width of a pane, in cells, in which the columns of the tables' contents have room. */
enum { WITH_TABLES = 70 };

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
	static const char *const states[4] = {"0: strongly not taken", "1: weakly not taken",
	                                      "2: weakly taken", "3: strongly taken"};
	static const char *const choices[4] = {"surely bimodal", "rather bimodal",
	                                       "rather two-level", "surely two-level"};
	for (unsigned state = 4; state-- > 0;) {
		grid_row(g, KEY_COUNTERS + state, ROLE_PLAIN);
		grid_text(g, ROLE_DIM, "%s", states[state]);
		const unsigned shared = b->by->shared;
		grid_text(g, ROLE_DIM, "%s", shared & SHARED_CHOOSER ? choices[state] : "");
		grid_skip_to(g, "bimodal");
		cell_share(g, shared & SHARED_BIMODAL, b->bimodal, b->bimodal_mask, state);
		cell_share(g, shared & SHARED_TWO_LEVEL, b->l2, b->l2_mask, state);
		cell_share(g, shared & SHARED_CHOOSER, b->meta, b->meta_mask, state);
	}
}

/* A branch in flight or committed; or the prediction for an address. */
struct row {
	const struct session *s;
	const struct bpred *b;
	const struct uop *u; /* NULL: none; the prediction is for this address: */
	uint64_t pc;
	const struct bpred_mark *mark;
	struct predictor_part part[PREDICTOR_PARTS_MAX]; /* [parts] */
	unsigned parts;
};

static const char *view_bpred_part_word(const struct predictor_part *p)
{
	return p->chosen ? p->chosen : p->says == PART_TAKEN ? "taken" : "not";
}

static void view_bpred_cell_part(struct grid *g, const struct row *r, const char *name)
{
	const struct predictor_part *p = predictor_part_named(r->part, r->parts, name);
	if (!p)
		grid_blank(g);
	else if (p->chosen || p->says != PART_NUMBER)
		grid_uint_text(g, ROLE_PLAIN, (uint64_t)p->value, "%d, %s", p->value,
		               view_bpred_part_word(p));
	else
		grid_text(g, ROLE_NUMBER, "%+d", p->value);
}

/* Names of columns that are parts of a prediction. */
static const char *const part_columns[] = {"bimodal", "two_level", "chooser", "sum"};
enum { PART_COLUMNS = sizeof part_columns / sizeof *part_columns };

static bool view_bpred_part_has_column(const struct predictor_part *p)
{
	for (unsigned i = 0; i < PART_COLUMNS; i++)
		if (!strcmp(p->name, part_columns[i]))
			return true;
	return false;
}

/* The parts without a column. */
static void view_bpred_fill_others(struct grid *g, const void *row)
{
	const struct row *r = row;
	char text[128] = "";
	struct textbuf out = {text, sizeof text, 0};
	for (unsigned i = 0; i < r->parts; i++) {
		const struct predictor_part *p = &r->part[i];
		if (view_bpred_part_has_column(p))
			continue;
		textbuf_add(&out, "%s%s %d", out.used ? "; " : "", p->noun, p->value);
		if (p->chosen || p->says != PART_NUMBER)
			textbuf_add(&out, ", %s", view_bpred_part_word(p));
	}
	grid_text(g, ROLE_PLAIN, "%s", text);
}

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

FILL(fill_predicts, struct row, grid_text(g, ROLE_PLAIN, "%s", !r->u && r->b->perfect
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

FILL(fill_bimodal, struct row, view_bpred_cell_part(g, r, "bimodal"))
FILL(fill_two_level, struct row, view_bpred_cell_part(g, r, "two_level"))
FILL(fill_chooser, struct row, view_bpred_cell_part(g, r, "chooser"))
FILL(fill_sum, struct row, view_bpred_cell_part(g, r, "sum"))
FILL(fill_number, struct row, grid_text(g, ROLE_DIM, "%s", r->u
	? format_seq(machine_pipe(r->s->machine), r->u, BUFFER(64)) : ""))

/* A plug-in is shown the history, but is not known to use it. */
static bool view_bpred_shows_history(const struct bpred *b)
{
	return b->by->history && !b->by->history_used;
}

static void fill_history(struct grid *g, const void *row)
{
	const struct row *r = row;
	const bool had = !r->u || (r->mark->flags & BPM_HISTORY) || r->b->by->keeps_history;
	char buf[128];
	if (view_bpred_shows_history(r->b) && had)
		grid_text(g, ROLE_NUMBER, "%s",
		          format_history(r->b,
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
	{"others", "others", "", view_bpred_fill_others, FLEXIBLE,
         .help = "further numbers that the prediction is made of"},
	{"seq", "seq", "", fill_number, .help = "number in fetch order; ? = on a wrong path"},
	{"history", "history", "", fill_history,
         .help = "the outcomes of all branches before it, T taken, n not"},
};

static void view_bpred_append_cells(struct grid *g, struct row *r)
{
	r->parts = predictor_parts(r->b, r->mark, r->part);
	grid_cells(g, r);
}

static void view_bpred_append_branch_row(struct grid *g, const struct session *s,
                                         const struct uop *u)
{
	uop_grid_row(g, s, u)->key = KEY_BRANCH + u->seq;
	view_bpred_append_cells(g, &(struct row){
					   s, &machine_pipe(s->machine)->bpred, u, u->pc,
					   &u->mark, .parts = 0});
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
	struct code code;
	(void)code_at(s, pc, &code);
	bpred_predict(b, pc, &code.inst, true, &mark);
	grid_row(g, KEY_BRANCH, ROLE_PLAIN)->pc = pc;
	view_bpred_append_cells(g, &(struct row){s, b, NULL, pc, &mark, .parts = 0});
}

/* Drops columns of parts that the predictor lacks. A predictor without parts keeps the columns of
 * counter tables. */
static void view_bpred_select_columns(struct grid *g, const struct bpred *b)
{
	const struct bpred_mark none = {0};
	struct predictor_part part[PREDICTOR_PARTS_MAX];
	const unsigned n = predictor_parts(b, &none, part);
	const bool sum = predictor_part_named(part, n, "sum");
	bool others = false;
	for (unsigned i = 0; i < n; i++)
		others |= !view_bpred_part_has_column(&part[i]);
	if (!sum)
		grid_drop_column(g, "sum");
	else
		grid_texts(g, "sum");
	if (!others)
		grid_drop_column(g, "others");
	if (n && !b->by->shared) {
		grid_drop_column(g, "bimodal");
		grid_drop_column(g, "two_level");
		grid_drop_column(g, "chooser");
	} else {
		grid_texts(g, "two_level");
	}
	grid_texts(g, "history");
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
	view_bpred_select_columns(out, b);
	double rate = STAT(st, commit_branches) ? 100.0 * (double)STAT(st, bpred_dir_hits) /
	                                                  (double)STAT(st, commit_branches)
	                                        : 0;
	char cost[64] = "";
	if (b->plugins->at[PLUGIN_PREDICTOR])
		snprintf(cost, sizeof cost, " of %" PRIu64 " bits",
		         plugin_bits(b->plugins->at[PLUGIN_PREDICTOR]));
	grid_summary(out, "%.1f%% right (%s of %s directions); %s%s", rate,
	             GROUPED(STAT(st, bpred_dir_hits)),
	             group_digits(STAT(st, commit_branches), branches), b->by->title,
	             cost);
	/* Contents of the tables follow the branches, if there is room for both. */
	bool tables = !args->columns || args->columns >= WITH_TABLES;
	size_t rows = args->rows > 1 ? args->rows - 1 : args->rows ? 1 : BRANCHES_DEFAULT;
	if (tables && args->rows && rows > ROOMY)
		rows -= TABLE_ROWS;
	if (args->argc)
		address_row(out, s, pc);
	else if (!branch_rows(out, s, rows, err)) {
		grid_deinit(out);
		return false;
	}
	tables |= !out->row_count;
	if (!tables)
		return true;
	if (b->by->shared)
		counter_rows(out, b);
	if (b->by->row.words) {
		grid_row(out, KEY_COUNTERS, ROLE_PLAIN);
		grid_text(out, ROLE_DIM, "%s", b->by->row.words);
		grid_skip_to(out, b->by->row.part);
		grid_int(out, ROLE_NUMBER, b->by->row.value(b));
	}
	if (view_bpred_shows_history(b) && b->l1_mask == 0) {
		grid_row(out, KEY_HISTORY, ROLE_PLAIN);
		grid_text(out, ROLE_DIM, "history, newest right");
		grid_skip_to(out, b->by->shared      ? "two_level"
		                  : b->by->row.words ? b->by->row.part
		                                     : "history");
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
		"  0: to 3:        how many of each table's counters have this value\n"
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
