/* The size and shape of a calling context tree: the columns of Table 3 of Ammons, Ball and Larus.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/flow/context_rows.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/reports/report.h"

struct shape {
	uint64_t size, nodes, inner, children, leaves, height_sum, height_max;
	uint64_t replication, sites, used, one_path;
	uint64_t replicated;                   /* address of a procedure */
	bool sized, sites_known, used_known, one_path_known;
};

/* ---- replication ---- */
struct procedure {
	uint64_t at;
	uint64_t sites; /* of a node */
};

ORDER(by_address, struct procedure, UP(at))

/* Counts calls in a procedure's code, for trees whose nodes lack the number. */
static uint64_t report_cct_count_call_sites(const struct session *s, uint64_t at)
{
	const struct symbol *sym = program_symbol_at(s->program, at);
	struct code c;
	uint64_t n = 0;
	if (!sym || sym->addr != at)
		return 0;
	for (uint64_t pc = at; pc < at + sym->size && code_at(s, pc, &c); pc += c.len)
		n += inst_pushes_ras(&c.inst);
	return n;
}

/* Finds the procedure with most nodes, and counts call sites, by sorting nodes by procedure. False
 * if memory is out. */
static bool by_procedure(const struct session *s, const struct context_tree *t, struct shape *x)
{
	struct procedure *p = alloc_bytes(((size_t)t->count + 1) * sizeof *p);
	uint32_t n = 0;
	uint64_t in_row = 0;
	if (!p)
		return false;
	for (uint32_t i = 0; i < t->count; i++)
		if (t->nodes[i].callee)
			p[n++] = (struct procedure){.at = t->nodes[i].callee};
	sort_stable(p, n, sizeof *p, by_address);
	for (uint32_t i = 0; i < n; i++) {
		const bool again = i && p[i].at == p[i - 1].at;
		in_row = again ? in_row + 1 : 1;
		if (in_row > x->replication) {
			x->replication = in_row;
			x->replicated = p[i].at;
		}
		if (x->sites_known)
			continue;
		p[i].sites = again ? p[i - 1].sites : report_cct_count_call_sites(s, p[i].at);
		x->sites += p[i].sites;
	}
	free(p);
	x->sites_known = true;
	return true;
}

