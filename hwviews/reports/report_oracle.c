/* The oracle's reports of control: instructions, blocks, edges, calls. */
#include <stdlib.h>

#include "core/base/sort.h"
#include "core/prof/oracle/oracle_blocks.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"

struct row {
	struct code_row at;
	uint64_t count, part, whole; /* the share is part of whole */
	const struct oracle_block *block;
	const struct oracle_entry *edge;
};

FILL(fill_share, struct row, cell_share(g, r->part, r->whole))

#define COUNT_COLUMNS(count_is, share_is)                                                          \
	{"count", "count", "times", fill_uint, .of = offsetof(struct row, count),          \
	 AT_RIGHT, .help = count_is},                                                  \
	{"share", "share", "percent", fill_share, AT_RIGHT, .help = share_is}
#define PLACE_COLUMNS(where)                                                                       \
	{"address", "address", "", fill_code_address, AT_RIGHT, .help = where}, \
	{"place", "place", "", fill_code_place, FLEXIBLE, .help = AS_BEFORE}

static const struct grid_column inst_columns[] = {
	COUNT_COLUMNS("how often it committed", "of all the program's instructions"),
	PLACE_COLUMNS("where it is"),
	{"instruction", "instruction", "", fill_code_inst, FLEXIBLE, .help = "as assembly"},
};

static bool report_oracle_build_inst_grid(const struct session *s, const struct view_args *args,
                                          struct grid *out, struct err *err)
{
	const struct oracle *o = session_oracle(s);
	uint32_t n;
	uint64_t limit;
	if (!oracle_row_limit(args, 0, oracle_entries(o, ORACLE_INSTS), &limit, err))
		return false;
	struct ranked *r = oracle_rank(o, ORACLE_INSTS, &n, err);
	if (!r)
		return false;
	grid_init(out, "Instructions", GRID_TABLE(inst_columns));
	grid_empty(out, "nothing has committed");
	oracle_summary(out, s, o, limit, n);
	for (uint32_t i = 0; i < limit; i++) {
		uint64_t pc = r[i].e->key[0];
		grid_row(out, pc, ROLE_PLAIN)->pc = pc;
		grid_cells(out, &(struct row){.at = {s, pc}, .count = r[i].count,
		                              .part = r[i].count, .whole = o->head.insts});
	}
	free(r);
	return true;
}

const struct report report_oracle = {
	.name = "oracle",
	.title = "How often each instruction committed",
	.args = "[ROWS|all]",
	.device = "oracle",
	.build = report_oracle_build_inst_grid,
	.help.about =
		"Exact counts of the program's instructions, the most first: what a profile by\n"
		"sampling tries to estimate. Firmware's are left out.",
	.help.tables = {{GRID_TABLE(inst_columns), .indent = 9}},
	.help.hints = "The line above has the number of instructions, and counts lost because\n"
		      "oracle.memory was full. Needs oracle.enable=true.",
};

/* ---- blocks ---- */
FILL(fill_length, struct row, grid_uint(g, ROLE_NUMBER, r->block->length))
FILL(fill_end, struct row, grid_hex(g, ROLE_ADDRESS, r->block->end))

static const struct grid_column block_columns[] = {
	COUNT_COLUMNS("how often it was entered",
	              "share of this block in the program's instructions"),
	{"length", "length", "instructions", fill_length, AT_RIGHT, .help = "its instructions"},
	PLACE_COLUMNS("where it begins"),
	{"end", "end", "", fill_end, AT_RIGHT, .help = "the first address after it"},
};

ORDER(by_insts, struct oracle_block, DOWN(insts) ?: UP(start))

static bool build_blocks(const struct session *s, const struct view_args *args, struct grid *out,
                         struct err *err)
{
	const struct oracle *o = oracle_with(s, ORACLE_EDGES, "oracle.blocks=true", err);
	size_t n;
	uint64_t limit;
	struct oracle_block *b = o ? oracle_blocks(o, &n) : NULL;
	if (!b)
		return o ? err_set(err, "out of memory for the blocks") : false;
	if (!oracle_row_limit(args, 0, n, &limit, err)) {
		free(b);
		return false;
	}
	sort_stable(b, n, sizeof *b, by_insts);
	grid_init(out, "Basic blocks", GRID_TABLE(block_columns));
	grid_empty(out, "nothing has committed");
	oracle_summary(out, s, o, limit, n);
	for (size_t i = 0; i < limit; i++) {
		grid_row(out, b[i].start, ROLE_PLAIN)->pc = b[i].start;
		grid_cells(out, &(struct row){.at = {s, b[i].start}, .count = b[i].count,
		                              .part = b[i].insts, .whole = o->head.insts,
		                              .block = &b[i]});
	}
	free(b);
	return true;
}

