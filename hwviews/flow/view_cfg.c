/* `view cfg`: a function's flow graph with counts on its edges. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "hwviews/flow/flow_picture.h"
#include "hwviews/flow/flow_text.h"
#include "hwviews/grid/gutter.h"
#include "hwviews/program/code_lines.h"
#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"jumps", "", "", .help = "the arrows: left and right of the number"},
	{"block", "block", "", AT_RIGHT,
	 .help = "its number; ▶ the next instruction to commit is in it. Arrows on the left go "
		 "down, those on the right up: loops"},
	{"loops", "", "", .help = "the arrows: left and right of the number"},
	{"count", "times", "", AT_RIGHT,
	 .help = "entries of the block; beside a branch its count of taken, and of not taken after "
		 "`else`"},
	{"share", "share", "%", AT_RIGHT,
	 .help = "of all instructions executed in the function; of a branch the share taken"},
	{"code", "code", "", .min_width = 24, FLEXIBLE,
	 .help = "its instructions and calls; its end, → block; ↺ back to an earlier block, a "
		 "loop"},
	{"else", "else", "times", AT_RIGHT, .help = "times a branch was not taken"},
	{"path", "path", "",
	 .help = "where paths are counted, the label of the edge (taken | not): its addend to the "
		 "path's number r, or that r is counted and reset"},
	{"lines", "lines", "", FLEXIBLE, .help = "of the source"},
	{"to", "to", "", .help = "the blocks that follow, as addresses"},
	{"address", "address", "", AT_RIGHT, .help = "of the block or instruction"},
	{"was", "was at", "", AT_RIGHT,
	 .help = "in an instrumented program, its address in the original; the graph is the "
		 "original's, without added code"},
};

enum { ESSENTIAL = 6, LANES_NARROW = 6, LANES_WIDE = 12, WIDE = 110, TITLE_MAX = 200 };

/* The drawing: a row for each block, and another for the block's end unless it falls through. */
struct drawn {
	const struct session *s;
	struct flow_picture p;
	bool code;               /* with the instructions inside blocks */
	/* [block_count], owned: rows of a block; end_row FLOW_NONE: none */
	uint32_t *row, *end_row;
	uint32_t rows;
	struct gutter left, right;
	uint64_t insts;          /* executed in the function */
};

static const struct flow_edge *view_cfg_find_edge_by_kind(const struct flow *f, uint32_t k,
                                                          enum flow_kind kind)
{
	const struct flow_block *b = &f->blocks[k];
	for (uint32_t i = 0; i < b->edges; i++)
		if (f->edges[b->edge + i].kind == kind)
			return &f->edges[b->edge + i];
	return NULL;
}

/* True if the instruction has a row of its own when all code is shown. */
static bool is_inner(const struct flow_block *b, const struct code *c)
{
	return flow_goes_on(b) || c->pc + c->prefix != b->last;
}

/* ---- layout ---- */
static bool view_cfg_assign_rows(struct drawn *d)
{
	const struct flow *f = &d->p.graph;
	d->row = alloc_bytes((2 * (size_t)f->block_count + 1) * sizeof *d->row);
	d->end_row = d->row ? d->row + f->block_count : NULL;
	for (uint32_t k = 0; d->row && k < f->block_count; k++) {
		const struct flow_block *b = &f->blocks[k];
		d->row[k] = d->rows++;
		struct code c;
		for (uint64_t pc = b->start; d->code && pc < b->end && code_at(d->s, pc, &c);
		     pc += c.len)
			d->rows += is_inner(b, &c);
		d->end_row[k] = flow_goes_on(b) ? FLOW_NONE : d->rows++;
		d->insts += b->count.known ? b->count.n * b->insts : 0;
	}
	return d->row;
}

/* Draws arrows for edges that don't lead to the next block: downward ones on the left, upward ones
 * on the right. */
