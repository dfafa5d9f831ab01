/* The oracle's reports of time: loads by level, and what happened that did not commit. */
#include <stdlib.h>

#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"

#define CODE_COLUMNS                                                                               \
	{"address", "address", "", .align = ALIGN_RIGHT, .help = "where it is"},                   \
	{"place", "place", "", .flexible = true, .help = AS_BEFORE},                               \
	{"instruction", "instruction", "", .flexible = true, .help = "as assembly"}

static const struct grid_column load_columns[] = {
	{"count", "count", "times", .align = ALIGN_RIGHT, .help = "how often it committed"},
	{"mean", "mean", "cycles", .align = ALIGN_RIGHT,
	 .help = "cycles from entering the memory system to having the value"},
	{"most", "most", "cycles", .align = ALIGN_RIGHT, .help = AS_BEFORE},
	{"l1d", "L1D", "times", .align = ALIGN_RIGHT, .help = "how often each level served it"},
	{"l2", "L2", "times", .align = ALIGN_RIGHT, .help = AS_BEFORE},
	{"memory", "memory", "times", .align = ALIGN_RIGHT, .help = AS_BEFORE},
	{"forwarded", "forwarded", "times", .align = ALIGN_RIGHT,
	 .help = "how often an older store did, in the queue or in the write buffer"},
	CODE_COLUMNS,
	{"untimed", "untimed", "times", .align = ALIGN_RIGHT,
	 .help = "executions without timing (--ff): no level, no cycles"},
	{"cycles", "cycles", "cycles", .align = ALIGN_RIGHT,
	 .help = "of all its executions together"},
};

static const struct grid_column speculative_columns[] = {
	{"dispatched", "dispatched", "times", .align = ALIGN_RIGHT, .help = "how often it was"},
	{"wrong_path", "wrong path", "times", .align = ALIGN_RIGHT,
	 .help = "of those dispatched, behind a misprediction"},
	{"squashed", "squashed", "times", .align = ALIGN_RIGHT,
	 .help = "taken back: wrong paths, memory order violations, interrupts"},
	{"accessed", "accessed", "times", .align = ALIGN_RIGHT,
	 .help = "sent to a level of the memory system: loads and atomics"},
	{"accessed_wrong", "on wrong path", "times", .align = ALIGN_RIGHT,
	 .help = "of `accessed`, those behind a misprediction"},
	{"committed", "committed", "times", .align = ALIGN_RIGHT,
	 .help = "how often it was the program's"},
	CODE_COLUMNS,
};

static void cell_count(struct grid *g, enum role role, uint64_t n)
{
	grid_uint(g, n ? role : ROLE_DIM, n);
}

static void load_row(struct grid *g, const struct session *s, const struct oracle_entry *e)
{
	uint64_t timed = e->count - e->more[LEVEL_NONE];
	grid_row(g, e->key[0], ROLE_PLAIN)->pc = e->key[0];
	grid_uint(g, ROLE_NUMBER, e->count);
	grid_double(g, ROLE_NUMBER, timed ? (double)e->more[LOAD_CYCLES] / (double)timed : 0, 2);
	grid_uint(g, ROLE_NUMBER, e->more[LOAD_MOST]);
	cell_count(g, ROLE_HIT, e->more[LEVEL_L1]);
	cell_count(g, ROLE_MISS, e->more[LEVEL_L2]);
	cell_count(g, ROLE_MISS, e->more[LEVEL_MEMORY]);
	cell_count(g, ROLE_HIT, e->more[LEVEL_FORWARD] + e->more[LEVEL_BUFFER]);
	cell_code(g, s, e->key[0]);
	cell_count(g, ROLE_DIM, e->more[LEVEL_NONE]);
	grid_uint(g, ROLE_DIM, e->more[LOAD_CYCLES]);
}

static void speculative_row(struct grid *g, const struct session *s, const struct oracle_entry *e)
{
	grid_row(g, e->key[0], ROLE_PLAIN)->pc = e->key[0];
	grid_uint(g, ROLE_NUMBER, e->count);
	cell_count(g, ROLE_WRONG_PATH, e->more[SPEC_WRONG_PATH]);
	cell_count(g, ROLE_SQUASHED, e->more[SPEC_SQUASHED]);
	cell_count(g, ROLE_NUMBER, e->more[SPEC_ACCESSED]);
	cell_count(g, ROLE_WRONG_PATH, e->more[SPEC_ACCESSED_WRONG]);
	cell_count(g, ROLE_NUMBER, oracle_count(machine_pipe(s->machine)->prof, e->key[0]));
	cell_code(g, s, e->key[0]);
}

/* The order is that of one of the further words: `by`. */
static bool build_by(const struct session *s, const struct view_args *args, enum oracle_table_id id,
                     const char *parameter, unsigned by, struct grid *out, struct err *err)
{
	const struct oracle *o = oracle_with(s, id, parameter, err);
	uint32_t n;
	uint64_t limit;
	if (!o || !oracle_row_limit(args, 0, oracle_entries(o, id), &limit, err))
		return false;
	struct ranked *r = oracle_rank(o, id, &n, err);
	if (!r)
		return false;
	for (uint32_t i = 0; i < n; i++)
		r[i].count = r[i].e->more[by];
	oracle_rank_again(r, n);
	bool loads = id == ORACLE_LOADS;
	if (loads)
		grid_init(out, "Loads", GRID_TABLE(load_columns));
	else
		grid_init(out, "Speculation", GRID_TABLE(speculative_columns));
	grid_empty(out, "nothing was counted");
	oracle_summary(out, o, limit, n);
	for (uint32_t i = 0; i < limit; i++)
		(loads ? load_row : speculative_row)(out, s, r[i].e);
	free(r);
	return true;
}

static bool build_loads(const struct session *s, const struct view_args *args, struct grid *out,
                        struct err *err)
{
	return build_by(s, args, ORACLE_LOADS, "oracle.loads=true", LOAD_CYCLES, out, err);
}

static bool build_speculative(const struct session *s, const struct view_args *args,
                              struct grid *out, struct err *err)
{
	return build_by(s, args, ORACLE_SPECULATION, "oracle.speculative=true", SPEC_WRONG_PATH,
	                out, err);
}

const struct report report_oracle_loads = {
	.name = "oracle loads",
	.title = "Which level served each load, and how long it took",
	.args = "[ROWS|all]",
	.help.about =
		"Each committed load, those that took the most cycles together first.\n"
		"\n",
	.help.tables = {{GRID_TABLE(load_columns), .indent = 14}},
	.help.hints =
		"\n"
		"Needs oracle.loads=true.",
	.device = "oracle",
	.build = build_loads,
};

const struct report report_oracle_speculative = {
	.name = "oracle speculative",
	.title = "What was dispatched and did not commit",
	.args = "[ROWS|all]",
	.help.about =
		"Each instruction that was ever dispatched, on wrong paths too; the most often\n"
		"on wrong paths first.\n"
		"\n",
	.help.tables = {{GRID_TABLE(speculative_columns), .indent = 14}},
	.help.hints =
		"\n"
		"Dispatched is squashed, committed, or still on its way. Needs\n"
		"oracle.speculative=true.",
	.device = "oracle",
	.build = build_speculative,
};
