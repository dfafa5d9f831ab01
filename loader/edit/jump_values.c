/* Register values at each block of a function, as far as its instructions show them: constants,
 * labels, addresses in tables, and values loaded from them. */
#include <stdlib.h>
#include <string.h>

#include "core/isa/op.h"
#include "loader/edit/indirect_jumps_priv.h"
#include "loader/edit/liveness.h"

enum { RA = 1, FP = 8 };

/* ---- the program ---- */
bool jumps_is_code(const struct edit *e, uint32_t i)
{
	return !(e->insts[i].flags & EDIT_DATA);
}

bool jumps_is_leap(const struct edit_inst *i)
{
	return !(i->flags & EDIT_DATA) && (inst_flags(&i->in) & OPF_INDIRECT) &&
	       i->in.rd == REG_SINK && !inst_pops_ras(&i->in) && i->ref == REF_NONE;
}

bool edit_leaps_out(const struct edit *e)
{
	bool set = false; /* since the last place where control does not fall through */
	for (uint32_t i = 0; i < e->inst_count; i++) {
		const struct inst *in = &e->insts[i].in;
		if (!jumps_is_code(e, i))
			continue;
		if (set && jumps_is_leap(&e->insts[i]))
			return true;
		set |= in->rd == SP && in->rs1 != SP && !(in->op == OP_ADDI && in->rs1 == FP);
		set &= !inst_is_control(in);
	}
	return false;
}

const struct edit_section *jumps_data_section(const struct edit *e, uint64_t addr)
{
	for (uint32_t i = 1; i < e->section_count; i++) {
		const struct edit_section *s = &e->sections[i];
		if ((s->head.sh_flags & SHF_ALLOC) && s->bytes &&
		    addr - s->head.sh_addr < s->head.sh_size)
			return s;
	}
	return NULL;
}

bool jumps_inside(const struct finder *f, uint32_t i)
{
	return i != EDIT_NONE && i - f->f->first < f->f->count;
}

/* Whether a jump through a register may lead to instruction i. */
bool jumps_is_place(const struct finder *f, uint32_t i)
{
	const unsigned flags = f->e->insts[i].flags;
	return (flags & EDIT_TAKEN) && !(flags & (EDIT_ENTRY | EDIT_DATA));
}

/* Whether only jumps through a register reach instruction i. */
bool jumps_is_aimable(const struct finder *f, uint32_t i)
{
	return jumps_is_place(f, i) && !(f->pads[i] & PAD_THROWN) && !(f->pads[i] && f->leaps_out);
}

/* ---- values ---- */
static struct value jump_values_make_constant(uint64_t at)
{
	return (struct value){.kind = CONSTANT, .at = at};
}

struct value jumps_value(const struct state *s, unsigned reg)
{
	return reg == 0          ? jump_values_make_constant(0)
	       : reg < REGISTERS ? s->reg[reg]
	                         : (struct value){0};
}

static unsigned width_of(enum op op)
{
	switch (op) {
	case OP_LD:
		return 8;
	case OP_LW:
	case OP_LWU:
		return 4;
	case OP_LH:
	case OP_LHU:
		return 2;
	case OP_LB:
	case OP_LBU:
		return 1;
	default:
		return 0;
	}
}

static struct value jump_values_add_values(const struct finder *f, struct value a, struct value b)
{
	if (a.kind != CONSTANT) {
		const struct value c = a;
		a = b;
		b = c;
	}
	if (a.kind == CONSTANT && b.kind == CONSTANT)
		return jump_values_make_constant(a.at + b.at);
	if (a.kind == CONSTANT && b.kind == ENTRY && b.width < 8)
		return (struct value){.kind = DISTANCE, .at = b.at, .base = a.at, .width = b.width};
	if (a.kind == CONSTANT && (b.kind == TABLE || b.kind == STACK)) {
		b.at += a.at;
		return b;
	}
	if (a.kind == CONSTANT && a.at == 0)
		return b;
	if (a.kind == CONSTANT && jumps_data_section(f->e, a.at))
		return (struct value){.kind = TABLE, .at = a.at};
	/* A table's address plus an index of two parts. */
	return a.kind == TABLE && b.kind == UNKNOWN   ? a
	       : b.kind == TABLE && a.kind == UNKNOWN ? b
	                                              : (struct value){0};
}

