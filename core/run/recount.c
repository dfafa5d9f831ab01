/* Counts the host memory that history holds by walking all of it, to test the running count: each
 * block that snapshots refer to once, except those of the present. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/memory_account.h"
#include "core/run/run_priv.h"

/* Blocks seen so far, hashed by address, never more than half full. */
struct seen {
	const void **slot; /* owned; [mask + 1], NULL: empty */
	size_t mask, count;
	size_t bytes;      /* of blocks seen for the first time */
	bool lost;         /* memory ran out */
};

static const void **recount_find_slot(const struct seen *s, const void *block)
{
	size_t i = (size_t)(((uintptr_t)block >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 20);
	while (s->slot[i & s->mask] && s->slot[i & s->mask] != block)
		i++;
	return &s->slot[i & s->mask];
}

static bool recount_grow_slots(struct seen *s)
{
	struct seen more = {.mask = s->slot ? 2 * s->mask + 1 : 0xffff, .count = s->count};
	more.slot = alloc_zeroed(more.mask + 1, sizeof *more.slot);
	if (!more.slot)
		return false;
	for (size_t i = 0; s->slot && i <= s->mask; i++)
		if (s->slot[i])
			*recount_find_slot(&more, s->slot[i]) = s->slot[i];
	free(s->slot);
	s->slot = more.slot;
	s->mask = more.mask;
	return true;
}

static bool recount_visit_block(void *ctx, const void *block, size_t bytes)
{
	struct seen *s = ctx;
	if ((!s->slot || 2 * s->count > s->mask) && !recount_grow_slots(s))
		s->lost = true;
	if (s->lost)
		return false;
	const void **at = recount_find_slot(s, block);
	if (*at)
		return false;
	*at = block;
	s->count++;
	s->bytes += bytes;
	return true;
}

size_t run_recount(const struct run *r)
{
	struct seen seen = {0};
	const struct ledger_walk walk = {.block = recount_visit_block, .ctx = &seen};
	snapshot_walk(r->m, NULL, &walk);
	seen.bytes = 0;
	for (size_t i = 0; i < r->hist.count; i++) {
		seen.bytes += snapshot_bytes(r->hist.kept[i].s);
		snapshot_walk(r->m, r->hist.kept[i].s, &walk);
	}
	free(seen.slot);
	return seen.lost ? SIZE_MAX : seen.bytes;
}
