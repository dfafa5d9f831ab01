/* `view stats`: statistics of the run or a part of it. */
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/defs/stats_fields.h"
#include "hwviews/session/marks.h"
#include "hwviews/session/view_text.h"

static bool view_stats_stat_is_wanted(const struct stat_row *row, const struct region *words)
{
	for (int i = 0; i < words->argc; i++)
		if (strstr(row->name, words->argv[i]))
			return true;
	return words->argc == 0;
}

struct row {
	const struct stat_row *stat;
	const struct stats *counted;
};

/* Signed: a gauge may fall within a region. */
static int64_t view_stats_row_counter_value(const struct row *r)
{
	int64_t count;
	memcpy(&count, (const char *)r->counted + r->stat->offset, sizeof count);
	return count;
}

FILL(fill_name, struct row, grid_text(g, ROLE_PLAIN, "%s", r->stat->name))

static void view_stats_fill_value(struct grid *g, const void *row)
{
	const struct row *r = row;
	if (r->stat->derived)
		grid_double(g, ROLE_NUMBER, stat_value(r->counted, r->stat), 4);
	else if (view_stats_row_counter_value(r) < 0)
		grid_int(g, ROLE_NUMBER, view_stats_row_counter_value(r));
	else
		grid_uint(g, ROLE_NUMBER, (uint64_t)view_stats_row_counter_value(r));
}

FILL(fill_unit, struct row, grid_text(g, ROLE_DIM, "%s", r->stat->unit))
FILL(fill_meaning, struct row, grid_text(g, ROLE_DIM, "%s", r->stat->help))

static const struct grid_column columns[] = {
	{"name", "statistic", "", fill_name, .help = "its name"},
	{"value", "value", "", view_stats_fill_value, AT_RIGHT, .min_width = 14,
	 .help = "counts are exact; ratios and means stand beside their counters"},
	{"unit", "unit", "", fill_unit, .help = "what is counted"},
	{"meaning", "meaning", "", fill_meaning, FLEXIBLE,
	 .help = "the counted events. \"wrong path included\" also counts squashed work; names "
		 "with commit do not"},
};

static bool view_stats_build_grid(const struct session *s, const struct view_args *args,
                                  struct grid *out, struct err *err)
{
	struct region region;
	struct stats counted;
	const struct config *cfg = machine_config(s->machine);
	size_t found = 0, all = 0;
	if (!region_take_thread(s, args->argc, args->argv, &region, err))
		return false;
	for (int k = 0; k < region.argc; k++) {
		size_t i = 0;
		while (i < stat_row_count && !strstr(stat_rows[i].name, region.argv[k]))
			i++;
		if (i == stat_row_count && !stat_find(region.argv[k], err))
			return false;
	}
	for (size_t i = 0; i < stat_row_count; i++) {
		bool exists = stat_exists(cfg, &stat_rows[i]);
		all += exists;
		found += exists && view_stats_stat_is_wanted(&stat_rows[i], &region);
	}
	if (!found)
		return stat_find(region.argv[0], err) != NULL;
	if (!region_stats(s, &region, &counted, err))
		return false;
	grid_init(out, "Statistics", GRID_TABLE(columns));
	if (region.argc)
		grid_summary(out, "%s%s%zu of %zu", region.text, *region.text ? ": " : "", found,
		             all);
	else
		grid_summary(out, "%s", region.text);
	for (size_t i = 0; i < stat_row_count; i++) {
		const struct row r = {&stat_rows[i], &counted};
		if (!stat_exists(cfg, r.stat) || !view_stats_stat_is_wanted(r.stat, &region))
			continue;
		grid_row(out, 1 + i,
		         !r.stat->derived && !view_stats_row_counter_value(&r) ? ROLE_DIM
		                                                               : ROLE_PLAIN);
		grid_cells(out, &r);
	}
	return true;
}

const struct view view_stats = {
	.name = "stats",
	.title = "Statistics",
	.args = "[NAME...] " REGION_THREAD_ARGS,
	.build = view_stats_build_grid,
	.help.about =
		"All counters of the machine and derived values, since the\n"
		"beginning, or in a part of the run: `since main`, `since last`, `since NAME`,\n"
		"`1000 2000`. With words, those whose names contain one: `stats l1d bpred`.",
	.help.tables = {{GRID_TABLE(columns), .indent = 11}},
	.help.hints =
		"Start with sim.ipc, then `cpi`, which shows where the cycles went. Changes\n"
		"since the last stop are marked. Names are the same in scripts and in --stats.",
};
