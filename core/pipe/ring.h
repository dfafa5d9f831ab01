/* Bitmaps over ring positions, visited from the oldest entry on.
 *
 * A cycle file that serves only windows of up to 64 entries defines RING_SMALL as 1: a bitmap is
 * then one word. */
#ifndef CYCLOPS_CORE_PIPE_RING_H
#define CYCLOPS_CORE_PIPE_RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_END UINT32_MAX

#ifndef RING_SMALL
#define RING_SMALL 0
#endif

/* Positions of the reorder buffer of p - 1. */
#define RING_MASK(p) (RING_SMALL ? 63 : (p)->rob_mask)
/* Words of a bitmap over them. */
#define RING_WORDS(p) (RING_SMALL ? 1 : (p)->rob_words)

static inline void ring_set(uint64_t *bits, uint32_t pos)
{
	bits[RING_SMALL ? 0 : pos >> 6] |= UINT64_C(1) << (pos & 63);
}

/* The bit is set. */
static inline void ring_clear(uint64_t *bits, uint32_t pos)
{
	bits[RING_SMALL ? 0 : pos >> 6] ^= UINT64_C(1) << (pos & 63);
}

/* A word of a large ring's bitmap has been set: `some` has a bit for each that may be, so that
 * empty ones are passed over. */
#define RING_NOTE(some, pos) ((void)(RING_SMALL || ((some) |= 1u << ((pos) >> 6))))

/* For each word w of `some`; of small rings' bitmaps for the only one. */
#define RING_EACH(w, some)                                                                         \
	for (uint32_t left_ = RING_SMALL ? 1 : (some), w = 0;                                      \
	     left_ && (w = RING_SMALL ? 0 : (uint32_t)__builtin_ctz(left_), true);                 \
	     left_ = RING_SMALL ? 0 : left_ & (left_ - 1))

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

/* A walk over a bitmap from the oldest entry on. It works on a copy, of a word at a time: what is
 * set or cleared behind its back is not noticed, except through ring_walk_drop(). */
struct ring_walk {
	const uint64_t *bits;
	/* not visited yet. RING_SMALL: bit i = age i; otherwise of the present word, by position */
	uint64_t left;
	uint32_t head, words;
	/* the present word, counted from the one that holds the head on; this and `rest` not
	 * RING_SMALL */
	uint32_t at;
	/* bit i: the word so many behind the head's is to be visited; that may be the head's
	 * itself, again */
	uint32_t rest;
};


static inline uint64_t ring_by_age(uint64_t word, uint32_t head)
{
	return word >> (head & 63) | word << (-head & 63);
}

/* bits: of a ring of words * 64 positions; bit i of `some`: word i may be set. Others are not
 * looked at; RING_SMALL looks. */
static inline struct ring_walk ring_walk_begin(const uint64_t *bits, uint32_t words, uint32_t head,
                                               uint32_t some)
{
	struct ring_walk w = {.bits = bits, .words = words, .head = head};
	if (RING_SMALL) {
		w.left = ring_by_age(bits[0], head);
		return w;
	}
	const uint32_t first = head >> 6, all = (1u << words) - 1;
	w.rest = (some >> first | some << (words - first)) & all;
	if (w.rest & 1) {
		w.left = bits[first] & UINT64_MAX << (head & 63);
		w.rest ^= 1u | 1u << words;
	}
	return w;
}

/* Goes on to the next word with entries that are left. False behind the last. */
static inline bool ring_walk_word(struct ring_walk *w)
{
	while (!w->left) {
		if (!w->rest)
			return false;
		w->at = (uint32_t)__builtin_ctz(w->rest);
		w->rest &= w->rest - 1;
		w->left = w->bits[((w->head >> 6) + w->at) & (w->words - 1)];
		/* once around: the youngest share their word with the oldest */
		if (__builtin_expect(w->at == w->words, 0))
			w->left &= ~(UINT64_MAX << (w->head & 63));
	}
	return true;
}

/* Age of the next entry, RING_END behind the last. */
static inline uint32_t ring_walk_next(struct ring_walk *w)
{
	if (RING_SMALL ? !w->left : !ring_walk_word(w))
		return RING_END;
	const uint32_t bit = (uint32_t)__builtin_ctzll(w->left);
	w->left &= w->left - 1;
	return RING_SMALL ? bit : w->at * 64 + bit - (w->head & 63);
}

/* Entries of `bits`, of which the words of `some` may be set, are not to be visited any more; the
 * walked bitmap, without them, is `rest`. */
static inline void ring_walk_drop(struct ring_walk *w, uint64_t *rest, const uint64_t *bits,
                                  uint32_t some)
{
	if (RING_SMALL) {
		w->left &= ~ring_by_age(bits[0], w->head);
		return;
	}
	w->left &= ~bits[((w->head >> 6) + w->at) & (w->words - 1)];
	RING_EACH(i, some)
		rest[i] &= ~bits[i];
}

#endif
