/* `view l1d`: the data cache. */
#include "hwviews/machine/cache_view.h"

#include "core/pipe/pipe.h"

static bool view_l1d_build_grid(const struct session *s, const struct view_args *args,
                                struct grid *out, struct err *err)
{
	const struct stats *st = machine_stats(s->machine);
	struct cache_view v = {"l1d", "L1 data cache", &machine_pipe(s->machine)->mem.l1d,
	                       STAT(st, l1d_accesses), STAT(st, l1d_misses), "L2",
	                       false};
	return cache_view_build(&v, s, args, out, err);
}

const struct view view_l1d = {
	.name = "l1d",
	.also = "cache dcache",
	.title = "L1 data cache",
	.args = "[SET | ADDRESS]",
	.build = view_l1d_build_grid,
	.help.about =
		"The level 1 data cache: loads and stores look here first. It does not block: a\n"
		"miss takes a miss register (`mshr`) and younger accesses go on. Stores write\n"
		"into it after commit; a modified line goes to L2 when it is replaced.",
	.help.tables = {CACHE_VIEW_TABLES(setmap_columns, DIRTY_LINES)},
	.help.hints =
		"Columns of a map that stay lit while their neighbours are dark are a stride\n"
		"that uses few sets: conflict misses in a cache that is nearly empty. Shaped by\n"
		"l1d.size, l1d.ways, l1d.line, l1d.latency, l1d.mshrs.",
};
