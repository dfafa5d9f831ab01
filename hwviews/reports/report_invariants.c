/* The finder: instructions whose values are nearly always the same, those where time is spent
 * first. */
#include <stdio.h>
#include <stdlib.h>

#include "hwviews/oracle/oracle_rows.h"
#include "hwviews/reports/report.h"
#include "hwviews/reports/value_hints.h"
#include "hwviews/values/value_rows.h"

static const struct grid_column columns[] = {
	{"cycles", "cycles", "percent", ALIGN_RIGHT, 0, false, false},
	{"own", "own", "percent", ALIGN_RIGHT, 0, false, false},
	{"share", "same", "percent", ALIGN_RIGHT, 0, false, false},
	{"least", "at least", "percent", ALIGN_RIGHT, 0, false, false},
	{"seen", "seen", "values", ALIGN_RIGHT, 0, false, false},
	{"value", "value", "", ALIGN_RIGHT, 0, false, false},
	{"address", "address", "", ALIGN_RIGHT, 0, false, false},
	{"place", "place", "", ALIGN_LEFT, 0, true, false},
	{"instruction", "instruction", "", ALIGN_LEFT, 0, true, false},
	{"line", "line", "", ALIGN_LEFT, 0, false, false},
	{"kind", "kind", "", ALIGN_LEFT, 0, false, false},
	{"times", "times", "estimated", ALIGN_RIGHT, 0, false, false},
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
	.help = "Instructions of which one value makes up most of what was sampled, those first\n"
	        "where most could be gained by knowing it beforehand.\n"
	        "\n"
	        "  cycles    of all, that retirement waited for the instruction and those that\n"
	        "            read what it writes: the most that specialising could save here\n"
	        "  own       the same, for the instruction alone\n"
	        "  same      share of the value among those sampled; at least: what that is\n"
	        "            with few samples in mind. values.invariant and values.least say\n"
	        "            how much is asked for\n"
	        "  at least  the least that this share is, with few samples in mind\n"
	        "  times     executions, estimated\n"
	        "  seen      values sampled there\n"
	        "  value     the most frequent one\n"
	        "  address, place  where the instruction is\n"
	        "  instruction  as assembly\n"
	        "  line      of the source\n"
	        "  kind      of values, as the module names it\n"
	        "\n"
	        "Results that the code itself fixes are left out. Needs --values and\n"
	        "profileme.enable=true; `report hints` says what one could do.",
	.device = "profileme",
	.build = build,
};
