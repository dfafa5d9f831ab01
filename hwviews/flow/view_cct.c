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
	bool all;           /* every node has its row, whatever is collapsed */
	unsigned level, indent_max; /* cells */
	uint32_t here;      /* the node whose row says where the program is; CONTEXT_NONE: none */
	bool here_rest;     /* it is the row of its smaller children */
};

/* ---- columns ---- */
static const struct grid_column columns[] = {
	{"node", "node", "", .align = ALIGN_RIGHT,
	 .help = "number by which `expand` and `cct NODE` name it"},
	{"context", "context", "", .flexible = true,
	 .help = "the procedure, the deeper the further right"},
	{"share", "share", "with all below", .align = ALIGN_RIGHT, .restless = true,
	 .help = "with all that was called from there"},
	{"calls", "calls", "", .align = ALIGN_RIGHT,
	 .help = "how often it was called from there"},
	{"inclusive", "METRIC", "with all below", .align = ALIGN_RIGHT,
	 .help = "with all that was called from there, under the metric's name"},
	{"own", "own", "without what it called", .align = ALIGN_RIGHT,
	 .help = "the same metric without what was called"},
	{"inclusive1", "METRIC", "with all below", .align = ALIGN_RIGHT,
	 .help = "with all that was called from there, under the metric's name"},
	{"own1", "own", "without what it called", .align = ALIGN_RIGHT,
	 .help = "the same metric without what was called"},
	{"site", "called at", "", .flexible = true,
	 .help = "the call; two calls of one procedure are two contexts"},
	{"procedure", "procedure at", "", .flexible = true,
	 .help = "where the procedure begins in the source"},
	{"parent", "caller", "", .align = ALIGN_RIGHT, .help = "node that called it"},
	{"depth", "depth", "", .align = ALIGN_RIGHT, .help = "of calls above it"},
	{"callee", "address", "", .align = ALIGN_RIGHT, .help = "where the procedure begins"},
};

/* With the metrics that were counted, under their names. */
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

/* ---- where the program is ---- */
static enum fold fold_of(const struct tree *t, uint32_t node)
{
	return t->all ? FOLD_OPEN : context_fold(t->s, &t->c, node);
}

/* Children that are gathered in one row: their number is in *n; CONTEXT_NONE or a single one of
 * them, which has a row then. */
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

/* Looks from the root down for the last row on the way to the present node. */
static void find_here(struct tree *t)
{
	uint32_t at = t->c.tree.current;
	t->here = CONTEXT_NONE;
	if (at >= t->c.tree.count)
		return;
	/* From below, the topmost of those that hide what is under them. */
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
	char name[NAME];
	if (node != t->here || rest != t->here_rest)
		return "";
	if (!rest && node == t->c.tree.current)
		return "  ◀ here";
	snprintf(buf, n, "  ◀ in %s",
	         contexts_name(t->s, &t->c, t->c.tree.current, name, sizeof name));
	return buf;
}

static enum role share_role(const struct tree *t, uint64_t part)
{
	return (double)part * 100 >= (double)t->c.with[t->c.by][0] * FOLD_LARGE && part
	               ? ROLE_HOT
	               : ROLE_NUMBER;
}

static void cell_part(const struct tree *t, uint64_t part)
{
	const uint64_t whole = t->c.with[t->c.by][0];
	const double percent = whole ? 100 * (double)part / (double)whole : 0;
	grid_double_text(t->g, share_role(t, part), percent, "%.1f %%", percent);
}

/* What stands before a name: the deeper, the further right, as far as there is room. */
static void cell_name(const struct tree *t, enum role role, uint32_t depth, const char *mark,
                      const char *name, const char *more)
{
	const unsigned indent = t->level * depth;
	if (indent <= t->indent_max)
		grid_text(t->g, role, "%*s%s %s%s", (int)indent, "", mark, name, more);
	else
		grid_text(t->g, role, "%*s⋯%" PRIu32 " %s %s%s", (int)t->indent_max, "", depth,
		          mark, name, more);
}

