/* Hash tables in shared chunks (core/base/cow.h), in which the oracle counts.
 *
 * Entries lie in the order in which their keys were first seen, so that a table takes memory as it
 * grows and a snapshot shares chunks that have not been written since. Chains hang on buckets;
 * there are as many buckets as entries, and each new entry splits one (linear hashing), so nothing
 * is ever rebuilt. An entry's number, and everything else about a table, depends only on the keys
 * counted and their order.
 *
 * Bounded: capacity entries. Nothing is allocated but chunks by cow_write(); if that fails, nothing
 * has changed.
 *
 * Invariants: entry i < count is in exactly one chain, that of its bucket; hits[] point to writable
 * entries, and are dropped when the chunks are kept or restored. */
#ifndef CYCLOPS_CORE_PROF_ORACLE_ORACLE_TABLE_H
#define CYCLOPS_CORE_PROF_ORACLE_ORACLE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/cow.h"

enum { ORACLE_CHUNK = 8192, ORACLE_HITS = 2048 };

struct oracle_entry {
	uint64_t key[2];
	uint32_t next;   /* in its chain: number + 1 of an entry, 0 ends */
	uint32_t aux;    /* set by the table's owner when the entry is made */
	uint64_t count;
	uint64_t more[]; /* the table's extra words */
};

/* Recently used entries, by a digest of their keys. */
struct oracle_hit {
	uint64_t key[2];
	struct oracle_entry *entry; /* NULL: none */
};

struct oracle_table {
	struct cow *cow;      /* borrowed */
	uint32_t first;       /* chunk of its entries; the chunks of its buckets follow */
	uint32_t heads;       /* first chunk of its buckets */
	uint32_t capacity;    /* entries; 0: the table is not in use */
	uint32_t bytes;       /* of an entry */
	uint32_t per_chunk;   /* entries */
	uint32_t *count;      /* borrowed: number of entries */
	struct oracle_hit *hits; /* borrowed, [ORACLE_HITS] */
};

/* A table of entries with `more` words each in the `chunks` chunks from `first` on; returns the
 * chunk after it. */
uint32_t oracle_table_init(struct oracle_table *t, struct cow *cow, uint32_t first, uint32_t chunks,
                           unsigned more);

enum oracle_outcome { ORACLE_THERE, ORACLE_NEW, ORACLE_FULL, ORACLE_NO_MEMORY };

/* oracle_table_at() of an entry that is not in hits[]. */
enum oracle_outcome oracle_table_enter(const struct oracle_table *t, uint64_t a, uint64_t b,
                                       uint32_t aux, struct oracle_entry **entry);

static inline struct oracle_hit *oracle_table_hit(const struct oracle_table *t, uint64_t a,
                                                  uint64_t b)
{
	uint64_t h = a ^ b * UINT64_C(0x9e3779b97f4a7c15);
	return &t->hits[(h >> 1 ^ h >> 12 ^ h >> 40) & (ORACLE_HITS - 1)];
}

/* The entry of these keys, writable; made with all zeros and this aux if there is none. *entry is
 * valid until the chunks are kept or restored; NULL if there is no room for it. */
static inline enum oracle_outcome oracle_table_at(const struct oracle_table *t, uint64_t a,
                                                  uint64_t b, uint32_t aux,
                                                  struct oracle_entry **entry)
{
	const struct oracle_hit *hit = oracle_table_hit(t, a, b);
	*entry = hit->entry;
	if (hit->entry && hit->key[0] == a && hit->key[1] == b)
		return ORACLE_THERE;
	return oracle_table_enter(t, a, b, aux, entry);
}

/* Keys that could not be counted, by cause. */
struct oracle_lost {
	uint64_t full, no_memory;
};

/* Counts each of n pairs of keys in order, as oracle_table_at() with an aux of 0 and count++ do;
 * adds to *lost. Looks ahead, so that several cache misses of the host overlap in long streams. */
void oracle_table_count(const struct oracle_table *t, const uint64_t (*key)[2], size_t n,
                        struct oracle_lost *lost);

/* The entry of these keys, borrowed until the machine moves; NULL if there is none. */
const struct oracle_entry *oracle_table_find(const struct oracle_table *t, uint64_t a, uint64_t b);
/* Entry i < *count, in the order in which they were first seen. */
const struct oracle_entry *oracle_table_entry(const struct oracle_table *t, uint32_t i);

/* NULL, or the invariant that its chains break. Takes time that grows with the table. */
const char *oracle_table_check(const struct oracle_table *t);

#endif
