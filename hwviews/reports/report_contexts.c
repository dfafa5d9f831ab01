/* The oracle's calling context tree as a report. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"

struct place {
	struct oracle_node node;
	uint64_t inclusive;
	uint32_t id, next, child; /* sibling and first child by inclusive count; 0: none */
};

static int by_inclusive(const void *a, const void *b)
{
	const struct place *x = *(struct place *const *)a, *y = *(struct place *const *)b;
	if (x->inclusive != y->inclusive)
		return x->inclusive > y->inclusive ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Collects nodes with inclusive counts, children linked, the largest first. NULL if memory is
 * out. */
static struct place *report_contexts_collect_nodes(const struct oracle *o)
{
	uint32_t n = (uint32_t)o->head.nodes;
	struct place *p = alloc_zeroed(n + (size_t)1, sizeof *p),
		     **order = alloc_bytes((n + (size_t)1) * sizeof(struct place *));
	if (!p || !order) {
		free(p);
		free(order);
		return NULL;
	}
	for (uint32_t i = 0; i < n; i++) {
		p[i].node = oracle_node(o, i);
		p[i].inclusive = p[i].node.insts;
		p[i].id = i;
		order[i] = &p[i];
	}
	for (uint32_t i = n; i-- > 1;)
		p[p[i].node.parent].inclusive += p[i].inclusive;
	sort_stable(order, n, sizeof(struct place *), by_inclusive);
	for (uint32_t i = n; i-- > 0;) {
		struct place *q = order[i];
		if (!q->id)
			continue;
		q->next = p[q->node.parent].child;
		p[q->node.parent].child = q->id;
	}
	free(order);
	return p;
}

struct row {
	const struct session *s;
	const struct place *q;
	uint64_t all; /* instructions */
};

static const struct oracle_node *node_of(const void *row)
{
	return &((const struct row *)row)->q->node;
}

FILL(fill_share, struct row, cell_share(g, r->q->inclusive, r->all))
FILL(fill_inclusive, struct row, grid_uint(g, ROLE_NUMBER, r->q->inclusive))
FILL(fill_insts, struct row, grid_uint(g, ROLE_NUMBER, node_of(r)->insts))
FILL(fill_calls, struct row, grid_uint(g, ROLE_NUMBER, node_of(r)->calls))

static void report_contexts_fill_context(struct grid *g, const void *row)
{
	const struct oracle_node *node = node_of(row);
	const unsigned indent = node->depth < 40 ? 2 * node->depth : 80;
	char root[64];
	oracle_root_text(node->site, root, sizeof root);
	grid_text(g, ROLE_ADDRESS, "%*s%s%s", (int)indent, "", root,
	          format_addr(((const struct row *)row)->s, node->callee, BUFFER(96)));
}

FILL(fill_site, struct row,
     r->q->id && !oracle_is_root(r->q->node.site) ? cell_addr(g, r->s, ROLE_DIM, r->q->node.site)
	: grid_blank(g))
FILL(fill_depth, struct row, grid_uint(g, ROLE_DIM, node_of(r)->depth))
FILL(fill_callee, struct row, grid_hex(g, ROLE_DIM, node_of(r)->callee))

static const struct grid_column columns[] = {
	{"share", "with all below", "percent of instructions", fill_share, AT_RIGHT,
         .help = "`with below` as a share of all instructions"},
	{"inclusive", "with below", "instructions", fill_inclusive, AT_RIGHT,
	 .help = "instructions in this context and all its callees"},
	{"insts", "own", "instructions", fill_insts, AT_RIGHT, .help = "in this context itself"},
	{"calls", "calls", "calls", fill_calls, AT_RIGHT,
	 .help = "calls to here, recursive ones included"},
	{"context", "context", "", report_contexts_fill_context, FLEXIBLE,
	 .help = "the procedure, indented by depth"},
	{"site", "called at", "", fill_site, AT_RIGHT, .help = "the call; sites are distinguished"},
	{"depth", "depth", "", fill_depth, AT_RIGHT, .help = "of calls above it"},
	{"callee", "address", "", fill_callee, AT_RIGHT, .help = "where the procedure begins"},
};

static bool report_contexts_build_grid(const struct session *s, const struct view_args *args,
                                       struct grid *out, struct err *err)
{
	const struct oracle *o = oracle_with(s, ORACLE_ARCS, "oracle.contexts=true", err);
	uint64_t limit, n = o ? o->head.nodes : 0;
	/* Small nodes are left out first, so that each row's parent has a row, too. */
	if (!o || !oracle_row_limit(args, 0, n, &limit, err))
		return false;
	struct place *p = report_contexts_collect_nodes(o);
	if (!p)
		return err_set(err, "out of memory for the contexts");
	grid_init(out, "Calling contexts", GRID_TABLE(columns));
	grid_empty(out, "nothing has committed");
	uint64_t least = 0, shown = n;
	for (uint64_t step = 1 + o->head.insts / 2000; shown > limit; step *= 2) {
		least = step;
		shown = 0;
		for (uint64_t i = 0; i < n; i++)
			shown += p[i].inclusive >= least;
	}
	oracle_summary(out, s, o, shown, n);
	for (uint64_t at = 0; n && shown;) {
		grid_row(out, 1 + p[at].id, ROLE_PLAIN)->pc = p[at].node.callee;
		grid_cells(out, &(struct row){s, &p[at], o->head.insts});
		uint32_t next = p[at].child;
		if (next && p[next].inclusive >= least) {
			at = next;
			continue;
		}
		while (at && (!p[at].next || p[p[at].next].inclusive < least))
			at = p[at].node.parent;
		if (!at)
			break;
		at = p[at].next;
	}
	free(p);
	return true;
}

const struct report report_oracle_contexts = {
	.name = "oracle contexts",
	.title = "The calling context tree",
	.args = "[ROWS|all]",
	.device = "oracle",
	.build = report_contexts_build_grid,
	.help.about =
		"Calls as a tree: a procedure has a row for each chain\n"
		"of calls that leads to it. One that is already active goes back to its row,\n"
		"so recursion makes no rows. With ROWS, small contexts are left out.",
	.help.tables = {{GRID_TABLE(columns), .indent = 14}},
	.help.hints = "The target of a tail call has the same caller, and the same call site;\n"
		      "longjmp comes back to where setjmp was called. Each thread, handler and\n"
		      "coroutine has a root of its own. Needs oracle.contexts=true.",
};
