/* Shared by the views of the three caches: the map of a cache, and the ways of one set. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_CACHE_VIEW_H
#define CYCLOPS_HWVIEWS_MACHINE_CACHE_VIEW_H

#include "core/pipe/memory/cache.h"
#include "hwviews/grid/setmap.h"
#include "hwviews/grid/view.h"

struct cache_view {
	const char *name, *title;
	const struct cache *cache;
	uint64_t accesses, misses; /* so far */
	const char *nearer; /* source of a line that memory did not fill */
	bool clean;         /* instruction cache: never dirty */
};

bool cache_view_build(const struct cache_view *v, const struct session *s,
                      const struct view_args *args, struct grid *out, struct err *err);

/* The columns of a set's ways, and the help tables common to the three views. */
enum { CACHE_COLUMNS = 7 };
extern const struct grid_column cache_columns[CACHE_COLUMNS];

/* clang-format off */
#define CACHE_VIEW_TABLES(columns, dirty)                                                          \
	{GRID_TABLE(columns),                                                                      \
	 .before = "Without an argument a map: one character stands for one or more sets.\n"       \
	           "  ·  empty      ░  some ways valid      ▒  all ways valid\n"                   \
	           dirty "  █  used in the last 64 accesses\n"                                     \
	           "  ↓  a line is on its way\n"},                                                 \
	{GRID_TABLE(cache_columns),                                                                \
	 .before = "\nWith a set number (0, 1, ...), or an address or symbol, the ways of that "   \
	           "set,\nthe state of its replacement policy, and the prefetcher's entries of\n"  \
	           "instructions whose last access was to it, with its address:\n"}
#define DIRTY_LINES "  ▓  holds modified (dirty) lines    "
/* clang-format on */

#endif
