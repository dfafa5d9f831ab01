/* Statistics: counters in the arena, named and derived by stats.def. */
#ifndef CYCLOPS_CORE_STATS_H
#define CYCLOPS_CORE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

struct stats {
#define COUNTER(field, ...) uint64_t field;
#define DERIVED(...)
#include "core/stats.def"
#undef COUNTER
#undef DERIVED
};

struct stat_row {
	const char *name, *unit, *help;
	bool derived; /* a double, not a counter */
	size_t offset; /* of a counter in struct stats */
};

extern const struct stat_row stat_rows[];
extern const size_t stat_row_count;

/* Row of a name, or NULL with *err naming the nearest right one. */
const struct stat_row *stat_find(const char *name, struct err *err);
/* A counter is exact up to 2^53. */
double stat_value(const struct stats *s, const struct stat_row *row);

#endif