static struct value jump_values_load_value(const struct finder *f, struct value base,
                                           int32_t offset, unsigned width)
{
	const uint64_t at = base.at + (uint64_t)(int64_t)offset;
	const struct edit_section *s =
		base.kind == CONSTANT || base.kind == TABLE ? jumps_data_section(f->e, at) : NULL;
	uint64_t slot;
	if (!s)
		return (struct value){0};
	/* A slot of the global offset table holds its original value. */
	if (base.kind == CONSTANT && width == 8 && !strcmp(s->name, ".got") &&
	    at - s->head.sh_addr + 8 <= s->head.sh_size) {
		memcpy(&slot, s->bytes + (at - s->head.sh_addr), sizeof slot);
		return jump_values_make_constant(slot);
	}
	return (struct value){.kind = ENTRY, .at = at, .width = (uint8_t)width};
}

static struct value jump_values_inst_result(const struct finder *f, const struct state *s,
                                            const struct edit_inst *i)
{
	const struct inst *in = &i->in;
	struct value a = jumps_value(s, in->rs1);
	switch (in->op) {
	case OP_AUIPC:
		return jump_values_make_constant(i->addr + (uint64_t)(int64_t)in->imm);
	case OP_LUI:
		return jump_values_make_constant((uint64_t)(int64_t)in->imm);
	case OP_ADDI:
		return in->imm ? jump_values_add_values(
					 f, jump_values_make_constant((uint64_t)(int64_t)in->imm),
					 a)
		               : a;
	case OP_ADDIW:
		return a.kind == CONSTANT ? jump_values_make_constant(
						    (uint64_t)(int64_t)(int32_t)((uint32_t)a.at +
		                                                                 (uint32_t)in->imm))
		                          : (struct value){0};
	case OP_ADD:
		return jump_values_add_values(f, a, jumps_value(s, in->rs2));
	default:
		return width_of((enum op)in->op)
		               ? jump_values_load_value(f, a, in->imm, width_of((enum op)in->op))
		               : (struct value){0};
	}
}

static void jump_values_step_inst(const struct finder *f, struct state *s, uint32_t i)
{
	const struct edit_inst *at = &f->e->insts[i];
	const unsigned rd = at->in.rd;
	if ((inst_flags(&at->in) & OPF_JUMP) && rd != REG_SINK) {
		/* Calls through ra lose caller-saved registers; calls through others may lose
		 * all. */
		static const uint32_t lost = UINT32_C(0xf003fce2);
		for (unsigned r = 0; r < REGISTERS; r++)
			if (rd != RA || (lost >> r & 1))
				s->reg[r] = (struct value){0};
		return;
	}
	if (rd > 0 && rd < REGISTERS)
		s->reg[rd] = jump_values_inst_result(f, s, at);
}

/* ---- the flow ---- */
bool jumps_is_label(const struct finder *f, const struct value *v)
{
	const uint32_t i = v->kind == CONSTANT ? edit_inst_at(f->e, v->at) : EDIT_NONE;
	return v->kind == LABEL || (jumps_inside(f, i) && jumps_is_place(f, i));
}

static void jump_values_merge_states(struct finder *f, struct state *to, const struct state *from)
{
	if (!from->seen)
		return;
	if (!to->seen) {
		*to = *from;
		f->changed = true;
		return;
	}
	for (unsigned r = 1; r < REGISTERS; r++) {
		struct value *a = &to->reg[r];
		const struct value *b = &from->reg[r];
		if (a->kind == UNKNOWN || (a->kind == b->kind && a->at == b->at &&
		                           a->base == b->base && a->width == b->width))
			continue;
		const struct value both = {
			.kind = jumps_is_label(f, a) && jumps_is_label(f, b) ? LABEL : UNKNOWN};
		f->changed |= both.kind != a->kind;
		*a = both;
	}
}

static uint32_t jump_values_block_of_inst(const struct finder *f, uint32_t i)
{
	return f->block[i - f->f->first];
}

static void jump_values_record_predecessor(struct finder *f, uint32_t to, uint32_t from)
{
	const uint32_t k = jump_values_block_of_inst(f, to);
	f->froms[k] = f->froms[k] ? 2 : 1;
	f->from[k] = from;
}

/* Lists the blocks of its function to which block k leads, except by an indirect jump. */
static unsigned jump_values_list_successors(const struct finder *f, uint32_t k, uint32_t to[2])
{
	const uint32_t last = f->first[k + 1] - 1;
	const struct edit_inst *at = &f->e->insts[last];
	const unsigned flags = inst_flags(&at->in);
	unsigned n = 0;
	if (!jumps_is_code(f->e, last))
		return 0;
	const bool call = (flags & OPF_JUMP) && at->in.rd != REG_SINK;
	const uint32_t target =
		at->ref == REF_NEAR && !call ? edit_inst_at(f->e, at->target) : EDIT_NONE;
	if (jumps_inside(f, target))
		to[n++] = target;
	if ((!(flags & OPF_JUMP) || call) && jumps_inside(f, last + 1) &&
	    jumps_is_code(f->e, last + 1))
		to[n++] = last + 1;
	return n;
}

