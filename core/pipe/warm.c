#include "core/pipe/warm.h"

#include "core/pipe/pipe.h"

static inline struct pipe_warm *warm_of(struct functional_warm *f)
{
	return (struct pipe_warm *)(void *)f;
}

/* The line used last, as the caches have it. */
static inline uint64_t known(const struct last_line *last)
{
	return last->ready == UINT64_MAX ? UINT64_MAX : last->addr;
}

static inline void follow_code(struct pipe_warm *w, uint64_t line)
{
	const struct hierarchy *h = &w->pipe->mem;
	hierarchy_warm_fetch(&w->pipe->mem, line);
	w->follows.code_line = h->perfect_l1i ? line : known(&h->st->last_l1i);
}

static void fetch(struct functional_warm *f, uint64_t pc, unsigned bytes)
{
	const uint64_t mask = ~(f->code_bytes - 1), first = pc & mask,
		       last = (pc + bytes - 1) & mask;
	if (first != f->code_line)
		follow_code(warm_of(f), first);
	if (last != first)
		follow_code(warm_of(f), last);
}

static inline void follow_data(struct pipe_warm *w)
{
	const struct hierarchy *h = &w->pipe->mem;
	const struct last_line *last = &h->st->last_l1d;
	struct functional_warm *f = &w->follows;
	if (w->each_access)
		return;
	f->load_line = known(last);
	f->store_line = h->l1d.lines[last->index].flags & CL_DIRTY ? f->load_line : UINT64_MAX;
}

static void data(struct functional_warm *f, uint64_t pc, uint64_t addr, unsigned size, bool store)
{
	struct pipe_warm *w = warm_of(f);
	hierarchy_warm_data(&w->pipe->mem, pc, addr, size, store);
	follow_data(w);
}

static void control(struct functional_warm *f, uint64_t pc, const struct inst *in, bool taken,
                    uint64_t next)
{
	bpred_warm(&warm_of(f)->pipe->bpred, pc, in, taken, next);
}

void pipe_warm_begin(struct pipe_warm *w, struct pipe *p)
{
	const struct hierarchy *h = &p->mem;
	*w = (struct pipe_warm){
		.follows = {.code_line = h->perfect_l1i ? UINT64_MAX : known(&h->st->last_l1i),
	                    .code_bytes = h->l1i.line_bytes,
	                    .load_line = UINT64_MAX,
	                    .store_line = UINT64_MAX,
	                    .margin = h->l1i.line_bytes / 2 + 2,
	                    .fetch = fetch,
	                    .data = data,
	                    .control = control},
		.pipe = p,
		.each_access = h->perfect_l1d || h->l1d.prefetcher.kind == PREFETCH_STRIDE,
	};
	for (unsigned size = 1; size <= 8; size++)
		w->follows.data_room[size] = h->l1d.line_bytes - size;
	follow_data(w);
}
