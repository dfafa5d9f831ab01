#include "core/pipe/warm.h"

#include <string.h>

#include "core/pipe/memory/prefetch_kind.h"
#include "core/pipe/memory/replacement.h"
#include "core/pipe/pipe.h"

static inline struct pipe_warm *warm_of(struct functional_warm *f)
{
	return (struct pipe_warm *)(void *)f;
}

/* Address of the cache's line used last; UINT64_MAX: none. */
static inline uint64_t warm_last_line_addr(const struct last_line *last)
{
	return last->ready == UINT64_MAX ? UINT64_MAX : last->addr;
}

/* ---- code ---- */
static void follow_code(struct pipe_warm *w, uint64_t line)
{
	struct hierarchy *h = &w->pipe->mem;
	if (warm_recently_used(&w->code, line, false)) {
		w->follows.code_line = line;
		return;
	}
	hierarchy_warm_fetch(h, line);
	if (w->knows_code)
		warm_mark_used(&w->code, line, false);
	w->follows.code_line = h->perfect_l1i ? line : warm_last_line_addr(&h->st->last_l1i);
}

static __attribute__((noinline)) void other_fetch(struct functional_warm *f, uint64_t pc,
                                                  unsigned bytes)
{
	const uint64_t mask = ~(f->code_bytes - 1), first = pc & mask,
		       last = (pc + bytes - 1) & mask;
	if (first != f->code_line)
		follow_code(warm_of(f), first);
	if (last != first)
		follow_code(warm_of(f), last);
}

/* The common case needs no stack frame: other_fetch() is a tail call. */
static void warm_on_fetch(struct functional_warm *f, uint64_t pc, unsigned bytes)
{
	const uint64_t first = pc & ~(f->code_bytes - 1);
	if (pc + bytes - first <= f->code_bytes && warm_recently_used(&warm_of(f)->code, pc, false))
		f->code_line = first;
	else
		other_fetch(f, pc, bytes);
}

/* ---- data ---- */
static inline bool last_is_dirty(const struct hierarchy *h)
{
	return h->l1d.lines[h->st->last_l1d.index].flags & CL_DIRTY;
}

/* Updates the lines that the loop compares the next access with. */
static inline void follow_data(struct pipe_warm *w)
{
	const struct hierarchy *h = &w->pipe->mem;
	struct functional_warm *f = &w->follows;
	if (w->each_access)
		return;
	f->load_line = warm_last_line_addr(&h->st->last_l1d);
	f->store_line = last_is_dirty(h) ? f->load_line : UINT64_MAX;
}

static __attribute__((noinline)) void other_data(struct functional_warm *f, uint64_t pc,
                                                 uint64_t addr, unsigned size, bool store)
{
	struct pipe_warm *w = warm_of(f);
	hierarchy_warm_data(&w->pipe->mem, pc, addr, size, store);
	follow_data(w);
	if (!w->knows_data)
		return;
	const uint64_t last = addr + size - 1;
	if (addr >> w->data.line_log2 != last >> w->data.line_log2)
		warm_mark_used(&w->data, addr, false);
	if (warm_last_line_addr(&w->pipe->mem.st->last_l1d) != UINT64_MAX)
		warm_mark_used(&w->data, last, last_is_dirty(&w->pipe->mem));
}

static void warm_on_data_access(struct functional_warm *f, uint64_t pc, uint64_t addr,
                                unsigned size, bool store)
{
	/* an aligned access lies in one line */
	if ((addr & (size - 1)) || !warm_recently_used(&warm_of(f)->data, addr, store))
		other_data(f, pc, addr, size, store);
	else if (store)
		f->store_line = addr & ~(f->data_bytes - 1);
	else
		f->load_line = addr & ~(f->data_bytes - 1);
}

/* The prefetcher learns from every access. */
static void data_for_strides(struct functional_warm *f, uint64_t pc, uint64_t addr, unsigned size,
                             bool store)
{
	struct pipe_warm *w = warm_of(f);
	if (!(addr & (size - 1)) && warm_recently_used(&w->data, addr, store))
		prefetch_warm_hit(&w->pipe->mem, pc, addr, store);
	else
		other_data(f, pc, addr, size, store);
}

static uint64_t warm_min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* True if accesses that don't change the order of lines need not be reported to its policy. */
static bool warm_can_filter_cache(const struct cache *c, bool perfect)
{
	return !perfect && !(c->policy && c->policy->each_use);
}

static bool warm_prefetcher_hears_all(const struct cache *c)
{
	return c->prefetcher.by && c->prefetcher.by->each_access;
}

static struct recent_slots warm_init_recent_slots(struct recent *r, const struct cache *c,
                                                  const struct tlb *t)
{
	return (struct recent_slots){
		.recent = r,
		.line_log2 = c->line_log2,
		.page_log2 = t->page_log2,
		.line_mask = warm_min_u64(c->sets, RECENT_LINES) - 1,
		.page_mask = warm_min_u64(t->sets, RECENT_PAGES) - 1,
	};
}

void pipe_warm_begin(struct pipe_warm *w, struct pipe *p)
{
	struct hierarchy *h = &p->mem;
	const struct hierarchy_state *st = h->st;
	const bool each_access = h->perfect_l1d || warm_prefetcher_hears_all(&h->l1d);
	*w = (struct pipe_warm){
		.follows = {.code_line = h->perfect_l1i ? UINT64_MAX
	                                                : warm_last_line_addr(&st->last_l1i),
	                    .code_bytes = h->l1i.line_bytes,
	                    .data_bytes = h->l1d.line_bytes,
	                    .load_line = UINT64_MAX,
	                    .store_line = UINT64_MAX,
	                    .margin = h->l1i.line_bytes / 2 + 2,
	                    .fetched = UINT64_MAX,
	                    .fetch = warm_on_fetch,
	                    .data = each_access ? data_for_strides : warm_on_data_access,
	                    .branch = bpred_warm_branch(&p->bpred),
	                    .jump = bpred_warm_jump(&p->bpred),
	                    .predictor = &w->branches},
		.pipe = p,
		.each_access = each_access,
		.knows_code = warm_can_filter_cache(&h->l1i, h->perfect_l1i) &&
		              !warm_prefetcher_hears_all(&h->l1i),
		.knows_data = warm_can_filter_cache(&h->l1d, h->perfect_l1d),
		.code = warm_init_recent_slots(&h->recent->code, &h->l1i, &h->itlb),
		.data = warm_init_recent_slots(&h->recent->data, &h->l1d, &h->dtlb),
	};
	for (unsigned size = 1; size <= 8; size++)
		w->follows.data_room[size] = h->l1d.line_bytes - size;
	if (h->recent->clock != st->clock)
		memset(h->recent, 0, sizeof *h->recent);
	bpred_warm_begin(&w->branches, &p->bpred, p->fetch_width);
	follow_data(w);
}

void pipe_warm_end(struct pipe_warm *w)
{
	struct hierarchy *h = &w->pipe->mem;
	h->recent->clock = h->st->clock;
	arena_mark_all(&h->recent_marks, h->recent, sizeof *h->recent);
	bpred_warm_settle(&w->branches);
}
