/* `view cct`: the calling context tree, as text with lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/flow/context_folds.h"
#include "hwviews/flow/context_rows.h"
#include "hwviews/grid/utf8.h"
#include "hwviews/oracle/oracle_rows.h"

enum {
	CONTEXT_COLUMN = 1,
	NAME = 96,
	NARROW = 60,   /* cells of a pane */
	INDENT_MAX = 60
};

struct tree {
	const struct session *s;
	struct contexts c;
	struct grid *g;
	bool all;           /* every node has a row, even below collapsed nodes */
	unsigned level, indent_max; /* cells */
	uint32_t here;      /* node whose row marks the program's place, or CONTEXT_NONE */
	bool here_rest;     /* the mark is in the row of that node's smaller children */
};

/* ---- the program's place ---- */
static enum fold fold_of(const struct tree *t, uint32_t node)
{
	return t->all ? FOLD_OPEN : context_fold(t->s, &t->c, node);
}

/* *n receives the number of children that share one row. If that is 1, the child gets its own row:
 * returns the child, else CONTEXT_NONE. */
static uint32_t small_children(struct tree *t, uint32_t node, enum fold fold, uint32_t *n)
{
	uint32_t count, last = CONTEXT_NONE;
	const uint32_t *kids = contexts_children(&t->c, node, &count);
	*n = 0;
	for (uint32_t i = count; i-- > 0 && !context_shown(&t->c, fold, kids[i]);) {
		(*n)++;
		last = kids[i];
	}
	return *n == 1 ? last : CONTEXT_NONE;
}

/* Finds the last visible row on the path from the root to the current node. */
static void find_here(struct tree *t)
{
	uint32_t at = t->c.tree.current;
	t->here = CONTEXT_NONE;
	if (at >= t->c.tree.count)
		return;
	/* On the way up, the topmost node that hides its descendants counts. */
	t->here = at;
	t->here_rest = false;
	while (at) {
		const uint32_t parent = t->c.tree.nodes[at].parent;
		const enum fold fold = fold_of(t, parent);
		uint32_t n;
		if (fold == FOLD_CLOSED) {
			t->here = parent;
			t->here_rest = false;
		} else if (!context_shown(&t->c, fold, at) &&
		           small_children(t, parent, fold, &n) != at) {
			t->here = parent;
			t->here_rest = true;
		}
		at = parent;
	}
}

/* ---- rows ---- */
static const char *here_text(const struct tree *t, uint32_t node, bool rest, char *buf, size_t n)
{
	if (node != t->here || rest != t->here_rest)
		return "";
	if (!rest && node == t->c.tree.current)
		return "  ◀ here";
	snprintf(buf, n, "  ◀ in %s", contexts_name(t->s, &t->c, t->c.tree.current, BUFFER(NAME)));
	return buf;
}

static enum role share_role(const struct tree *t, uint64_t part)
{
	return (double)part * 100 >= (double)t->c.with[t->c.by][0] * FOLD_LARGE && part
	               ? ROLE_HOT : ROLE_NUMBER;
}

/* A node; its smaller children, together; or a recursive call to a procedure that is active
 * already. */
struct row {
	const struct tree *t;
	uint32_t node;                   /* of a recursive call: its target */
	const struct context *k;         /* of a node; else NULL */
	const struct context_back *back; /* of a recursive call; else NULL */
	bool here;
	uint32_t depth;
	const char *mark, *name, *more;
	uint64_t calls, with[CONTEXT_WEIGHTS];
};

FILL(fill_node, struct row, r->back ? grid_uint_text(g, ROLE_DIM, r->node, "↺ %" PRIu32, r->node)
	: r->k ? grid_uint_text(g, ROLE_DIM, r->node, "%" PRIu32, r->node)
	: grid_blank(g))

/* Indents by depth, as far as there is room. */
static void view_cct_fill_context(struct grid *g, const void *row)
{
	const struct row *r = row;
	const enum role role = r->back   ? ROLE_WAITING
	                       : r->here ? ROLE_CURRENT : r->k ? ROLE_ADDRESS : ROLE_DIM;
	const unsigned indent = r->t->level * r->depth;
	if (indent <= r->t->indent_max)
		grid_text(g, role, "%*s%s %s%s", (int)indent, "", r->mark, r->name, r->more);
	else
		grid_text(g, role, "%*s⋯%" PRIu32 " %s %s%s", (int)r->t->indent_max, "", r->depth,
		          r->mark, r->name, r->more);
}

