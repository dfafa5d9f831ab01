/* The arena: one block that holds all machine state except guest memory.
 *
 * Modules place their tables with arena_take(), which is run twice: once with base = NULL to add up
 * the size, once to hand out the addresses. Contents hold indices, never pointers, so that a
 * snapshot is one memcpy and comparing two machines is one memcmp. */
#ifndef CYCLOPS_CORE_ARENA_H
#define CYCLOPS_CORE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena {
	uint8_t *base; /* owned by the machine; NULL while sizing */
	size_t used;   /* bytes */
};

/* The next count * size bytes, 64-byte aligned and zero; NULL while sizing. */
static inline void *arena_take(struct arena *a, size_t count, size_t size)
{
	size_t at = (a->used + 63) & ~(size_t)63;
	a->used = at + count * size;
	return a->base ? a->base + at : NULL;
}

#endif
