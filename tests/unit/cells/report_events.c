/* Events of places, edges, calls and values: the expected contents of the oracle's reports. */
#include "core/prof/profileme/profileme.h"
#include "core/prof/sampler/sampler.h"
#include "core/prof/sampler/sampler_exact.h"
#include "tests/unit/cells/report_cells.h"

static void add_pair(struct pairs *all, uint64_t pc, uint64_t to, unsigned kind)
{
	unsigned i = 0;
	while (i < all->n && (all->at[i].pc != pc || all->at[i].to != to))
		i++;
	assert_true(i < PAIRS);
	if (i == all->n)
		all->at[all->n++] = (struct pair){pc, to, 0, kind};
	all->at[i].times++;
}

/* A call makes a node below the present one, unless its procedure is active. */
static void report_events_push_call(struct happened *h, uint64_t site, uint64_t callee,
                                    uint64_t back)
{
	unsigned to = h->here;
	assert_true(h->frames < 64 && h->nodes < NODES);
	h->frame[h->frames].back = back;
	h->frame[h->frames++].node = h->here;
	while (to && h->node[to].callee != callee)
		to = h->node[to].parent;
	if (h->node[to].callee != callee)
		for (to = 1;
		     to < h->nodes && (h->node[to].parent != h->here || h->node[to].site != site ||
		                       h->node[to].callee != callee);
		     to++)
			;
	if (to == h->nodes)
		h->node[h->nodes++] = (struct node){.callee = callee,
		                                    .site = site,
		                                    .parent = h->here,
		                                    .depth = h->node[h->here].depth + 1};
	h->node[to].calls++;
	h->here = to;
}

static bool report_events_is_link_register(unsigned reg)
{
	return reg == 1 || reg == 5;
}

static void hear_control(struct happened *h, const struct uop *u)
{
	const bool branch = u->op_flags & OPF_BRANCH,
		   link = report_events_is_link_register(u->inst.rd),
		   indirect = u->op_flags & OPF_INDIRECT,
		   ret = indirect && report_events_is_link_register(u->inst.rs1);
	const uint64_t next = u->exec.next_pc;
	add_pair(&h->edges, u->pc, next,
	         branch     ? next == u->pc + u->inst.len ? NOT_TAKEN : TAKEN
	         : link     ? CALL
	         : ret      ? RETURN
	         : indirect ? INDIRECT
	                    : JUMP);
	if (!branch && link) {
		report_events_push_call(h, u->pc, next, u->pc + u->inst.len);
	} else if (!branch && ret) {
		assert_true(h->frames > 0 && h->frame[h->frames - 1].back == next);
		h->here = h->frame[--h->frames].node;
	}
}

static void report_events_on_commit(struct happened *h, const struct uop *u)
{
	struct place *p = &h->at[(u->pc - TEXT_AT) / 2];
	if (!h->insts)
		h->node[h->nodes++] = (struct node){.callee = u->pc};
	h->insts++;
	h->node[h->here].own++;
	p->pc = u->pc;
	p->len = u->inst.len;
	p->ends = u->op_flags & (OPF_BRANCH | OPF_JUMP);
	p->times++;
	if (u->inst.rd != REG_SINK)
		add_pair(&h->values, u->pc, u->result, 0);
	if (u->op_flags & (OPF_LOAD | OPF_STORE))
		add_pair(&h->addresses, u->pc, u->exec.addr, 0);
	if (u->op_flags & OPF_LOAD) {
		const uint64_t cycles = u->when.done - u->when.mem;
		p->loads++;
		p->level[u->mem.level]++;
		p->delayed += u->mem.delayed;
		p->cycles += cycles;
		p->most = cycles > p->most ? cycles : p->most;
	}
	if (u->op_flags & (OPF_BRANCH | OPF_JUMP))
		hear_control(h, u);
}

void report_hear(void *ctx, const struct machine *m, const struct event *ev)
{
	struct happened *h = ctx;
	const struct uop *u = pipe_uop(machine_pipe(m), (uint16_t)ev->slot);
	assert_true(ev->seq < SEQS && (ev->pc - TEXT_AT) / 2 < PLACES);
	struct place *p = &h->at[(ev->pc - TEXT_AT) / 2];
	p->pc = ev->pc;
	if (ev->id == EV_COMMIT) {
		report_events_on_commit(h, u);
	} else if (ev->id == EV_DISPATCH) {
		p->dispatched++;
		p->wrong += ev->dispatch.wrong_path;
		h->is_wrong[ev->seq] = ev->dispatch.wrong_path != 0;
	} else if (ev->id == EV_LEAVE) {
		p->squashed += ev->leave.entered && !ev->leave.retired && !ev->leave.dropped;
	} else if (u->op_flags & OPF_LOAD) {
		p->accessed += ev->mem.level > LEVEL_FORWARD;
		p->accessed_wrong += ev->mem.level > LEVEL_FORWARD && h->is_wrong[ev->seq];
	}
}