static void view_cct_fill_share(struct grid *g, const void *row)
{
	const struct row *r = row;
	const uint64_t whole = r->t->c.with[r->t->c.by][0], part = r->with[r->t->c.by];
	const double percent = whole ? 100 * (double)part / (double)whole : 0;
	if (r->back)
		grid_blank(g);
	else
		grid_double_text(g, share_role(r->t, part), percent, "%.1f %%", percent);
}

FILL(fill_calls, struct row, grid_uint_if(g, r->calls || !r->back, r->k || r->back ? ROLE_NUMBER
	: ROLE_DIM, r->calls))
FILL(fill_with, struct row, grid_uint_if(g, !r->back, r->k ? ROLE_NUMBER : ROLE_DIM,
	r->with[grid_of(g)]))
FILL(fill_own, struct row, const uint64_t own = r->k ? r->t->c.own[grid_of(g)][r->node] : 0;
	grid_uint_if(g, r->k != NULL, own ? ROLE_NUMBER : ROLE_DIM, own))
FILL(fill_site, struct row, context_cell_line(g, r->t->s, r->k ? r->k->site : r->back
	? r->back->site : 0))
FILL(fill_procedure, struct row, context_cell_line(g, r->t->s, r->k ? r->k->callee : 0))

static void fill_parent(struct grid *g, const void *row)
{
	const struct row *r = row;
	const uint32_t parent = r->k ? r->k->parent : r->back ? r->back->from : 0;
	if ((r->k && r->node) || r->back)
		grid_uint_text(g, ROLE_DIM, parent, "%" PRIu32, parent);
	else
		grid_blank(g);
}

FILL(fill_depth, struct row, grid_uint_if(g, r->k != NULL, ROLE_DIM, r->depth))
FILL(fill_callee, struct row, r->k ? grid_hex(g, ROLE_DIM, r->k->callee) : grid_blank(g))

static const struct grid_column columns[] = {
	{"node", "node", "", fill_node, AT_RIGHT, .help = "its number for `expand` and `cct NODE`"},
	{"context", "context", "", view_cct_fill_context, FLEXIBLE,
	 .help = "the procedure, indented by depth"},
	{"share", "share", "with all below", view_cct_fill_share, AT_RIGHT, .restless = true,
	 .help = "including all callees"},
	{"calls", "calls", "", fill_calls, AT_RIGHT, .help = "calls from there"},
	{"inclusive", "METRIC", "with all below", fill_with, AT_RIGHT,
	 .help = "including all callees, under the metric's name"},
	{"own", "own", "without what it called", fill_own, AT_RIGHT,
	 .help = "the same metric without callees"},
	{"inclusive1", "METRIC", "with all below", fill_with, .of = 1, AT_RIGHT,
	 .help = "including all callees, under the metric's name"},
	{"own1", "own", "without what it called", fill_own, .of = 1, AT_RIGHT,
	 .help = "the same metric without callees"},
	{"site", "called at", "", fill_site, FLEXIBLE,
         .help = "the call; two calls of one procedure are two contexts"},
	{"procedure", "procedure at", "", fill_procedure, FLEXIBLE,
         .help = "where the procedure begins in the source"},
	{"parent", "caller", "", fill_parent, AT_RIGHT, .help = "node that called it"},
	{"depth", "depth", "", fill_depth, AT_RIGHT, .help = "of calls above it"},
	{"callee", "address", "", fill_callee, AT_RIGHT, .help = "where the procedure begins"},
};

/* Makes a grid with columns for the metrics that were counted, under their names. */
static void init_grid(struct tree *t)
{
	static const char *const with[CONTEXT_METRICS] = {"inclusive", "inclusive1"};
	static const char *const own[CONTEXT_METRICS] = {"own", "own1"};
	grid_init(t->g, "Calling context tree", GRID_TABLE(columns));
	for (unsigned w = 0; w < CONTEXT_METRICS; w++) {
		if (t->c.own[w]) {
			grid_column_named(t->g, with[w])->title = t->c.tree.metric[w];
		} else {
			grid_drop_column(t->g, with[w]);
			grid_drop_column(t->g, own[w]);
		}
	}
	t->g->essential = 4;
}

