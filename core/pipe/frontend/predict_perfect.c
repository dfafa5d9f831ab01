#include "core/pipe/frontend/predict_perfect.h"

#include "core/isa/csr.h"
#include "core/pipe/frontend/predictor.h"
#include "core/pipe/window.h"

/* The bytes that a store in the fetch queue replaced. */
struct replaced {
	uint64_t addr, old;
	unsigned size;
};

enum { FETCH_QUEUE_MAX = 256 };

/* True if the next instruction will find the dispatch point's present registers. */
static bool starts_known(const struct pipe *p)
{
	if (p->st->serial_slot == NO_SLOT)
		return true;
	const struct uop *serial = pipe_uop(p, p->st->serial_slot);
	return serial->trap == TRAP_NONE || (serial->flags & UF_SERVED);
}

/* True if its effects are unknown before decode or commit: it may be dropped, or read a counter. */
static bool predict_perfect_is_unforeseeable(const struct uop *u)
{
	return u->trap != TRAP_NONE || (u->op_flags & OPF_XPROF) ||
	       ((u->op_flags & OPF_CSR) && (unsigned)u->inst.imm > CSR_FCSR);
}

/* Executes the queue. False if the effects of its last instruction, a control instruction, can't be
 * known: *last is undefined then. */
static bool execute_queue(struct pipe *p, struct exec *last)
{
	const uint32_t count = p->st->fetchq_count;
	struct replaced stores[FETCH_QUEUE_MAX];
	unsigned stored = 0;
	struct hart h = *p->hart;
	uint32_t i = 0;
	for (; i < count; i++) {
		const struct uop *u = pipe_fetchq_at(p, i);
		if (predict_perfect_is_unforeseeable(u))
			break;
		h.pc = u->pc;
		*last = (struct exec){.next_pc = u->pc + u->inst.len};
		if (exec_table[u->inst.op](&h, p->ram, &u->inst, last) != TRAP_NONE)
			break;
		if (last->stored)
			stores[stored++] =
				(struct replaced){last->addr, last->store_old, last->size};
	}
	while (stored--)
		mem_store(p->ram, stores[stored].addr, stores[stored].size, stores[stored].old);
	return i == count;
}

uint64_t pipe_predict_perfectly(struct pipe *p, struct uop *u)
{
	const uint64_t at = u->pc + u->prefix_len;
	const bool jump = u->op_flags & OPF_JUMP;
	struct exec last = {0};
	if (starts_known(p) && execute_queue(p, &last)) {
		u->mark = (struct bpred_mark){
			.flags = (uint16_t)(BPM_FORESEEN | (jump || last.taken ? BPM_TAKEN : 0))};
		return last.next_pc;
	}
	u->mark = (struct bpred_mark){.flags = jump ? BPM_TAKEN : 0};
	return jump && !(u->op_flags & OPF_INDIRECT) ? at + (uint64_t)(int64_t)u->inst.imm
	                                             : at + u->inst.len;
}

/* Nothing is known of a branch that has not been fetched. */
static void perfect_predict(const struct bpred *b, const struct predictor_query *q,
                            struct bpred_mark *mark)
{
	(void)b;
	(void)q;
	(void)mark;
}

const struct predictor predictor_perfect = {
	.title = "perfect",
	.foresees = true,
	.predict = perfect_predict,
};
