/* A function's flow graph for graphviz. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/exports/export.h"
#include "hwviews/flow/flow_picture.h"
#include "hwviews/flow/flow_text.h"
#include "hwviews/grid/dot.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"

enum { LABEL_MAX = 8192 };

struct graph {
	const struct session *s;
	struct flow_picture p;
	FILE *out;
	uint64_t insts; /* executed in the function */
	bool code;
};

static void export_dot_cfg_write_node(const struct graph *g, uint32_t k)
{
	const struct flow_block *b = &g->p.graph.blocks[k];
	char label[LABEL_MAX], text[256], heat[8];
	struct code c;
	size_t used =
		(size_t)snprintf(label, sizeof label, "%" PRIu32 "  %s\n", k,
	                         program_addr_text(g->s->program, flow_picture_now(&g->p, b->start),
	                                           text, sizeof text));
	if (b->count.known)
		used += (size_t)snprintf(label + used, sizeof label - used, "%s times\n",
		                         GROUPED(b->count.n));
	used += (size_t)snprintf(label + used, sizeof label - used, "%s\n",
	                         flow_about_text(g->s, &g->p, b, text, sizeof text));
	flow_lines_text(g->s, &g->p, &k, 1, text, sizeof text);
	if (*text && used < sizeof label)
		used += (size_t)snprintf(label + used, sizeof label - used, "%s\n", text);
	for (uint64_t pc = b->start;
	     g->code && pc < b->end && used + sizeof text < sizeof label && code_at(g->s, pc, &c);
	     pc += c.len)
		used += (size_t)snprintf(label + used, sizeof label - used, "%s\n",
		                         flow_code_text(g->s, &g->p, pc, text, sizeof text));
	fprintf(g->out, "\tb%" PRIu32 " [label=", k);
	dot_string(g->out, label);
	const double share =
		g->insts && b->count.known ? (double)(b->count.n * b->insts) / (double)g->insts : 0;
	fprintf(g->out, ", fillcolor=\"%s\"%s];\n", dot_heat(share, heat),
	        k == g->p.here ? ", penwidth=3" : "");
}

static void label_text(const struct graph *g, uint32_t edge, char *buf, size_t n)
{
	const struct flow_edge *e = &g->p.graph.edges[edge];
	const struct flow_label *l = g->p.labels ? &g->p.labels[edge] : NULL;
	size_t used = (size_t)snprintf(buf, n, "%s", e->count.known ? GROUPED(e->count.n) : "");
	if (l && l->cut)
		snprintf(buf + used, n - used, "\ncount r%+" PRId64 ", r = %" PRId64, l->end,
		         l->start);
	else if (l && l->there && l->value)
		snprintf(buf + used, n - used, "\nr += %" PRId64, l->value);
}

/* An edge out of the function gets a box if its target is known; returns have none. */
static void export_dot_cfg_write_edge(const struct graph *g, uint32_t edge)
{
	const struct flow_edge *e = &g->p.graph.edges[edge];
	const struct flow_block *b = &g->p.graph.blocks[e->from];
	char label[128];
	if (e->to == FLOW_NONE &&
	    (inst_pops_ras(&b->inst) || (e->kind == FLOW_UNKNOWN && e->count.known && !e->count.n)))
		return;
	label_text(g, edge, label, sizeof label);
	if (e->to == FLOW_NONE) {
		const uint64_t now = e->target && g->p.laid_out
		                             ? moved_code_to(&g->p.moved, e->target) : e->target;
		fprintf(g->out, "\tout%" PRIu32 " [shape=plaintext, label=", edge);
		dot_string(g->out, e->target ? program_addr_text(g->s->program,
		                                                 now ? now : e->target, BUFFER(160))
		                             : "?");
		fprintf(g->out, "];\n\tb%" PRIu32 " -> out%" PRIu32 " [label=", e->from, edge);
	} else {
		fprintf(g->out, "\tb%" PRIu32 " -> b%" PRIu32 " [label=", e->from, e->to);
	}
	dot_string(g->out, label);
	fprintf(g->out, "%s%s];\n", e->back ? ", style=bold" : "",
	        e->kind == FLOW_NEXT ? ", weight=4" : "");
}

static void export_dot_cfg_write_graph(struct graph *g)
{
	const struct flow *f = &g->p.graph;
	dot_begin(g->out, g->p.symbol->name);
	for (uint32_t k = 0; k < f->block_count; k++)
		g->insts +=
			f->blocks[k].count.known ? f->blocks[k].count.n * f->blocks[k].insts : 0;
	for (uint32_t k = 0; k < f->block_count; k++)
		export_dot_cfg_write_node(g, k);
	for (uint32_t k = 0; k < f->edge_count; k++)
		export_dot_cfg_write_edge(g, k);
	char label[160];
	snprintf(label, sizeof label, "%s%s%s", g->p.symbol->name,
	         g->p.counts ? ", counted by " : "", g->p.counts ? g->p.counts : "");
	fputs("\tfontname=monospace; fontsize=10; label=", g->out);
	dot_string(g->out, label);
	fputs(";\n}\n", g->out);
}

static bool export_dot_cfg_write_file(const struct session *s, const struct view_args *args,
                                      FILE *out, struct err *err)
{
	struct graph g = {.s = s, .out = out};
	uint64_t addr = machine_seen_pc(s->machine);
	int n = args->argc;
	g.code = n && strcmp(args->argv[n - 1], "code") == 0;
	n -= g.code;
	if (n > 1)
		return err_set(err, "'%s' is one word too many; expected a function, and code",
		               args->argv[1]);
	if ((n && !arg_address(s, args->argv[0], &addr, err)) ||
	    !flow_picture_of(s, addr, true, &g.p, err))
		return false;
	export_dot_cfg_write_graph(&g);
	flow_picture_free(&g.p);
	return true;
}

const struct export_format export_dot_cfg = {
	.name = "dot-cfg",
	.title = "a function's flow graph, for graphviz",
	.args = "[FUNCTION] [code]",
	.write = export_dot_cfg_write_file,
	.help = "A box for each basic block of the current function, or of\n"
		"FUNCTION, with its source lines, and with `code` its instructions; arrows with\n"
		"each edge's count, thick ones for back edges. Counts are those\n"
		"of `view cfg`. A warmer box executed more of the function's\n"
		"instructions.\n"
		"    dot -Tsvg FILE -o flow.svg",
};