static void node_row(struct tree *t, uint32_t node, enum fold fold)
{
	const struct contexts *c = &t->c;
	char name[NAME], here[NAME + 16];
	const bool leaf = c->first[node] == c->first[node + 1] &&
	                  c->back_first[node] == c->back_first[node + 1];
	struct row r = {.t = t, .node = node, .k = &c->tree.nodes[node],
	                .here = node == t->here && !t->here_rest,
	                .depth = c->tree.nodes[node].depth,
	                .mark = leaf ? " " : fold == FOLD_CLOSED ? "▸" : "▾",
	                .name = contexts_name(t->s, c, node, name, sizeof name),
	                .more = here_text(t, node, false, here, sizeof here),
	                .calls = c->tree.nodes[node].calls};
	for (unsigned w = 0; w < CONTEXT_WEIGHTS; w++)
		r.with[w] = c->with[w] ? c->with[w][node] : 0;
	if (r.here)
		t->g->focus_row = t->g->row_count;
	grid_row(t->g, context_key(node, false), r.here ? ROLE_CURRENT : ROLE_PLAIN)->pc =
		r.k->callee;
	grid_cells(t->g, &r);
}

/* One row for the smaller children of a node. */
static void view_cct_append_rest_row(struct tree *t, uint32_t node, uint32_t n)
{
	const struct contexts *c = &t->c;
	char text[NAME], here[NAME + 16];
	struct row r = {.t = t, .here = node == t->here && t->here_rest,
	                .depth = c->tree.nodes[node].depth + 1, .mark = "⋯", .name = text,
	                .more = here_text(t, node, true, here, sizeof here)};
	uint32_t count;
	const uint32_t *kids = contexts_children(&t->c, node, &count);
	for (uint32_t i = count - n; i < count; i++) {
		r.calls += c->tree.nodes[kids[i]].calls;
		for (unsigned w = 0; w < CONTEXT_WEIGHTS; w++)
			r.with[w] += c->with[w] ? c->with[w][kids[i]] : 0;
	}
	snprintf(text, sizeof text, "%" PRIu32 " smaller ones", n);
	if (r.here)
		t->g->focus_row = t->g->row_count;
	grid_row(t->g, context_key(node, true), r.here ? ROLE_CURRENT : ROLE_DIM);
	grid_cells(t->g, &r);
}

/* A row for a recursive call to a procedure that is active already. */
static void back_row(struct tree *t, const struct context_back *b)
{
	const uint64_t key = UINT64_C(1) << 63 | (uint64_t)b->from << 39 | (uint64_t)b->to << 15 |
	                     (b->site >> 1 & 0x7fff);
	grid_row(t->g, key, ROLE_DIM)->pc = b->site;
	grid_cells(t->g, &(struct row){.t = t, .node = b->to, .back = b,
	                               .depth = t->c.tree.nodes[b->from].depth + 1, .mark = "↺",
	                               .name = contexts_name(t->s, &t->c, b->to, BUFFER(NAME)),
	                               .more = b->to == b->from ? " (itself)" : " (back up)",
	                               .calls = b->calls});
}

/* Rows of a node and its subtree, whose depth is at most the number of procedures. */
static void view_cct_append_subtree_rows(struct tree *t, uint32_t node)
{
	const enum fold fold = fold_of(t, node);
	uint32_t n, small;
	node_row(t, node, fold);
	if (fold == FOLD_CLOSED)
		return;
	const uint32_t single = small_children(t, node, fold, &small);
	const uint32_t *kids = contexts_children(&t->c, node, &n);
	for (uint32_t i = 0; i < n; i++)
		if (context_shown(&t->c, fold, kids[i]) || kids[i] == single)
			view_cct_append_subtree_rows(t, kids[i]);
	if (small > 1)
		view_cct_append_rest_row(t, node, small);
	const uint32_t *backs = contexts_backs(&t->c, node, &n);
	for (uint32_t i = 0; i < n; i++)
		back_row(t, &t->c.tree.backs[backs[i]]);
}

