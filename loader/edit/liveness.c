#include "loader/edit/liveness.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/op.h"
#include "loader/edit/liveness_priv.h"

enum { ALL = -1, SYSTEM_CALL = 0xff << 10 /* a0 to a7 */ };

static uint32_t liveness_read_registers(const struct inst *in)
{
	if (in->op == OP_ECALL)
		return (uint32_t)SYSTEM_CALL;
	return liveness_reg_bit(in->rs1) | liveness_reg_bit(in->rs2) | liveness_reg_bit(in->rs3);
}

/* Marks places where control may come from anywhere. Landing pads are in their table, which returns
 * may lead to as well; targets of a goto out of a nested function, or __builtin_longjmp(), have
 * their address taken by code. */
uint8_t *edit_pads(const struct edit *e)
{
	uint8_t *pad = alloc_zeroed(e->inst_count + 1, 1);
	for (size_t k = 0; pad && k < e->reloc_count; k++) {
		const struct edit_reloc *r = &e->relocs[k];
		uint32_t i = strcmp(e->sections[r->section].name, ".gcc_except_table")
		                     ? EDIT_NONE
		                     : edit_inst_at(e, r->value);
		if (i != EDIT_NONE)
			pad[i] |= PAD_THROWN;
	}
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
