/* What the views of the three caches share: the map of a cache, and the ways of one set. */
#ifndef CYCLOPS_HWVIEWS_MACHINE_CACHE_VIEW_H
#define CYCLOPS_HWVIEWS_MACHINE_CACHE_VIEW_H

#include "core/pipe/memory/cache.h"
#include "hwviews/grid/view.h"

struct cache_view {
	const char *name, *title;
	const struct cache *cache;
	uint64_t accesses, misses; /* so far */
	const char *nearer; /* who filled a line that memory did not */
};

bool cache_view_build(const struct cache_view *v, const struct session *s,
                      const struct view_args *args, struct grid *out, struct err *err);

/* The part of the help that the three have in common. */
#define CACHE_VIEW_HELP \
	"Without an argument a map: one character stands for one or more sets.\n" \
	"  ·  empty      ░  some ways valid      ▒  all ways valid\n" \
	"  ▓  holds modified (dirty) lines      █  used in the last 64 accesses\n" \
	"  ↓  a line is on its way\n" \
	"\n" \
	"With a set number (0, 1, ...), or an address or symbol, the ways of that set:\n" \
	"  line       address of its first byte; marked if it is the one asked for\n" \
	"  way        place in the set\n" \
	"  place      what lies there\n" \
	"  state      clean, dirty (newer than the level below), on its way\n" \
	"  due        when a line on its way is there\n" \
	"  from       where its last fill came from\n" \
	"  order of use  place in the set: the oldest is replaced first\n" \
	"  sets, map  of a map: which sets, a character each or for several\n" \
	"  valid, dirty  entries of these sets that hold a line, and a modified one\n" \
	"  used last  of these the newest\n" \
	"\n"

#endif
