/* `view ras`: the return address stack. */
#include "hwviews/session/view_text.h"

struct row {
	const struct session *s;
	uint64_t address, depth;
};

FILL(fill_returns_to, struct row, cell_addr(g, r->s, ROLE_ADDRESS, r->address))
FILL(fill_address, struct row, grid_hex(g, ROLE_DIM, r->address))
FILL(fill_next, struct row, grid_text(g, ROLE_PLAIN, "%s", r->depth ? "" : "predicts next"))

static const struct grid_column columns[] = {
	{"depth", "depth", "", fill_uint_dim, .of = offsetof(struct row, depth), AT_RIGHT,
	 .help = "returns that come before it"},
	{"returns_to", "returns to", "", fill_returns_to, FLEXIBLE,
	 .help = "the address after the call, and as a number"},
	{"address", "address", "", fill_address, .help = AS_BEFORE},
	{"state", "state", "", fill_next, .help = "predicts next"},
};

static bool view_ras_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct bpred *b = &machine_pipe(s->machine)->bpred;
	const struct stats *st = machine_stats(s->machine);
	if (!arg_count(args, 0, "ras", err))
		return false;
	grid_init(out, "Return stack", GRID_TABLE(columns));
	double rate = STAT(st, commit_returns) ? 100.0 * (double)STAT(st, ras_hits) /
	                                                 (double)STAT(st, commit_returns)
	                                       : 0;
	grid_summary(out, "%u/%u; %.1f%% of returns right (%s of %s)", b->st->ras_count,
	             b->ras_size, rate, GROUPED(STAT(st, ras_hits)),
	             GROUPED(STAT(st, commit_returns)));
	if (b->ras_size)
		grid_empty(out, "empty: every call that fetch has seen has returned");
	else
		grid_empty(out, "this machine has none (%s)",
		           b->perfect ? "bpred.kind = perfect" : "ras.size = 0");
	for (uint32_t depth = 0; depth < b->st->ras_count && depth < b->ras_size; depth++) {
		uint32_t slot = (b->st->ras_top + b->ras_size - 1 - depth) % b->ras_size;
		struct grid_row *row = grid_row(out, 1 + slot, depth ? ROLE_PLAIN : ROLE_CURRENT);
		row->pc = b->ras[slot];
		grid_cells(out, &(struct row){s, b->ras[slot], depth});
	}
	return true;
}

const struct view view_ras = {
	.name = "ras",
	.title = "Return stack",
	.args = "",
	.build = view_ras_build_grid,
	.help.about =
		"The return address stack, newest entry first: fetch pushes the address after\n"
		"each call and pops it to predict the target of the matching return. Depth 0 is\n"
		"the prediction for the next return.",
	.help.tables = {{GRID_TABLE(columns)}},
	.help.hints =
		"It follows fetch, not the program: calls and returns on a wrong path disturb\n"
		"it, and a squash takes their changes back. It is a ring: calls nested deeper\n"
		"than it has entries overwrite the oldest, whose returns are then mispredicted.\n"
		"Entries that were popped are not shown.\n"
		"\n"
		"Compare with `backtrace`, the calls that the committed program is really in.\n"
		"Shaped by ras.size.",
};
