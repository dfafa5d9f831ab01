#include "core/pipe/warm.h"

#include <string.h>

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
	struct hierarchy *h = &w->pipe->mem;
	const uint64_t number = line >> h->l1i.line_log2, page = line >> h->itlb.page_log2;
	if (w->code.used && recently(&h->st->recent_code, &w->code, number, page, false)) {
		w->follows.code_line = line;
		return;
	}
	hierarchy_warm_fetch(h, line);
	if (w->code.used)
		see(&h->st->recent_code, &w->code, number, page, false);
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

/* What is asked first for the next access. */
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
	struct hierarchy *h = &w->pipe->mem;
	const uint64_t number = addr >> h->l1d.line_log2, page = addr >> h->dtlb.page_log2;
	const bool across = (addr + size - 1) >> h->l1d.line_log2 != number;
	if (w->data.used && !across &&
	    recently(&h->st->recent_data, &w->data, number, page, store))
		return;
	hierarchy_warm_data(h, pc, addr, size, store);
	follow_data(w);
	if (!w->data.used)
		return;
	if (across)
		see(&h->st->recent_data, &w->data, number, page, false);
	const uint64_t last = addr + size - 1;
	see(&h->st->recent_data, &w->data, last >> h->l1d.line_log2, last >> h->dtlb.page_log2,
	    f->store_line != UINT64_MAX);
}

/* ---- control: a function for each kind of predictor, so that none asks which it is ---- */
#define BRANCH_OF(name, kind)                                                                      \
	static void name(struct functional_warm *f, uint64_t pc, const struct inst *in,            \
	                 bool taken, uint64_t next, uint64_t insts)                                \
	{                                                                                          \
		bpred_warm_branch(&warm_of(f)->branches, kind, pc, in, taken, next, insts);        \
	}
BRANCH_OF(branch_bimodal, BPRED_BIMODAL)
BRANCH_OF(branch_twolevel, BPRED_TWOLEVEL)
BRANCH_OF(branch_gshare, BPRED_GSHARE)
BRANCH_OF(branch_combined, BPRED_COMBINED)

static void branch_fixed(struct functional_warm *f, uint64_t pc, const struct inst *in, bool taken,
                         uint64_t next, uint64_t insts)
{
	(void)in;
	(void)insts;
	bpred_warm_fixed(&warm_of(f)->branches, pc, taken, next);
}

static void control_any(struct functional_warm *f, uint64_t pc, const struct inst *in, bool taken,
                        uint64_t next, uint64_t insts)
{
	bpred_warm_any(&warm_of(f)->branches, pc, in, taken, next, insts);
}

static void jump(struct functional_warm *f, uint64_t pc, const struct inst *in, bool taken,
                 uint64_t next, uint64_t insts)
{
	(void)taken;
	bpred_warm_jump(&warm_of(f)->branches, pc, in, next, insts);
}

static void ignore(struct functional_warm *f, uint64_t pc, const struct inst *in, bool taken,
                   uint64_t next, uint64_t insts)
{
	(void)f;
	(void)pc;
	(void)in;
	(void)taken;
	(void)next;
	(void)insts;
}

static warm_control_fn *branch_of(const struct bpred *b)
{
	if (b->history_at_fetch)
		return control_any;
	switch (b->kind) {
	case BPRED_BIMODAL: return branch_bimodal;
	case BPRED_TWOLEVEL: return branch_twolevel;
	case BPRED_GSHARE: return branch_gshare;
	case BPRED_COMBINED: return branch_combined;
	case BPRED_TAKEN:
	case BPRED_NOTTAKEN: return branch_fixed;
	case BPRED_EXTERNAL:
	case BPRED_PERCEPTRON: return control_any;
	case BPRED_PERFECT: break;
	}
	return ignore;
}

static uint64_t lesser(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static struct recent_masks masks(const struct cache *c, const struct tlb *t, bool perfect)
{
	return (struct recent_masks){
		.line = lesser(c->sets, RECENT_SLOTS) - 1,
		.page = lesser(t->sets, RECENT_SLOTS) - 1,
		.used = !perfect && c->prefetcher.kind == PREFETCH_NONE &&
	                c->policy != REPLACE_EXTERNAL,
	};
}

void pipe_warm_begin(struct pipe_warm *w, struct pipe *p)
{
	const struct hierarchy *h = &p->mem;
	struct hierarchy_state *st = h->st;
	*w = (struct pipe_warm){
		.follows = {.code_line = h->perfect_l1i ? UINT64_MAX : known(&st->last_l1i),
	                    .code_bytes = h->l1i.line_bytes,
	                    .load_line = UINT64_MAX,
	                    .store_line = UINT64_MAX,
	                    .margin = h->l1i.line_bytes / 2 + 2,
	                    .fetched = UINT64_MAX,
	                    .fetch = fetch,
	                    .data = data,
	                    .branch = branch_of(&p->bpred),
	                    .jump = jump},
		.pipe = p,
		.each_access = h->perfect_l1d || h->l1d.prefetcher.kind == PREFETCH_STRIDE,
		.code = masks(&h->l1i, &h->itlb, h->perfect_l1i),
		.data = masks(&h->l1d, &h->dtlb, h->perfect_l1d),
	};
	for (unsigned size = 1; size <= 8; size++)
		w->follows.data_room[size] = h->l1d.line_bytes - size;
	if (st->recent_clock != st->clock) {
		memset(&st->recent_code, 0, sizeof st->recent_code);
		memset(&st->recent_data, 0, sizeof st->recent_data);
	}
	if (w->follows.branch == control_any || w->follows.branch == ignore)
		w->follows.jump = w->follows.branch;
	bpred_warm_begin(&w->branches, &p->bpred, p->fetch_width);
	follow_data(w);
}

void pipe_warm_end(struct pipe_warm *w)
{
	struct hierarchy_state *st = w->pipe->mem.st;
	st->recent_clock = st->clock;
	bpred_warm_settle(&w->branches);
}