const struct report report_oracle_blocks = {
	.name = "oracle blocks", .title = "How often each basic block was entered",
	.args = "[ROWS|all]", .device = "oracle", .build = build_blocks,
	.help.about =
		"A block is code that was entered at its beginning and left at its end only, as\n"
		"far as the run has shown. The most instructions first.",
	.help.tables = {{GRID_TABLE(block_columns), .indent = 10}}, .help.hints =
		"Needs oracle.blocks=true.",
};

/* ---- edges and calls ---- */
static const char *const kinds[EDGE_KINDS] = {
	[EDGE_TAKEN] = "taken", [EDGE_NOT_TAKEN] = "not taken", [EDGE_JUMP] = "jump",
	[EDGE_INDIRECT] = "indirect", [EDGE_CALL] = "call", [EDGE_RETURN] = "return",
};

FILL(fill_kind, struct row, grid_text(g, ROLE_PLAIN, "%s", kinds[r->edge->aux]))
FILL(fill_to, struct row, grid_hex(g, ROLE_ADDRESS, r->edge->key[1]))
FILL(fill_to_place, struct row, fill_code_place(g, &(struct code_row){r->at.s, r->edge->key[1]}))

#define TO_COLUMNS(where)                                                                          \
	{"to", "to", "", fill_to, AT_RIGHT, .help = where},                    \
	{"to_place", "leads to", "", fill_to_place, FLEXIBLE, .help = AS_BEFORE}

static const struct grid_column edge_columns[] = {
	COUNT_COLUMNS("times this edge was taken", "of this branch's or jump's own executions"),
	{"kind", "kind", "", fill_kind,
	 .help = "taken, not taken: of conditional branches; call: writes a link register (ra, "
	         "t0); return: jumps to one; indirect: any other jump through a register"},
	PLACE_COLUMNS("of the branch or jump"),
	TO_COLUMNS("target: address and place"),
};

static const struct grid_column call_columns[] = {
	COUNT_COLUMNS("calls from there", "of this call site's own executions: below 100% it calls "
					  "through a pointer, with several targets"),
	{"kind", "kind", "", fill_kind, .help = "call, or a jump that is one"},
	PLACE_COLUMNS("of the call"),
	TO_COLUMNS("the procedure: address and place"),
};

static bool build_edges_of(const struct session *s, const struct view_args *args, bool calls,
                           struct grid *out, struct err *err)
{
	const struct oracle *o = oracle_with(s, ORACLE_EDGES, "oracle.blocks=true", err);
	uint32_t n, kept = 0;
	uint64_t limit;
	struct ranked *r = o ? oracle_rank(o, ORACLE_EDGES, &n, err) : NULL;
	if (!r)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!calls || r[i].e->aux == EDGE_CALL)
			r[kept++] = r[i];
	if (!oracle_row_limit(args, 0, kept, &limit, err)) {
		free(r);
		return false;
	}
	if (calls)
		grid_init(out, "Calls", GRID_TABLE(call_columns));
	else
		grid_init(out, "Edges", GRID_TABLE(edge_columns));
	grid_empty(out, "none has committed");
	oracle_summary(out, s, o, limit, kept);
	for (uint32_t i = 0; i < limit; i++) {
		const struct oracle_entry *e = r[i].e;
		const struct oracle_entry *from =
			oracle_table_find(&o->table[ORACLE_INSTS], e->key[0], 0);
		grid_row(out, 0, ROLE_PLAIN)->pc = e->key[0];
		grid_cells(out, &(struct row){.at = {s, e->key[0]}, .count = e->count,
		                              .part = e->count,
		                              .whole = from ? from->count : e->count, .edge = e});
	}
	free(r);
	return true;
}

static bool build_edges(const struct session *s, const struct view_args *args, struct grid *out,
                        struct err *err)
{
	return build_edges_of(s, args, false, out, err);
}

static bool build_calls(const struct session *s, const struct view_args *args, struct grid *out,
                        struct err *err)
{
	return build_edges_of(s, args, true, out, err);
}

const struct report report_oracle_edges = {
	.name = "oracle edges",
	.title = "Targets of each branch and jump",
	.args = "[ROWS|all]",
	.device = "oracle",
	.build = build_edges,
	.help.about = "Each branch and jump with each of its targets, the most frequent first.",
	.help.tables = {{GRID_TABLE(edge_columns), .indent = 9}},
	.help.hints = "Needs oracle.blocks=true.",
};

const struct report report_oracle_calls = {
	.name = "oracle calls",
	.title = "Callers and callees, with counts",
	.args = "[ROWS|all]",
	.device = "oracle",
	.build = build_calls,
	.help.about = "Each call with each procedure that it called: the call graph, site by site.",
	.help.tables = {{GRID_TABLE(call_columns), .indent = 9}},
	.help.hints = "Needs oracle.blocks=true. `report oracle contexts` distinguishes paths.",
};
