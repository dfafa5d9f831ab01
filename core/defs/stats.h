/* Statistics: counters in the arena, named and derived by stats.def. */
#ifndef CYCLOPS_CORE_DEFS_STATS_H
#define CYCLOPS_CORE_DEFS_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/defs/devices.h"

struct config;
struct err;

struct stats; /* core/defs/stats_fields.h */
enum { STATS_ROOM = 320 }; /* at least the words of struct stats */

/* The value of a counter by its field, for files that should not be recompiled for each new row:
 * the linker resolves its place. */
#define STAT(s, field) \
	(*({ \
		extern const size_t stat_at_##field; \
		const struct stats *const stats_ = (s); \
		(const uint64_t *)(const void *)((const char *)stats_ + stat_at_##field); \
	}))

/* Adds to it. */
#define STAT_ADD(s, field, n) \
	({ \
		extern const size_t stat_at_##field; \
		*(uint64_t *)(void *)((char *)(s) + stat_at_##field) += (n); \
	})

struct stat_row {
	const char *name, *unit, *help;
	bool derived; /* a double, not a counter */
	size_t offset; /* of a counter in struct stats */
};

extern const struct stat_row stat_rows[];
extern const size_t stat_row_count;

/* Row of a name, or NULL with *err, which suggests the nearest name. */
const struct stat_row *stat_find(const char *name, struct err *err);
/* The device that the row belongs to; DEVICE_COUNT if that is the machine itself. */
enum device_id stat_device(const struct stat_row *row);
/* Whether a machine of this configuration has the row: rows of a device or a prefetcher exist if
 * that does. */
bool stat_exists(const struct config *cfg, const struct stat_row *row);
/* Sets *err for a row that does not exist: what is missing, and the option that adds it. Returns
 * false. */
bool stat_absent(const struct stat_row *row, struct err *err);
/* A counter is exact up to 2^53. */
double stat_value(const struct stats *s, const struct stat_row *row);
/* Subtracts all counters. */
void stats_subtract(struct stats *s, const struct stats *less);

/* A statistic's id in guest programs, for hpmselect: the FNV-1a digest of its name; never 0. */
uint32_t stat_id(const char *name);
/* Sets the value of the hart's counter register `csr` (csr_is_counter()), before that is read or
 * written.
 */
struct hart;
struct stat_memo;
void stat_fill_counter(const struct stats *s, struct hart *h, unsigned csr, struct stat_memo *memo);
/* Rows that stat_fill_counter() has found for pic0 and pic1; initially zero. Not state, but a cache
 * of what the hart's state selects. */
struct stat_memo {
	uint32_t id[2];
	uint32_t row[2]; /* index + 1, 0: there is none */
};

/* Guest time: cycles with timing, `cycle`, and without. */
static inline uint64_t stats_guest_cycle(const struct stats *s, uint64_t cycle)
{
	return STAT(s, functional_cycles) + cycle;
}

#endif
