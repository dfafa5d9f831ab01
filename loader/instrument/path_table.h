/* Where the paths of a procedure are counted: an array with a counter for each, or, where there are
 * many, a hash table of those that were executed (Ammons, Ball and Larus, section 2). It lies in
 * the program's memory, wherever who instruments wants it to be, and is all zero in the beginning.
 *
 * A counter is `words` 64-bit words, 1 or 3: how often, and what each metric has added. Counter k
 * of an array begins at 8 * words * k. A hash table begins with a counter of all paths for which
 * there was no room, 32 bytes; then come slots: the path's number + 1 (0: the slot is free), and
 * its counter. A path lies in one of PATH_PROBES slots from path_slot() on. */
#ifndef CYCLOPS_LOADER_INSTRUMENT_PATH_TABLE_H
#define CYCLOPS_LOADER_INSTRUMENT_PATH_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PATH_ARRAY_MOST = 1 << 12, /* paths of a procedure that has an array */
	PATH_SLOTS_LOG2 = 12,      /* of hash tables, if nothing else is said */
	PATH_PROBES = 32,
	PATH_HEAD = 32,            /* bytes before the first slot */
	PATH_WORDS_MAX = 3,
};

/* Spreads path numbers over slots: the upper half of 2^32 / the golden ratio, odd. */
#define PATH_MULTIPLIER UINT32_C(0x9e3779b1)

struct path_table {
	uint64_t paths;
	uint32_t words;
	uint32_t log2;  /* slots of a hash table, without the last PATH_PROBES; 0: an array */
};

/* With at most PATH_ARRAY_MOST paths an array, else a hash table of 1 << log2 slots. */
struct path_table path_table_for(uint64_t paths, uint32_t words, unsigned log2);
uint64_t path_table_bytes(const struct path_table *t);
/* From the table's beginning to the next slot of a hash table, as a power of two of bytes. */
unsigned path_slot_log2(const struct path_table *t);
/* The first slot in which a path may be. */
uint32_t path_slot(const struct path_table *t, uint64_t path);

/* Reads the memory of a machine, or of what was kept of one; false: it is not there. */
typedef bool path_read_fn(void *ctx, uint64_t at, void *out, size_t n);
/* words[PATH_WORDS_MAX]: what t->words leaves out is 0. */
typedef void path_each_fn(void *ctx, uint64_t path, const uint64_t *words);

/* Each path that was counted, in the order in which they lie there. lost[PATH_WORDS_MAX], what
 * found no room or is no path, may be NULL. False if the table can't be read. */
bool path_table_each(const struct path_table *t, uint64_t at, path_read_fn *read, void *read_ctx,
                     path_each_fn *each, void *ctx, uint64_t *lost);

#endif
