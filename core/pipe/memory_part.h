/* The part of memory in which an access is, as a row of the slot stack. */
#ifndef CYCLOPS_CORE_PIPE_MEMORY_PART_H
#define CYCLOPS_CORE_PIPE_MEMORY_PART_H

#include "core/pipe/slot_rows.h"

/* The part of memory in which a load is in cycle `now`: translation, L1D, L2, memory, the bus; or
 * SLOT_forward if it is forwarded. */
static inline enum slot_row load_part(const struct pipe *p, const struct uop *u, uint64_t now)
{
	const struct hierarchy *h = &p->mem;
	const enum mem_level level = (enum mem_level)u->mem.level;
	if (level == LEVEL_FORWARD || level == LEVEL_BUFFER)
		return SLOT_forward;
	uint64_t from = u->when.mem + u->walk;
	if (now < from)
		return SLOT_dtlb;
	if (level <= LEVEL_L1 || now < (from += h->l1d_latency))
		return SLOT_l1d;
	if (level == LEVEL_L2 || now < (from += h->l2_latency))
		return SLOT_l2;
	return u->bus && now + u->bus >= u->when.done ? SLOT_bus : SLOT_memory;
}

/* The part of memory that a missing line occupies in this cycle, as load_part(); SLOT_mshr or
 * SLOT_l2_held while the line waits for a miss register, or for L2. */
enum slot_row miss_part(const struct pipe *p, const struct mshr *m);
/* The row of a store for which the write buffer has no room. If more entries would not help, the
 * part of the line that arrives first (miss_part()): it is on the bus, or held by L2, or no miss
 * register is free. */
enum slot_row full_buffer_part(const struct pipe *p);
/* The first cycle after `now` in which full_buffer_part() may change though no access begins;
 * UINT64_MAX: not before an entry is free. */
uint64_t full_buffer_until(const struct pipe *p, uint64_t now);
/* The miss in flight for the line of a load that waits for it; NULL: it has arrived. */
const struct mshr *line_awaited(const struct pipe *p, const struct uop *u);

#endif
