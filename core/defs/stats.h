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
enum { STATS_ROOM = 320 }; /* the most words that it has */

/* The value of a counter by its field, for who should not be compiled again for each new row: the
 * linker knows its place. */
#define STAT(s, field) \
	(*({ \
		extern const size_t stat_at_##field; \
		const struct stats *const stats_ = (s); \
		(const uint64_t *)(const void *)((const char *)stats_ + stat_at_##field); \
	}))

struct stat_row {
	const char *name, *unit, *help;
	bool derived; /* a double, not a counter */
	size_t offset; /* of a counter in struct stats */
};

extern const struct stat_row stat_rows[];
extern const size_t stat_row_count;

/* Row of a name, or NULL with *err naming the nearest right one. */
const struct stat_row *stat_find(const char *name, struct err *err);
/* The device whose row it is, DEVICE_COUNT if it is the machine's own. */
enum device_id stat_device(const struct stat_row *row);
/* Whether a machine of this configuration has it: rows of a device exist when the device does,
 * those of a prefetcher with it. */
bool stat_exists(const struct config *cfg, const struct stat_row *row);
/* Of a row that doesn't: says so, and how to have it. Returns false. */
bool stat_absent(const struct stat_row *row, struct err *err);
/* A counter is exact up to 2^53. */
double stat_value(const struct stats *s, const struct stat_row *row);

/* What a program calls a statistic by, for hpmselect: the FNV-1a digest of its name; never 0. */
uint32_t stat_id(const char *name);
/* Fills in what the hart's counter register csr_is_counter() is about to be read or written with.
 */
struct hart;
struct stat_memo;
void stat_fill_counter(const struct stats *s, struct hart *h, unsigned csr, struct stat_memo *memo);
/* Rows that stat_fill_counter() has found for pic0 and pic1: zero at the beginning. No state: what
 * it holds follows from the hart's. */
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
