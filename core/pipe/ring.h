/* Bitmaps over ring positions, visited from the oldest entry on.
 *
 * A cycle file that serves only windows of up to 64 or 128 entries defines RING_BITS as 64 or 128:
 * a bitmap is then one word, or two that are always visited. */
#ifndef CYCLOPS_CORE_PIPE_RING_H
#define CYCLOPS_CORE_PIPE_RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_END UINT32_MAX

#ifndef RING_BITS
#define RING_BITS 0
#endif
/* Bitmaps have a size that is known when compiling. */
#define RING_FIXED (RING_BITS != 0)
#define RING_FIXED_WORDS ((int)RING_BITS / 64)

/* Capacity of p's reorder buffer less 1. */
#define RING_MASK(p) (RING_FIXED ? (uint32_t)RING_BITS - 1 : (p)->rob_mask)
/* The cycle holds the window's instructions by address (pipe.rob_uop). */
#if RING_BITS || (defined PLAIN && PLAIN)
#define RING_POINTERS 1
#else
#define RING_POINTERS 0
#endif
/* Words of a bitmap over them. */
#define RING_WORDS(p) (RING_FIXED ? (uint32_t)RING_FIXED_WORDS : (p)->rob_words)

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
 * may be nonzero: walks skip the others. */
#define RING_NOTE(some, pos) ((void)(RING_BITS == 64 || ((some) |= 1u << ((pos) >> 6))))

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
	*left = ring_rotate(bits[0], head);
	*young = 0;
	if (RING_BITS != 128)
		return;
	*young = ring_rotate(bits[1], head);
	/* the bits that the two exchange: those that wrapped, or the others if the head is in the
	 * second word */
	const uint64_t second = 0 - (uint64_t)(head >> 6 & 1),
		       change = (*left ^ *young) & (second ^ ~(UINT64_MAX >> (head & 63)));
	*left ^= change;
	*young ^= change;
}

/* A walk over a bitmap from the oldest entry on. It works on a copy of one word at a time, or of
 * all words of a fixed size: it does not notice bits set or cleared meanwhile, except by
 * ring_walk_drop(). */
struct ring_walk {
	const uint64_t *bits;
	/* bits not visited yet. RING_FIXED: as ring_by_age() has them; otherwise bits of the
	 * current word, by position */
	uint64_t left, young;
	uint32_t head, words;
	/* Unused if RING_FIXED: */
	uint32_t base; /* position of the current word's first bit */
	uint32_t pos;  /* of the entry visited last */
	/* bit i: word i after the head's is still to be visited; bit `words` is the head's again */
	uint32_t rest;
};

/* bits: of a ring of words * 64 positions; bit i of `some`: word i may be nonzero. Others are
 * skipped; RING_FIXED ignores `some`. */
static inline struct ring_walk ring_walk_begin(const uint64_t *bits, uint32_t words, uint32_t head,
                                               uint32_t some)
{
	struct ring_walk w = {.bits = bits, .words = words, .head = head};
	if (RING_FIXED) {
		ring_by_age(bits, head, &w.left, &w.young);
		return w;
	}
	const uint32_t first = head >> 6, all = (1u << words) - 1;
	w.rest = (some >> first | some << (words - first)) & all;
	if (w.rest & 1) {
		w.base = first * 64;
		w.left = bits[first] & UINT64_MAX << (head & 63);
		w.rest ^= 1u | 1u << words;
	}
	return w;
}

/* Advances to the next word with unvisited entries. False after the last. */
static inline bool ring_walk_word(struct ring_walk *w)
{
	while (!w->left) {
		if (!w->rest)
			return false;
		const uint32_t at = (uint32_t)__builtin_ctz(w->rest),
			       word = ((w->head >> 6) + at) & (w->words - 1);
		w->rest &= w->rest - 1;
		w->left = w->bits[word];
		w->base = word * 64;
		/* wrapped around: the youngest share a word with the oldest */
		if (__builtin_expect(at == w->words, 0))
			w->left &= ~(UINT64_MAX << (w->head & 63));
	}
	return true;
}

/* Age of the next entry, RING_END after the last. */
static inline uint32_t ring_walk_next(struct ring_walk *w)
{
	if (RING_BITS == 128 && !w->left) {
		if (!w->young)
			return RING_END;
		const uint32_t bit = (uint32_t)__builtin_ctzll(w->young);
		w->young &= w->young - 1;
		return 64 + bit;
	}
	if (RING_FIXED ? !w->left : !ring_walk_word(w))
		return RING_END;
	const uint32_t bit = (uint32_t)__builtin_ctzll(w->left);
	w->left &= w->left - 1;
	if (RING_FIXED)
		return bit;
	w->pos = w->base + bit;
	return (w->pos - w->head) & (w->words * 64 - 1);
}

/* Removes the entries of `bits`, whose nonzero words are in `some`, from the walk and from `rest`,
 * the walked bitmap. */
static inline void ring_walk_drop(struct ring_walk *w, uint64_t *rest, const uint64_t *bits,
                                  uint32_t some)
{
	if (RING_FIXED) {
		uint64_t left, young;
		ring_by_age(bits, w->head, &left, &young);
		w->left &= ~left;
		w->young &= ~young;
		return;
	}
	w->left &= ~bits[w->base >> 6];
	RING_EACH(i, some)
		rest[i] &= ~bits[i];
}

#endif
