/* The oracle's reports of data: values and addresses by instruction. */
#include <stdio.h>
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/grid/order.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"

/* An instruction with its entries. */
struct group {
	const struct ranked *r; /* [n], most frequent first */
	uint32_t n;
	uint64_t count;
	uint64_t lines; /* distinct cache lines; 0: not counted, and no column */
};

/* By instruction, then count, then value. */
ORDER(by_inst, struct ranked, UP(e->key[0]) ?: DOWN(count) ?: UP(e->key[1]))

ORDER(by_group_count, struct group, DOWN(count) ?: UP(r->e->key[0]))

static int report_values_compare_numbers(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Distinct lines among a group's addresses; words is room for n. */
static uint64_t report_values_count_cache_lines(const struct group *g, unsigned line_log2,
                                                uint64_t *words)
{
	uint64_t lines = 0;
	for (uint32_t i = 0; i < g->n; i++)
		words[i] = g->r[i].e->key[1] >> line_log2;
	sort_stable(words, g->n, sizeof *words, report_values_compare_numbers);
	for (uint32_t i = 0; i < g->n; i++)
		lines += !i || words[i] != words[i - 1];
	return lines;
}

/* Fills groups[n]; returns their number. words NULL: lines are not counted. */
static uint32_t report_values_group_by_pc(const struct ranked *r, uint32_t n, unsigned line_log2,
                                          uint64_t *words, struct group *groups)
{
	uint32_t count = 0;
	for (uint32_t from = 0, to; from < n; from = to) {
		struct group *g = &groups[count++];
		*g = (struct group){.r = r + from};
		for (to = from; to < n && r[to].e->key[0] == r[from].e->key[0]; to++)
			g->count += r[to].count;
		g->n = to - from;
		if (words)
			g->lines = report_values_count_cache_lines(g, line_log2, words);
	}
	sort_stable(groups, count, sizeof *groups, by_group_count);
	return count;
}

struct row {
	struct code_row at;
	const struct group *g;
	const struct ranked *one; /* an entry of the group */
};

FILL(fill_group_count, struct row, grid_uint(g, ROLE_NUMBER, r->g->count))
FILL(fill_distinct, struct row, grid_uint(g, ROLE_NUMBER, r->g->n))
FILL(fill_lines, struct row, grid_uint_if(g, r->g->lines, ROLE_NUMBER, r->g->lines))
FILL(fill_count, struct row, grid_uint(g, ROLE_NUMBER, r->one->count))

/* Index of the entry within its group. */
FILL(fill_share, struct row, cell_share(g, r->one->count, r->g->count))
FILL(fill_value, struct row, grid_hex(g, ROLE_NUMBER, r->one->e->key[1]))
FILL(fill_decimal, struct row, grid_text(g, ROLE_NUMBER, "%lld", (long long)r->one->e->key[1]))

/* Small numbers are no addresses. */
FILL(fill_target, struct row, grid_text(g, ROLE_ADDRESS, "%s", r->one->e->key[1] < 4096 ? ""
	: format_place(r->at.s, r->one->e->key[1], BUFFER(96))))

/* For values and addresses: "one" is either. */
static const struct grid_column by_inst_columns[] = {
	{"count", "count", "times", fill_group_count, AT_RIGHT,
	 .help = "how often it was executed"},
	{"distinct", "distinct", "values", fill_distinct, AT_RIGHT,
	 .help = "number of different ones"},
	{"invariance", "invariance", "percent", fill_share, AT_RIGHT,
	 .help = "share of the most frequent one"},
	{"top", "most often", "", fill_value, AT_RIGHT, .help = "the most frequent one"},
	{"address", "address", "", fill_code_address, AT_RIGHT, .help = "where the instruction is"},
	{"place", "place", "", fill_code_place, FLEXIBLE, .help = AS_BEFORE},
	{"instruction", "instruction", "", fill_code_inst, FLEXIBLE, .help = "as assembly"},
	{"lines", "lines", "cache lines", fill_lines, AT_RIGHT,
	 .help = "of addresses: L1D lines that they begin in"},
};

static const struct grid_column one_columns[] = {
	{"count", "count", "times", fill_count, AT_RIGHT, .help = "how often it was this one"},
	{"share", "share", "percent", fill_share, AT_RIGHT, .help = "of all its executions"},
	{"value", "value", "", fill_value, AT_RIGHT,
	 .help = "the value or the address accessed, and as a signed number"},
	{"decimal", "decimal", "", fill_decimal, AT_RIGHT, .help = AS_BEFORE},
	{"place", "place", "", fill_target, FLEXIBLE, .help = "what lies there"},
};

static void group_row(struct grid *out, const struct session *s, const struct group *g)
{
	const uint64_t pc = g->r->e->key[0];
	grid_row(out, pc, ROLE_PLAIN)->pc = pc;
	grid_cells(out, &(struct row){{s, pc}, g, g->r});
}

static void value_row(struct grid *out, const struct session *s, const struct group *g, uint32_t i)
{
	grid_row(out, 0, ROLE_PLAIN);
	grid_cells(out, &(struct row){{s, 0}, g, &g->r[i]});
}

/* Appends the rows of all instructions, or of the one at *pc. */
static bool report_values_append_rows(const struct session *s, const struct view_args *args,
                                      const struct oracle *o, bool addresses, const uint64_t *pc,
                                      struct group *groups, uint32_t n, struct grid *out,
                                      struct err *err)
{
	uint64_t limit;
	const struct group *one = NULL;
	for (uint32_t i = 0; pc && i < n; i++)
		if (groups[i].r->e->key[0] == *pc)
			one = &groups[i];
	if (pc && !one)
		return err_set(err, "the oracle has no %s of an instruction at 0x%llx",
		               addresses ? "addresses" : "values", (unsigned long long)*pc);
	if (!oracle_row_limit(args, pc != NULL, one ? one->n : n, &limit, err))
		return false;
	if (one) {
		char title[128];
		snprintf(title, sizeof title, "%s at %s", addresses ? "Addresses" : "Values",
		         format_addr(s, *pc, BUFFER(96)));
		grid_init(out, title, GRID_TABLE(one_columns));
	} else {
		grid_init(out, addresses ? "Addresses" : "Values", GRID_TABLE(by_inst_columns));
		if (!addresses)
			grid_drop_column(out, "lines");
	}
	grid_empty(out, "none was counted");
	oracle_summary(out, s, o, limit, one ? one->n : n);
	for (uint32_t i = 0; i < limit; i++) {
		if (one)
			value_row(out, s, one, i);
		else
			group_row(out, s, &groups[i]);
	}
	return true;
}

static bool build_of(const struct session *s, const struct view_args *args, bool addresses,
                     struct grid *out, struct err *err)
{
	enum oracle_table_id id = addresses ? ORACLE_ADDRESSES : ORACLE_VALUES;
	const struct oracle *o = oracle_with(
		s, id, addresses ? "oracle.addresses=true" : "oracle.values=loads (or all)", err);
	uint64_t pc, rows;
	uint32_t n;
	/* A word that is not a number of rows is a place; so is the first of two. */
	bool one = args->argc && (args->argc > 1 || !oracle_row_limit(args, 0, 1, &rows, NULL) ||
	                          args->argv[0][1] == 'x');
	if (!o || (one && !arg_address(s, args->argv[0], &pc, err)))
		return false;
	struct ranked *r = oracle_rank(o, id, &n, err);
	struct group *groups = r ? alloc_bytes((n + (size_t)1) * sizeof *groups) : NULL;
	uint64_t *words = r ? alloc_bytes((n + (size_t)1) * sizeof *words) : NULL;
	bool ok = groups && words;
	if (r && !ok)
		err_set(err, "out of memory for the report");
	if (ok) {
		unsigned line_log2 = (unsigned)__builtin_ctzll(
			(uint64_t)CONFIG(machine_config(s->machine), l1d_line));
		sort_stable(r, n, sizeof *r, by_inst);
		uint32_t count = report_values_group_by_pc(r, n, line_log2,
		                                           addresses ? words : NULL, groups);
		ok = report_values_append_rows(s, args, o, addresses, one ? &pc : NULL, groups,
		                               count, out, err);
	}
	free(words);
	free(groups);
	free(r);
	return ok;
}

static bool build_values(const struct session *s, const struct view_args *args, struct grid *out,
                         struct err *err)
{
	return build_of(s, args, false, out, err);
}

static bool build_addresses(const struct session *s, const struct view_args *args, struct grid *out,
                            struct err *err)
{
	return build_of(s, args, true, out, err);
}

#define VALUE_TABLES                                                                               \
	{GRID_TABLE(by_inst_columns), .indent = 14},                                               \
	{GRID_TABLE(one_columns), .indent = 14,                                                    \
	 .before = "\nWith an address, a row is one of them:\n\n"}

const struct report report_oracle_values = {
	.name = "oracle values",
	.title = "Values that instructions produced",
	.args = "[ADDRESS] [ROWS|all]",
	.device = "oracle",
	.build = build_values,
	.help.about =
		"Each instruction whose results were counted, the most executed first; with an\n"
		"address, all values of that one: `report oracle values find+0x10`.",
	.help.tables = {VALUE_TABLES},
	.help.hints = "Needs oracle.values=loads or all; oracle.values_from and oracle.values_to\n"
		      "leave out the rest of the code. Many different values take much memory.",
};

const struct report report_oracle_addresses = {
	.name = "oracle addresses",
	.title = "Addresses that loads and stores accessed",
	.args = "[ADDRESS] [ROWS|all]",
	.device = "oracle",
	.build = build_addresses,
	.help.about =
		"Each load and store, the most executed first; with an address, all that this\n"
		"one accessed.",
	.help.tables = {VALUE_TABLES},
	.help.hints = "Needs oracle.addresses=true.",
};
