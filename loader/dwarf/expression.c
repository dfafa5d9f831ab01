#include "loader/dwarf/expression.h"

#include <dwarf.h>
#include <string.h>

#include "loader/dwarf/call_site.h"
#include "loader/dwarf/location.h"
#include "loader/program_priv.h"

/* Steps of an expression and all that are nested in it. */
enum { STACK_MAX = 32, STEPS_MAX = 2000, NESTED_MAX = 8 };

/* A base type of DWARF's typed stack; the generic one has 8 bytes, and most operations take it as
 * signed. */
struct base {
	uint8_t size; /* bytes: 1, 2, 4, 8 */
	bool is_signed, is_float, is_generic;
};

static const struct base generic = {.size = 8, .is_generic = true};

struct entry {
	uint64_t v;   /* of floating point its bits */
	struct base base;
};

struct eval {
	const struct place_frame *f;
	Dwarf_Attribute *attr; /* whose operations these are, NULL: nobody's */
	unsigned nested;
	unsigned *steps; /* that are left, for it and what is nested */
	struct entry stack[STACK_MAX];
	size_t depth;
};

static bool run(struct eval *e, const Dwarf_Op *ops, size_t n, uint64_t *value);

/* Computes one in the course of another. */
static bool run_nested(const struct eval *e, const struct place_frame *f, Dwarf_Attribute *attr,
                       const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	struct eval inner = {.f = f, .attr = attr, .nested = e->nested + 1, .steps = e->steps};
	return e->nested < NESTED_MAX && run(&inner, ops, n, value);
}

/* Cut to its size, and extended as its sign says. */
static uint64_t fit(uint64_t v, struct base b)
{
	const unsigned shift = 64 - 8u * b.size;
	return b.is_signed && !b.is_float ? (uint64_t)((int64_t)(v << shift) >> shift)
	                                  : v << shift >> shift;
}

static double float_of(uint64_t bits, unsigned size)
{
	double d;
	float f;
	const uint32_t low = (uint32_t)bits;
	memcpy(&d, &bits, sizeof d);
	memcpy(&f, &low, sizeof f);
	return size == 4 ? (double)f : d;
}

static uint64_t float_bits(double d, unsigned size)
{
	uint64_t bits = 0;
	const float f = (float)d;
	memcpy(&bits, size == 4 ? (const void *)&f : &d, size == 4 ? sizeof f : sizeof d);
	return bits;
}

static bool push_typed(struct eval *e, uint64_t v, struct base b)
{
	if (e->depth == STACK_MAX || (b.size != 1 && b.size != 2 && b.size != 4 && b.size != 8) ||
	    (b.is_float && b.size < 4))
		return false;
	e->stack[e->depth++] = (struct entry){fit(v, b), b};
	return true;
}

static bool push(struct eval *e, uint64_t v)
{
	return push_typed(e, v, generic);
}

bool place_knows(const struct place_frame *f, uint64_t reg)
{
	return reg < 64 && f->regs->known >> reg & 1;
}

static bool push_register(struct eval *e, uint64_t reg, uint64_t offset)
{
	return place_knows(e->f, reg) && push(e, e->f->regs->r[reg] + offset);
}

static struct entry *top(struct eval *e)
{
	return e->depth ? &e->stack[e->depth - 1] : NULL;
}

static bool deref(struct eval *e, uint64_t bytes)
{
	uint64_t v = 0;
	struct entry *t = top(e);
	if (!t || bytes == 0 || bytes > 8 || !frame_read(e->f->mem, t->v, &v, bytes))
		return false;
	*t = (struct entry){v, generic};
	return true;
}

