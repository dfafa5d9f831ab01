/* `view bakeoff`: each profiler's shares of the hottest blocks, beside the truth. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "hwviews/bakeoff/beliefs.h"
#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/session/loss_text.h"

enum { ROWS = 10, LAST = 2 /* LAST: columns that are dropped first */ };

/* Hottest block first. */
static int by_insts(const void *a, const void *b)
{
	const struct oracle_block *const *x = a, *const *y = b;
	if ((*x)->insts != (*y)->insts)
		return (*x)->insts > (*y)->insts ? -1 : 1;
	return (*x)->start < (*y)->start ? -1 : (*x)->start > (*y)->start;
}

struct row {
	const struct session *s;
	const struct beliefs *b;
	size_t block; /* of b */
};

static const struct oracle_block *view_bakeoff_row_block(const struct row *r)
{
	return &r->b->block[r->block];
}

FILL(fill_place, struct row,
     grid_text(g, ROLE_ADDRESS, "%s",
               format_addr(r->s, view_bakeoff_row_block(r)->start, BUFFER(128))))
FILL(fill_truth, struct row, grid_double(g, ROLE_NUMBER, 100 * beliefs_truth(r->b, r->block), 1))

/* A miss: the truth is more than two standard errors away. */
static void fill_belief(struct grid *g, const void *row)
{
	const struct row *r = row;
	double share, bar;
	if (!beliefs_share(r->b, (enum believer)grid_of(g), r->block, &share, &bar)) {
		grid_text(g, ROLE_DIM, "nothing");
		return;
	}
	const double off = fabs(share - beliefs_truth(r->b, r->block));
	const enum role role = off > 2 * bar + 0.001 ? ROLE_MISS : ROLE_HIT;
	if (bar > 0)
		grid_text(g, role, "%.1f ±%.1f", 100 * share, 100 * bar);
	else
		grid_text(g, role, "%.1f", 100 * share);
}

FILL(fill_length, struct row, grid_uint(g, ROLE_DIM, view_bakeoff_row_block(r)->length))
FILL(fill_address, struct row, grid_hex(g, ROLE_ADDRESS, view_bakeoff_row_block(r)->start))

static const struct grid_column columns[] = {
	{"place", "place", "", fill_place, FLEXIBLE, .help = "where the block begins"},
	{"truth", "truth", "percent, by the oracle", fill_truth, AT_RIGHT, .restless = true,
	 .help = "its exact share of all instructions, which no hardware measures"},
#define B(id, name, sentence)                                                                      \
	{#name, #name, "percent ± standard error", .fill = fill_belief, .of = BELIEVER_##id,       \
	 AT_RIGHT, .restless = true, .help = sentence},
	BELIEVERS(B)
#undef B
		{"length", "length", "instructions", fill_length, AT_RIGHT, .help = "of the block"},
	{"address", "address", "", fill_address, AT_RIGHT, .help = AS_BEFORE},
};

/* Makes a grid with columns for the profilers that are on. */
static void view_bakeoff_init_grid(struct grid *g, const struct beliefs *b)
{
	grid_init(g, "Bake-off", GRID_TABLE(columns));
	for (unsigned believer = 0; believer < BELIEVER_COUNT; believer++)
		if (!b->on[believer])
			grid_drop_column(g, believer_name[believer]);
	g->essential = g->column_count - LAST;
}

/* Errors of all enabled profilers. */
static void view_bakeoff_format_summary(struct grid *g, const struct session *s,
                                        const struct beliefs *b)
{
	const unsigned all = LOSS_OF_COP | LOSS_OF_SAMPLER | LOSS_OF_VALUES |
	                     LOSS_OF_PROFILEME | LOSS_OF_CODE;
	char text[200] = "";
	for (unsigned believer = 0; believer < BELIEVER_COUNT; believer++) {
		const size_t used = strlen(text);
		if (b->on[believer])
			snprintf(text + used, sizeof text - used, "%s%s %.1f%%",
			         *text ? ", " : "off by: ", believer_name[believer],
			         100 * beliefs_error(b, (enum believer)believer));
	}
	grid_summary(g, "%s%s", *text ? text : "no profiler of blocks is on",
	             format_loss(s, all, BUFFER(600)));
}

static bool view_bakeoff_append_rows(struct grid *g, const struct session *s,
                                     const struct beliefs *b, uint64_t limit, struct err *err)
{
	const struct oracle_block **hot = alloc_bytes((b->n + 1) * sizeof *hot);
	if (!hot)
		return err_set(err, "out of memory for the view");
	for (size_t i = 0; i < b->n; i++)
		hot[i] = &b->block[i];
	sort_stable(hot, b->n, sizeof *hot, by_insts);
	for (uint64_t i = 0; i < limit; i++) {
		const size_t block = (size_t)(hot[i] - b->block);
		grid_row(g, hot[i]->start, ROLE_PLAIN)->pc = hot[i]->start;
		grid_cells(g, &(struct row){s, b, block});
	}
	free(hot);
	return true;
}

static bool view_bakeoff_build_grid(const struct session *s, const struct view_args *args,
                                    struct grid *out, struct err *err)
{
	struct beliefs b;
	struct err why;
	uint64_t limit;
	if (!beliefs_init(&b, s, &why)) { /* the error becomes the pane's text */
		view_bakeoff_init_grid(out, &b);
		grid_empty(out, "%s", why.msg);
		return true;
	}
	if (!oracle_row_limit(args, 0, b.n, &limit, err)) {
		beliefs_deinit(&b);
		return false;
	}
	if (!args->rows && !args->argc)
		limit = limit < ROWS ? limit : ROWS;
	view_bakeoff_init_grid(out, &b);
	grid_empty(out, "nothing has committed");
	view_bakeoff_format_summary(out, s, &b);
	const bool ok = view_bakeoff_append_rows(out, s, &b, limit, err);
	beliefs_deinit(&b);
	if (!ok)
		grid_deinit(out);
	return ok;
}

const struct view view_bakeoff = {
	.name = "bakeoff",
	.title = "Bake-off",
	.args = "[ROWS|all]",
	.device = "oracle",
	.build = view_bakeoff_build_grid,
	.help.about =
		"The current estimate of each active profiler for the basic blocks in which\n"
		"most instructions were executed, beside the oracle's exact share. Step or run,\n"
		"and error bars shrink: to a half with four times the samples.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"A share ± its standard error, from the block's samples; one\n"
		"without ± counts every event. Green: the exact share is within two standard\n"
		"errors.\n"
		"The line above has the error of all shares of a profiler: half of the sum\n"
		"of differences, over all blocks. Counts of branches and calls become those\n"
		"of blocks as in software: by the flow graph.\n"
		"\n"
		"`cyclops bakeoff` compares them over whole runs, with their costs. Needs\n"
		"oracle.blocks=true.",
};
