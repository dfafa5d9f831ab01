/* The calling context tree for graphviz. */
#include <inttypes.h>
#include <string.h>

#include "hwviews/exports/export.h"
#include "hwviews/flow/context_rows.h"
#include "hwviews/grid/dot.h"

/* LEAST: default percentage below which nodes are left out. */
enum { LEAST = 1, NAME = 200 };

struct graph {
	const struct session *s;
	struct contexts c;
	FILE *out;
	uint64_t least;
};

static bool is_drawn(const struct graph *g, uint32_t node)
{
	return !node || g->c.with[g->c.by][node] >= g->least;
}

static void export_dot_cct_write_node(const struct graph *g, uint32_t node)
{
	const struct contexts *c = &g->c;
	const uint64_t whole = c->with[c->by][0], with = c->with[c->by][node];
	const double share = whole ? (double)with / (double)whole : 0;
	char label[2 * NAME], heat[8];
	snprintf(label, sizeof label, "%s\n%.1f %%, own %s",
	         contexts_name(g->s, c, node, BUFFER(NAME)), 100 * share,
	         GROUPED(c->own[c->by][node]));
	fprintf(g->out, "\tn%" PRIu32 " [label=", node);
	dot_string(g->out, label);
	fprintf(g->out, ", fillcolor=\"%s\"%s];\n", dot_heat(share, heat),
	        node == c->tree.current ? ", penwidth=3" : "");
}

/* The call that led from one node to another. */
static void export_dot_cct_write_edge(const struct graph *g, uint32_t from, uint32_t to,
                                      uint64_t site, uint64_t calls, const char *style)
{
	char place[NAME], label[NAME + 40];
	snprintf(label, sizeof label, "%s", calls ? GROUPED(calls) : "");
	if (site)
		snprintf(label + strlen(label), sizeof label - strlen(label), "%s%s",
		         *label ? "\n" : "", context_line_text(g->s, site, place, sizeof place));
	fprintf(g->out, "\tn%" PRIu32 " -> n%" PRIu32 " [label=", from, to);
	dot_string(g->out, label);
	fprintf(g->out, "%s];\n", style);
}

static void export_dot_cct_write_graph(const struct graph *g)
{
	const struct context_tree *t = &g->c.tree;
	uint32_t left_out = 0;
	dot_begin(g->out, program_path(g->s->program));
	for (uint32_t i = 0; i < t->count; i++) {
		if (is_drawn(g, i))
			export_dot_cct_write_node(g, i);
		else
			left_out++;
	}
	for (uint32_t i = 1; i < t->count; i++)
		if (is_drawn(g, i))
			export_dot_cct_write_edge(g, t->nodes[i].parent, i, t->nodes[i].site,
			                          g->c.entered[i], "");
	for (uint32_t i = 0; i < t->back_count; i++)
		if (is_drawn(g, t->backs[i].from))
			export_dot_cct_write_edge(g, t->backs[i].from, t->backs[i].to,
			                          t->backs[i].site, t->backs[i].calls,
			                          ", style=dashed, constraint=false");
	if (left_out)
		fprintf(g->out,
		        "\tlabel=\"%" PRIu32
		        " smaller contexts are left out\"; fontname=monospace; fontsize=10;\n",
		        left_out);
	fputs("}\n", g->out);
}

static bool export_dot_cct_write_file(const struct session *s, const struct view_args *args,
                                      FILE *out, struct err *err)
{
	struct contexts_args a;
	struct graph g = {.s = s, .out = out};
	if (!contexts_words(s, args, 1, ", all", &a, err))
		return false;
	if (a.rest_count && strcmp(a.rest[0], "all") != 0)
		return err_set(err,
		               "'%s' is not understood; expected oracle, program or of FILE, by "
		               "METRIC, all",
		               a.rest[0]);
	if (!contexts_read(s, &a, &g.c, err))
		return false;
	if (!a.rest_count && g.c.tree.count)
		g.least = (g.c.with[g.c.by][0] * LEAST + 99) / 100;
	export_dot_cct_write_graph(&g);
	contexts_free(&g.c);
	return true;
}

const struct export_format export_dot_cct = {
	.name = "dot-cct",
	.title = "the calling context tree, for graphviz",
	.args = CONTEXTS_ARGS " [all] " REGION_ARGS,
	.write = export_dot_cct_write_file,
	.help = "A box for each calling context that has 1 % of the whole, or with `all`\n"
		"for each; arrows are calls, with count and call site, dashed ones back\n"
		"edges. A warmer box cost more, including callees.\n"
		"    dot -Tsvg FILE -o tree.svg",
};
