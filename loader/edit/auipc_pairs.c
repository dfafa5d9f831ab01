/* Address pairs without a relocation: assemblers compute a distance themselves if both ends lie in
 * one section that the linker may not relax (clang's, and binutils' with -mno-relax).
 *
 * A pair is decoded if its low parts follow its auipc in straight-line code, nothing else reads the
 * register, and the register is overwritten: then the pair follows the code that it names. Any
 * other auipc yields in the new code the value that it had in the old one, by two instructions: an
 * address in the old image, which is unchanged. If that may be an address of code, the code is
 * executed in its old place, and the function is left alone. */
#include <inttypes.h>

#include "core/isa/op.h"
#include "loader/edit/edit_priv.h"

enum {
	REACH = 64 /* instructions from an auipc to its last low part */,
	T0 = 5,
	T1 = 6,
	T2 = 7,
	T3 = 28
};

static bool auipc_pairs_inst_reads_reg(const struct inst *in, unsigned reg)
{
	return in->rs1 == reg || in->rs2 == reg || in->rs3 == reg;
}

/* Whether control reaches instruction k only from k - 1, without a jump. */
static bool auipc_pairs_is_straight_line(const struct edit *e, uint32_t k)
{
	const struct edit_inst *at = &e->insts[k];
	return k < e->inst_count && !((at->flags | at[-1].flags) & EDIT_DATA) &&
	       !(at->flags & (EDIT_ENTRY | EDIT_TARGET)) && !inst_is_control(&at[-1].in) &&
	       at->addr == at[-1].addr + at[-1].in.len;
}

/* The uses of an auipc's register. */
struct use {
	uint32_t last;   /* its last low part; EDIT_NONE: none, or it is used otherwise */
	uint64_t target;
	bool loads_only;
};

static bool is_low(const struct inst *in, unsigned reg)
{
	const unsigned flags = inst_flags(in);
	if (in->rs1 != reg || in->rs2 == reg || in->rs3 == reg)
		return false;
	return in->op == OP_ADDI || in->op == OP_JALR ||
	       ((flags & (OPF_LOAD | OPF_STORE)) && !(flags & OPF_ATOMIC));
}

/* Whether a jump leaves a dead scratch register, as `tail` does. */
static bool is_left_behind(const struct inst *in, unsigned reg)
{
	return in->op == OP_JALR && (reg == T0 || reg == T1 || reg == T2 || reg >= T3);
}

static struct use use_of(const struct edit *e, uint32_t high)
{
	const struct edit_inst *h = &e->insts[high];
	const unsigned reg = h->in.rd;
	struct use u = {.last = EDIT_NONE, .loads_only = true};
	for (uint32_t k = high + 1; k - high < REACH && auipc_pairs_is_straight_line(e, k); k++) {
		const struct inst *in = &e->insts[k].in;
		const uint64_t target =
			h->addr + (uint64_t)(int64_t)h->in.imm + (uint64_t)(int64_t)in->imm;
		if (auipc_pairs_inst_reads_reg(in, reg)) {
			if (!is_low(in, reg) || (u.last != EDIT_NONE && target != u.target))
				break;
			u.loads_only &= (inst_flags(in) & OPF_LOAD) != 0;
			u.last = k;
			u.target = target;
		}
		if (in->rd == reg || is_left_behind(in, reg))
			return u;
	}
	return (struct use){.last = EDIT_NONE};
}

static void auipc_pairs_set_flags_at(struct edit *e, uint64_t addr, unsigned flags)
{
	const uint32_t i = edit_inst_at(e, addr);
	if (i != EDIT_NONE)
		e->insts[i].flags |= (uint8_t)flags;
}

static bool auipc_pairs_address_is_code(const struct edit *e, uint64_t addr)
{
	const uint32_t i = edit_inst_at(e, addr);
	return i != EDIT_NONE && !(e->insts[i].flags & EDIT_DATA);
}

/* Decodes a pair: links its halves, and marks the target. */
static void auipc_pairs_link_halves(struct edit *e, uint32_t high, const struct use *u)
{
	struct edit_inst *h = &e->insts[high];
	h->ref = REF_HIGH;
	h->target = u->target;
	h->flags |= EDIT_JOINED;
	for (uint32_t k = high + 1; k <= u->last; k++) {
		struct edit_inst *low = &e->insts[k];
		if (!auipc_pairs_inst_reads_reg(&low->in, h->in.rd))
			continue;
		low->ref = REF_LOW;
		low->high = high;
		low->target = u->target;
		auipc_pairs_set_flags_at(
			e, u->target,
			(low->in.op == OP_JALR && inst_pushes_ras(&low->in) ? EDIT_ENTRY : 0) |
				EDIT_TARGET | EDIT_TAKEN);
	}
}

static void take_apart(struct edit *e, uint32_t high)
{
	struct edit_inst *h = &e->insts[high];
	for (uint32_t k = high + 1; k < e->inst_count && k - high < REACH; k++)
		if (e->insts[k].ref == REF_LOW && e->insts[k].high == high) {
			e->insts[k].ref = REF_NONE;
			e->insts[k].high = EDIT_NONE;
		}
	h->flags &= (uint8_t)~EDIT_JOINED;
	h->ref = REF_FIXED;
}

/* Makes an auipc keep the value that it had; target is that value. */
static void auipc_pairs_fix_value(struct edit *e, uint32_t high, bool harmless)
{
	struct edit_inst *h = &e->insts[high];
	h->ref = REF_FIXED;
	h->target = h->addr + (uint64_t)(int64_t)h->in.imm;
	h->flags |= harmless ? 0 : EDIT_DENIED;
}

void edit_find_pairs(struct edit *e)
{
	/* The target of one pair may be inside another, which then is not a pair: repeat until none
	 * is taken apart. */
	for (uint32_t k = 0; k < e->inst_count; k++) {
		struct edit_inst *h = &e->insts[k];
		if (h->ref != REF_FIXED)
			continue;
		const struct use u = use_of(e, k);
		if (u.last != EDIT_NONE && !u.loads_only &&
		    auipc_pairs_address_is_code(e, u.target))
			auipc_pairs_link_halves(e, k, &u);
		else
			auipc_pairs_fix_value(e, k, u.last != EDIT_NONE);
		h->flags |= EDIT_UNTOLD;
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t k = 0; k < e->inst_count; k++) {
			if (!(e->insts[k].flags & EDIT_UNTOLD) || e->insts[k].ref != REF_HIGH ||
			    use_of(e, k).last != EDIT_NONE)
				continue;
			take_apart(e, k);
			auipc_pairs_fix_value(e, k, false);
			changed = true;
		}
	}
}

void edit_mark_fixed(struct edit *e)
{
	for (uint32_t k = 0; k < e->inst_count; k++)
		if (e->insts[k].ref == REF_FIXED && (e->insts[k].flags & EDIT_DENIED))
			e->functions[e->insts[k].function].fixed = true;
}