/* The base type that an operation names; no type is the generic one. */
static bool base_type(struct eval *e, const Dwarf_Op *op, uint64_t name, struct base *out)
{
	Dwarf_Die type;
	Dwarf_Attribute encoding;
	Dwarf_Word code;
	*out = generic;
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

static bool convert(struct eval *e, const Dwarf_Op *op)
{
	const bool bits_stay = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
	struct base to;
	const struct entry *t = top(e);
	if (!t || !base_type(e, op, op->number, &to))
		return false;
	const struct base from = t->base;
	uint64_t v = t->v;
	e->depth--;
	if (bits_stay)
		return push_typed(e, v, to);
	double d = from.is_float    ? float_of(v, from.size)
	           : from.is_signed ? (double)(int64_t)v
	                            : (double)v;
	if (to.is_float)
		v = float_bits(d, to.size);
	else if (from.is_float && !(d > -9.2e18 && d < 9.2e18))
		return false;
	else if (from.is_float)
		v = (uint64_t)(int64_t)d;
	return push_typed(e, v, to);
}

static bool binary_float(struct entry *a, double y, unsigned atom)
{
	const double x = float_of(a->v, a->base.size);
	double r;
	switch (atom) {
	case DW_OP_plus: r = x + y; break;
	case DW_OP_minus: r = x - y; break;
	case DW_OP_mul: r = x * y; break;
	case DW_OP_div: r = x / y; break;
	case DW_OP_eq: *a = (struct entry){x == y, generic}; return true;
	case DW_OP_ne: *a = (struct entry){x != y, generic}; return true;
	case DW_OP_lt: *a = (struct entry){x < y, generic}; return true;
	case DW_OP_le: *a = (struct entry){x <= y, generic}; return true;
	case DW_OP_gt: *a = (struct entry){x > y, generic}; return true;
	case DW_OP_ge: *a = (struct entry){x >= y, generic}; return true;
	default: return false;
	}
	a->v = float_bits(r, a->base.size);
	return true;
}

static bool divide(struct entry *a, uint64_t b, bool modulo)
{
	if (!b)
		return false;
	/* Of the generic type, division is signed and the remainder is not. */
	if (!a->base.is_signed && (modulo || !a->base.is_generic))
		a->v = modulo ? a->v % b : a->v / b;
	else if (b == UINT64_MAX)
		a->v = modulo ? 0 : -a->v;
	else
		a->v = (uint64_t)(modulo ? (int64_t)a->v % (int64_t)b : (int64_t)a->v / (int64_t)b);
	return true;
}

static bool binary(struct eval *e, unsigned atom)
{
	if (e->depth < 2)
		return false;
	const uint64_t b = e->stack[--e->depth].v;
	struct entry *t = top(e);
	const struct base base = t->base, as_unsigned = {.size = base.size},
			  as_signed = {.size = base.size, .is_signed = true};
	const bool by_bits = !base.is_signed && !base.is_generic;
	if (base.is_float)
		return binary_float(t, float_of(b, base.size), atom);
	bool ok = true;
	switch (atom) {
	case DW_OP_plus: t->v += b; break;
	case DW_OP_minus: t->v -= b; break;
	case DW_OP_mul: t->v *= b; break;
	case DW_OP_div: ok = divide(t, b, false); break;
	case DW_OP_mod: ok = divide(t, b, true); break;
	case DW_OP_and: t->v &= b; break;
	case DW_OP_or: t->v |= b; break;
	case DW_OP_xor: t->v ^= b; break;
	case DW_OP_shl: t->v = b < 64 ? t->v << b : 0; break;
	case DW_OP_shr: t->v = b < 64 ? fit(t->v, as_unsigned) >> b : 0; break;
	case DW_OP_shra:
		t->v = (uint64_t)((int64_t)fit(t->v, as_signed) >> (b < 64 ? b : 63));
		break;
	case DW_OP_eq: *t = (struct entry){t->v == b, generic}; break;
	case DW_OP_ne: *t = (struct entry){t->v != b, generic}; break;
	case DW_OP_lt:
		*t = (struct entry){by_bits ? t->v < b : (int64_t)t->v < (int64_t)b, generic};
		break;
	case DW_OP_le:
		*t = (struct entry){by_bits ? t->v <= b : (int64_t)t->v <= (int64_t)b, generic};
		break;
	case DW_OP_gt:
		*t = (struct entry){by_bits ? t->v > b : (int64_t)t->v > (int64_t)b, generic};
		break;
	case DW_OP_ge:
		*t = (struct entry){by_bits ? t->v >= b : (int64_t)t->v >= (int64_t)b, generic};
		break;
	default: return false;
	}
	t->v = fit(t->v, t->base);
	return ok;
}

static bool unary(struct eval *e, const Dwarf_Op *op)
{
	struct entry *t = top(e);
	if (!t)
		return false;
	if (t->base.is_float) {
		if (op->atom == DW_OP_neg)
			t->v = float_bits(-float_of(t->v, t->base.size), t->base.size);
		return op->atom == DW_OP_neg;
	}
	switch (op->atom) {
	case DW_OP_plus_uconst: t->v += op->number; break;
	case DW_OP_neg: t->v = -t->v; break;
	case DW_OP_not: t->v = ~t->v; break;
	case DW_OP_abs: t->v = (int64_t)t->v < 0 ? -t->v : t->v; break;
	default: return false;
	}
	t->v = fit(t->v, t->base);
	return true;
}

static bool shuffle(struct eval *e, const Dwarf_Op *op)
{
	struct entry *s = e->stack + e->depth, kept;
	const size_t need = op->atom == DW_OP_dup || op->atom == DW_OP_drop ? 1
	                    : op->atom == DW_OP_rot                         ? 3
	                                                                    : 2;
	if (op->atom == DW_OP_pick) {
		const size_t i = (size_t)op->number;
		return i < e->depth &&
		       push_typed(e, s[-1 - (ptrdiff_t)i].v, s[-1 - (ptrdiff_t)i].base);
	}
	if (e->depth < need)
		return false;
	switch (op->atom) {
	case DW_OP_dup:
		return push_typed(e, s[-1].v, s[-1].base);
	case DW_OP_over:
		return push_typed(e, s[-2].v, s[-2].base);
	case DW_OP_drop:
		e->depth--;
		return true;
	case DW_OP_swap:
		kept = s[-1];
		s[-1] = s[-2];
		s[-2] = kept;
		return true;
	default:
		kept = s[-1];
		s[-1] = s[-2];
		s[-2] = s[-3];
		s[-3] = kept;
		return true;
	}
}

/* The frame base of the function, by its own expression. */
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

/* What the caller's call site says that it passed. */
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

/* What a register held when the function was entered. */
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

/* A parameter that is not passed any more, but was meant to be. */
static bool parameter_value(const struct eval *e, const Dwarf_Op *op, uint64_t *value)
{
	Dwarf_Die parameter;
	return e->attr && dwarf_getlocation_die(e->attr, op, &parameter) == 0 &&
	       passed_value(e, (struct passed){.reg = -1, .parameter = &parameter}, value);
}

/* The bits of a constant of a base type. */
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

static bool eval_op(struct eval *e, const Dwarf_Op *op)
{
	const unsigned atom = op->atom;
	struct base base;
	uint64_t v;
	if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31)
		return push(e, atom - DW_OP_lit0);
	if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		return push_register(e, atom - DW_OP_breg0, op->number);
	switch (atom) {
	case DW_OP_addr:
		return push(e, op->number + e->f->image->bias);
	case DW_OP_const1u: case DW_OP_const1s: case DW_OP_const2u: case DW_OP_const2s:
	case DW_OP_const4u: case DW_OP_const4s: case DW_OP_const8u: case DW_OP_const8s:
	case DW_OP_constu: case DW_OP_consts:
		return push(e, op->number);
	case DW_OP_bregx:
		return push_register(e, op->number, op->number2);
	case DW_OP_fbreg:
		return frame_base(e, &v) && push(e, v + op->number);
	case DW_OP_call_frame_cfa:
		return e->f->cfa_known && push(e, e->f->cfa);
	case DW_OP_entry_value: case DW_OP_GNU_entry_value:
		return entry_value(e, op, &v) && push(e, v);
	case DW_OP_GNU_parameter_ref:
		return parameter_value(e, op, &v) && push(e, v);
	case DW_OP_const_type: case DW_OP_GNU_const_type:
		return typed_constant(e, op, &v) && base_type(e, op, op->number, &base) &&
		       push_typed(e, v, base);
	case DW_OP_convert:
	case DW_OP_GNU_convert:
	case DW_OP_reinterpret:
	case DW_OP_GNU_reinterpret:
		return convert(e, op);
	case DW_OP_regval_type: case DW_OP_GNU_regval_type:
		return base_type(e, op, op->number2, &base) && place_knows(e->f, op->number) &&
		       push_typed(e, e->f->regs->r[op->number], base);
	case DW_OP_deref_type: case DW_OP_GNU_deref_type:
		if (!base_type(e, op, op->number2, &base) || !deref(e, op->number))
			return false;
		return push_typed(e, e->stack[--e->depth].v, base);
	case DW_OP_plus_uconst: case DW_OP_neg: case DW_OP_not: case DW_OP_abs:
		return unary(e, op);
	case DW_OP_dup:
	case DW_OP_over:
	case DW_OP_drop:
	case DW_OP_swap:
	case DW_OP_rot:
	case DW_OP_pick:
		return shuffle(e, op);
	case DW_OP_deref:
		return deref(e, 8);
	case DW_OP_deref_size:
		return deref(e, op->number);
	case DW_OP_nop:
		return true;
	default:
		return binary(e, atom);
	}
}

