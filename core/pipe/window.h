/* Shared steps of the stages: scheduling, waking, memory ordering. Included by the variants of a
 * cycle, so that each stage inlines them. */
#ifndef CYCLOPS_CORE_PIPE_WINDOW_H
#define CYCLOPS_CORE_PIPE_WINDOW_H

#include "core/mem/mem.h"
#include "core/pipe/pipe.h"
#include "core/pipe/ring.h"

/* Predicates of a uop's class by its flags: one test each. */
static inline bool uop_is_memory(const struct uop *u)
{
	return u->op_flags & OPF_MEMORY;
}

static inline bool uop_may_store(const struct uop *u)
{
	return u->op_flags & (OPF_STORE | OPF_ATOMIC);
}

static inline bool uop_is_store(const struct uop *u)
{
	return (u->op_flags & (OPF_STORE | OPF_ATOMIC)) == OPF_STORE;
}

static inline bool is_load(const struct uop *u)
{
	return (u->op_flags & (OPF_LOAD | OPF_ATOMIC)) == OPF_LOAD;
}

/* pipe_rob_at() within a cycle: most have an array of pointers. */
static inline struct uop *rob_at(const struct pipe *p, uint32_t i)
{
	const uint32_t pos = (p->st->rob_head + i) & RING_MASK(p);
	return RING_POINTERS ? p->rob_uop[pos] : &p->pool[p->rob[pos]];
}

/* The instruction at this place of a walk. */
static inline struct uop *visited_uop(const struct pipe *p, uint32_t place)
{
	if (RING_FIXED)
		return rob_at(p, place);
	return RING_POINTERS ? p->rob_uop[place] : &p->pool[p->rob[place]];
}

static inline uint32_t window_age_at(const struct pipe *p, uint32_t place)
{
	return ring_age(place, p->st->rob_head, RING_MASK(p));
}

/* True if nonzero words are noted: bitmaps of at most two words are always read. */
static inline bool window_notes_words(const struct pipe *p)
{
	return !RING_FIXED && (RING_BITS || p->rob_words > 2);
}

/* The next free slot of the pool, in ring order. */
static inline uint32_t window_allocate_slot(struct pipe *p)
{
	struct pipe_state *st = p->st;
	uint32_t slot = st->slot_next;
	while (uop_in_flight(&p->pool[slot]))
		slot = (slot + 1) & p->pool_mask;
	st->slot_next = (slot + 1) & p->pool_mask;
	return slot;
}

static inline uint16_t window_slot_index(const struct pipe *p, const struct uop *u)
{
	return (uint16_t)(u - p->pool);
}

/* Makes u due in cycle `at`, within the wheel's range. */
static inline void wheel_put_near(struct pipe *p, struct uop *u, uint64_t at)
{
	uint32_t slot = (uint32_t)at & (WHEEL - 1);
	u->at.wheel = (uint16_t)slot;
	ring_set(p->wheel + (size_t)slot * RING_WORDS(p), u->at.rob);
	if (window_notes_words(p))
		RING_NOTE(p->wheel_words[slot], u->at.rob);
}

/* The same for any cycle. Beyond the wheel's range, u is visited again near the wheel's end, in the
 * same cycle as other distant ones, so that most cycles between stay idle. */
static inline void wheel_put(struct pipe *p, struct uop *u, uint64_t at)
{
	const uint64_t last = p->st->cycle + WHEEL - 1;
	wheel_put_near(p, u, at <= last ? at : last & ~(uint64_t)(WHEEL / 8 - 1));
}

/* True if it is in the wheel, and at.wheel is valid. */
static inline bool uop_is_in_wheel(const struct uop *u)
{
	return u->state == UOP_MEMORY ||
	       (u->state == UOP_EXECUTING && !(u->flags & UF_ADDR_KNOWN));
}

