/* `view l2`: the second-level cache. */
#include "hwviews/machine/cache_view.h"

#include "core/pipe/pipe.h"

static bool view_l2_build_grid(const struct session *s, const struct view_args *args,
                               struct grid *out, struct err *err)
{
	const struct stats *st = machine_stats(s->machine);
	struct cache_view v = {"l2", "L2 cache", &machine_pipe(s->machine)->mem.l2,
	                       STAT(st, l2_accesses), STAT(st, l2_misses), "L1D",
	                       false};
	return cache_view_build(&v, s, args, out, err);
}

const struct view view_l2 = {
	.name = "l2",
	.title = "L2 cache",
	.args = "[SET | ADDRESS]",
	.build = view_l2_build_grid,
	.help.about =
		"The unified level 2 cache below both level 1 caches: code and data share it.\n"
		"A miss here goes to memory over the bus and takes the longest wait of\n"
		"is.",
	.help.tables = {CACHE_VIEW_TABLES(setmap_columns, DIRTY_LINES)},
	.help.hints =
		"A map that fills evenly is a working set that grows; once every set is full,\n"
		"the oldest lines go. Dirty lines that leave take bus time as well. Shaped by\n"
		"l2.size, l2.ways, l2.line, l2.latency, mem.latency, bus.*.",
};
