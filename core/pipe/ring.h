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

static inline bool ring_test(const uint64_t *bits, uint32_t pos)
{
	return bits[pos >> 6] >> (pos & 63) & 1;
}

/* Smallest age >= from whose bit is set, where age 0 is position head; RING_END if none. The ring has
 * words * 64 positions. */
static inline uint32_t ring_next(const uint64_t *bits, uint32_t words, uint32_t head, uint32_t from)
{
	if (words == 1) {
		if (from >= 64)
			return RING_END;
		uint64_t w = bits[0];
		w = w >> (head & 63) | w << (-head & 63); /* a rotation */
		w = w >> from << from;
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

#endif