/* ---- call sites ---- */
static int report_cct_compare_by_site(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* Counts the distinct call sites of a node's callees. False if sites are not recorded, or memory is
 * out. */
static bool used_sites(struct contexts *c, uint32_t node, uint64_t *used)
{
	uint32_t kids, backs, n = 0;
	const uint32_t *kid = contexts_children(c, node, &kids),
		       *back = contexts_backs(c, node, &backs);
	uint64_t *sites = alloc_bytes(((size_t)kids + backs + 1) * sizeof *sites);
	if (!sites)
		return false;
	for (uint32_t i = 0; i < kids; i++)
		sites[n++] = c->tree.nodes[kid[i]].site;
	for (uint32_t i = 0; i < backs; i++)
		sites[n++] = c->tree.backs[back[i]].site;
	sort_stable(sites, n, sizeof *sites, report_cct_compare_by_site);
	bool known = !n || sites[0];
	for (uint32_t i = 0; i < n; i++)
		*used += !i || sites[i] != sites[i - 1];
	free(sites);
	return known;
}

/* ---- all of it ---- */
/* The root counts if it is a procedure; the paper's root stands for none. */
static bool report_cct_measure_tree(const struct session *s, struct contexts *c, struct shape *x)
{
	const struct context_tree *t = &c->tree;
	const uint32_t above = t->count && t->nodes[0].callee ? 0 : 1;
	*x = (struct shape){.sized = c->from != CONTEXTS_ORACLE, .sites_known = true,
	                    .used_known = true, .one_path_known = true};
	for (uint32_t i = 0; i < t->count; i++) {
		const struct context *k = &t->nodes[i];
		const uint64_t children = c->first[i + 1] - c->first[i], depth = k->depth - above;
		x->size += k->size;
		if (!k->callee)
			continue;
		x->nodes++;
		x->inner += children > 0;
		x->children += children;
		if (!children) {
			x->leaves++;
			x->height_sum += depth;
		}
		x->height_max = depth > x->height_max ? depth : x->height_max;
		x->sites_known &= k->sites != CONTEXT_NONE;
		x->one_path_known &= k->one_path != CONTEXT_NONE;
		x->sites += x->sites_known ? k->sites : 0;
		x->one_path += x->one_path_known ? k->one_path : 0;
		x->used_known &= used_sites(c, i, &x->used);
	}
	x->sites = x->sites_known ? x->sites : 0;
	return by_procedure(s, t, x);
}

static void report_cct_append_count_cell(struct grid *g, bool known, uint64_t n)
{
	if (known)
		grid_uint(g, ROLE_NUMBER, n);
	else
		grid_text(g, ROLE_DIM, "-");
}

static void cell_average(struct grid *g, bool known, uint64_t sum, uint64_t n)
{
	if (known && n)
		grid_double(g, ROLE_NUMBER, (double)sum / (double)n, 1);
	else
		grid_text(g, ROLE_DIM, "-");
}

struct row {
	const struct session *s;
	const struct contexts *c;
	const struct shape *x;
};

static const struct shape *shape_of(const void *row)
{
	return ((const struct row *)row)->x;
}

FILL(fill_size, struct row, report_cct_append_count_cell(g, shape_of(r)->sized, shape_of(r)->size))
FILL(fill_nodes, struct row, grid_uint(g, ROLE_NUMBER, shape_of(r)->nodes))
FILL(fill_node_size, struct row, const struct shape *x = shape_of(r);
	cell_average(g, x->sized, x->size, x->nodes))
FILL(fill_out_degree, struct row, cell_average(g, true, shape_of(r)->children, shape_of(r)->inner))
FILL(fill_height, struct row, cell_average(g, true, shape_of(r)->height_sum, shape_of(r)->leaves))
FILL(fill_height_max, struct row, grid_uint(g, ROLE_NUMBER, shape_of(r)->height_max))
FILL(fill_replication, struct row, grid_uint(g, ROLE_NUMBER, shape_of(r)->replication))
FILL(fill_sites, struct row,
     report_cct_append_count_cell(g, shape_of(r)->sites_known, shape_of(r)->sites))
FILL(fill_used, struct row,
     report_cct_append_count_cell(g, shape_of(r)->used_known, shape_of(r)->used))
FILL(fill_one_path, struct row,
     report_cct_append_count_cell(g, shape_of(r)->one_path_known, shape_of(r)->one_path))
FILL(fill_backs, struct row, grid_uint(g, ROLE_NUMBER, r->c->tree.back_count))
FILL(fill_from, struct row, grid_text(g, ROLE_PLAIN, "%s", r->c->from == CONTEXTS_ORACLE ? "oracle"
	: r->c->from == CONTEXTS_FILE ? "file" : "program"))
FILL(fill_replicated, struct row,
	grid_text(g, ROLE_ADDRESS, "%s", format_addr(r->s, r->x->replicated, BUFFER(96))))

static const struct grid_column columns[] = {
	{"size", "size", "bytes", fill_size, AT_RIGHT,
	 .help = "of its records in the program's memory; the oracle has none"},
	{"nodes", "nodes", "", fill_nodes, AT_RIGHT,
	 .help = "procedures in a context; a root that is none doesn't count"},
	{"node_size", "node size", "bytes, average", fill_node_size, AT_RIGHT,
	 .help = "the average of their records"},
	{"out_degree", "out-degree", "children of inner nodes, average", fill_out_degree, AT_RIGHT,
	 .help = "callees of a context that calls, on average"},
	{"height", "height", "calls down to a leaf, average", fill_height, AT_RIGHT,
	 .help = "calls from the outermost procedure down to a leaf, on average; max: the longest"},
	{"height_max", "max", "calls down to a leaf", fill_height_max, AT_RIGHT,
	 .help = "the longest way of `height`"},
	{"replication", "replication", "nodes of one procedure, most", fill_replication, AT_RIGHT,
	 .help = "the most contexts that a single procedure has: `replicated`"},
	{"sites", "call sites", "of all nodes", fill_sites, AT_RIGHT,
	 .help = "in all nodes: a procedure's count for each of its contexts"},
	{"used", "used", "call sites", fill_used, AT_RIGHT, .help = "of these, sites with a call"},
	{"one_path", "one path", "call sites", fill_one_path, AT_RIGHT,
	 .help = "of these, sites reached by one path through the procedure only; known with "
	         "--instrument cct+path, else -"},
	{"backs", "back edges", "", fill_backs, AT_RIGHT,
	 .help = "calls that lead back to a procedure that is already active"},
	{"from", "from", "", fill_from,
	 .help = "source of the tree: the program, the oracle, or a file"},
	{"replicated", "replicated", "", fill_replicated, FLEXIBLE,
	 .help = "the procedure that `replication` is about"},
};

static bool report_cct_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	struct contexts_args a;
	struct contexts c;
	struct shape x;
	if (!contexts_words(s, args, 0, "", &a, err))
		return false;
	if (a.by)
		return err_set(err, "nothing is ordered here; expected oracle, program or of FILE");
	if (!contexts_read_sites(s, &a, &c, err))
		return false;
	const bool ok = report_cct_measure_tree(s, &c, &x);
	if (ok) {
		grid_init(out, "Calling context tree", GRID_TABLE(columns));
		context_summary(out, s, &c);
		grid_empty(out, "nothing has been called");
		out->essential = 10;
		if (c.tree.count) {
			grid_row(out, 1, ROLE_PLAIN);
			grid_cells(out, &(struct row){s, &c, &x});
		}
	}
	contexts_free(&c);
	return ok || err_set(err, "out of memory for the statistics of %" PRIu32 " contexts",
	                     c.tree.count);
}

const struct report report_cct_stats = {
	.name = "cct-stats",
	.title = "Size and shape of the calling context tree",
	.args = "[oracle|program|of FILE] [threads|thread N]",
	.build = report_cct_build_grid,
	.help.about =
		"The columns of Table 3 of Ammons, Ball and Larus, of the tree that `view cct`\n"
		"shows:",
	.help.tables = {{GRID_TABLE(columns), .indent = 16}},
	.help.hints = "The paper found trees bushy rather than tall. Is yours?",
};
