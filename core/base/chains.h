/* Hash chains through the elements of an array. An element's number is 1 + its index, 0 = none;
 * each element holds the number of the next element in its chain. Zeroed storage is empty. */
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
/* Ensures at least as many chains as elements. False if memory is out, with nothing changed.
 * *empty: the chains are new, and the caller must insert all elements. */
bool chains_reserve(struct chains *c, size_t elements, bool *empty);

/* The number of the first element in this hash's chain. */
static inline uint32_t *chains_at(const struct chains *c, uint64_t hash)
{
	return &c->first[hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - c->log2)];
}

/* Inserts element `number`; *next is its link to the next element. */
static inline void chains_insert(const struct chains *c, uint64_t hash, uint32_t number,
                                 uint32_t *next)
{
	uint32_t *first = chains_at(c, hash);
	*next = *first;
	*first = number;
}

#endif
