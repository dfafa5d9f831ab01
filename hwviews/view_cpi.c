#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/stats_fields.h"
#include "hwviews/marks.h"
#include "hwviews/tell.h"

static const struct grid_column columns[] = {
	{"cause", "cause", "", ALIGN_LEFT, 0, false, false},
	{"cpi", "CPI", "cycles/instruction", ALIGN_RIGHT, 0, false, false},
	{"share", "share", "percent of cycles", ALIGN_RIGHT, 0, false, false},
	{"bar", "", "", ALIGN_LEFT, 0, false, false},
	{"cycles", "cycles", "cycles", ALIGN_RIGHT, 0, false, false},
	{"meaning", "meaning", "", ALIGN_LEFT, 0, true, false},
	{"slots", "slots", "slots", ALIGN_RIGHT, 0, false, false},
};

static void cause_row(struct grid *g, const struct stat_row *row, uint64_t slots, const struct stats *st,
                      uint64_t width)
{
	double cycles = (double)slots / (double)width;
	double share = STAT(st, cycles) ? cycles / (double)STAT(st, cycles) : 0;
	bool base = row->offset == offsetof(struct stats, cpi_base);
	grid_row(g, 1 + row->offset, slots ? ROLE_PLAIN : ROLE_DIM);
	cell_cause(g, row->name + strlen("cpi."));
	grid_double(g, ROLE_NUMBER, STAT(st, insts) ? cycles / (double)STAT(st, insts) : 0, 3);
	grid_double_text(g, ROLE_NUMBER, 100 * share, "%.1f%%", 100 * share);
	cell_bar(g, share, base ? ROLE_HIT : share >= 0.1 ? ROLE_MISS : ROLE_WAITING);
	cell_slots(g, ROLE_NUMBER, slots, width);
	grid_text(g, ROLE_DIM, "%s", row->help);
	grid_uint(g, ROLE_DIM, slots);
}

static void total_row(struct grid *g, const struct stats *st, uint64_t slots, uint64_t width)
{
	grid_row(g, UINT64_MAX, ROLE_CURRENT);
	grid_text(g, ROLE_PLAIN, "total");
	grid_double(g, ROLE_NUMBER, STAT(st, insts) ? (double)slots / (double)width / (double)STAT(st, insts) : 0, 3);
	grid_double_text(g, ROLE_NUMBER, 100, "%.1f%%", 100.0);
	grid_blank(g);
	cell_slots(g, ROLE_NUMBER, slots, width);
	grid_text(g, ROLE_DIM, "every cycle, and no cycle twice");
	grid_uint(g, ROLE_DIM, slots);
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	struct region region;
	struct stats counted;
	const struct stats *st = &counted;
	uint64_t width = (uint64_t)CONFIG(machine_config(s->machine), commit_width), total = 0;
	char insts[32], cycles[32];
	if (!region_take(s, args->argc, args->argv, &region, err) ||
	    !arg_count(&(struct view_args){.argc = region.argc, .argv = region.argv}, 0, "cpi", err) || !region_stats(s, &region, &counted, err))
		return false;
	grid_init(out, "CPI stack", columns, sizeof columns / sizeof *columns);
	grid_summary(out, "%s%s%s cycles, %s instructions, IPC %.3f", region.text, region.given ? ": " : "", group_digits(STAT(st, cycles), cycles),
	             group_digits(STAT(st, insts), insts), STAT(st, cycles) ? (double)STAT(st, insts) / (double)STAT(st, cycles) : 0);
	grid_empty(out, region.given ? "no cycle in this region" : "no cycle has passed yet");
	if (!STAT(st, cycles))
		return true;
	for (size_t i = 0; i < stat_row_count; i++) {
		uint64_t slots;
		if (strncmp(stat_rows[i].name, "cpi.", 4) != 0 || !stat_exists(machine_config(s->machine), &stat_rows[i]))
			continue;
		memcpy(&slots, (const char *)st + stat_rows[i].offset, sizeof slots);
		cause_row(out, &stat_rows[i], slots, st, width);
		total += slots;
	}
	total_row(out, st, total, width);
	return true;
}

const struct view view_cpi = {
	.name = "cpi",
	.title = "CPI stack",
	.args = REGION_ARGS,
	.help = "Where the cycles went. Every cycle could commit pipe.commit_width\n"
		"instructions: that many slots. A slot that commits one is \"base\"; each other\n"
		"is charged to what the oldest instruction waits for in that cycle, the same\n"
		"reason that `why` gives. The rows add up to the cycles exactly.\n"
		"Machines that complete out of order (classic5) have issue slots instead.\n"
		"\n"
		"  cause   row of the stack: a statistic cpi.*\n"
		"  CPI     cycles per committed instruction that the cause is to blame for\n"
		"  share   of all cycles; the bar shows the same\n"
		"  bar     the share as a line\n"
		"  cycles  slots divided by the commit width\n"
		"  meaning  what is charged to it\n"
		"  slots   commit slots\n"
		"\n"
		"base alone would be the ideal machine: 1/width. A large \"memory\" or \"l2\" is a\n"
		"working set that does not fit; \"bad speculation\" is branches; \"dependency\" is\n"
		"the program's own chains, which a wider machine does not shorten; \"structural\"\n"
		"is too few units, registers or queue entries: see `fu`, `mshr`, `rob`.\n"
		"\n"
		"Of a part of the run: `view cpi since main`, `since last` stop, `since NAME`\n"
		"of a mark or function, or between two cycles: `view cpi 1000 2000`.",
	.build = build,
};