static bool draw_arrows(struct drawn *d, uint32_t lanes)
{
	const struct flow *f = &d->p.graph;
	struct gutter_arc *arcs = alloc_bytes((f->edge_count + (size_t)1) * sizeof *arcs);
	bool ok = arcs;
	for (unsigned side = 0; ok && side < 2; side++) {
		size_t n = 0;
		for (uint32_t k = 0; k < f->edge_count; k++) {
			const struct flow_edge *e = &f->edges[k];
			if (e->to == FLOW_NONE || e->kind == FLOW_NEXT ||
			    d->end_row[e->from] == FLOW_NONE)
				continue;
			if ((d->row[e->to] > d->end_row[e->from]) == (side == GUTTER_LEFT))
				arcs[n++] = (struct gutter_arc){d->end_row[e->from], d->row[e->to]};
		}
		ok = gutter_draw(arcs, n, d->rows, (enum gutter_side)side, lanes,
		                 side == GUTTER_LEFT ? &d->left : &d->right);
	}
	free(arcs);
	return ok;
}

/* Counts targets of back edges. */
static uint32_t count_loops(const struct flow *f)
{
	uint32_t n = 0;
	for (uint32_t k = 0; k < f->block_count; k++) {
		bool head = false;
		for (uint32_t i = 0; !head && i < f->edge_count; i++)
			head = f->edges[i].to == k && f->edges[i].back;
		n += head;
	}
	return n;
}

/* ---- cells ---- */
static void view_cfg_append_count_cell(struct grid *g, const struct flow_count *c)
{
	if (c->known)
		grid_uint(g, c->derived ? ROLE_DIM : ROLE_NUMBER, c->n);
	else
		grid_blank(g);
}

static void cell_part(struct grid *g, const struct flow_count *part, uint64_t whole, double hot)
{
	const double percent = whole ? 100 * (double)part->n / (double)whole : 0;
	if (part->known && whole)
		grid_double_text(g, percent >= hot ? ROLE_HOT : ROLE_NUMBER, percent, "%.1f%%",
		                 percent);
	else
		grid_blank(g);
}

static void cell_line(struct grid *g, const struct drawn *d, uint64_t was)
{
	struct source_line at;
	if (!program_line_at(d->s->program, flow_picture_now(&d->p, was), &at) || !at.line) {
		grid_blank(g);
		return;
	}
	const char *slash = strrchr(at.file, '/');
	grid_text(g, ROLE_DIM, "%s:%u", slash ? slash + 1 : at.file, at.line);
}

static void cell_places(struct grid *g, const struct drawn *d, uint64_t was)
{
	grid_hex(g, ROLE_DIM, flow_picture_now(&d->p, was));
	if (d->p.laid_out)
		grid_hex(g, ROLE_DIM, was);
}

static void add_label(char *text, size_t n, const struct flow_label *l)
{
	const size_t used = strlen(text);
	if (l->cut)
		snprintf(text + used, n - used, "%scount r%+lld, r = %lld", used ? " | " : "",
		         (long long)l->end, (long long)l->start);
	else if (l->there)
		snprintf(text + used, n - used, "%sr += %lld", used ? " | " : "",
		         (long long)l->value);
}

static void cell_labels(struct grid *g, const struct drawn *d, const struct flow_block *b)
{
	char text[160] = "";
	if (!d->p.labels)
		return;
	/* A label that adds nothing, on a block's only edge, is left out. */
	const struct flow_label *only = d->p.labels && b->edges == 1 ? &d->p.labels[b->edge] : NULL;
	for (uint32_t i = 0; d->p.labels && i < b->edges && (!only || only->cut || only->value);
	     i++)
		add_label(text, sizeof text, &d->p.labels[b->edge + i]);
	grid_text(g, ROLE_PROFILE, "%s", text);
}

