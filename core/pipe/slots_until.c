#include "core/pipe/slots_until.h"

#include "core/pipe/chains.h"
#include "core/pipe/memory_part.h"
#include "core/pipe/scoreboard.h"
#include "core/pipe/slots.h"

/* The earlier of a and b that is not before now; UINT64_MAX if both are before. */
static uint64_t first_from(uint64_t now, uint64_t a, uint64_t b)
{
	return a >= now && (a <= b || b < now) ? a : b >= now ? b : UINT64_MAX;
}

/* When the load u, if in memory, enters its next part (load_part()). */
static uint64_t next_part(const struct pipe *p, const struct uop *u, uint64_t now)
{
	if (u->state != UOP_MEMORY || u->mem.level == LEVEL_FORWARD || u->mem.level == LEVEL_BUFFER)
		return UINT64_MAX;
	const uint64_t l1 = u->when.mem + u->walk, l2 = l1 + p->mem.l1d_latency,
		       memory = l2 + p->mem.l2_latency;
	return first_from(now, l1,
	                  first_from(now, l2,
	                             first_from(now, memory,
	                                        first_from(now, u->when.done - u->bus,
	                                                   u->when.done - u->held))));
}

/* When the line of some miss enters its next part (miss_part()), or a register becomes free. */
static __attribute__((noinline)) uint64_t next_miss_part(const struct pipe *p, uint64_t now)
{
	const struct hierarchy_state *h = p->mem.st;
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < h->mshr_count; i++) {
		const struct mshr *m = &h->mshr[i];
		if (m->ready < now)
			continue;
		const uint64_t memory = m->since + p->mem.l1d_latency + p->mem.l2_latency;
		next = chain_min_cycle(
			next, first_from(now, m->since,
		                         first_from(now, memory,
		                                    first_from(now, m->ready - m->bus,
		                                               m->ready - m->waited))));
		next = chain_min_cycle(next, m->ready);
	}
	return next;
}

/* next_part() for a producer; next_miss_part() if it was turned away. */
static uint64_t next_source_part(const struct pipe *p, const struct uop *q, uint64_t now)
{
	return q->state == UOP_ADDRESS ? next_miss_part(p, now) : next_part(p, q, now);
}

uint64_t slots_row_until(const struct pipe *p, uint64_t now)
{
	const struct pipe_state *st = p->st;
	uint64_t next = UINT64_MAX;
	if (st->fetch_waits && st->fetch_walk >= now)
		next = st->fetch_walk;
	if (st->rob_count) {
		const struct uop *oldest = pipe_rob_at(p, 0);
		next = chain_min_cycle(next, next_part(p, oldest, now));
		if (oldest->state == UOP_DONE && oldest->exec.stored)
			next = chain_min_cycle(next, full_buffer_until(p, now - 1));
		else if (oldest->state == UOP_ADDRESS)
			next = chain_min_cycle(next, next_miss_part(p, now));
		const struct uop *last = st->decode_stop == DECODE_SERIAL &&
		                                         oldest->state == UOP_DONE
		                                 ? slots_oldest_incomplete(p)
		                                 : NULL;
		if (last)
			next = chain_min_cycle(next, next_source_part(p, last, now));
		/* as in slots_held_row() */
		if (st->denied && oldest->when.issue != NO_CYCLE && oldest->when.done != NO_CYCLE)
			next = chain_min_cycle(
				next, first_from(now,
			                         oldest->when.done -
			                                 (oldest->when.issue - oldest->when.ready),
			                         UINT64_MAX));
		if (st->unknown_stores && slots_oldest_until(p, oldest) != NO_CYCLE)
			next = chain_min_cycle(next,
			                       first_from(now,
			                                  slots_oldest_until(p, oldest) -
			                                          chain_store_delay(p, oldest),
			                                  UINT64_MAX));
	}
	if (!p->in_order || !st->iq_count)
		return next;
	const struct uop *u = pipe_rob_at(p, st->rob_count - st->iq_count);
	for (unsigned i = 0; i < 3; i++) {
		if (!(u->src.pending >> i & 1) && !(i == 1 && u->src.pending >> SOURCE_LATER))
			continue;
		const struct uop *q = pipe_uop(p, u->src.slot[i]);
		next = chain_min_cycle(next, next_source_part(p, q, now));
		next = chain_min_cycle(next, first_from(now, slots_order_from(p, q), UINT64_MAX));
	}
	if (!p->unordered)
		return next;
	const struct uop *q = older_writer(p, u);
	if (q)
		next = chain_min_cycle(next, next_source_part(p, q, now));
	return st->miss_slot != NO_SLOT
	               ? chain_min_cycle(next, next_part(p, pipe_uop(p, st->miss_slot), now))
	               : next;
}
