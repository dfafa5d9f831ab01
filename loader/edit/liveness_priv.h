/* What the files about liveness share: functions, and the parts of them that lie elsewhere. */
#ifndef CYCLOPS_LOADER_EDIT_LIVENESS_PRIV_H
#define CYCLOPS_LOADER_EDIT_LIVENESS_PRIV_H

#include "loader/edit/edit_priv.h"

/* Functions that share code: one and the parts of it that lie elsewhere. By the number of one of
 * them. */
struct part {
	uint32_t same;       /* another function of it; itself: the one by which it is known */
	uint32_t returned;   /* what matters wherever its returns may go */
	uint32_t within;     /* what matters wherever its jump tables may lead */
	bool taken;          /* its address is known: indirect calls come here */
	/* it jumps indirectly: to a function whose address is known, maybe, which then returns for
	 * it */
	bool jumps;
	bool returns;        /* it may return; exit() and its kin don't */
	/* a jump of it through any register may be its return: it is called through others than ra
	 * and t0, or moves them */
	bool odd;
	uint32_t links;      /* registers that it is called through */
	uint32_t through;    /* that it jumps through */
	bool strays;         /* it returns to where another call came from: longjmp, unwinding */
};

/* What is known of the whole program. */
struct flow {
	const struct edit *e;
	uint32_t *live;      /* [inst_count] */
	/* [inst_count]: a landing pad, or a place that code puts the address of somewhere */
	uint8_t *pad;
	struct part *parts;  /* [function_count] */
	uint32_t called;     /* what matters wherever an indirect call may go */
	uint32_t returned;   /* wherever the returns of what was called indirectly may go */
	uint32_t anywhere;   /* wherever any return may go, or a jump to another function's frame */
};

static inline uint32_t liveness_reg_bit(unsigned reg)
{
	return reg > 0 && reg < 32 ? UINT32_C(1) << reg : 0;
}

static inline bool is_jump(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA) && (inst_flags(&i->in) & OPF_JUMP);
}

static inline bool liveness_inst_is_call(const struct edit_inst *i)
{
	return is_jump(i) && i->in.rd != REG_SINK;
}

static inline bool liveness_inst_is_indirect(const struct edit_inst *i)
{
	return inst_flags(&i->in) & OPF_INDIRECT;
}

/* The instruction that a branch or jump names; EDIT_NONE. */
static inline uint32_t liveness_branch_target(const struct flow *f, uint32_t i)
{
	return f->e->insts[i].ref == REF_NEAR ? edit_inst_at(f->e, f->e->insts[i].target)
	                                      : EDIT_NONE;
}

/* The part that a function is of. */
struct part *part_of(const struct flow *f, uint32_t function);
struct part *part_at(const struct flow *f, uint32_t i);
/* Whether anything is executed behind instruction i. */
bool part_goes_on(const struct flow *f, uint32_t i);
/* Finds all that is in struct part but what matters. */
void parts_find(struct flow *f);

#endif