/* ---- rows ---- */
static void view_cfg_append_block_head_row(struct grid *g, const struct drawn *d, uint32_t k)
{
	const struct flow_block *b = &d->p.graph.blocks[k];
	const bool here = d->p.here == k;
	char text[256];
	const struct flow_count insts = {b->count.n * b->insts, b->count.known, false};
	struct grid_row *row = grid_row(g, 2 * b->start, here ? ROLE_CURRENT : ROLE_PLAIN);
	row->pc = flow_picture_now(&d->p, b->start);
	grid_text(g, ROLE_DIM, "%s", d->left.lines[d->row[k]]);
	grid_uint_text(g, here ? ROLE_CURRENT : ROLE_HEAD, k, "%s%u", here ? "▶" : "", k);
	grid_text(g, ROLE_DIM, "%s", d->right.lines[d->row[k]]);
	view_cfg_append_count_cell(g, &b->count);
	cell_part(g, &insts, d->insts, 10);
	grid_text(g, ROLE_ADDRESS, "%s", flow_about_text(d->s, &d->p, b, text, sizeof text));
	grid_blank(g);
	if (flow_goes_on(b))
		cell_labels(g, d, b);
	else if (d->p.labels)
		grid_blank(g);
	grid_text(g, ROLE_DIM, "%s", flow_lines_text(d->s, &d->p, &k, 1, text, sizeof text));
	grid_blank(g);
	cell_places(g, d, b->start);
}

static void view_cfg_append_inst_row(struct grid *g, const struct drawn *d, uint32_t k,
                                     uint32_t line, uint64_t was)
{
	const uint64_t now = flow_picture_now(&d->p, was);
	const bool here = now == machine_seen_pc(d->s->machine);
	grid_row(g, 2 * was + 1, here ? ROLE_CURRENT : ROLE_PLAIN)->pc = now;
	grid_text(g, ROLE_DIM, "%s", d->left.lines[line]);
	grid_uint_text(g, ROLE_CURRENT, k, "%s", here ? "▶" : "");
	grid_text(g, ROLE_DIM, "%s", d->right.lines[line]);
	grid_blank(g);
	grid_blank(g);
	grid_text(g, ROLE_PLAIN, "%s", flow_code_text(d->s, &d->p, was, BUFFER(160)));
	grid_blank(g);
	if (d->p.labels)
		grid_blank(g);
	cell_line(g, d, was);
	grid_blank(g);
	cell_places(g, d, was);
}

static void end_row(struct grid *g, const struct drawn *d, uint32_t k)
{
	const struct flow_block *b = &d->p.graph.blocks[k];
	const struct flow_edge *taken = view_cfg_find_edge_by_kind(&d->p.graph, k, FLOW_TAKEN),
			       *next = view_cfg_find_edge_by_kind(&d->p.graph, k, FLOW_NEXT);
	const uint64_t now = flow_picture_now(&d->p, b->last);
	const bool here = now == machine_seen_pc(d->s->machine);
	char text[256];
	grid_row(g, 2 * b->last + 1, here ? ROLE_CURRENT : ROLE_PLAIN)->pc = now;
	grid_text(g, ROLE_DIM, "%s", d->left.lines[d->end_row[k]]);
	grid_uint_text(g, ROLE_CURRENT, k, "%s", here ? "▶" : "");
	grid_text(g, ROLE_DIM, "%s", d->right.lines[d->end_row[k]]);
	if (taken) {
		const uint64_t both = taken->count.n + next->count.n;
		view_cfg_append_count_cell(g, &taken->count);
		cell_part(g, &taken->count, next->count.known ? both : b->count.n, 101);
	} else {
		grid_blank(g);
		grid_blank(g);
	}
	grid_text(g, ROLE_PLAIN, "%s", flow_end_text(d->s, &d->p, b, text, sizeof text));
	if (next && next->back && next->count.known)
		grid_uint_text(g, ROLE_NUMBER, next->count.n, "↺ %s", GROUPED(next->count.n));
	else if (next && next->back)
		grid_text(g, ROLE_NUMBER, "↺");
	else if (next)
		view_cfg_append_count_cell(g, &next->count);
	else
		grid_blank(g);
	cell_labels(g, d, b);
	cell_line(g, d, b->last);
	grid_text(g, ROLE_DIM, "%s", flow_targets_text(d->s, &d->p, b, text, sizeof text));
	cell_places(g, d, b->last);
}

static void view_cfg_append_block_rows(struct grid *g, const struct drawn *d, uint32_t k)
{
	const struct flow_block *b = &d->p.graph.blocks[k];
	struct code c;
	uint32_t line = d->row[k];
	view_cfg_append_block_head_row(g, d, k);
	for (uint64_t pc = b->start; d->code && pc < b->end && code_at(d->s, pc, &c); pc += c.len) {
		if (is_inner(b, &c))
			view_cfg_append_inst_row(g, d, k, ++line, pc);
	}
	if (!flow_goes_on(b))
		end_row(g, d, k);
}

