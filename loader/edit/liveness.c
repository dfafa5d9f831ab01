#include "loader/edit/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "loader/edit/edit_priv.h"

/* Functions that share code: a function and its parts that lie elsewhere. Indexed by function. */
struct part {
	uint32_t same;       /* another function of it; itself: the representative */
	uint32_t returned;   /* registers live wherever its returns may go */
	uint32_t within;     /* registers live wherever its jump tables may lead */
	bool taken;          /* its address is known: indirect calls come here */
	/* it has an indirect jump, perhaps to a function whose address is known, which then returns
	 * for it */
	bool jumps;
	bool returns;        /* it may return; exit() and its kin don't */
	/* any jump through a register may be its return: it is called through registers other than
	 * ra and t0, or moves these */
	bool odd;
	uint32_t links;      /* registers that it is called through */
	uint32_t through;    /* registers that it jumps through */
	bool strays;         /* control may return after any call: longjmp, unwinding */
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

enum { ALL = -1, SYSTEM_CALL = 0xff << 10 /* a0 to a7 */ };

/* ---- which functions share code, how they are called, and whether they return ---- */

enum { RA = 1, SP = 2, FP = 8 };

#define ANY_LINK (UINT32_C(1) << 1 | UINT32_C(1) << 5) /* ra, t0 */

/* The part that has the function. */
static struct part *part_of(const struct flow *f, uint32_t function)
{
	while (f->parts[function].same != function)
		function = f->parts[function].same = f->parts[f->parts[function].same].same;
	return &f->parts[function];
}

/* The part that has the function. */
static struct part *part_at(const struct flow *f, uint32_t i)
{
	return part_of(f, f->e->insts[i].function);
}

static void liveness_parts_join_parts(struct flow *f, uint32_t a, uint32_t b)
{
	part_of(f, a)->same = (uint32_t)(part_of(f, b) - f->parts);
}

/* Whether an instruction sets ra to a value not from its own frame, or takes sp from another frame.
 */
static bool liveness_parts_inst_breaks_frame(const struct inst *in)
{
	if (in->rd == RA && !(inst_flags(in) & OPF_JUMP))
		return in->op != OP_LD || in->rs1 != SP;
	return in->rd == SP && in->rs1 != SP && !(in->op == OP_ADDI && in->rs1 == FP);
}

/* Joins functions: a function that is entered in its middle belongs to the function that jumps
 * there; f.cold belongs to f. */
static void find_parts(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t k = 0; k < e->function_count; k++)
		f->parts[k].same = k;
	for (uint32_t i = 0; i < e->inst_count; i++) {
		uint32_t to = liveness_branch_target(f, i);
		if (to != EDIT_NONE && !(e->insts[to].flags & EDIT_ENTRY))
			liveness_parts_join_parts(f, e->insts[i].function, e->insts[to].function);
	}
	for (uint32_t k = 0; k < e->function_count; k++) {
		const char *name = e->functions[k].name, *dot = strstr(name, ".cold");
		for (uint32_t n = 0; dot && n < e->function_count; n++)
			if (!strncmp(e->functions[n].name, name, (size_t)(dot - name)) &&
			    !e->functions[n].name[dot - name])
				liveness_parts_join_parts(f, k, n);
	}
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		struct part *p = part_at(f, i);
		if (at->flags & EDIT_DATA)
			continue;
		p->taken |= (at->flags & EDIT_TAKEN) && (at->flags & EDIT_ENTRY);
		p->jumps |= is_jump(at) && liveness_inst_is_indirect(at) &&
		            !liveness_inst_is_call(at) && !inst_pops_ras(&at->in);
		p->strays |= liveness_parts_inst_breaks_frame(&at->in);
	}
}

/* Whether a return address leaves its register other than by a store, or is loaded from the stack
 * into another one. */
static bool moves_link(const struct part *p, const struct inst *in)
{
	const unsigned flags = inst_flags(in);
	if (in->op == OP_LD && (in->rs1 == SP || in->rs1 == FP))
		return p->jumps && !(ANY_LINK & liveness_reg_bit(in->rd)) &&
		       (p->through & liveness_reg_bit(in->rd));
	return !(flags & (OPF_JUMP | OPF_STORE)) &&
	       (p->links & (liveness_reg_bit(in->rs1) | liveness_reg_bit(in->rs2)));
}

