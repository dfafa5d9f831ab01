#include "core/pipe/chains.h"

#include "core/pipe/window.h"

enum { RECURRENCE_MAX = 12, DELAY_MAX = 6 }; /* producers looked at */

const struct uop *chain_recurrence_slowest(const struct pipe *p, const struct uop *u, bool *inside)
{
	const struct uop *chain[RECURRENCE_MAX];
	for (unsigned n = 0; n < RECURRENCE_MAX && u && u->when.issue == u->when.ready; n++) {
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

bool chain_ends_recurrence(const struct pipe *p, const struct uop *q)
{
	const uint64_t pc = q->pc;
	for (unsigned n = 0; n < RECURRENCE_MAX; n++) {
		if (q->when.issue != q->when.ready || !(q = chain_producer(p, q)))
			return false;
		if (q->pc == pc)
			return true;
	}
	return false;
}

uint64_t chain_order_delay(const struct pipe *p, const struct uop *q)
{
	uint64_t delay = 0, room = UINT64_MAX;
	for (unsigned i = 0; i < DELAY_MAX && room && q && q->when.issue != NO_CYCLE; i++) {
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
	uint64_t delay = 0, room = UINT64_MAX;
	const struct uop *q = u;
	for (unsigned i = 0; i < DELAY_MAX && room && q && q->when.issue != NO_CYCLE; i++) {
		if (uop_waited_for_addresses(q))
			delay += chain_min_cycle(q->when.issue - q->when.ready, room);
		room = chain_min_cycle(room, q->when.ready - q->when.dispatch);
		q = chain_producer(p, q);
	}
	return delay;
}
