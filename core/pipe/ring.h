/* Bitmaps over ring positions, visited from the oldest entry on.
 *
 * A cycle file that serves only windows of up to 64 entries defines RING_SMALL as 1: a bitmap is then one word. */
#ifndef CYCLOPS_CORE_PIPE_RING_H
#define CYCLOPS_CORE_PIPE_RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_END UINT32_MAX

#ifndef RING_SMALL
#define RING_SMALL 0
#endif

/* Words of a bitmap over the positions of the reorder buffer of p. */
#define RING_WORDS(p) (RING_SMALL ? 1 : (p)->rob_words)

static inline void ring_set(uint64_t *bits, uint32_t pos)
{
	bits[RING_SMALL ? 0 : pos >> 6] |= UINT64_C(1) << (pos & 63);
}

static inline void ring_clear(uint64_t *bits, uint32_t pos)
{
	bits[RING_SMALL ? 0 : pos >> 6] &= ~(UINT64_C(1) << (pos & 63));
}

/* Smallest age >= from whose bit is set, where age 0 is position head; RING_END if none. The ring has
 * words * 64 positions. */
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

/* A walk over a bitmap from the oldest entry on. With RING_SMALL it works on a copy: what is set or cleared
 * behind its back is not noticed, except through ring_walk_drop(). */
struct ring_walk {
	const uint64_t *bits;
	uint64_t left; /* RING_SMALL: bit i = age i, not visited yet */
	uint32_t words, head, from;
};

static inline uint64_t ring_by_age(uint64_t word, uint32_t head)
{
	return word >> (head & 63) | word << (-head & 63);
}

static inline struct ring_walk ring_walk_begin(const uint64_t *bits, uint32_t words, uint32_t head)
{
	struct ring_walk w = {.bits = bits, .words = words, .head = head};
	if (RING_SMALL)
		w.left = ring_by_age(bits[0], head);
	return w;
}

/* Age of the next entry, RING_END behind the last. */
static inline uint32_t ring_walk_next(struct ring_walk *w)
{
	uint32_t age;
	if (RING_SMALL) {
		if (!w->left)
			return RING_END;
		age = (uint32_t)__builtin_ctzll(w->left);
		w->left &= w->left - 1;
	} else {
		age = ring_next(w->bits, w->words, w->head, w->from);
		w->from = age + 1;
	}
	return age;
}

/* Entries of `bits` are not to be visited any more; the walked bitmap, without them, is `rest`. */
static inline void ring_walk_drop(struct ring_walk *w, uint64_t *rest, const uint64_t *bits)
{
	if (RING_SMALL)
		w->left &= ~ring_by_age(bits[0], w->head);
	for (uint32_t i = 0; !RING_SMALL && i < w->words; i++)
		rest[i] &= ~bits[i];
}

#endif