static void find_odd(struct flow *f)
{
	const struct edit *e = f->e;
	uint32_t indirect = liveness_reg_bit(RA);
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		const uint32_t to = liveness_branch_target(f, i);
		if (liveness_inst_is_call(at) && to != EDIT_NONE)
			part_at(f, to)->links |= liveness_reg_bit(at->in.rd);
		else if (liveness_inst_is_call(at))
			indirect |= liveness_reg_bit(at->in.rd);
		else if (is_jump(at) && liveness_inst_is_indirect(at))
			part_at(f, i)->through |= liveness_reg_bit(at->in.rs1);
	}
	for (uint32_t k = 0; k < e->function_count; k++)
		part_of(f, k)->links |= part_of(f, k)->taken ? indirect : 0;
	/* A function that continues in another one passes its return address on. */
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < e->inst_count; i++) {
			const uint32_t to = liveness_inst_is_call(&e->insts[i])
			                            ? EDIT_NONE
			                            : liveness_branch_target(f, i);
			const uint32_t more =
				to == EDIT_NONE ? 0 : part_at(f, i)->links & ~part_at(f, to)->links;
			if (more)
				part_at(f, to)->links |= more;
			changed |= more != 0;
		}
	}
	for (uint32_t i = 0; i < e->inst_count; i++) {
		struct part *p = part_at(f, i);
		if (!(e->insts[i].flags & EDIT_DATA))
			p->odd |= (p->links & ~ANY_LINK) || moves_link(p, &e->insts[i].in);
	}
}

/* Whether control may continue after instruction i. */
static bool part_goes_on(const struct flow *f, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	const uint32_t to = liveness_branch_target(f, i);
	if (!is_jump(at))
		return true;
	/* A call that ends its function does not return. */
	if (at->addr + at->in.len == f->e->functions[at->function].end)
		return false;
	return liveness_inst_is_call(at) && (to == EDIT_NONE || part_at(f, to)->returns);
}

/* Finds functions that may return: functions with a return or an indirect jump, and functions that
 * continue in one that may return. */
static void liveness_parts_find_returning_parts(struct flow *f)
{
	const struct edit *e = f->e;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < e->inst_count; i++) {
			const struct edit_inst *at = &e->insts[i];
			struct part *p = part_at(f, i);
			const uint32_t to = liveness_branch_target(f, i),
				       next = i + 1 < e->inst_count ? i + 1 : i;
			if (p->returns || (at->flags & EDIT_DATA))
				continue;
			p->returns =
				(is_jump(at) && liveness_inst_is_indirect(at) &&
			         !liveness_inst_is_call(at)) ||
				(to != EDIT_NONE && !liveness_inst_is_call(at) &&
			         part_at(f, to)->returns) ||
				(part_at(f, next) != p && part_goes_on(f, i) &&
			         !(e->insts[next].flags & EDIT_DATA) && part_at(f, next)->returns);
			changed |= p->returns;
		}
	}
}

/* Fills struct part, except for the live registers. */
static void parts_find(struct flow *f)
{
	find_parts(f);
	find_odd(f);
	liveness_parts_find_returning_parts(f);
}

static uint32_t liveness_read_registers(const struct inst *in)
{
	if (in->op == OP_ECALL)
		return (uint32_t)SYSTEM_CALL;
	return liveness_reg_bit(in->rs1) | liveness_reg_bit(in->rs2) | liveness_reg_bit(in->rs3);
}

/* Marks places where control may come from anywhere: landing pads; and targets of a goto out of a
 * nested function, or __builtin_longjmp(), which have their address taken by code. */
uint8_t *edit_pads(const struct edit *e)
{
	uint8_t *pad = alloc_zeroed(e->inst_count + 1, 1);
	for (uint32_t i = 0; pad && i < e->inst_count; i++)
		pad[i] = e->insts[i].flags & EDIT_PAD ? PAD_THROWN : 0;
	for (uint32_t k = 0; pad && k < e->inst_count; k++) {
		const bool pair = e->insts[k].ref == REF_HIGH || e->insts[k].ref == REF_ABS_HIGH;
		uint32_t i = pair ? edit_inst_at(e, e->insts[k].target) : EDIT_NONE;
		if (i != EDIT_NONE && !(e->insts[i].flags & EDIT_ENTRY))
			pad[i] |= PAD_NAMED;
	}
	return pad;
}

