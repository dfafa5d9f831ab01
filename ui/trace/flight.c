#include "ui/trace/flight.h"

#include <stdlib.h>

#include "core/base/alloc.h"

enum { RING = 1 << 10 };

bool flight_init(struct flight *f)
{
	*f = (struct flight){.ring = alloc_zeroed(RING, sizeof *f->ring), .mask = RING - 1};
	return f->ring;
}

void flight_deinit(struct flight *f)
{
	free(f->ring);
}

/* Doubles the ring: different indexes stay different. */
static bool flight_grow_ring(struct flight *f)
{
	uint64_t mask = 2 * f->mask + 1;
	struct traced *ring = alloc_zeroed(mask + 1, sizeof *ring);
	if (!ring)
		return false;
	for (uint64_t i = 0; i <= f->mask; i++)
		ring[f->ring[i].seq & mask] = f->ring[i];
	free(f->ring);
	f->ring = ring;
	f->mask = mask;
	return true;
}

static void flight_extend_seq_range(struct flight *f, uint64_t seq)
{
	if (!f->count)
		f->oldest = f->newest = seq;
	while (!flight_find(f, f->oldest) && f->oldest < f->newest)
		f->oldest++;
	if (seq < f->oldest)
		f->oldest = seq;
	if (seq > f->newest)
		f->newest = seq;
}

static uint16_t take_lane(struct flight *f)
{
	for (unsigned w = 0; w < sizeof f->lanes / sizeof *f->lanes; w++)
		if (~f->lanes[w]) {
			unsigned bit = (unsigned)__builtin_ctzll(~f->lanes[w]);
			f->lanes[w] |= UINT64_C(1) << bit;
			return (uint16_t)(64 * w + bit);
		}
	return 0;
}

struct traced *flight_add(struct flight *f, uint64_t seq)
{
	flight_extend_seq_range(f, seq);
	while (f->newest - f->oldest >= (f->mask + 1) / 2)
		if (!flight_grow_ring(f))
			return NULL;
	struct traced *x = &f->ring[seq & f->mask];
	*x = (struct traced){.seq = seq, .lane = take_lane(f), .here = true};
	f->count++;
	return x;
}

void flight_drop(struct flight *f, struct traced *x)
{
	f->lanes[x->lane / 64] &= ~(UINT64_C(1) << x->lane % 64);
	x->here = false;
	f->count--;
}
