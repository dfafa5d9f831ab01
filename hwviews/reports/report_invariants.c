/* The finder: instructions whose values are nearly always the same, those where time is spent
 * first. */
#include <stdio.h>
#include <stdlib.h>

#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "hwviews/reports/value_hints.h"
#include "hwviews/values/value_rows.h"

static const struct grid_column columns[] = {
	{"cycles", "cycles", "percent", .align = ALIGN_RIGHT,
	 .help = "of all, that retirement waited for the instruction and those that read what "
	         "it writes: the most that specialising could save here"},
	{"own", "own", "percent", .align = ALIGN_RIGHT,
	 .help = "the same, for the instruction alone"},
	{"share", "same", "percent", .align = ALIGN_RIGHT,
	 .help = "share of the value among those sampled; at least: what that is with few "
	         "samples in mind. values.invariant and values.least say how much is asked for"},
	{"least", "at least", "percent", .align = ALIGN_RIGHT,
	 .help = "the least that this share is, with few samples in mind"},
	{"seen", "seen", "values", .align = ALIGN_RIGHT, .help = "values sampled there"},
	{"value", "value", "", .align = ALIGN_RIGHT, .help = "the most frequent one"},
	{"address", "address", "", .align = ALIGN_RIGHT, .help = "where the instruction is"},
	{"place", "place", "", .flexible = true, .help = AS_BEFORE},
	{"instruction", "instruction", "", .flexible = true, .help = "as assembly"},
	{"line", "line", "", .help = "of the source"},
	{"kind", "kind", "", .help = "of values, as the module names it"},
	{"times", "times", "estimated", .align = ALIGN_RIGHT, .help = "executions, estimated"},
};

static void percent(struct grid *g, double share)
{
	grid_double_text(g, share >= 0.05 ? ROLE_HOT : ROLE_NUMBER, 100 * share, "%.2f%%",
	                 100 * share);
}

static void row(struct grid *g, const struct session *s, const struct value_daemon *values,
                const struct finding *f)
{
	char text[128];
	grid_row(g, f->code.pc * VALUE_KINDS + f->kind, ROLE_PLAIN)->pc = f->code.pc;
	percent(g, f->time);
	percent(g, f->own);
	grid_double_text(g, ROLE_NUMBER, 100 * f->share, "%.1f%%", 100 * f->share);
	grid_double_text(g, ROLE_DIM, 100 * f->least, "%.1f%%", 100 * f->least);
	grid_uint(g, ROLE_NUMBER, f->seen);
	grid_hex_text(
		g, ROLE_NUMBER, f->value, "%s",
		value_daemon_format(values, f->kind, f->code.pc, f->value, text, sizeof text));
	cell_code(g, s, f->code.pc);
	grid_text(g, ROLE_ADDRESS, "%s", format_line(s, f->code.pc, text, sizeof text));
	grid_text(g, ROLE_DIM, "%s", value_daemon_source(values)->kind[f->kind].name);
	grid_uint(g, ROLE_DIM, (uint64_t)(f->executions + 0.5));
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	const struct config *cfg = machine_config(s->machine);
	struct findings found;
	uint64_t limit;
	char a[32], b[32];
	if (!findings_collect(s, &found, err))
		return false;
	if (!oracle_row_limit(args, 0, found.count, &limit, err)) {
		findings_deinit(&found);
		return false;
	}
	grid_init(out, "Semi-invariant values", columns, sizeof columns / sizeof *columns);
	out->essential = 9;
	grid_empty(out, "no instruction has one value in %lld %% of what was sampled of it",
	           (long long)CONFIG(cfg, values_invariant));
	grid_summary(out, "%s of %s lists: %lld %% the same at least, %lld samples",
	             group_digits(found.count, a), group_digits(found.lists, b),
	             (long long)CONFIG(cfg, values_invariant),
	             (long long)CONFIG(cfg, values_least));
	for (uint64_t i = 0; i < limit; i++)
		row(out, s, s->launch.values, &found.at[i]);
	findings_deinit(&found);
	return true;
}

const struct report report_invariants = {
	.name = "invariants",
	.title = "Where a value is nearly always the same, and time is spent",
	.args = "[ROWS|all]",
	.help.about =
		"Instructions of which one value makes up most of what was sampled, those first\n"
		"where most could be gained by knowing it beforehand.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 12}},
	.help.hints =
		"\n"
		"Results that the code itself fixes are left out. Needs --values and\n"
		"profileme.enable=true; `report hints` says what one could do.",
	.device = "profileme",
	.build = build,
};