static void node_row(struct tree *t, uint32_t node, enum fold fold)
{
	const struct contexts *c = &t->c;
	const struct context *k = &c->tree.nodes[node];
	char name[NAME], here[NAME + 16];
	const bool leaf = c->first[node] == c->first[node + 1] &&
	                  c->back_first[node] == c->back_first[node + 1];
	const bool is_here = node == t->here && !t->here_rest;
	if (is_here)
		t->g->focus_row = t->g->row_count;
	grid_row(t->g, context_key(node, false), is_here ? ROLE_CURRENT : ROLE_PLAIN)->pc =
		k->callee;
	grid_uint_text(t->g, ROLE_DIM, node, "%" PRIu32, node);
	cell_name(t, is_here ? ROLE_CURRENT : ROLE_ADDRESS, k->depth,
	          leaf                  ? " "
	          : fold == FOLD_CLOSED ? "▸"
	                                : "▾",
	          contexts_name(t->s, c, node, name, sizeof name),
	          here_text(t, node, false, here, sizeof here));
	cell_part(t, c->with[c->by][node]);
	grid_uint(t->g, ROLE_NUMBER, k->calls);
	for (unsigned w = 0; w < CONTEXT_METRICS; w++) {
		if (!c->own[w])
			continue;
		grid_uint(t->g, ROLE_NUMBER, c->with[w][node]);
		grid_uint(t->g, c->own[w][node] ? ROLE_NUMBER : ROLE_DIM, c->own[w][node]);
	}
	context_cell_line(t->g, t->s, k->site);
	context_cell_line(t->g, t->s, k->callee);
	if (node)
		grid_uint_text(t->g, ROLE_DIM, k->parent, "%" PRIu32, k->parent);
	else
		grid_blank(t->g);
	grid_uint(t->g, ROLE_DIM, k->depth);
	grid_hex(t->g, ROLE_DIM, k->callee);
}

/* The smaller children of a node, together. */
static void rest_row(struct tree *t, uint32_t node, uint32_t n)
{
	const struct contexts *c = &t->c;
	const bool is_here = node == t->here && t->here_rest;
	uint64_t calls = 0, with[CONTEXT_WEIGHTS] = {0};
	char text[NAME], here[NAME + 16];
	uint32_t count;
	const uint32_t *kids = contexts_children(&t->c, node, &count);
	for (uint32_t i = count - n; i < count; i++) {
		calls += c->tree.nodes[kids[i]].calls;
		for (unsigned w = 0; w < CONTEXT_WEIGHTS; w++)
			with[w] += c->with[w] ? c->with[w][kids[i]] : 0;
	}
	if (is_here)
		t->g->focus_row = t->g->row_count;
	grid_row(t->g, context_key(node, true), is_here ? ROLE_CURRENT : ROLE_DIM);
	grid_blank(t->g);
	snprintf(text, sizeof text, "%" PRIu32 " smaller ones", n);
	cell_name(t, is_here ? ROLE_CURRENT : ROLE_DIM, c->tree.nodes[node].depth + 1, "⋯", text,
	          here_text(t, node, true, here, sizeof here));
	cell_part(t, with[c->by]);
	grid_uint(t->g, ROLE_DIM, calls);
	for (unsigned w = 0; w < CONTEXT_METRICS; w++) {
		if (!c->own[w])
			continue;
		grid_uint(t->g, ROLE_DIM, with[w]);
		grid_blank(t->g);
	}
}

/* A call that goes back to a procedure which is active already. */
static void back_row(struct tree *t, const struct context_back *b)
{
	char name[NAME], to[32];
	const uint64_t key = UINT64_C(1) << 63 | (uint64_t)b->from << 39 | (uint64_t)b->to << 15 |
	                     (b->site >> 1 & 0x7fff);
	grid_row(t->g, key, ROLE_DIM)->pc = b->site;
	grid_uint_text(t->g, ROLE_DIM, b->to, "↺ %" PRIu32, b->to);
	snprintf(to, sizeof to, b->to == b->from ? " (itself)" : " (back up)");
	cell_name(t, ROLE_WAITING, t->c.tree.nodes[b->from].depth + 1, "↺",
	          contexts_name(t->s, &t->c, b->to, name, sizeof name), to);
	grid_blank(t->g);
	if (b->calls)
		grid_uint(t->g, ROLE_NUMBER, b->calls);
	else
		grid_blank(t->g);
	for (unsigned w = 0; w < CONTEXT_METRICS; w++)
		for (unsigned i = 0; t->c.own[w] && i < 2; i++)
			grid_blank(t->g);
	context_cell_line(t->g, t->s, b->site);
	grid_blank(t->g);
	grid_uint_text(t->g, ROLE_DIM, b->from, "%" PRIu32, b->from);
}

