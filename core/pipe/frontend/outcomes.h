/* A history of conditional branches' outcomes, far longer than a history register: a ring in the
 * arena whose head moves on with each outcome and returns at a squash, so that a branch in flight
 * carries the head alone. Outcomes on wrong paths are overwritten. The path's history
 * (speculated.h) is such a ring, too. */
#ifndef CYCLOPS_CORE_PIPE_FRONTEND_OUTCOMES_H
#define CYCLOPS_CORE_PIPE_FRONTEND_OUTCOMES_H

#include <stdbool.h>
#include <stdint.h>

/* The ring has room for the longest history and those in flight: pipe.rob_size and
 * pipe.fetch_queue have at most 1024 and 256 entries, and an instruction adds 4 bits at most. */
enum { OUTCOMES_RING = 8192, OUTCOMES_MAX = 2048 };

struct outcomes {
	uint64_t bits[OUTCOMES_RING / 64];
	uint32_t head; /* place of the next outcome; the youngest is before it */
	uint32_t unused;
};

static inline void outcomes_push(struct outcomes *o, bool taken)
{
	uint64_t *word = &o->bits[o->head / 64];
	const uint64_t bit = UINT64_C(1) << o->head % 64;
	*word = taken ? *word | bit : *word & ~bit;
	o->head = (o->head + 1) % OUTCOMES_RING;
}

/* n outcomes, 1 to 64, before `head`; bit 0 is the outcome `from` places older than the youngest.
 * from + n: at most OUTCOMES_MAX. */
static inline uint64_t outcomes_bits(const struct outcomes *o, uint32_t head, uint32_t from,
                                     uint32_t n)
{
	uint64_t out = 0;
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t at = (head - 1 - from - i) % OUTCOMES_RING;
		out |= (o->bits[at / 64] >> at % 64 & 1) << i;
	}
	return out;
}

/* The youngest `length` outcomes, folded into `width` bits, 1 to 64, by exclusive or. */
static inline uint64_t outcomes_fold(const struct outcomes *o, uint32_t head, uint32_t length,
                                     uint32_t width)
{
	uint64_t out = 0;
	for (uint32_t from = 0; from < length; from += width)
		out ^= outcomes_bits(o, head, from, length - from < width ? length - from : width);
	return out;
}

#endif
