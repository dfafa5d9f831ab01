/* The arena: one block that holds all machine state except guest memory.
 *
 * Modules place their tables with arena_take(), which is run twice: once with base = NULL to add up
 * the size, once to hand out the addresses. Contents hold indices, never pointers, so that a
 * snapshot is one memcpy and comparing two machines is one memcmp. Each table is a section with a
 * name, so that a comparison of two arenas can name what differs.
 *
 * Snapshots keep the arena in chunks and compare it to find changed ones. In a large table that
 * marks every write (arena_mark), they compare only written chunks. */
#ifndef CYCLOPS_CORE_BASE_ARENA_H
#define CYCLOPS_CORE_BASE_ARENA_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARENA_SECTIONS_MAX = 256, ARENA_CHUNK_LOG2 = 12, ARENA_CHUNK = 1 << ARENA_CHUNK_LOG2 };

struct arena_section {
	const char *name;  /* a string constant */
	size_t at, bytes;  /* from the arena's base */
	bool marked;       /* every write calls arena_mark() */
};

struct arena {
	uint8_t *base; /* owned by the machine; NULL while sizing */
	size_t used;   /* bytes */
	/* borrowed; [used / ARENA_CHUNK], STALE_*; NULL while sizing, or if no snapshots are taken
	 */
	uint8_t *stale;
	unsigned count;
	struct arena_section section[ARENA_SECTIONS_MAX]; /* [count], by place */
};

/* The next count * size bytes, 64-byte aligned and zero, as a section of this name; NULL while
 * sizing. */
static inline void *arena_take(struct arena *a, const char *name, size_t count, size_t size)
{
	size_t at = (a->used + 63) & ~(size_t)63;
	assert(a->count < ARENA_SECTIONS_MAX);
	a->section[a->count++] = (struct arena_section){name, at, count * size, false};
	a->used = at + count * size;
	return a->base ? a->base + at : NULL;
}

/* Flags of chunks that may differ from the last snapshot. MARKED: written since, in a marked table;
 * ALWAYS: holds bytes outside marked tables. */
enum { STALE_MARKED = 1, STALE_ALWAYS = 2 };

/* The handle with which a marked table's writer calls arena_mark(). */
struct arena_marks {
	const uint8_t *base;
	uint8_t *stale; /* NULL: marks are not needed */
};

/* Makes the section taken last a marked one. */
static inline struct arena_marks arena_marked(struct arena *a)
{
	a->section[a->count - 1].marked = true;
	return (struct arena_marks){a->base, a->stale};
}

/* Marks [at, at + bytes) as written. It spans at most two chunks. */
static inline void arena_mark(const struct arena_marks *k, const void *at, size_t bytes)
{
	if (!k->stale)
		return;
	size_t first = (size_t)((const uint8_t *)at - k->base);
	k->stale[first >> ARENA_CHUNK_LOG2] |= STALE_MARKED;
	k->stale[(first + bytes - 1) >> ARENA_CHUNK_LOG2] |= STALE_MARKED;
}

/* Marks [at, at + bytes), of any length, as written. */
static inline void arena_mark_all(const struct arena_marks *k, const void *at, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += ARENA_CHUNK)
		arena_mark(k, (const uint8_t *)at + i,
		           bytes - i < ARENA_CHUNK ? bytes - i : ARENA_CHUNK);
}

#endif