void jumps_find_blocks(struct finder *f)
{
	f->count = 0;
	for (uint32_t i = f->f->first; i < f->f->first + f->f->count; i++) {
		if (i == f->f->first || !jumps_is_code(f->e, i) || edit_is_leader(f->e, i))
			f->first[f->count++] = i;
		f->block[i - f->f->first] = f->count - 1;
	}
	f->first[f->count] = f->f->first + f->f->count;
	memset(f->in, 0, f->count * sizeof *f->in);
	memset(f->froms, 0, f->count);
	for (uint32_t k = 0; k < f->count; k++) {
		const uint32_t i = f->first[k];
		uint32_t to[2];
		const unsigned n = jump_values_list_successors(f, k, to);
		for (unsigned j = 0; j < n; j++)
			jump_values_record_predecessor(f, to[j], k);
		if (k > 0 && !jumps_is_place(f, i) && !(f->e->insts[i].flags & EDIT_ENTRY))
			continue;
		f->froms[k] = 2;
		/* At landing pads registers may hold anything. */
		f->in[k].seen = k == 0 || !jumps_is_aimable(f, i);
	}
	f->in[0].reg[SP] = (struct value){.kind = STACK};
	f->leaping = (struct state){0};
}

struct state jumps_state_behind(const struct finder *f, uint32_t k)
{
	struct state s = f->in[k];
	for (uint32_t i = f->first[k]; i < f->first[k + 1] && jumps_is_code(f->e, i); i++)
		jump_values_step_inst(f, &s, i);
	return s;
}