static inline void wheel_drop(struct pipe *p, const struct uop *u)
{
	if (!uop_is_in_wheel(u))
		return;
	uint64_t *due = p->wheel + (size_t)u->at.wheel * RING_WORDS(p);
	ring_clear(due, u->at.rob);
	if (window_notes_words(p) && !due[u->at.rob >> 6])
		p->wheel_words[u->at.wheel] &= ~(UINT64_C(1) << (u->at.rob >> 6));
}

/* The value that it writes to its destination, 0 if it has none. */
static inline uint64_t rd_value(const struct uop *u)
{
	return u->inst.rd == REG_SINK ? 0 : u->result;
}

/* True if all operands that issue needs are available. */
static inline bool has_operands(const struct uop *u)
{
	return !(u->src.pending & SOURCES_TO_ISSUE);
}

/* The operand of a waiting uop that arrives last, as known now. */
static inline unsigned last_operand(const struct pipe *p, const struct uop *u)
{
	const unsigned pending = u->src.pending & SOURCES_TO_ISSUE;
	unsigned last = (unsigned)__builtin_ctz(pending);
	uint64_t latest = 0;
	if (!(pending & (pending - 1)))
		return last;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t done =
			pending >> i & 1 ? pipe_uop(p, u->src.slot[i])->when.done : 0;
		if (pending >> i & 1 && done >= latest) {
			latest = done;
			last = i;
		}
	}
	return last;
}

static inline uint64_t *ready_in(const struct pipe *p, unsigned pool)
{
	return p->ready + (size_t)pool * RING_WORDS(p);
}

/* The bitmap of all pools, of windows whose words are noted. */
static inline uint64_t *window_all_ready(const struct pipe *p)
{
	return ready_in(p, FU_POOL_COUNT + 1);
}

/* make_ready() for a caller that has its pool and position in the reorder buffer. */
static inline void make_ready_at(struct pipe *p, struct uop *u, unsigned pool, uint32_t rob)
{
	u->state = UOP_READY;
	u->when.ready = p->st->cycle;
	ring_set(ready_in(p, pool), rob);
	if (!window_notes_words(p))
		return;
	ring_set(window_all_ready(p), rob);
	RING_NOTE(p->ready_sum->words, rob);
	p->ready_sum->count[pool]++;
}

/* Clears the bit of an instruction that is ready no longer. */
static inline void window_end_ready(struct pipe *p, unsigned pool, uint32_t rob)
{
	ring_clear(ready_in(p, pool), rob);
	if (!window_notes_words(p))
		return;
	uint64_t *all = window_all_ready(p);
	ring_clear(all, rob);
	if (!all[rob >> 6])
		p->ready_sum->words &= ~(1u << (rob >> 6));
	p->ready_sum->count[pool]--;
}

static inline void make_ready(struct pipe *p, struct uop *u)
{
	make_ready_at(p, u, u->at.pool, u->at.rob);
}

/* True if a pool has ready instructions. */
static inline bool any_ready(const struct pipe *p, unsigned pool)
{
	const uint64_t *ready = ready_in(p, pool);
	for (uint32_t w = 0; w < RING_WORDS(p); w++)
		if (ready[w])
			return true;
	return false;
}

/* Age of the oldest instruction not issued yet; RING_END if there is none. */
static inline uint32_t oldest_unissued(const struct pipe *p)
{
	for (uint32_t age = 0; p->st->iq_count && age < p->st->rob_count; age++) {
		const struct uop *u = pipe_rob_at(p, age);
		if (u->state == UOP_WAITING || u->state == UOP_READY)
			return age;
	}
	return RING_END;
}

/* Filter index of an address: by 8-byte granule. An access touches at most two. */
static inline unsigned filter_granule_index(uint64_t addr)
{
	return (addr >> 3) & 255;
}

