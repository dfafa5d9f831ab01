/* A prefetcher: one const descriptor and its functions, in prefetch_NAME.c, and a row of
 * core/defs/kinds.h. Its state is a table in the arena, prefetcher.table. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_KIND_H
#define CYCLOPS_CORE_PIPE_MEMORY_PREFETCH_KIND_H

#include "core/base/state_ranges.h"
#include "core/pipe/memory/cache.h"
#include "core/pipe/plugin.h"

/* An entry of a prefetcher's table, for views. */
struct prefetch_entry {
	uint64_t pc;       /* its instruction */
	uint64_t addr;     /* byte address of the instruction's last access */
	const char *state; /* "steady" */
	int64_t stride;    /* bytes */
};

struct prefetch_kind {
	/* Bytes of its table, which is zero at first; NULL: none. prefetcher.mask is the parameter
	 * prefetch_table - 1. */
	size_t (*bytes)(const struct prefetcher *p);
	/* An access took place, or its line arrives: writes the numbers of the lines to prefetch to
	 * line[], PLUGIN_LINES_MAX at most; returns how many. NULL: it prefetches nothing. */
	uint32_t (*access)(struct hierarchy *h, const struct cache *c,
	                   const struct plugin_access *a, uint64_t *line);
	/* In warming it is notified of every access, also of one to a line used before. */
	bool each_access;
	/* Lists the valid ranges of its table. NULL: any contents are valid. */
	void (*ranges)(const struct prefetcher *p, struct ranges *rs);
	/* For cache views: entry i of its table of mask + 1. False: the entry is empty. NULL: no
	 * table to show. */
	bool (*entry)(const struct prefetcher *p, uint32_t i, struct prefetch_entry *out);
};

#endif
