/* `view l1i`: the instruction cache. */
#include "hwviews/machine/cache_view.h"

#include "core/pipe/pipe.h"

static bool view_l1i_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct stats *st = machine_stats(s->machine);
	struct cache_view v = {"l1i", "L1 instruction cache", &machine_pipe(s->machine)->mem.l1i,
	                       STAT(st, l1i_accesses), STAT(st, l1i_misses), "L2",
	                       true};
	return cache_view_build(&v, s, args, out, err);
}

const struct view view_l1i = {
	.name = "l1i",
	.also = "icache",
	.title = "L1 instruction cache",
	.args = "[SET | ADDRESS]",
	.build = view_l1i_build_grid,
	.help.about =
		"The level 1 instruction cache: the lines of code that fetch can read at once.\n"
		"A miss stops fetch until L2 or memory delivers the line.",
	.help.tables = {CACHE_VIEW_TABLES(setmap_clean_columns, "")},
	.help.hints =
		"Look for a loop whose lines fall into the same set more often than there are\n"
		"ways: each pass then misses again. Wrong paths fill lines, too.\n"
		"Shaped by l1i.size, l1i.ways, l1i.line, l1i.latency.",
};