static void free_drawn(struct drawn *d)
{
	flow_picture_free(&d->p);
	gutter_free(&d->left);
	gutter_free(&d->right);
	free(d->row);
}

static bool view_cfg_parse_args(const struct session *s, const struct view_args *args,
                                struct drawn *d, uint64_t *addr, struct err *err)
{
	int n = args->argc;
	d->code = n && strcmp(args->argv[n - 1], "code") == 0;
	n -= d->code;
	*addr = machine_seen_pc(s->machine);
	if (n > 1)
		return err_set(err,
		               "view cfg takes a function, and `code`: '%s' is one word too many",
		               args->argv[1]);
	return !n || arg_address(s, args->argv[0], addr, err);
}

static void view_cfg_format_summary(struct grid *g, const struct drawn *d)
{
	const struct flow *f = &d->p.graph;
	const uint32_t loops = count_loops(f);
	char paths[48] = "";
	if (d->p.labels)
		snprintf(paths, sizeof paths, ", %" PRIu64 " paths", d->p.paths);
	const char *counts = d->p.counts ? "counted by "
	                     : d->p.left ? "left alone: " : "not counted (help cfg)";
	grid_summary(g, "%u block%s, %u loop%s%s, %s%s", f->block_count,
	             f->block_count == 1 ? "" : "s", loops, loops == 1 ? "" : "s", paths, counts,
	             d->p.counts ? d->p.counts : d->p.left ? d->p.left : "");
}

static void view_cfg_init_grid(struct grid *g, const struct flow_picture *p)
{
	char title[TITLE_MAX];
	snprintf(title, sizeof title, "Flow of %s", p->symbol->name);
	grid_init(g, title, GRID_TABLE(columns));
	if (!p->labels)
		grid_drop_column(g, "path");
	if (!p->laid_out)
		grid_drop_column(g, "was");
}

static bool view_cfg_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	struct drawn d = {.s = s};
	uint64_t addr;
	struct err why;
	if (!view_cfg_parse_args(s, args, &d, &addr, err))
		return false;
	if (!flow_picture_of(s, addr, true, &d.p, &why)) {
		if (args->argc)
			return err_set(err, "%s", why.msg);
		grid_init(out, "Flow", GRID_TABLE(columns));
		grid_drop_column(out, "path");
		grid_drop_column(out, "was");
		grid_empty(out, "%s", why.msg);
		return true;
	}
	if (!view_cfg_assign_rows(&d) ||
	    !draw_arrows(&d, args->columns && args->columns < WIDE ? LANES_NARROW : LANES_WIDE)) {
		free_drawn(&d);
		return err_set(err, "out of memory for a flow graph");
	}
	view_cfg_init_grid(out, &d.p);
	out->essential = ESSENTIAL;
	view_cfg_format_summary(out, &d);
	for (uint32_t k = 0; k < d.p.graph.block_count; k++) {
		if (k == d.p.here)
			out->focus_row = out->row_count;
		view_cfg_append_block_rows(out, &d, k);
	}
	free_drawn(&d);
	return true;
}

const struct view view_cfg = {
	.name = "cfg",
	.title = "Flow",
	.args = "[FUNCTION] [code]",
	.build = view_cfg_build_grid,
	.help.about =
		"The control-flow graph of the current function, or of FUNCTION:\n"
		"its basic blocks from top to bottom, and arrows for edges other than to the\n"
		"next block. `code` shows all instructions.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"Source of counts: the program itself with --instrument edge or path, else the\n"
		"oracle (-o oracle.enable=true -o oracle.blocks=true), else kind bb. Dim counts\n"
		"follow from others; they are one too many where the program is at the moment.\n"
		"Targets of a jump through a register are known once the oracle has seen them.\n"
		"\n"
		"Look for: loops, and the branches in them that go both ways; blocks that were\n"
		"never entered. Ammons, Ball and Larus number the paths through such a graph:\n"
		"`view paths`.",
};