/* Live registers before instruction i + 1; none if there is no instruction, because executing there
 * ends the program. */
static uint32_t live_next(const struct flow *f, uint32_t i)
{
	const struct edit_inst *in = &f->e->insts[i];
	const bool joined = i + 1 < f->e->inst_count && in[1].addr == in->addr + in->in.len;
	return joined ? f->live[i + 1] : 0;
}

static uint32_t live_behind_jump(const struct flow *f, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	uint32_t to = liveness_branch_target(f, i), live = part_goes_on(f, i) ? live_next(f, i) : 0;
	if (!liveness_inst_is_indirect(at))
		return live | (to == EDIT_NONE ? (uint32_t)ALL : f->live[to]);
	if (f->e->functions[at->function].fixed)
		return (uint32_t)ALL;
	const struct part *p = part_at(f, i);
	if (liveness_inst_is_call(at))
		return live | f->called;
	if (inst_pops_ras(&at->in))
		return p->strays ? f->anywhere : p->returned;
	return live | f->called | p->within | (p->strays ? f->anywhere : 0) |
	       (p->odd ? p->returned : 0);
}

static uint32_t live_before(const struct flow *f, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	uint32_t live;
	if (at->flags & EDIT_DATA)
		return 0;
	if (inst_flags(&at->in) & OPF_JUMP) {
		live = live_behind_jump(f, i);
	} else {
		uint32_t to = liveness_branch_target(f, i);
		live = live_next(f, i);
		if (inst_flags(&at->in) & OPF_BRANCH)
			live |= to == EDIT_NONE ? (uint32_t)ALL : f->live[to];
	}
	return (live & ~liveness_reg_bit(at->in.rd)) | liveness_read_registers(&at->in);
}

/* Merges return sets where a jump leads to another function's entry, which then returns for the
 * first. */
static void hand_on(struct flow *f, uint32_t i, uint32_t to)
{
	if (to != EDIT_NONE && (f->e->insts[to].flags & EDIT_ENTRY))
		part_at(f, to)->returned |= part_at(f, i)->returned;
}

static void liveness_gather_return_sets(struct flow *f)
{
	const struct edit *e = f->e;
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct edit_inst *at = &e->insts[i];
		const uint32_t to = liveness_branch_target(f, i);
		if (at->flags & EDIT_DATA)
			continue;
		if (liveness_inst_is_call(at)) {
			const uint32_t live = part_goes_on(f, i) ? live_next(f, i) : 0;
			f->anywhere |= live;
			if (liveness_inst_is_indirect(at))
				f->returned |= live;
			else if (to != EDIT_NONE)
				part_at(f, to)->returned |= live;
		} else {
			hand_on(f, i, to);
			if (!is_jump(at) && i + 1 < e->inst_count)
				hand_on(f, i, i + 1);
		}
		if (f->pad[i])
			f->anywhere |= f->live[i];
		if (!(at->flags & EDIT_TAKEN))
			continue;
		if (at->flags & EDIT_ENTRY)
			f->called |= f->live[i];
		else
			part_at(f, i)->within |= f->live[i];
	}
	for (uint32_t k = 0; k < e->function_count; k++) {
		struct part *p = part_of(f, k);
		if (p->jumps)
			f->returned |= p->returned;
		if (p->taken)
			p->returned |= f->returned;
	}
}

uint32_t *edit_liveness(const struct edit *e)
{
	struct flow f = {
		.e = e,
		.live = alloc_zeroed(e->inst_count + 1, sizeof *f.live),
		.pad = edit_pads(e),
		.parts = alloc_zeroed(e->function_count + 1, sizeof *f.parts),
	};
	bool changed = f.live && f.pad && f.parts;
	if (!changed) {
		free(f.live);
		f.live = NULL;
	} else {
		parts_find(&f);
	}
	while (changed) {
		changed = false;
		liveness_gather_return_sets(&f);
		for (uint32_t i = e->inst_count; i-- > 0;) {
			uint32_t live = live_before(&f, i);
			changed |= live != f.live[i];
			f.live[i] = live;
		}
	}
	free(f.pad);
	free(f.parts);
	return f.live;
}
