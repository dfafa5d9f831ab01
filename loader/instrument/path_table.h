/* The counters of a procedure's paths: an array, or, if paths are many, a hash table of executed
 * ones (Ammons, Ball and Larus, section 2). It lies anywhere in the program's memory, and is
 * initially zero.
 *
 * A counter is `words` 64-bit words, 1 or 3: the count, and each metric's sum. Counter k of an
 * array begins at 8 * words * k. A hash table begins with a counter of all paths that found no
 * room, 32 bytes; slots follow: the path's number + 1 (0: free), and the path's counter. A path is
 * in one of PATH_PROBES slots from path_slot() on. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_PATH_TABLE_H
#define CYCLOPS_LOADER_INSTRUMENT_PATH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* paths of a procedure that has an array: no larger than a hash table, which has room for
	 * half as many */
	PATH_ARRAY_MOST = 1 << 13,
	PATH_SLOTS_LOG2 = 12,      /* of hash tables, by default */
	PATH_PROBES = 32,
	PATH_HEAD = 32,            /* bytes before the first slot */
	PATH_WORDS_MAX = 3,
};

/* Spreads path numbers over slots: the upper half of 2^32 / the golden ratio, odd. */
#define PATH_MULTIPLIER UINT32_C(0x9e3779b1)

struct path_table {
	uint64_t paths;
	uint32_t words;
	uint32_t log2;  /* slots of a hash table, without the last PATH_PROBES; 0: array */
};

/* An array for at most PATH_ARRAY_MOST paths, or half as many if hash tables are smaller than by
 * default; else a hash table of 1 << log2 slots. */
struct path_table path_table_for(uint64_t paths, uint32_t words, unsigned log2);
uint64_t path_table_bytes(const struct path_table *t);
/* Log2 of the distance in bytes between slots of a hash table. */
unsigned path_slot_log2(const struct path_table *t);
/* The first slot in which a path may be. */
uint32_t path_slot(const struct path_table *t, uint64_t path);

/* Reads the memory of a machine, or a saved copy; false if the address is not there. */
typedef bool path_read_fn(void *ctx, uint64_t at, void *out, size_t n);
/* Receives words[PATH_WORDS_MAX]: those beyond t->words are 0. */
typedef void path_each_fn(void *ctx, uint64_t path, const uint64_t *words);

/* Calls each for the counted paths, in order of their places. lost[PATH_WORDS_MAX], counts without
 * room or of no path, may be NULL. False if the table cannot be read. */
bool path_table_each(const struct path_table *t, uint64_t at, path_read_fn *read, void *read_ctx,
                     path_each_fn *each, void *ctx, uint64_t *lost);

#endif
