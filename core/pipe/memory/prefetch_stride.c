/* The reference prediction table of Chen and Baer (IEEE Transactions on Computers 1995), by the
 * address of the instruction: in its steady state an entry requests the addresses that follow. */
#include "core/pipe/memory/prefetch_kind.h"

enum stride_state { STRIDE_INITIAL, STRIDE_TRANSIENT, STRIDE_STEADY, STRIDE_NONE };

struct stride_entry {
	uint64_t pc;     /* 0: none */
	uint64_t last;   /* byte address of its last access */
	int64_t stride;  /* bytes */
	uint64_t state;  /* enum stride_state */
};

static size_t stride_bytes(const struct prefetcher *p)
{
	return ((size_t)p->mask + 1) * sizeof(struct stride_entry);
}

/* Updates the entry with an access at this distance from the previous one. */
static void learn_stride(struct stride_entry *e, int64_t distance)
{
	static const uint64_t right[] = {STRIDE_STEADY, STRIDE_STEADY, STRIDE_STEADY,
	                                 STRIDE_TRANSIENT};
	static const uint64_t wrong[] = {STRIDE_TRANSIENT, STRIDE_NONE, STRIDE_INITIAL,
	                                 STRIDE_NONE};
	bool as_before = distance == e->stride;
	if (!as_before && e->state != STRIDE_STEADY)
		e->stride = distance;
	e->state = as_before ? right[e->state] : wrong[e->state];
}

static uint32_t stride_access(struct hierarchy *h, const struct cache *c,
                              const struct plugin_access *a, uint64_t *line)
{
	const struct prefetcher *p = &c->prefetcher;
	struct stride_entry *table = p->table, *e = &table[a->pc >> 1 & p->mask];
	uint32_t n = 0;
	(void)h;
	if (e->pc != a->pc) {
		*e = (struct stride_entry){.pc = a->pc, .last = a->addr};
		return 0;
	}
	learn_stride(e, (int64_t)(a->addr - e->last));
	e->last = a->addr;
	if (e->state != STRIDE_STEADY || !e->stride)
		return 0;
	for (uint32_t i = 1; i <= p->degree; i++)
		line[n++] = (a->addr + (uint64_t)e->stride * i) >> c->line_log2;
	return n;
}

static void stride_ranges(const struct prefetcher *p, struct ranges *rs)
{
	RANGE(rs, "prefetcher", (struct stride_entry *)p->table, p->mask + 1, state, RANGE_MOST,
	      STRIDE_NONE);
}

static bool stride_read_entry(const struct prefetcher *p, uint32_t i, struct prefetch_entry *out)
{
	static const char *const state[] = {"initial", "transient", "steady", "no prediction"};
	const struct stride_entry *e = &((const struct stride_entry *)p->table)[i];
	*out = (struct prefetch_entry){e->pc, e->last, state[e->state], e->stride};
	return e->pc != 0;
}

const struct prefetch_kind prefetcher_stride = {
	.bytes = stride_bytes,
	.access = stride_access,
	.each_access = true,
	.ranges = stride_ranges,
	.entry = stride_read_entry,
};