/* Reserves up to half of a pane for the tree, before the columns at its right. */
static void view_cct_reserve_tree_width(struct grid *g, unsigned room)
{
	unsigned most = 0;
	for (unsigned i = 0; i < g->row_count; i++) {
		const unsigned width = utf8_width(g->rows[i].cells[CONTEXT_COLUMN].text);
		most = width > most ? width : most;
	}
	g->columns[CONTEXT_COLUMN].min_width = most < room / 2 ? most : room / 2;
}

static bool view_cct_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	struct tree t = {.s = s, .g = out};
	struct contexts_args a;
	struct err none;
	if (!contexts_words(s, args, 1, ", all, or a node: its number, or a procedure", &a, err))
		return false;
	if (!contexts_read(s, &a, &t.c, &none)) {
		if (a.by || a.thread || a.from != CONTEXTS_ANY)
			return err_set(err, "%s", none.msg);
		init_grid(&t);
		grid_empty(out, "%s%s", contexts_are_kept(s) ? none.msg : contexts_how,
		           contexts_thread_note(s, INSTRUMENT_CCT));
		return true;
	}
	bool ok = true;
	t.all = a.rest_count && !strcmp(a.rest[0], "all");
	t.level = args->columns && args->columns < NARROW ? 1 : 2;
	t.indent_max = args->columns ? args->columns / 3 : INDENT_MAX;
	if (a.rest_count && !t.all) {
		uint32_t node;
		ok = contexts_find(s, &t.c, a.rest[0], &node, err);
		if (ok)
			context_node_grid(out, s, &t.c, node);
	} else {
		init_grid(&t);
		context_summary(out, s, &t.c);
		grid_empty(out, "nothing has been called yet: the first call makes a context");
		find_here(&t);
		if (t.c.tree.count)
			view_cct_append_subtree_rows(&t, 0);
		view_cct_reserve_tree_width(out, args->columns);
	}
	contexts_free(&t.c);
	return ok;
}

const struct view view_cct = {
	.name = "cct",
	.title = "Calling context tree",
	.args = CONTEXTS_ARGS " [NODE | all]",
	.build = view_cct_build_grid,
	.help.about =
		"Callers, callees, call sites and costs: a procedure has a row for\n"
		"each chain of calls that leads to it (Ammons, Ball and Larus, section 4). A\n"
		"procedure called while it is already active goes back to its row by a back\n"
		"edge, so recursion makes no deeper tree.\n"
		"\n"
		"  ▾ ▸ expanded, collapsed: `expand NODE`, `collapse NODE`, or e on the screen\n"
		"  ↺   a back edge: this call leads to a node above, or to the same\n"
		"  ⋯   smaller ones (below 1 %) together; expand the node to see each\n"
		"  ◀   the program is here, or in a context merged into this row\n",
	.help.tables = {{GRID_TABLE(columns)},
			{GRID_TABLE(context_node_columns),
			 .before =
				 "\n"
				 "With NODE, a number or a procedure (its largest context), only "
				 "that one: the\n"
				 "chain of calls to it, its share in each metric, its procedure's "
				 "cost in\n"
				 "all contexts, and its callees with their numbers of call sites.\n"
				 "\n"}},
	.help.hints =
		"The largest come first; contexts of 5 % are expanded unless you choose. It\n"
		"grows while you step. A program instrumented for it (--instrument cct) shows\n"
		"its own records, any other the oracle's counts (start with\n"
		"-o oracle.enable=true -o oracle.contexts=true). `oracle` and `program`\n"
		"choose where there are both, `of FILE` shows the file of a program with\n"
		"--cct, `by calls` orders, `all` shows every node.\n"
		"\n"
		"By the oracle each thread, signal handler and coroutine has a root of its own.\n"
		"Those of all threads are merged; `threads` keeps them apart, `thread N` shows\n"
		"one. A program's own records have one tree for all threads.\n"
		"\n"
		"STACK DEEPER in the title: activations more than 256 MB down share the places\n"
		"that identify their contexts, and counts are wrong.\n"
		"\n"
		"`report cct-stats` sums the tree up; `export` writes it for other tools.",
};
