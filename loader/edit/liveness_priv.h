/* Shared by the liveness files: functions, and the parts of them that lie elsewhere. */
#ifndef CYCLOPS_LOADER_EDIT_LIVENESS_PRIV_H
#define CYCLOPS_LOADER_EDIT_LIVENESS_PRIV_H

#include "loader/edit/edit_priv.h"

/* Functions that share code: one and the parts of it that lie elsewhere. Indexed by function. */
struct part {
	uint32_t same;       /* another function of it; itself: the representative */
	uint32_t returned;   /* registers live wherever its returns may go */
	uint32_t within;     /* registers live wherever its jump tables may lead */
	bool taken;          /* its address is known: indirect calls come here */
	/* it has an indirect jump, perhaps to a function whose address is known, which then returns
	 * for it */
	bool jumps;
	bool returns;        /* it may return; exit() and its kin don't */
	/* any jump through a register may be its return: it is called through others than ra and
	 * t0, or moves them */
	bool odd;
	uint32_t links;      /* registers that it is called through */
	uint32_t through;    /* registers that it jumps through */
	bool strays;         /* it may return after any call: longjmp, unwinding */
};

/* State of the analysis of the whole program. */
struct flow {
	const struct edit *e;
	uint32_t *live;      /* [inst_count] */
	/* [inst_count]: PAD_*: a landing pad, or a place whose address code takes */
	uint8_t *pad;
	struct part *parts;  /* [function_count] */
	uint32_t called;     /* live wherever an indirect call may go */
	uint32_t returned;   /* live wherever returns from indirect calls may go */
	uint32_t anywhere;   /* live wherever any return may go, or a jump to another frame */
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

/* The target of a branch or jump; EDIT_NONE. */
static inline uint32_t liveness_branch_target(const struct flow *f, uint32_t i)
{
	return f->e->insts[i].ref == REF_NEAR ? edit_inst_at(f->e, f->e->insts[i].target)
	                                      : EDIT_NONE;
}

/* The part that has the function. */
struct part *part_of(const struct flow *f, uint32_t function);
struct part *part_at(const struct flow *f, uint32_t i);
/* Whether control may continue after instruction i. */
bool part_goes_on(const struct flow *f, uint32_t i);
/* Fills struct part, except for the live registers. */
void parts_find(struct flow *f);

#endif