/* ---- tables ---- */
static const struct edit_reloc *reloc_at(const struct edit *e, uint32_t section, uint64_t at)
{
	size_t lo, end, hi;
	edit_relocs_of(e, section, &lo, &end);
	for (hi = end; lo < hi;) {
		const size_t mid = lo + (hi - lo) / 2;
		if (e->relocs[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < end && e->relocs[lo].at == at ? &e->relocs[lo] : NULL;
}

static bool is_sum(uint32_t type, unsigned width, bool minus)
{
	switch (width) {
	case 8:
		return type == (minus ? R_RISCV_SUB64 : R_RISCV_ADD64);
	case 4:
		return type == (minus ? R_RISCV_SUB32 : R_RISCV_ADD32);
	case 2:
		return type == (minus ? R_RISCV_SUB16 : R_RISCV_ADD16) ||
		       (!minus && type == R_RISCV_SET16);
	default:
		return type == (minus ? R_RISCV_SUB8 : R_RISCV_ADD8) ||
		       (!minus && type == R_RISCV_SET8);
	}
}

/* The target in the k-th entry; EDIT_NONE: it is no code. */
uint32_t jumps_slot_target(const struct edit *e, uint32_t section, const struct value *v,
                           uint64_t k)
{
	const uint64_t at = v->at + k * v->width;
	const struct edit_reloc *r = reloc_at(e, section, at), *end = e->relocs + e->reloc_count;
	if (!r)
		return EDIT_NONE;
	if (v->kind == ENTRY)
		return r->moves && (v->width == 8 ? r->type == R_RISCV_64
		                                  : v->width == 4 && r->type == R_RISCV_32)
		               ? edit_inst_at(e, r->value)
		               : EDIT_NONE;
	const struct edit_reloc *plus = NULL, *minus = NULL;
	for (; r < end && r->section == section && r->at == at; r++) {
		plus = is_sum(r->type, v->width, false) ? r : plus;
		minus = is_sum(r->type, v->width, true) ? r : minus;
	}
	return plus && minus && plus->moves ? edit_inst_at(e, plus->value - minus->value + v->base)
	                                    : EDIT_NONE;
}

/* ---- bounds ---- */
/* Finds the bound that block `from` puts on a register on the edge to `to`: values below *n. */
static bool bound_at(const struct finder *f, uint32_t from, uint32_t to, unsigned *reg, uint64_t *n)
{
	const uint32_t last = f->first[from + 1] - 1;
	const struct inst *in = &f->e->insts[last].in;
	const bool less = in->op == OP_BLTU,
		   taken = edit_inst_at(f->e, f->e->insts[last].target) == to;
	if ((!less && in->op != OP_BGEU) || (taken && last + 1 == to))
		return false;
	struct state s = jumps_state_behind(f, from);
	const struct value a = jumps_value(&s, in->rs1), b = jumps_value(&s, in->rs2);
	if (less == taken) { /* rs1 is below rs2 */
		*reg = in->rs1;
		*n = b.at;
		return b.kind == CONSTANT;
	}
	*reg = in->rs2;
	*n = a.at + 1;
	return a.kind == CONSTANT;
}

/* Whether instruction i's result still counts the same entries as the index that it reads: scaled,
 * or added to a base. */
static bool keeps_index(const struct finder *f, const struct state *s, uint32_t i, uint64_t tainted)
{
	const struct inst *in = &f->e->insts[i].in;
	switch (in->op) {
	case OP_SLLI:
	case OP_SRLI:
		return true;
	case OP_ADDI:
	case OP_ADDIW:
		return in->imm == 0;
	case OP_ADD:
		return jumps_value(s, in->rs1).kind == CONSTANT ||
		       jumps_value(s, in->rs2).kind == CONSTANT ||
		       !(tainted >> in->rs1 & tainted >> in->rs2 & 1);
	default:
		return width_of((enum op)in->op) != 0;
	}
}

/* The number of entries that the comparison before a jump allows; 0: not known. */
uint64_t jumps_bound(const struct finder *f, uint32_t jump)
{
	uint32_t blocks[8], n = 0, k = jump_values_block_of_inst(f, jump);
	unsigned reg = 0;
	uint64_t entries = 0;
	bool found = false;
	for (;;) {
		blocks[n++] = k;
		if (n == 8 || f->froms[k] != 1)
			return 0;
		found = bound_at(f, f->from[k], f->first[k], &reg, &entries);
		k = f->from[k];
		if (found)
			break;
	}
	uint64_t tainted = UINT64_C(1) << reg;
	bool loaded = false;
	while (n--) {
		struct state s = f->in[blocks[n]];
		for (uint32_t i = f->first[blocks[n]]; i < f->first[blocks[n] + 1]; i++) {
			const struct inst *in = &f->e->insts[i].in;
			const bool reads = (in->rs1 < 32 && tainted >> in->rs1 & 1) ||
			                   (in->rs2 < 32 && tainted >> in->rs2 & 1);
			if (i == jump)
				return reads && entries <= SLOTS_MOST ? entries : 0;
			const bool loads = width_of((enum op)in->op) != 0;
			/* An entry of a table that is indexed by another table's entry is no longer
			 * bounded by the index. */
			const bool keeps = reads && !inst_is_control(in) &&
			                   keeps_index(f, &s, i, tainted) && !(loads && loaded);
			loaded |= keeps && loads;
			if (in->rd < 32)
				tainted = keeps ? tainted | UINT64_C(1) << in->rd
				                : tainted & ~(UINT64_C(1) << in->rd);
			jump_values_step_inst(f, &s, i);
		}
	}
	return 0;
}

/* ---- values at all blocks ---- */
/* Follows a jump to the entries of its table. False if table or bound is not known, also if both
 * were known before: values only become less known as more code is followed. */
static bool follow_table(struct finder *f, uint32_t jump, const struct state *s)
{
	const struct value v = jumps_value(s, f->e->insts[jump].in.rs1);
	const struct edit_section *in =
		v.kind == ENTRY || v.kind == DISTANCE ? jumps_data_section(f->e, v.at) : NULL;
	const uint64_t bound = in ? jumps_bound(f, jump) : 0;
	for (uint64_t k = 0; k < bound; k++)
		if (jumps_slot_target(f->e, (uint32_t)(in - f->e->sections), &v, k) == EDIT_NONE)
			return false;
	for (uint64_t k = 0; k < bound; k++) {
		const uint32_t to = jumps_slot_target(f->e, (uint32_t)(in - f->e->sections), &v, k);
		if (jumps_inside(f, to) && jumps_is_place(f, to) && jumps_is_aimable(f, to))
			jump_values_merge_states(f, &f->in[jump_values_block_of_inst(f, to)], s);
	}
	return bound;
}

void jumps_follow(struct finder *f)
{
	do {
		f->changed = false;
		for (uint32_t k = 0; k < f->count; k++) {
			uint32_t to[2];
			if (jumps_is_aimable(f, f->first[k]))
				jump_values_merge_states(f, &f->in[k], &f->leaping);
			if (!f->in[k].seen)
				continue;
			const struct state s = jumps_state_behind(f, k);
			const unsigned n = jump_values_list_successors(f, k, to);
			for (unsigned j = 0; j < n; j++)
				jump_values_merge_states(
					f, &f->in[jump_values_block_of_inst(f, to[j])], &s);
			const uint32_t last = f->first[k + 1] - 1;
			if (jumps_is_leap(&f->e->insts[last]) && !follow_table(f, last, &s))
				jump_values_merge_states(f, &f->leaping, &s);
		}
	} while (f->changed);
}