/* The operation that a jump leads to; n is the end, more than n nowhere. */
static size_t target_of(const Dwarf_Op *ops, size_t n, size_t i)
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

static bool run(struct eval *e, const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	for (size_t i = 0; i < n;) {
		if (!*e->steps)
			return false;
		--*e->steps;
		if (ops[i].atom == DW_OP_skip || ops[i].atom == DW_OP_bra) {
			bool jump = ops[i].atom == DW_OP_skip;
			if (!jump && !e->depth)
				return false;
			jump = jump || e->stack[--e->depth].v;
			i = jump ? target_of(ops, n, i) : i + 1;
			if (i > n)
				return false;
		} else if (!eval_op(e, &ops[i++])) {
			return false;
		}
	}
	if (e->depth)
		*value = e->stack[e->depth - 1].v;
	return e->depth;
}

bool place_run(const struct place_frame *f, Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n,
               const uint64_t *first, uint64_t *value)
{
	unsigned steps = STEPS_MAX;
	struct eval e = {.f = f, .attr = attr, .steps = &steps};
	return (!first || push(&e, *first)) && run(&e, ops, n, value);
}

bool place_compute(const struct place_frame *f, const Dwarf_Op *ops, size_t n, uint64_t *value)
{
	return place_run(f, NULL, ops, n, NULL, value);
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
	return place_compute(f, ops, n, value) && frame_read(f->mem, *value, value, sizeof *value);
}

bool place_number(const struct place_frame *f, Dwarf_Attribute *attr, const uint64_t *first,
                  uint64_t *value)
{
	Dwarf_Op *ops;
	size_t n;
	Dwarf_Sword sword;
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return f && location_ops(f->image, attr, 0, &ops, &n) &&
		       place_run(f, attr, ops, n, first, value);
	default:
		if (dwarf_formsdata(attr, &sword) != 0)
			return false;
		*value = (uint64_t)sword;
		return true;
	}
}
