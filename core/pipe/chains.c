#include "core/pipe/chains.h"

#include "core/pipe/window.h"

const struct uop *chain_recurrence_slowest(const struct pipe *p, const struct uop *u, bool *inside)
{
	enum { CHAIN = 12 };
	const struct uop *chain[CHAIN];
	for (unsigned n = 0; n < CHAIN && u && u->when.issue == u->when.ready; n++) {
		chain[n] = u;
		if (!(u = chain_producer(p, u)))
			return NULL;
		for (unsigned i = 0; i <= n; i++) {
			if (chain[i]->pc != u->pc)
				continue;
			*inside = !i;
			for (u = chain[i]; ++i <= n;)
				if (chain[i]->when.done - chain[i]->when.issue >
				    u->when.done - u->when.issue)
					u = chain[i];
			return u;
		}
	}
	return NULL;
}

/* True if q's result came later than that of `than`, or at the same time from a longer execution.
 */
static bool chain_is_later(const struct uop *q, const struct uop *than)
{
	return q->when.done > than->when.done ||
	       (q->when.done == than->when.done && q->when.issue < than->when.issue);
}

/* The producer whose result q waited for longest, of those that issued as soon as they were ready;
 * NULL: none. */
static const struct uop *chain_prompt_producer(const struct pipe *p, const struct uop *q)
{
	const struct uop *last = NULL;
	for (unsigned i = 0; i < 3; i++) {
		const struct uop *of =
			q->src.slot[i] != NO_SLOT ? pipe_uop(p, q->src.slot[i]) : NULL;
		if (of && of->seq == q->src.seq[i] && of->when.issue == of->when.ready &&
		    of->when.done <= q->when.ready && (!last || chain_is_later(of, last)))
			last = of;
	}
	return last;
}

bool chain_ends_recurrence(const struct pipe *p, const struct uop *q)
{
	enum { CHAIN = 12, PART = 8 };
	const struct uop *const end = q;
	uint64_t late = 0;
	for (unsigned n = 0; n < CHAIN && q->when.issue == q->when.ready; n++) {
		const struct uop *of = chain_prompt_producer(p, q);
		if (!of)
			return false;
		late += q->when.ready - of->when.done;
		q = of;
		if (q->pc == end->pc)
			return late * PART <= end->when.issue - q->when.issue;
	}
	return false;
}

uint64_t chain_order_delay(const struct pipe *p, const struct uop *q)
{
	uint64_t delay = 0, room = UINT64_MAX;
	for (unsigned i = 0; i < ORDER_CHAIN && room && q && q->when.issue != NO_CYCLE; i++) {
		if ((i && q->when.done > q->when.issue + 1) || !chain_unit_is_pipelined(p, q))
			break;
		delay += chain_min_cycle(q->when.issue - q->when.ready, room);
		room = chain_min_cycle(room, q->when.ready - q->when.dispatch);
		q = chain_producer(p, q);
	}
	return delay;
}

uint64_t chain_store_delay(const struct pipe *p, const struct uop *u)
{
	enum { CHAIN = 6 };
	uint64_t delay = 0, room = UINT64_MAX;
	const struct uop *q = u;
	for (unsigned i = 0; i < CHAIN && room && q && q->when.issue != NO_CYCLE; i++) {
		if (uop_waited_for_addresses(q))
			delay += chain_min_cycle(q->when.issue - q->when.ready, room);
		room = chain_min_cycle(room, q->when.ready - q->when.dispatch);
		q = chain_producer(p, q);
	}
	return delay;
}
