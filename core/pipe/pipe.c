#include "core/pipe/pipe.h"

#include "core/defs/config_fields.h"
#include "core/defs/stats_fields.h"
#include "core/isa/csr.h"
#include "core/isa/op.h"
#include "core/mem/mem.h"
#include "core/prof/common/prof.h"

const struct uop_state_info uop_state_info[UOP_STATE_COUNT] = {
#define S(id, name, help) {name, help},
	UOP_STATES(S)
#undef S
};

const char *const fu_pool_name[FU_POOL_COUNT] = {
#define P(id, field, name) name,
	FU_POOLS(P)
#undef P
};

const char *const replay_name[REPLAY_COUNT] = {
#define R(id, name) #name,
	REPLAYS(R)
#undef R
};

unsigned pipe_fetch_length(struct pipe *p, uint64_t pc)
{
	const struct inst *in = mem_fetch(p->ram, pc);
	if (!in || in->op != OP_PI || !p->hart->xprof || p->hart->mode != MODE_U)
		return in ? in->len : 2;
	const struct inst *next = mem_fetch(p->ram, pc + in->len);
	if (next && inst_is_xprof(next))
		return in->len;
	return in->len + (next ? next->len : 2u);
}

struct uop *pipe_find(const struct pipe *p, uint64_t seq)
{
	for (uint32_t i = 0; seq && i < p->pool_size; i++)
		if (p->pool[i].seq == seq)
			return &p->pool[i];
	return NULL;
}

void pipe_set_counters(struct pipe *p, const struct inst *in)
{
	struct hart *h = p->hart;
	h->cycle = stats_guest_cycle(p->stats, p->st->cycle);
	h->instret = p->stats->functional_insts + p->stats->insts;
	h->time = (h->cycle + h->slept) / config_time_div(p->cfg);
	if (!(inst_flags(in) & OPF_CSR) || !csr_is_counter((unsigned)in->imm))
		return;
	/* A CSR is read at dispatch, after the devices' part of this cycle. */
	prof_catch_up(p->prof, h->cycle);
	stat_fill_counter(p->stats, h, (unsigned)in->imm, &p->memo);
}
