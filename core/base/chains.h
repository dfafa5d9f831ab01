/* Hash chains through the elements of an array, by number: 1 + index, 0 = none. An element has the
 * number of the next one of its chain; zeroed storage is empty. */
#ifndef CYCLOPS_CORE_BASE_CHAINS_H
#define CYCLOPS_CORE_BASE_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chains {
	uint32_t *first; /* owned; [1 << log2]; NULL: no element was ever inserted */
	unsigned log2;
};

void chains_free(struct chains *c);
/* Makes as many chains as elements, at least. False if memory is out: nothing has changed. *empty:
 * they are new, and the caller inserts all elements. */
bool chains_reserve(struct chains *c, size_t elements, bool *empty);

/* The first of the chain of this hash. */
static inline uint32_t *chains_at(const struct chains *c, uint64_t hash)
{
	return &c->first[hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - c->log2)];
}

/* Inserts element `number`, whose next one is *next. */
static inline void chains_insert(const struct chains *c, uint64_t hash, uint32_t number,
                                 uint32_t *next)
{
	uint32_t *first = chains_at(c, hash);
	*next = *first;
	*first = number;
}

#endif