/* Rows of a node and what is below: as deep as there are procedures at most. */
static void rows(struct tree *t, uint32_t node)
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
			rows(t, kids[i]);
	if (small > 1)
		rest_row(t, node, small);
	const uint32_t *backs = contexts_backs(&t->c, node, &n);
	for (uint32_t i = 0; i < n; i++)
		back_row(t, &t->c.tree.backs[backs[i]]);
}

/* The tree comes first: it may have half of a pane, before what stands at its right has anything.
 */
static void make_room(struct grid *g, unsigned room)
{
	unsigned most = 0;
	for (unsigned i = 0; i < g->row_count; i++) {
		const unsigned width = utf8_width(g->rows[i].cells[CONTEXT_COLUMN].text);
		most = width > most ? width : most;
	}
	g->columns[CONTEXT_COLUMN].min_width = most < room / 2 ? most : room / 2;
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	struct tree t = {.s = s, .g = out};
	struct contexts_args a;
	struct err none;
	if (!contexts_words(s, args, 1, ", all, or a node: its number, or a procedure", &a, err))
		return false;
	if (!contexts_read(s, &a, &t.c, &none)) {
		if (a.by || a.from != CONTEXTS_ANY)
			return err_set(err, "%s", none.msg);
		init_grid(&t);
		grid_empty(out, "%s",
		           session_oracle(s) && oracle_has(session_oracle(s), ORACLE_ARCS)
		                   ? none.msg
		                   : contexts_how);
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
			rows(&t, 0);
		make_room(out, args->columns);
	}
	contexts_free(&t.c);
	return ok;
}

const struct view view_cct = {
	.name = "cct",
	.title = "Calling context tree",
	.args = "[oracle|program|of FILE] [by METRIC] [NODE | all]",
	.help.about =
		"Who called whom, from where, and what it cost: a procedure stands once for\n"
		"each chain of calls that leads to it (Ammons, Ball and Larus, section 4). One\n"
		"that is called while it is active already goes back to its place by a back\n"
		"edge, so recursion makes no deeper tree.\n"
		"\n"
		"  ▾ ▸ expanded, collapsed: `expand NODE`, `collapse NODE`, or e on the screen\n"
		"  ↺   a back edge: this call leads to a node above, or to the same\n"
		"  ⋯   smaller ones (below 1 %) together; expand the node to see each\n"
		"  ◀   here the program is, or in something that isn't shown by itself\n",
	.help.tables = {{GRID_TABLE(columns)},
	                {GRID_TABLE(context_node_columns),
	                 .before =
		"\n"
		"With NODE, a number or a procedure (its largest context), that one alone: the\n"
		"chain of calls to it, its share in each metric, what its procedure costs in\n"
		"all contexts, and whom it called from how many of its call sites.\n"
		"\n"}},
	.help.hints =
		"\n"
		"The largest come first; what has 5 % is expanded unless you say otherwise. It\n"
		"grows while you step. A program instrumented for it (--instrument cct) shows\n"
		"its own records, any other what the oracle counts (start with\n"
		"-o oracle.enable=true -o oracle.contexts=true). `oracle` and `program`\n"
		"choose where there are both, `of FILE` shows what a program with --cct has\n"
		"written, `by calls` orders, `all` shows every node.\n"
		"\n"
		"STACK DEEPER in the title: activations more than 256 MB down share the places\n"
		"by which their contexts are known, and counts are wrong.\n"
		"\n"
		"`report cct-stats` sums the tree up; `export` writes it for other tools.",
	.build = build,
};
