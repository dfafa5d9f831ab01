#include "core/pipe/memory/mshr.h"

#include <assert.h>
#include <stddef.h>

#include "core/pipe/memory/cache.h"

struct mshr *mshr_find(struct hierarchy_state *st, uint64_t line, uint64_t now)
{
	for (uint32_t i = 0; i < st->mshr_count; i++) {
		if (st->mshr[i].line == line && st->mshr[i].ready > now)
			return &st->mshr[i];
	}
	return NULL;
}

bool mshr_available(const struct hierarchy_state *st, uint32_t limit, uint64_t now)
{
	uint32_t held = 0;
	if (st->mshr_count < limit)
		return true;
	for (uint32_t i = 0; i < st->mshr_count; i++)
		held += st->mshr[i].since <= now && st->mshr[i].ready > now;
	return held < limit;
}

uint64_t mshr_reserve(struct hierarchy_state *st, uint32_t limit, uint64_t now)
{
	if (mshr_available(st, limit, now))
		return now;
	struct mshr *first = NULL;
	for (uint32_t i = 0; i < st->mshr_count; i++) {
		struct mshr *m = &st->mshr[i];
		if (m->ready > now && !m->chained && (!first || m->ready < first->ready))
			first = m;
	}
	/* Every chain of misses on a register has a last one, which is not chained. */
	assert(first);
	first->chained = 1;
	return first->ready;
}

void mshr_open(struct hierarchy_state *st, const struct mshr *miss, uint64_t now)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < st->mshr_count; i++) {
		if (st->mshr[i].ready > now)
			st->mshr[kept++] = st->mshr[i];
	}
	for (uint32_t i = kept; i < st->mshr_count; i++)
		st->mshr[i] = (struct mshr){0};
	/* Registers, their chained successors and two lines per write-buffer entry fit by
	 * construction. */
	assert(kept < MSHR_ENTRIES);
	st->mshr[kept] = *miss;
	st->mshr_count = kept + 1;
}

uint64_t mshr_next_free(const struct hierarchy_state *st, uint64_t now)
{
	uint64_t next = UINT64_MAX;
	for (uint32_t i = 0; i < st->mshr_count; i++)
		if (st->mshr[i].ready > now && st->mshr[i].ready < next)
			next = st->mshr[i].ready;
	return next;
}
