#include <inttypes.h>
#include <string.h>

#include "core/nearest.h"
#include "hwviews/tell.h"

static const struct grid_column columns[] = {
	{"name", "statistic", "", ALIGN_LEFT, 0, false, false},
	{"value", "value", "", ALIGN_RIGHT, 14, false, false},
	{"unit", "unit", "", ALIGN_LEFT, 0, false, false},
	{"meaning", "meaning", "", ALIGN_LEFT, 0, true, false},
};

static bool wanted(const struct stat_row *row, const struct view_args *args)
{
	for (int i = 0; i < args->argc; i++)
		if (strstr(row->name, args->argv[i]))
			return true;
	return args->argc == 0;
}

static bool build(const struct session *s, const struct view_args *args, struct grid *out, struct err *err)
{
	const struct stats *st = machine_stats(s->machine);
	const struct config *cfg = machine_config(s->machine);
	size_t found = 0, all = 0;
	for (size_t i = 0; i < stat_row_count; i++) {
		bool exists = stat_exists(cfg, &stat_rows[i]);
		all += exists;
		found += exists && wanted(&stat_rows[i], args);
	}
	if (!found)
		return stat_find(args->argv[0], err) != NULL;
	grid_init(out, "Statistics", columns, sizeof columns / sizeof *columns);
	if (args->argc)
		grid_summary(out, "%zu of %zu", found, all);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct stat_row *row = &stat_rows[i];
		if (!stat_exists(cfg, row) || !wanted(row, args))
			continue;
		uint64_t count;
		memcpy(&count, (const char *)st + row->offset, sizeof count);
		bool nothing = !row->derived && !count;
		grid_row(out, 1 + i, nothing ? ROLE_DIM : ROLE_PLAIN);
		grid_text(out, ROLE_PLAIN, "%s", row->name);
		if (row->derived)
			grid_double(out, ROLE_NUMBER, stat_value(st, row), 4);
		else
			grid_uint(out, ROLE_NUMBER, count);
		grid_text(out, ROLE_DIM, "%s", row->unit);
		grid_text(out, ROLE_DIM, "%s", row->help);
	}
	return true;
}

const struct view view_stats = {
	.name = "stats",
	.title = "Statistics",
	.args = "[NAME...]",
	.help = "Every counter of the machine and what is derived from them, since the\n"
		"beginning. With words, those whose names contain one: `stats l1d bpred`.\n"
		"\n"
		"  value    counts are exact; ratios and means stand beside the counters they\n"
		"           are made of\n"
		"  meaning  what is counted. \"wrong path included\" counts work that never\n"
		"           happened to the program; names with commit count what did\n"
		"\n"
		"Start with sim.ipc, then `cpi`, which says where the cycles went. What changed\n"
		"since the last stop is marked. Names are the same in scripts and in --stats.",
	.build = build,
};
