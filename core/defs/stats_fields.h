/* The counters of struct stats, for who counts: a new row of stats.def compiles these again. Others
 * read with STAT(). */
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
