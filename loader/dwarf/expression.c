#include "loader/dwarf/expression.h"

#include <dwarf.h>
#include <string.h>

#include "loader/dwarf/call_site.h"
#include "loader/dwarf/expression_stack.h"
#include "loader/dwarf/location.h"
#include "loader/program_priv.h"

/* Steps of an expression including those nested in it. */
enum { STEPS_MAX = 2000 };

struct eval {
	const struct place_frame *f;
	Dwarf_Attribute *attr; /* that has the operations; NULL: none */
	unsigned nested;
	unsigned *steps; /* left, for it and nested ones */
	struct expression_stack stack;
};

static bool expression_evaluate_ops(struct eval *e, const Dwarf_Op *ops, size_t n, uint64_t *value);

/* Computes an expression nested in another. */
static bool run_nested(const struct eval *e, const struct place_frame *f, Dwarf_Attribute *attr,
                       const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	struct eval inner = {.f = f, .attr = attr, .nested = e->nested + 1, .steps = e->steps};
	return e->nested < EXPRESSION_NESTED_MAX && expression_evaluate_ops(&inner, ops, n, value);
}

static bool expression_push_value(struct eval *e, uint64_t v)
{
	return stack_push(&e->stack, v, expression_generic);
}

bool place_knows(const struct place_frame *f, uint64_t reg)
{
	return reg < 64 && f->regs->known >> reg & 1;
}

static bool push_register(struct eval *e, uint64_t reg, uint64_t offset)
{
	return place_knows(e->f, reg) && expression_push_value(e, e->f->regs->r[reg] + offset);
}

static bool expression_dereference_top(struct eval *e, uint64_t bytes)
{
	uint64_t v = 0;
	struct expression_entry *t = stack_top(&e->stack);
	if (!t || bytes == 0 || bytes > 8 || !frame_read(e->f->mem, t->v, &v, bytes))
		return false;
	*t = (struct expression_entry){v, expression_generic};
	return true;
}

/* The base type that an operation names; the generic type if it names none. */
static bool expression_read_base_type(struct eval *e, const Dwarf_Op *op, uint64_t name,
                                      struct expression_base *out)
{
	Dwarf_Die type;
	Dwarf_Attribute encoding;
	Dwarf_Word code;
	*out = expression_generic;
	if (!name)
		return true;
	if (!e->attr || dwarf_getlocation_die(e->attr, op, &type) != 0 ||
	    !dwarf_attr(&type, DW_AT_encoding, &encoding) || dwarf_formudata(&encoding, &code) != 0)
		return false;
	const int bytes = dwarf_bytesize(&type);
	out->size = bytes > 0 && bytes <= 8 ? (uint8_t)bytes : 0;
	out->is_signed = code == DW_ATE_signed || code == DW_ATE_signed_char;
	out->is_float = code == DW_ATE_float;
	out->is_generic = false;
	return out->size;
}

/* Computes the function's frame base, by its own expression. */
static bool frame_base(const struct eval *e, uint64_t *base)
{
	Dwarf_Attribute attr;
	Dwarf_Die function = e->f->function;
	Dwarf_Op *ops;
	size_t n;
	if (!function.addr || !dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) ||
	    !location_ops(e->f->image, &attr, e->f->look - e->f->image->bias, &ops, &n))
		return false;
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		const unsigned reg = ops[0].atom - DW_OP_reg0;
		*base = e->f->regs->r[reg];
		return place_knows(e->f, reg);
	}
	return run_nested(e, e->f, &attr, ops, n, base);
}

int place_register(const Dwarf_Op *ops, size_t n)
{
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return (int)(ops[0].atom - DW_OP_reg0);
	if (n == 1 && ops[0].atom == DW_OP_regx && ops[0].number < 64)
		return (int)ops[0].number;
	return -1;
}

