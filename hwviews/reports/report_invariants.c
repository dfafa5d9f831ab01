/* Report of semi-invariant values: instructions whose values are nearly always the same, those with
 * the most time first. */

#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "hwviews/reports/value_hints.h"
#include "hwviews/values/value_rows.h"

static void report_invariants_append_percent_cell(struct grid *g, double share)
{
	grid_double_text(g, share >= 0.05 ? ROLE_HOT : ROLE_NUMBER, 100 * share, "%.2f%%",
	                 100 * share);
}

struct row {
	struct code_row at;
	const struct value_daemon *values;
	const struct finding *f;
};

static const struct finding *finding_of(const void *row)
{
	return ((const struct row *)row)->f;
}

FILL(fill_cycles, struct row, report_invariants_append_percent_cell(g, finding_of(r)->time))
FILL(fill_own, struct row, report_invariants_append_percent_cell(g, finding_of(r)->own))
FILL(fill_same, struct row, const double share = 100 * finding_of(r)->share;
	grid_double_text(g, ROLE_NUMBER, share, "%.1f%%", share))
FILL(fill_least, struct row, const double least = 100 * finding_of(r)->least;
	grid_double_text(g, ROLE_DIM, least, "%.1f%%", least))
FILL(fill_seen, struct row, grid_uint(g, ROLE_NUMBER, finding_of(r)->seen))
FILL(fill_value, struct row, grid_hex_text(g, ROLE_NUMBER, r->f->value, "%s",
	value_daemon_format(r->values, r->f->kind, r->f->code.pc, r->f->value, BUFFER(128))))
FILL(fill_line, struct row,
	grid_text(g, ROLE_ADDRESS, "%s", format_line(r->at.s, r->at.pc, BUFFER(128))))
FILL(fill_kind, struct row, grid_text(g, ROLE_DIM, "%s",
	value_daemon_source(r->values)->kind[r->f->kind].name))
FILL(fill_times, struct row, grid_uint(g, ROLE_DIM, (uint64_t)(finding_of(r)->executions + 0.5)))

static const struct grid_column columns[] = {
	{"cycles", "cycles", "percent", fill_cycles, AT_RIGHT,
	 .help = "share of all cycles that retirement waited for the instruction and the readers "
		 "of its result: a bound on the gain from specialising"},
	{"own", "own", "percent", fill_own, AT_RIGHT,
	 .help = "the same, for the instruction alone"},
	{"share", "same", "percent", fill_same, AT_RIGHT,
	 .help = "share of the value among the samples; at least: its lower bound given few "
		 "samples. values.invariant and values.least are the limits"},
	{"least", "at least", "percent", fill_least, AT_RIGHT,
	 .help = "lower bound of this share, given few samples"},
	{"seen", "seen", "values", fill_seen, AT_RIGHT, .help = "values sampled there"},
	{"value", "value", "", fill_value, AT_RIGHT, .help = "the most frequent one"},
	{"address", "address", "", fill_code_address, AT_RIGHT, .help = "where the instruction is"},
	{"place", "place", "", fill_code_place, FLEXIBLE, .help = AS_BEFORE},
	{"instruction", "instruction", "", fill_code_inst, FLEXIBLE, .help = "as assembly"},
	{"line", "line", "", fill_line, .help = "of the source"},
	{"kind", "kind", "", fill_kind, .help = "of values, as the module names it"},
	{"times", "times", "estimated", fill_times, AT_RIGHT, .help = "executions, estimated"},
};

static bool report_invariants_build_grid(const struct session *s, const struct view_args *args,
                                         struct grid *out, struct err *err)
{
	const struct config *cfg = machine_config(s->machine);
	struct findings found;
	uint64_t limit;
	if (!findings_collect(s, &found, err))
		return false;
	if (!oracle_row_limit(args, 0, found.count, &limit, err)) {
		findings_deinit(&found);
		return false;
	}
	grid_init(out, "Semi-invariant values", GRID_TABLE(columns));
	out->essential = 9;
	grid_empty(out, "no instruction has one value in %lld %% of its samples",
	           (long long)CONFIG(cfg, values_invariant));
	grid_summary(out, "%s of %s lists: %lld %% the same at least, %lld samples",
	             GROUPED(found.count), GROUPED(found.lists),
	             (long long)CONFIG(cfg, values_invariant),
	             (long long)CONFIG(cfg, values_least));
	for (uint64_t i = 0; i < limit; i++) {
		const struct finding *f = &found.at[i];
		grid_row(out, f->code.pc * VALUE_KINDS + f->kind, ROLE_PLAIN)->pc = f->code.pc;
		grid_cells(out, &(struct row){{s, f->code.pc}, s->launch.values, f});
	}
	findings_deinit(&found);
	return true;
}

const struct report report_invariants = {
	.name = "invariants",
	.title = "Nearly invariant values where time is spent",
	.args = "[ROWS|all]",
	.device = "profileme",
	.build = report_invariants_build_grid,
	.help.about = "Instructions with one value in most of their samples, those first\n"
		      "that could gain most from knowing it.",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints = "Results fixed by the code are left out. Needs --values and\n"
		      "profileme.enable=true; `report hints` has suggestions.",
};