static inline void filter_add(struct pipe *p, struct uop *u)
{
	unsigned a = filter_granule_index(u->exec.addr),
		 b = filter_granule_index(u->exec.addr + u->exec.size - 1);
	hierarchy_note_change(&p->mem, u->exec.addr, u->exec.size);
	p->st->store_filter[a]++;
	if (b != a)
		p->st->store_filter[b]++;
	u->flags |= UF_IN_FILTER;
}

static inline void filter_drop(struct pipe *p, struct uop *u)
{
	if (!(u->flags & UF_IN_FILTER))
		return;
	unsigned a = filter_granule_index(u->exec.addr),
		 b = filter_granule_index(u->exec.addr + u->exec.size - 1);
	hierarchy_note_change(&p->mem, u->exec.addr, u->exec.size);
	p->st->store_filter[a]--;
	if (b != a)
		p->st->store_filter[b]--;
	u->flags &= (uint16_t)~UF_IN_FILTER;
}

static inline bool uop_access_overlaps(const struct uop *a, const struct uop *b)
{
	return a->exec.addr - b->exec.addr < b->exec.size ||
	       b->exec.addr - a->exec.addr < a->exec.size;
}

static inline bool uop_store_covers_load(const struct uop *store, const struct uop *load)
{
	return load->exec.addr - store->exec.addr < store->exec.size &&
	       load->exec.addr - store->exec.addr + load->exec.size <= store->exec.size;
}

/* Youngest store older than the load u, with a known address, that touches its bytes; NULL if none.
 */
static inline const struct uop *older_store(const struct pipe *p, const struct uop *u)
{
	const struct pipe_state *st = p->st;
	if (!st->store_filter[filter_granule_index(u->exec.addr)] &&
	    !st->store_filter[filter_granule_index(u->exec.addr + u->exec.size - 1)])
		return NULL;
	uint32_t index = (u->at.lsq - st->lsq_head) & p->lsq_mask;
	while (index-- > 0) {
		const struct uop *s = pipe_lsq_at(p, index);
		if ((s->flags & UF_IN_FILTER) && uop_access_overlaps(s, u))
			return s;
	}
	return NULL;
}

/* Counts a store whose address is unknown; unknown_drop() when it is known, or the store leaves. */
static inline void unknown_add(struct pipe *p, const struct uop *u)
{
	p->unknown[u->at.lsq >> 6] |= UINT64_C(1) << (u->at.lsq & 63);
	p->st->unknown_stores++;
}

static inline void unknown_drop(struct pipe *p, const struct uop *u)
{
	p->unknown[u->at.lsq >> 6] &= ~(UINT64_C(1) << (u->at.lsq & 63));
	p->st->unknown_stores--;
}

/* True if u was predicted to conflict with a certain store that still has no address. */
static inline bool waits_for_predicted(const struct pipe *p, const struct uop *u)
{
	if (!(u->flags & UF_PREDICTED_WAIT) || u->src.slot[2] == NO_SLOT)
		return false;
	const struct uop *store = pipe_uop(p, u->src.slot[2]);
	return store->seq == u->src.seq[2] && uop_in_window(store) &&
	       !(store->flags & UF_ADDR_KNOWN);
}

/* True for a load that waits until all older stores have addresses. */
static inline bool waits_for_all(const struct pipe *p, const struct uop *u)
{
	return is_load(u) &&
	       (!p->speculate || ((u->flags & UF_PREDICTED_WAIT) && u->src.slot[2] == NO_SLOT));
}

/* True for a load that had its operands, and waited for the address of an older store that no
 * store set named. */
static inline bool uop_waited_for_addresses(const struct uop *u)
{
	return is_load(u) && (u->flags & UF_WAITED_FOR_ADDRESSES);
}

/* Seq of the oldest store whose address is unknown, UINT64_MAX if none. */
static inline uint64_t oldest_unknown_store(const struct pipe *p)
{
	if (!p->st->unknown_stores)
		return UINT64_MAX;
	return pipe_lsq_at(p, ring_next(p->unknown, p->lsq_words, p->st->lsq_head, 0))->seq;
}

#endif