/* Computes a value that the caller passed, by its call site. */
static bool passed_value(const struct eval *e, struct passed what, uint64_t *value)
{
	Dwarf_Attribute passed;
	Dwarf_Op *ops;
	size_t n;
	if (!e->f->caller)
		return false;
	struct place_frame caller = *e->f->caller;
	return call_site_passes(e->f, &caller, what, place_number, &passed) &&
	       location_ops(caller.image, &passed, 0, &ops, &n) &&
	       run_nested(e, &caller, &passed, ops, n, value);
}

/* The value of a register on entry to the function. */
static bool entry_value(const struct eval *e, const Dwarf_Op *op, uint64_t *value)
{
	Dwarf_Attribute block;
	Dwarf_Op *ops;
	size_t n;
	if (!e->attr || dwarf_getlocation_attr(e->attr, op, &block) != 0 ||
	    !location_ops(e->f->image, &block, 0, &ops, &n))
		return false;
	int reg = place_register(ops, n);
	if (n == 1 && (ops[0].atom == DW_OP_regval_type || ops[0].atom == DW_OP_GNU_regval_type) &&
	    ops[0].number < 64)
		reg = (int)ops[0].number;
	return reg >= 0 && passed_value(e, (struct passed){.reg = reg}, value);
}

/* The value of a parameter that was optimised away, by the call site. */
static bool parameter_value(const struct eval *e, const Dwarf_Op *op, uint64_t *value)
{
	Dwarf_Die parameter;
	return e->attr && dwarf_getlocation_die(e->attr, op, &parameter) == 0 &&
	       passed_value(e, (struct passed){.reg = -1, .parameter = &parameter}, value);
}

/* Reads the bits of a constant of a base type. */
static bool typed_constant(const struct eval *e, const Dwarf_Op *op, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Block block;
	*value = 0;
	if (!e->attr || dwarf_getlocation_attr(e->attr, op, &attr) != 0 ||
	    dwarf_formblock(&attr, &block) != 0 || block.length > sizeof *value)
		return false;
	memcpy(value, block.data, block.length);
	return true;
}

/* Reads an address or number from the unit's address table; Clang locates static variables so. */
static bool expression_read_indexed_address(const struct eval *e, const Dwarf_Op *op,
                                            uint64_t *value)
{
	Dwarf_Attribute attr;
	return e->attr && dwarf_getlocation_attr(e->attr, op, &attr) == 0 &&
	       dwarf_formaddr(&attr, value) == 0;
}

