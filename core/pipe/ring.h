/* Bitmaps over ring positions, visited from the oldest entry on. */
#ifndef CYCLOPS_CORE_PIPE_RING_H
#define CYCLOPS_CORE_PIPE_RING_H

#include <stdbool.h>
#include <stdint.h>

#define RING_END UINT32_MAX

static inline void ring_set(uint64_t *bits, uint32_t pos)
{
	bits[pos >> 6] |= UINT64_C(1) << (pos & 63);
}

static inline void ring_clear(uint64_t *bits, uint32_t pos)
{
	bits[pos >> 6] &= ~(UINT64_C(1) << (pos & 63));
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
		w = head ? w >> head | w << (64 - head) : w;
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
