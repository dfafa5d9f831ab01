/* The arena: one block that holds all machine state except guest memory.
 *
 * Modules place their tables with arena_take(), which is run twice: once with base = NULL to add up
 * the size, once to hand out the addresses. Contents hold indices, never pointers, so that a
 * snapshot is one memcpy and comparing two machines is one memcmp. Each table is a section with a name, so that
 * who compares two arenas can say what differs. */
#ifndef CYCLOPS_CORE_ARENA_H
#define CYCLOPS_CORE_ARENA_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { ARENA_SECTIONS_MAX = 192 };

struct arena_section {
	const char *name;  /* a string constant */
	size_t at, bytes;  /* from the arena's base */
};

struct arena {
	uint8_t *base; /* owned by the machine; NULL while sizing */
	size_t used;   /* bytes */
	unsigned count;
	struct arena_section section[ARENA_SECTIONS_MAX]; /* [count], by place */
};

/* The next count * size bytes, 64-byte aligned and zero, as a section of this name; NULL while sizing. */
static inline void *arena_take(struct arena *a, const char *name, size_t count, size_t size)
{
	size_t at = (a->used + 63) & ~(size_t)63;
	assert(a->count < ARENA_SECTIONS_MAX);
	a->section[a->count++] = (struct arena_section){name, at, count * size};
	a->used = at + count * size;
	return a->base ? a->base + at : NULL;
}

#endif
