/* Which functions share code, through which registers they are called, and whether they return. */
#include <string.h>

#include "core/isa/op.h"
#include "loader/edit/liveness_priv.h"

enum { RA = 1, SP = 2, FP = 8 };

#define ANY_LINK (UINT32_C(1) << 1 | UINT32_C(1) << 5) /* ra, t0 */

struct part *part_of(const struct flow *f, uint32_t function)
{
	while (f->parts[function].same != function)
		function = f->parts[function].same = f->parts[f->parts[function].same].same;
	return &f->parts[function];
}

struct part *part_at(const struct flow *f, uint32_t i)
{
	return part_of(f, f->e->insts[i].function);
}

static void liveness_parts_join_parts(struct flow *f, uint32_t a, uint32_t b)
{
	part_of(f, a)->same = (uint32_t)(part_of(f, b) - f->parts);
}

/* Whether an instruction sets ra to something else than its own frame holds, or takes sp from a
 * frame that is not its own. */
static bool liveness_parts_inst_breaks_frame(const struct inst *in)
{
	if (in->rd == RA && !(inst_flags(in) & OPF_JUMP))
		return in->op != OP_LD || in->rs1 != SP;
	return in->rd == SP && in->rs1 != SP && !(in->op == OP_ADDI && in->rs1 == FP);
}

/* Joins functions: one that is entered in its middle belongs to the function that jumps there;
 * f.cold belongs to f. */
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

bool part_goes_on(const struct flow *f, uint32_t i)
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

/* Finds functions that may return: those with a return or an indirect jump, and those that continue
 * in one that may. */
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

void parts_find(struct flow *f)
{
	find_parts(f);
	find_odd(f);
	liveness_parts_find_returning_parts(f);
}
