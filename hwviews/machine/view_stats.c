/* `view stats`: statistics, of the run or a part of it. */
#include <inttypes.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/defs/stats_fields.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/view_text.h"

static const struct grid_column columns[] = {
	{"name", "statistic", "", .help = "its name"},
	{"value", "value", "", .align = ALIGN_RIGHT, .min_width = 14,
	 .help = "counts are exact; ratios and means stand beside the counters they are made "
	         "of"},
	{"unit", "unit", "", .help = "what is counted"},
	{"meaning", "meaning", "", .flexible = true,
	 .help = "what is counted. \"wrong path included\" counts work that never happened to "
	         "the program; names with commit count what did"},
};

static bool wanted(const struct stat_row *row, const struct region *words)
{
	for (int i = 0; i < words->argc; i++)
		if (strstr(row->name, words->argv[i]))
			return true;
	return words->argc == 0;
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out,
                  struct err *err)
{
	struct region region;
	struct stats counted;
	const struct stats *st = &counted;
	const struct config *cfg = machine_config(s->machine);
	size_t found = 0, all = 0;
	if (!region_take_thread(s, args->argc, args->argv, &region, err))
		return false;
	for (size_t i = 0; i < stat_row_count; i++) {
		bool exists = stat_exists(cfg, &stat_rows[i]);
		all += exists;
		found += exists && wanted(&stat_rows[i], &region);
	}
	if (!found)
		return stat_find(region.argv[0], err) != NULL;
	if (!region_stats(s, &region, &counted, err))
		return false;
	grid_init(out, "Statistics", columns, sizeof columns / sizeof *columns);
	if (region.argc)
		grid_summary(out, "%s%s%zu of %zu", region.text, *region.text ? ": " : "", found,
		             all);
	else
		grid_summary(out, "%s", region.text);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (!stat_exists(cfg, row) || !wanted(row, &region))
			continue;
		int64_t count; /* of what there is now, in a region, it may have fallen */
		memcpy(&count, (const char *)st + row->offset, sizeof count);
		bool nothing = !row->derived && !count;
		grid_row(out, 1 + i, nothing ? ROLE_DIM : ROLE_PLAIN);
		grid_text(out, ROLE_PLAIN, "%s", row->name);
		if (row->derived)
			grid_double(out, ROLE_NUMBER, stat_value(st, row), 4);
		else if (count < 0)
			grid_int(out, ROLE_NUMBER, count);
		else
			grid_uint(out, ROLE_NUMBER, (uint64_t)count);
		grid_text(out, ROLE_DIM, "%s", row->unit);
		grid_text(out, ROLE_DIM, "%s", row->help);
	}
	return true;
}

const struct view view_stats = {
	.name = "stats",
	.title = "Statistics",
	.args = "[NAME...] " REGION_THREAD_ARGS,
	.help.about =
		"Every counter of the machine and what is derived from them, since the\n"
		"beginning, or in a part of the run: `since main`, `since last`, `since NAME`,\n"
		"`1000 2000`. With words, those whose names contain one: `stats l1d bpred`.\n"
		"\n",
	.help.tables = {{GRID_TABLE(columns), .indent = 11}},
	.help.hints =
		"\n"
		"Start with sim.ipc, then `cpi`, which says where the cycles went. What changed\n"
		"since the last stop is marked. Names are the same in scripts and in --stats.",
	.build = build,
};
