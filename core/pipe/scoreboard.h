/* Write ports, and the issue rules of an in-order machine that completes out of order (Hennessy and
 * Patterson, appendix C: "issue in ID").
 *
 * An instruction that issues in cycle X is in its unit for the latency, then in the memory stage,
 * and writes its register in the cycle after that: W. A load's W is the cycle in which its data
 * arrives. An instruction is held if:
 *
 *   WAW    an older instruction writes the same register in W or later
 *   port   all ports of the register file are used in W
 *   stage  a store or load waits in the execute stage for the memory stage: instructions of pools
 *          int and mem, or without a unit, wait for it
 *   miss   a load has missed: the memory stage stalls, and all stages before it
 *   write  without forwarding: an operand is not in the registers yet, which are read in decode, in
 *          the cycle of its write or later
 *   early  a branch that resolves in decode needs its operands a cycle before the execute stage
 *
 * Operands and units are checked elsewhere, as in any machine. Instructions leave the reorder
 * buffer in program order after all that, so that state is exact; no instruction waits for it. */
#ifndef CYCLOPS_CORE_PIPE_SCOREBOARD_H
#define CYCLOPS_CORE_PIPE_SCOREBOARD_H

#include "core/defs/choices.h"
#include "core/pipe/window.h"

enum issue_hold { HOLD_NONE, HOLD_WAW, HOLD_PORT, HOLD_STAGE, HOLD_MISS, HOLD_WRITE, HOLD_EARLY };

/* The register file of its result; WRITE_FILES: it has none. */
static inline unsigned scoreboard_write_file(const struct uop *u)
{
	return u->inst.rd == REG_SINK ? WRITE_FILES : u->inst.rd >= REG_F0;
}

/* The cycle in which u writes its register if it issues in `issue` and, as a load, hits. */
static inline uint64_t write_cycle(const struct pipe *p, const struct uop *u, uint64_t issue)
{
	return issue + p->timing[inst_class(&u->inst)].latency +
	       (uop_is_memory(u) ? p->mem.l1d_latency : p->memory_stage);
}

/* The same for an issued instruction, by what is known now. */
static inline uint64_t written_in(const struct pipe *p, const struct uop *q)
{
	if (q->when.done == NO_CYCLE)
		return write_cycle(p, q, q->when.issue);
	return q->when.done + (uop_is_memory(q) ? 0 : p->memory_stage);
}

static inline struct write_slot *write_slot(const struct pipe *p, uint64_t cycle)
{
	return &p->writes[cycle & (WRITE_CYCLES - 1)];
}

static inline bool port_is_free(const struct pipe *p, unsigned file, uint64_t cycle)
{
	if (!p->writes || file == WRITE_FILES)
		return true;
	const struct write_slot *w = write_slot(p, cycle);
	return w->cycle != cycle || w->used[file] < p->write_ports[file];
}

static inline void take_port(struct pipe *p, unsigned file, uint64_t cycle)
{
	struct write_slot *w = write_slot(p, cycle);
	if (!p->writes || file == WRITE_FILES)
		return;
	if (w->cycle != cycle)
		*w = (struct write_slot){.cycle = cycle};
	w->used[file]++;
}

/* True if u takes its write port at issue: a load only in a machine that completes out of order,
 * where it completes at a known cycle unless it misses. */
static inline bool reserves_port(const struct pipe *p, const struct uop *u)
{
	return p->writes && (!uop_is_memory(u) || p->unordered);
}

/* The youngest older instruction with the same destination, NULL if it has left the window. */
static inline const struct uop *older_writer(const struct pipe *p, const struct uop *u)
{
	if (u->inst.rd == REG_SINK || u->undo.rename == NO_SLOT)
		return NULL;
	const struct uop *q = pipe_uop(p, u->undo.rename);
	return uop_in_window(q) && q->seq < u->seq && q->inst.rd == u->inst.rd ? q : NULL;
}

static inline bool holds_waw(const struct pipe *p, const struct uop *u, const struct uop *q,
                             uint64_t now)
{
	if (q->state == UOP_ADDRESS || write_cycle(p, u, now) <= written_in(p, q))
		return true;
	return p->waw_unit && q->at.pool != FU_INT && q->at.pool != FU_MEM &&
	       q->at.pool != FU_NONE && now <= q->when.done;
}

/* The rule of a machine without forwarding, or with branches that resolve in decode, that keeps u,
 * whose operands are ready, from issuing in cycle now; *source: the operand. */
static inline enum issue_hold operand_hold(const struct pipe *p, const struct uop *u, uint64_t now,
                                           unsigned *source)
{
	const bool early = p->resolve == RESOLVE_ID && (u->op_flags & OPF_REDIRECT);
	const unsigned sources = uop_is_memory(u) ? 2 : 3;
	if (p->forwarding && !early)
		return HOLD_NONE;
	for (unsigned i = 0; i < sources; i++) {
		const struct uop *q =
			u->src.slot[i] != NO_SLOT ? pipe_uop(p, u->src.slot[i]) : NULL;
		/* Its slot is reused long after its write. */
		if (!q || q->seq != u->src.seq[i])
			continue;
		*source = i;
		if (i == 1 && (u->src.pending >> SOURCE_LATER & 1))
			return HOLD_WRITE;
		if (!p->forwarding && now <= written_in(p, q))
			return HOLD_WRITE;
		if (early && now <= q->when.done)
			return HOLD_EARLY;
	}
	return HOLD_NONE;
}

/* The rule that keeps u, whose operands are ready, from issuing in cycle now. */
static inline enum issue_hold issue_hold(const struct pipe *p, const struct uop *u, uint64_t now)
{
	unsigned source;
	const enum issue_hold late =
		p->late_operands ? operand_hold(p, u, now, &source) : HOLD_NONE;
	if (late != HOLD_NONE)
		return late;
	if (p->unordered) {
		if (p->st->memory_until > now)
			return HOLD_MISS;
		if (p->st->mem_retries &&
		    (u->at.pool == FU_INT || u->at.pool == FU_MEM || u->at.pool == FU_NONE))
			return HOLD_STAGE;
		const struct uop *q = older_writer(p, u);
		if (q && holds_waw(p, u, q, now))
			return HOLD_WAW;
	}
	return !reserves_port(p, u) ||
	                       port_is_free(p, scoreboard_write_file(u), write_cycle(p, u, now))
	               ? HOLD_NONE
	               : HOLD_PORT;
}

#endif
