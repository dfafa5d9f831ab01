/* Chains of producers: from an instruction to the producer of the operand that came last, and so
 * on. Finds recurrences, and adds up delays along a chain. Each looks a few instructions back at
 * most, and changes nothing. */
#ifndef CYCLOPS_CORE_PIPE_CHAINS_H
#define CYCLOPS_CORE_PIPE_CHAINS_H

#include "core/pipe/pipe.h"

enum { ORDER_CHAIN = 6 }; /* producers that chain_order_delay() follows */

static inline uint64_t chain_min_cycle(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The producer whose result made q ready; NULL: none, or its slot has been reused. */
static inline const struct uop *chain_producer(const struct pipe *p, const struct uop *q)
{
	for (unsigned i = 0; i < 3; i++) {
		const struct uop *of =
			q->src.slot[i] != NO_SLOT ? pipe_uop(p, q->src.slot[i]) : NULL;
		if (of && of->seq == q->src.seq[i] && of->when.done == q->when.ready)
			return of;
	}
	return NULL;
}

/* True if the unit is free again a cycle after it has begun with q. */
static inline bool chain_unit_is_pipelined(const struct pipe *p, const struct uop *q)
{
	return q->at.unit == NO_SLOT ||
	       p->st->fu[q->at.pool][q->at.unit].busy_until <= q->when.issue + 1;
}

/* At least chain_order_delay() of q, which has issued. */
static inline uint64_t chain_order_delay_most(const struct uop *q)
{
	return q->when.issue - q->when.ready +
	       (ORDER_CHAIN - 1) * (q->when.ready - q->when.dispatch);
}

/* The slowest instruction of the recurrence that u belongs to or depends on; NULL: there is none. A
 * recurrence is a chain of producers in which a pc recurs, and each issued as soon as its operand
 * was available. *inside: u belongs to it. */
const struct uop *chain_recurrence_slowest(const struct pipe *p, const struct uop *u, bool *inside);

/* True if q belongs to a recurrence: no other order of issue would complete it much sooner. Other
 * operands, which issued late, may have delayed it by up to an eighth. */
bool chain_ends_recurrence(const struct pipe *p, const struct uop *q);

/* Cycles that issue in order has added to the wait for q's result: those by which q, and the
 * producers of one cycle that it waited for, issued later than they were ready. Ends at a producer
 * that takes longer, which was itself the cause of the wait. */
uint64_t chain_order_delay(const struct pipe *p, const struct uop *q);

/* Cycles by which u would have its result sooner if no load in its chain of operands had waited for
 * addresses of older stores. */
uint64_t chain_store_delay(const struct pipe *p, const struct uop *u);

#endif
