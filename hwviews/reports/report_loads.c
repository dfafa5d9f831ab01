/* The oracle's reports of time: loads by level, and events that did not commit. */
#include <stdlib.h>

#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"

static void report_loads_append_count_cell(struct grid *g, enum role role, uint64_t n)
{
	grid_uint(g, n ? role : ROLE_DIM, n);
}

#define CODE_COLUMNS                                                                               \
	{"address", "address", "", fill_code_address, AT_RIGHT, .help = "where it is"}, \
	{"place", "place", "", fill_code_place, FLEXIBLE, .help = AS_BEFORE}, \
	{"instruction", "instruction", "", fill_code_inst, FLEXIBLE, .help = "as assembly"}

struct row {
	struct code_row at;
	const struct oracle_entry *e;
};

static const struct oracle_entry *report_loads_row_entry(const void *row)
{
	return ((const struct row *)row)->e;
}

FILL(fill_count, struct row, grid_uint(g, ROLE_NUMBER, report_loads_row_entry(r)->count))

/* The count in more[of]. */
FILL(fill_hits, struct row,
     report_loads_append_count_cell(g, ROLE_HIT, report_loads_row_entry(r)->more[grid_of(g)]))
FILL(fill_misses, struct row,
     report_loads_append_count_cell(g, ROLE_MISS, report_loads_row_entry(r)->more[grid_of(g)]))
FILL(fill_wrong, struct row,
     report_loads_append_count_cell(g, ROLE_WRONG_PATH,
                                    report_loads_row_entry(r)->more[grid_of(g)]))

static void fill_mean(struct grid *g, const void *row)
{
	const struct oracle_entry *e = report_loads_row_entry(row);
	const uint64_t timed = e->count - e->more[LEVEL_NONE];
	grid_double(g, ROLE_NUMBER, timed ? (double)e->more[LOAD_CYCLES] / (double)timed : 0, 2);
}

FILL(fill_most, struct row, grid_uint(g, ROLE_NUMBER, report_loads_row_entry(r)->more[LOAD_MOST]))
FILL(fill_forwarded, struct row, const struct oracle_entry *e = report_loads_row_entry(r);
     report_loads_append_count_cell(g, ROLE_HIT, e->more[LEVEL_FORWARD] + e->more[LEVEL_BUFFER]))
FILL(fill_untimed, struct row, grid_uint(g, ROLE_DIM, report_loads_row_entry(r)->more[LEVEL_NONE]))
FILL(fill_cycles, struct row, grid_uint(g, ROLE_DIM, report_loads_row_entry(r)->more[LOAD_CYCLES]))
FILL(fill_squashed, struct row,
     report_loads_append_count_cell(g, ROLE_SQUASHED,
                                    report_loads_row_entry(r)->more[SPEC_SQUASHED]))
FILL(fill_accessed, struct row,
     report_loads_append_count_cell(g, ROLE_NUMBER, report_loads_row_entry(r)->more[SPEC_ACCESSED]))
FILL(fill_committed, struct row,
     report_loads_append_count_cell(g, ROLE_NUMBER,
                                    oracle_count(machine_pipe(r->at.s->machine)->prof, r->at.pc)))

static const struct grid_column load_columns[] = {
	{"count", "count", "times", fill_count, AT_RIGHT, .help = "how often it committed"},
	{"mean", "mean", "cycles", fill_mean, AT_RIGHT,
	 .help = "cycles from entering the memory system to having the value"},
	{"most", "most", "cycles", fill_most, AT_RIGHT, .help = AS_BEFORE},
	{"l1d", "L1D", "times", fill_hits, .of = LEVEL_L1, AT_RIGHT,
	 .help = "accesses served by each level"},
	{"l2", "L2", "times", fill_misses, .of = LEVEL_L2, AT_RIGHT, .help = AS_BEFORE},
	{"memory", "memory", "times", fill_misses, .of = LEVEL_MEMORY, AT_RIGHT, .help = AS_BEFORE},
	{"delayed", "delayed", "times", fill_misses, .of = LOAD_DELAYED, AT_RIGHT,
	 .help = "of those of L2 and memory, delayed hits: their line was on its way already"},
	{"forwarded", "forwarded", "times", fill_forwarded, AT_RIGHT,
	 .help = "accesses served by an older store, in the queue or in the write buffer"},
	CODE_COLUMNS,
	{"untimed", "untimed", "times", fill_untimed, AT_RIGHT,
	 .help = "executions without timing (--ff): no level, no cycles"},
	{"cycles", "cycles", "cycles", fill_cycles, AT_RIGHT,
	 .help = "of all its executions together"},
};

static const struct grid_column speculative_columns[] = {
	{"dispatched", "dispatched", "times", fill_count, AT_RIGHT, .help = "how often it was"},
	{"wrong_path", "wrong path", "times", fill_wrong, .of = SPEC_WRONG_PATH, AT_RIGHT,
	 .help = "of those dispatched, after a misprediction"},
	{"squashed", "squashed", "times", fill_squashed, AT_RIGHT,
	 .help = "taken back: wrong paths, memory order violations, interrupts"},
	{"accessed", "accessed", "times", fill_accessed, AT_RIGHT,
	 .help = "sent to a level of the memory system: loads and atomics"},
	{"accessed_wrong", "on wrong path", "times", fill_wrong, .of = SPEC_ACCESSED_WRONG,
	 AT_RIGHT, .help = "of `accessed`, those after a misprediction"},
	{"committed", "committed", "times", fill_committed, AT_RIGHT,
	 .help = "committed executions"},
	CODE_COLUMNS,
};

/* Sorts by the count in more[by]. */
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
	oracle_summary(out, s, o, limit, n);
	for (uint32_t i = 0; i < limit; i++) {
		const uint64_t pc = r[i].e->key[0];
		grid_row(out, pc, ROLE_PLAIN)->pc = pc;
		grid_cells(out, &(struct row){{s, pc}, r[i].e});
	}
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
	.name = "oracle loads", .title = "Which level served each load, and how long it took",
	.args = "[ROWS|all]", .device = "oracle", .build = build_loads,
	.help.about =
		"Each committed load, those that took the most cycles together first.",
	.help.tables = {{GRID_TABLE(load_columns), .indent = 14}}, .help.hints =
		"Needs oracle.loads=true.",
};

const struct report report_oracle_speculative = {
	.name = "oracle speculative",
	.title = "Dispatched instructions that did not commit",
	.args = "[ROWS|all]",
	.device = "oracle",
	.build = build_speculative,
	.help.about =
		"Each instruction that was ever dispatched, on wrong paths too; the most often\n"
		"on wrong paths first.",
	.help.tables = {{GRID_TABLE(speculative_columns), .indent = 14}},
	.help.hints = "Dispatched is squashed, committed, or still on its way. Needs\n"
		      "oracle.speculative=true.",
};
