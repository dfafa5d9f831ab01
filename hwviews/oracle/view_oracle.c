/* `view oracle`: exact counts of the events that profilers estimate. */
#include <stdlib.h>

#include "hwviews/oracle/oracle_rows.h"

enum { ROWS = 20 };

/* True if committed in the cycle just done. */
static bool view_oracle_uop_just_committed(const struct pipe *p, const struct uop *u)
{
	return u->seq && u->state == UOP_RETIRED && u->when.end + 1 == p->st->cycle &&
	       !(u->flags & UF_MACHINE);
}

struct row {
	struct code_row at;
	const struct oracle *o;
	uint64_t count;
	unsigned now; /* executions in the cycle just done */
};

FILL(fill_now, struct row, r->now ? grid_uint_text(g, ROLE_CURRENT, r->now, "+%u", r->now)
	: grid_blank(g))
FILL(fill_share, struct row, cell_share(g, r->count, r->o->head.insts))

static const struct grid_column columns[] = {
	{"count", "count", "times", fill_uint, .of = offsetof(struct row, count), AT_RIGHT,
	 .help = "how often it committed"},
	{"now", "now", "times in this cycle", fill_now, AT_RIGHT, .restless = true,
	 .help = "count in the last cycle"},
	{"share", "share", "percent", fill_share, AT_RIGHT, .restless = true,
	 .help = "of all the program's instructions"},
	{"address", "address", "", fill_code_address, AT_RIGHT, .help = "where it is"},
	{"place", "place", "", fill_code_place, FLEXIBLE, .help = AS_BEFORE},
	{"instruction", "instruction", "", fill_code_inst, FLEXIBLE, .help = "as assembly"},
};

static void view_oracle_append_row(struct grid *g, const struct session *s, const struct oracle *o,
                                   uint64_t pc, uint64_t count)
{
	const struct pipe *p = machine_pipe(s->machine);
	struct row r = {{s, pc}, o, count, 0};
	for (uint32_t i = 0; i < p->pool_size; i++)
		r.now += p->pool[i].pc == pc && view_oracle_uop_just_committed(p, &p->pool[i]);
	grid_row(g, pc, r.now ? ROLE_CURRENT : ROLE_PLAIN)->pc = pc;
	grid_cells(g, &r);
}

static bool view_oracle_has_row_for_pc(const struct grid *g, uint64_t pc)
{
	for (unsigned i = 0; i < g->row_count; i++)
		if (g->rows[i].pc == pc)
			return true;
	return false;
}

static bool view_oracle_build_grid(const struct session *s, const struct view_args *args,
                                   struct grid *out, struct err *err)
{
	const struct oracle *o = session_oracle(s);
	const struct pipe *p = machine_pipe(s->machine);
	const struct view_args some = {
		.argc = args->argc, .argv = args->argv, .rows = args->rows ? args->rows : ROWS};
	uint64_t limit;
	uint32_t n;
	if (!oracle_row_limit(&some, 0, oracle_entries(o, ORACLE_INSTS), &limit, err))
		return false;
	struct ranked *r = oracle_rank(o, ORACLE_INSTS, &n, err);
	if (!r)
		return false;
	grid_init(out, "Oracle", GRID_TABLE(columns));
	grid_empty(out, "nothing has committed yet; each committed instruction has a row");
	oracle_summary(out, s, o, limit, n);
	for (uint32_t i = 0; i < limit; i++)
		view_oracle_append_row(out, s, o, r[i].e->key[0], r[i].count);
	/* Instructions that are not hot, but committed just now: each once. */
	for (uint32_t i = 0; i < p->pool_size; i++) {
		uint64_t pc = p->pool[i].pc;
		if (view_oracle_uop_just_committed(p, &p->pool[i]) &&
		    !view_oracle_has_row_for_pc(out, pc))
			view_oracle_append_row(out, s, o, pc, oracle_count(p->prof, pc));
	}
	free(r);
	return true;
}

const struct view view_oracle = {
	.name = "oracle",
	.title = "Exact counts",
	.args = "[ROWS|all]",
	.device = "oracle",
	.build = view_oracle_build_grid,
	.help.about = "The instructions that committed most often since the beginning, counted\n"
		      "exactly: a profiler's ideal result. Below them, the instructions that\n"
		      "committed in this cycle.",
	.help.tables = {{GRID_TABLE(columns), .indent = 9}},
	.help.hints =
		"Going back in time, counts go back too. `report oracle` and its kin show\n"
		"blocks, edges, calls, contexts, values, addresses, loads and wrong paths, as\n"
		"the parameters oracle.* ask for.",
};
