/* Bitmaps over ring positions, visited from the oldest entry on.
 *
 * A cycle file that serves only windows of one capacity defines RING_BITS as that, 64 to 1024, so
 * that the size of bitmaps is known when compiling. */
#ifndef CYCLOPS_CORE_PIPE_RING_H
#define CYCLOPS_CORE_PIPE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RING_END UINT32_MAX

#ifndef RING_BITS
#define RING_BITS 0
#endif
/* A bitmap is one word, or two that are always visited. */
#define RING_FIXED (RING_BITS == 64 || RING_BITS == 128)
#define RING_FIXED_WORDS ((int)RING_BITS / 64)

/* Capacity of p's reorder buffer less 1. */
#define RING_MASK(p) (RING_BITS ? (uint32_t)RING_BITS - 1 : (p)->rob_mask)
/* The cycle holds the window's instructions by address (pipe.rob_uop). Where there are events, it
 * may return after each cycle, too often to collect the addresses. */
#if RING_BITS || (defined(WATCHED) && !WATCHED)
#define RING_POINTERS 1
#else
#define RING_POINTERS 0
#endif
/* Words of a bitmap over them. */
#define RING_WORDS(p) (RING_BITS ? (uint32_t)RING_FIXED_WORDS : (p)->rob_words)

static inline void ring_set(uint64_t *bits, uint32_t pos)
{
	bits[RING_BITS == 64 ? 0 : pos >> 6] |= UINT64_C(1) << (pos & 63);
}

/* Clears a bit that is set. */
static inline void ring_clear(uint64_t *bits, uint32_t pos)
{
	bits[RING_BITS == 64 ? 0 : pos >> 6] ^= UINT64_C(1) << (pos & 63);
}

/* Notes in `some`, which has a bit for each word of a large ring's bitmap, that the word of `pos`
 * is nonzero: walks skip the others. */
#define RING_NOTE(some, pos) ((some) |= 1u << ((pos) >> 6))

/* Loops over each word w of `some`; in rings of a fixed size over all. */
#define RING_EACH(w, some)                                                                         \
	for (uint32_t left_ = RING_FIXED ? (1u << RING_FIXED_WORDS) - 1 : (some), w = 0;           \
	     left_ && (w = (uint32_t)__builtin_ctz(left_), true); left_ &= left_ - 1)

/* Smallest age >= from whose bit is set, where age 0 is position head; RING_END if none. The ring
 * has words * 64 positions. */
static inline uint32_t ring_next(const uint64_t *bits, uint32_t words, uint32_t head, uint32_t from)
{
	if (words == 1) {
		if (from >= 64)
			return RING_END;
		uint64_t w = bits[0];
		w = (w >> (head & 63) | w << (-head & 63)) >> from << from;
		return w ? (uint32_t)__builtin_ctzll(w) : RING_END;
	}
	uint32_t size = words * 64;
	while (from < size) {
		uint32_t pos = (head + from) & (size - 1);
		uint64_t w = bits[pos >> 6] >> (pos & 63);
		if (w) {
			uint32_t age = from + (uint32_t)__builtin_ctzll(w);
			return age < size ? age : RING_END;
		}
		from += 64 - (pos & 63);
	}
	return RING_END;
}

static inline uint64_t ring_rotate(uint64_t word, uint32_t pos)
{
	return word >> (pos & 63) | word << (-pos & 63);
}

/* A bitmap of a fixed size by age: bit i is age i, of ages from 64 on in `young`. */
static inline void ring_by_age(const uint64_t *bits, uint32_t head, uint64_t *left, uint64_t *young)
{
	const uint32_t first = RING_BITS == 128 ? head >> 6 : 0;
	*left = ring_rotate(bits[first], head);
	*young = 0;
	if (RING_BITS != 128)
		return;
	*young = ring_rotate(bits[first ^ 1], head);
	/* the two exchange the bits that wrapped around */
	const uint64_t own = (*left ^ *young) & UINT64_MAX >> (head & 63), both = *left;
	*left = *young ^ own;
	*young = both ^ own;
}

/* A walk over bitmaps from the oldest entry on. It works on a copy of one word at a time, or of all
 * words of a fixed size: it does not notice bits set or cleared meanwhile, except by
 * ring_walk_drop() and ring_walk_drop_bitmap().
 *
 * An entry's place is its age if RING_FIXED, else its position. */
