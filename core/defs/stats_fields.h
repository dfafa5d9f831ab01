/* The counters of struct stats, for files that count: these are recompiled for each new row of
 * stats.def. Others read with STAT(). */
#ifndef CYCLOPS_CORE_DEFS_STATS_FIELDS_H
#define CYCLOPS_CORE_DEFS_STATS_FIELDS_H

#include <assert.h>

#include "core/defs/counts.h"
#include "core/defs/stats.h"

struct stats {
	union {
		struct stage_counts counts;
		struct {
#define COUNT(field) uint64_t field;
#include "core/defs/counts.def"
#undef COUNT
		};
	};
#define COUNTER(field, ...) uint64_t field;
#define STAGE(...)
#define DERIVED(...)
#include "core/defs/stats.def"
#undef COUNTER
#undef STAGE
#undef DERIVED
};
static_assert(sizeof(struct stats) <= STATS_ROOM * sizeof(uint64_t),
              "statistics need a larger STATS_ROOM");

#endif