static bool eval_op(struct eval *e, const Dwarf_Op *op)
{
	const unsigned atom = op->atom;
	struct expression_base base;
	uint64_t v;
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return expression_push_value(e, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(e, atom - DW_OP_breg0, op->number);
	switch (atom) {
	case DW_OP_addr:
		return expression_push_value(e, op->number + e->f->image->bias);
	case DW_OP_addrx: case DW_OP_GNU_addr_index:
		return expression_read_indexed_address(e, op, &v) &&
		       expression_push_value(e, v + e->f->image->bias);
	case DW_OP_constx: case DW_OP_GNU_const_index:
		return expression_read_indexed_address(e, op, &v) && expression_push_value(e, v);
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		return expression_push_value(e, op->number);
	case DW_OP_bregx:
		return push_register(e, op->number, op->number2);
	case DW_OP_fbreg:
		return frame_base(e, &v) && expression_push_value(e, v + op->number);
	case DW_OP_call_frame_cfa:
		return e->f->cfa_known && expression_push_value(e, e->f->cfa);
	case DW_OP_entry_value: case DW_OP_GNU_entry_value:
		return entry_value(e, op, &v) && expression_push_value(e, v);
	case DW_OP_GNU_parameter_ref:
		return parameter_value(e, op, &v) && expression_push_value(e, v);
	case DW_OP_const_type: case DW_OP_GNU_const_type:
		return typed_constant(e, op, &v) &&
		       expression_read_base_type(e, op, op->number, &base) &&
		       stack_push(&e->stack, v, base);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return expression_read_base_type(e, op, op->number, &base) &&
		       stack_convert(&e->stack, op, base);
	case DW_OP_regval_type: case DW_OP_GNU_regval_type:
		return expression_read_base_type(e, op, op->number2, &base) &&
		       place_knows(e->f, op->number) &&
		       stack_push(&e->stack, e->f->regs->r[op->number], base);
	case DW_OP_deref_type: case DW_OP_GNU_deref_type:
		if (!expression_read_base_type(e, op, op->number2, &base) ||
		    !expression_dereference_top(e, op->number))
			return false;
		return stack_push(&e->stack, e->stack.entry[--e->stack.depth].v, base);
	case DW_OP_plus_uconst: case DW_OP_neg: case DW_OP_not: case DW_OP_abs:
		return stack_unary(&e->stack, op);
	case DW_OP_dup:
	case DW_OP_over:
	case DW_OP_drop:
	case DW_OP_swap:
	case DW_OP_rot:
	case DW_OP_pick:
		return stack_shuffle(&e->stack, op);
	case DW_OP_deref:
		return expression_dereference_top(e, 8);
	case DW_OP_deref_size:
		return expression_dereference_top(e, op->number);
	case DW_OP_nop:
		return true;
	default:
		return stack_binary(&e->stack, atom);
	}
}

/* The index of the operation that a jump leads to; n is the end, more than n is invalid. */
static size_t expression_branch_target_index(const Dwarf_Op *ops, size_t n, size_t i)
{
	const uint64_t to = ops[i].offset + 3 + (uint64_t)(int64_t)(int16_t)ops[i].number;
	size_t lo = 0, hi = n;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (ops[mid].offset < to)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo == n || ops[lo].offset == to ? lo : n + 1;
}

static bool expression_evaluate_ops(struct eval *e, const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	for (size_t i = 0; i < n;) {
		if (!*e->steps)
			return false;
		--*e->steps;
		if (ops[i].atom == DW_OP_skip || ops[i].atom == DW_OP_bra) {
			bool jump = ops[i].atom == DW_OP_skip;
			if (!jump && !e->stack.depth)
				return false;
			jump = jump || e->stack.entry[--e->stack.depth].v;
			i = jump ? expression_branch_target_index(ops, n, i) : i + 1;
			if (i > n)
				return false;
		} else if (!eval_op(e, &ops[i++])) {
			return false;
		}
	}
	const struct expression_entry *last = stack_top(&e->stack);
	if (last)
		*value = last->v;
	return last;
}

bool place_run(const struct place_frame *f, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n,
               const uint64_t *first, uint64_t *value)
{
	unsigned steps = STEPS_MAX;
	struct eval e = {.f = f, .attr = attr, .steps = &steps};
	return (!first || expression_push_value(&e, *first)) &&
	       expression_evaluate_ops(&e, ops, n, value);
}

bool place_compute(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	return place_run(f, NULL, ops, n, NULL, value);
}

/* Reads what a register held from where it was saved. */
static bool expression_read_register(const struct place_frame *f, uint64_t *value)
{
	const uint64_t at = *value;
	*value = 0;
	return frame_read(f->mem, at, value, f->image->is_32bit ? 4 : sizeof *value);
}

bool place_read(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	const int reg = place_register(ops, n);
	if (reg >= 0) {
		*value = f->regs->r[reg];
		return place_knows(f, (uint64_t)reg);
	}
	if (n > 0 && ops[n - 1].atom == DW_OP_stack_value)
		return place_compute(f, ops, n - 1, value);
	return place_compute(f, ops, n, value) && expression_read_register(f, value);
}

bool place_number(const struct place_frame *f, Dwarf_Attribute *attr, const uint64_t *first,
                  uint64_t *value)
{
	Dwarf_Op *ops;
	size_t n;
	Dwarf_Word word;
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return f && location_ops(f->image, attr, 0, &ops, &n) &&
		       place_run(f, attr, ops, n, first, value);
	default:
		if (dwarf_formudata(attr, &word) != 0)
			return false;
		*value = word;
		return true;
	}
}