struct ring_walk {
	uint64_t left;  /* bits not visited yet, of the current word; by age if RING_FIXED */
	uint32_t base;  /* place of the current word's first bit; unused if RING_BITS is 64 */
	uint64_t young; /* if RING_BITS is 128: the second word, unless it is the current one */
	/* unless RING_FIXED: */
	uint32_t head; /* the head's word */
	uint32_t words;
	const uint64_t *bits; /* [bitmaps * words], walked as one */
	uint32_t bitmaps;
	uint32_t dropped;     /* bit i: bitmap i of `parts` was dropped */
	const uint64_t *parts;
	/* bit i: the word that is i after the head's is still to be visited; bit `words`: the
	 * head's once more, in which the window ends that wrapped around */
	uint32_t rest;
	uint64_t of_head; /* the bits of the head's word from the head on */
};

/* The current word's bits of all bitmaps. */
static inline uint64_t ring_walk_load(const struct ring_walk *w)
{
	const uint64_t *of_word = w->bits + (w->base >> 6);
	uint64_t bits = *of_word;
#pragma GCC unroll 8
	for (uint32_t i = 1; i < w->bitmaps; i++) {
		of_word += w->words;
		bits |= *of_word;
	}
	for (uint32_t left = w->dropped; left; left &= left - 1)
		bits &= ~w->parts[(uint32_t)__builtin_ctz(left) * w->words + (w->base >> 6)];
	return bits;
}

/* ring_walk_begin() over several bitmaps at once, unless RING_FIXED. parts: bitmaps that
 * ring_walk_drop_bitmap() may remove. */
static inline struct ring_walk ring_walk_begin_all(const uint64_t *bits, uint32_t bitmaps,
                                                   const uint64_t *parts, uint32_t words,
                                                   uint32_t head, uint32_t some)
{
	const uint32_t first = head >> 6;
	struct ring_walk w = {.bits = bits,
	                      .bitmaps = bitmaps,
	                      .parts = parts,
	                      .words = words,
	                      .head = first,
	                      .rest = (some | some << words) >> first & ((2u << words) - 1),
	                      .of_head = UINT64_MAX << (head & 63)};
	return w;
}

/* bits: of a ring of words * 64 positions; bit i of `some`: word i may be nonzero. Others are
 * skipped; RING_FIXED ignores `some`. */
static inline struct ring_walk ring_walk_begin(const uint64_t *bits, uint32_t words, uint32_t head,
                                               uint32_t some)
{
	if (!RING_FIXED)
		return ring_walk_begin_all(bits, 1, NULL, words, head, some);
	struct ring_walk w = {.base = 0};
	ring_by_age(bits, head, &w.left, &w.young);
	return w;
}

/* Advances to the next word with unvisited entries. False after the last. */
static inline bool ring_walk_word(struct ring_walk *w)
{
	if (RING_BITS == 128 && !w->left) {
		w->left = w->young;
		w->young = 0;
		w->base = 64;
	}
	while (!RING_FIXED && !w->left) {
		if (!w->rest)
			return false;
		const uint32_t at = (uint32_t)__builtin_ctz(w->rest);
		w->rest &= w->rest - 1;
		w->base = ((w->head + at) & (w->words - 1)) * 64;
		w->left = ring_walk_load(w);
		if (!(at & (w->words - 1)))
			w->left &= at ? ~w->of_head : w->of_head;
	}
	return !RING_FIXED || w->left;
}

/* Place of the next entry, RING_END after the last. */
static inline uint32_t ring_walk_next(struct ring_walk *w)
{
	if (!ring_walk_word(w))
		return RING_END;
	const uint32_t bit = (uint32_t)__builtin_ctzll(w->left);
	w->left &= w->left - 1;
	return RING_BITS == 64 ? bit : w->base + bit;
}

/* The age of an entry by its place; mask: the ring's positions less 1. RING_END stays. */
static inline uint32_t ring_age(uint32_t place, uint32_t head, uint32_t mask)
{
	return RING_FIXED || place == RING_END ? place : (place - head) & mask;
}

/* Removes the entries of `bits` from a walk over one bitmap of a fixed size. */
static inline void ring_walk_drop(struct ring_walk *w, const uint64_t *bits, uint32_t head)
{
	uint64_t old, young;
	ring_by_age(bits, head, &old, &young);
	w->left &= ~(RING_BITS == 128 && w->base ? young : old);
	w->young &= ~young;
}

/* Removes the entries of one of its parts from a walk. */
static inline void ring_walk_drop_bitmap(struct ring_walk *w, uint32_t bitmap)
{
	w->dropped |= 1u << bitmap;
	w->left &= ~w->parts[bitmap * w->words + (w->base >> 6)]; /* 0 before the first word */
}

#endif
