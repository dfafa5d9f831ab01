/* Arithmetic on the typed stack of DWARF expressions. */
#include "loader/dwarf/expression_stack.h"

#include <dwarf.h>
#include <string.h>

const struct expression_base expression_generic = {.size = 8, .is_generic = true};

/* Truncates to the size of the type, and extends by its sign. */
static uint64_t expression_stack_truncate_to_base(uint64_t v, struct expression_base b)
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

bool stack_push(struct expression_stack *s, uint64_t v, struct expression_base b)
{
	if (s->depth == EXPRESSION_STACK_MAX ||
	    (b.size != 1 && b.size != 2 && b.size != 4 && b.size != 8) ||
	    (b.is_float && b.size < 4))
		return false;
	s->entry[s->depth++] =
		(struct expression_entry){expression_stack_truncate_to_base(v, b), b};
	return true;
}

struct expression_entry *stack_top(struct expression_stack *s)
{
	return s->depth ? &s->entry[s->depth - 1] : NULL;
}

bool stack_convert(struct expression_stack *s, const Dwarf_Op *op, struct expression_base to)
{
	const bool bits_stay = op->atom == DW_OP_reinterpret || op->atom == DW_OP_GNU_reinterpret;
	const struct expression_entry *t = stack_top(s);
	if (!t)
		return false;
	const struct expression_base from = t->base;
	uint64_t v = t->v;
	s->depth--;
	if (bits_stay)
		return stack_push(s, v, to);
	double d = from.is_float    ? float_of(v, from.size)
	           : from.is_signed ? (double)(int64_t)v
	                            : (double)v;
	if (to.is_float)
		v = float_bits(d, to.size);
	else if (from.is_float && !(d > -9.2e18 && d < 9.2e18))
		return false;
	else if (from.is_float)
		v = (uint64_t)(int64_t)d;
	return stack_push(s, v, to);
}

static struct expression_entry as_truth(bool v)
{
	return (struct expression_entry){v, expression_generic};
}

static bool binary_float(struct expression_entry *a, double y, unsigned atom)
{
	const double x = float_of(a->v, a->base.size);
	double r;
	switch (atom) {
	case DW_OP_plus: r = x + y; break;
	case DW_OP_minus: r = x - y; break;
	case DW_OP_mul: r = x * y; break;
	case DW_OP_div: r = x / y; break;
	case DW_OP_eq: *a = as_truth(x == y); return true;
	case DW_OP_ne: *a = as_truth(x != y); return true;
	case DW_OP_lt: *a = as_truth(x < y); return true;
	case DW_OP_le: *a = as_truth(x <= y); return true;
	case DW_OP_gt: *a = as_truth(x > y); return true;
	case DW_OP_ge: *a = as_truth(x >= y); return true;
	default: return false;
	}
	a->v = float_bits(r, a->base.size);
	return true;
}

static bool expression_stack_divide_entry(struct expression_entry *a, uint64_t b, bool modulo)
{
	if (!b)
		return false;
	/* The generic type has signed division and unsigned remainder. */
	if (!a->base.is_signed && (modulo || !a->base.is_generic))
		a->v = modulo ? a->v % b : a->v / b;
	else if (b == UINT64_MAX)
		a->v = modulo ? 0 : -a->v;
	else
		a->v = (uint64_t)(modulo ? (int64_t)a->v % (int64_t)b : (int64_t)a->v / (int64_t)b);
	return true;
}

bool stack_binary(struct expression_stack *s, unsigned atom)
{
	if (s->depth < 2)
		return false;
	const uint64_t b = s->entry[--s->depth].v;
	struct expression_entry *t = stack_top(s);
	const struct expression_base base = t->base, as_unsigned = {.size = base.size},
			  as_signed = {.size = base.size, .is_signed = true};
	const bool by_bits = !base.is_signed && !base.is_generic;
	if (base.is_float)
		return binary_float(t, float_of(b, base.size), atom);
	bool ok = true;
	switch (atom) {
	case DW_OP_plus: t->v += b; break;
	case DW_OP_minus: t->v -= b; break;
	case DW_OP_mul: t->v *= b; break;
	case DW_OP_div:
		ok = expression_stack_divide_entry(t, b, false);
		break;
	case DW_OP_mod:
		ok = expression_stack_divide_entry(t, b, true);
		break;
	case DW_OP_and: t->v &= b; break;
	case DW_OP_or: t->v |= b; break;
	case DW_OP_xor: t->v ^= b; break;
	case DW_OP_shl: t->v = b < 64 ? t->v << b : 0; break;
	case DW_OP_shr:
		t->v = b < 64 ? expression_stack_truncate_to_base(t->v, as_unsigned) >> b : 0;
		break;
	case DW_OP_shra:
		t->v = (uint64_t)((int64_t)expression_stack_truncate_to_base(t->v, as_signed) >>
		                  (b < 64 ? b : 63));
		break;
	case DW_OP_eq: *t = as_truth(t->v == b); break;
	case DW_OP_ne: *t = as_truth(t->v != b); break;
	case DW_OP_lt:
		*t = as_truth(by_bits ? t->v < b : (int64_t)t->v < (int64_t)b);
		break;
	case DW_OP_le:
		*t = as_truth(by_bits ? t->v <= b : (int64_t)t->v <= (int64_t)b);
		break;
	case DW_OP_gt:
		*t = as_truth(by_bits ? t->v > b : (int64_t)t->v > (int64_t)b);
		break;
	case DW_OP_ge:
		*t = as_truth(by_bits ? t->v >= b : (int64_t)t->v >= (int64_t)b);
		break;
	default: return false;
	}
	t->v = expression_stack_truncate_to_base(t->v, t->base);
	return ok;
}

bool stack_unary(struct expression_stack *s, const Dwarf_Op *op)
{
	struct expression_entry *t = stack_top(s);
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
	t->v = expression_stack_truncate_to_base(t->v, t->base);
	return true;
}

bool stack_shuffle(struct expression_stack *s, const Dwarf_Op *op)
{
	struct expression_entry *at = s->entry + s->depth, kept;
	const size_t need = op->atom == DW_OP_dup || op->atom == DW_OP_drop ? 1
	                    : op->atom == DW_OP_rot                         ? 3
	                                                                    : 2;
	if (op->atom == DW_OP_pick) {
		const size_t i = (size_t)op->number;
		return i < s->depth &&
		       stack_push(s, at[-1 - (ptrdiff_t)i].v, at[-1 - (ptrdiff_t)i].base);
	}
	if (s->depth < need)
		return false;
	switch (op->atom) {
	case DW_OP_dup:
		return stack_push(s, at[-1].v, at[-1].base);
	case DW_OP_over:
		return stack_push(s, at[-2].v, at[-2].base);
	case DW_OP_drop:
		s->depth--;
		return true;
	case DW_OP_swap:
		kept = at[-1];
		at[-1] = at[-2];
		at[-2] = kept;
		return true;
	default:
		kept = at[-1];
		at[-1] = at[-2];
		at[-2] = at[-3];
		at[-3] = kept;
		return true;
	}
}
