/* Arithmetic of C: operators of one and two operands, with C's conversions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scripting/c/eval.h"

/* Two operands converted to their common type. */
struct pair {
	bool is_float, is_signed;
	unsigned size; /* is_float: of the larger type */
	double d[2];   /* is_float, and size 4 or 8 */
	quad q[2];     /* is_float, and no other size */
	unsigned __int128 v[2];
};

static bool is_pointer(const struct c_value *v)
{
	return v->where != C_TEXT &&
	       (v->type.kind == CTYPE_POINTER || v->type.kind == CTYPE_ARRAY ||
	        v->type.kind == CTYPE_FUNCTION);
}

/* Size and sign after C's integer promotions. */
static void arith_promote_integer(const struct c_value *v, unsigned *size, bool *is_signed)
{
	*size = is_pointer(v) ? 8 : (unsigned)v->type.size;
	/* A function counts as a signed integer, as its symbol does in words. */
	*is_signed = v->type.kind == CTYPE_FUNCTION || (!is_pointer(v) && v->type.is_signed);
	/* Unlike C, a bit-field is promoted by its type, as in gdb. */
	if (*size < 4) {
		*size = 4;
		*is_signed = true;
	}
}

/* Truncates an integer to a type of `size` bytes. */
static unsigned __int128 cut_to(unsigned __int128 v, unsigned size, bool is_signed)
{
	const unsigned away = 128 - 8 * size;
	return is_signed ? (unsigned __int128)((__int128)(v << away) >> away) : v << away >> away;
}

static bool arith_usual_conversions(struct eval *x, const struct c_value *a,
                                    const struct c_value *b, struct pair *p, struct err *err)
{
	const struct c_value *both[2] = {a, b};
	unsigned size[2], floats = 0;
	bool is_signed[2];
	*p = (struct pair){.size = 4, .is_signed = true};
	for (int i = 0; i < 2; i++) {
		const bool is_float = both[i]->type.kind == CTYPE_FLOAT;
		if (!is_float && !c_wide(x->calls, both[i], &p->v[i], err))
			return false;
		arith_promote_integer(both[i], &size[i], &is_signed[i]);
		if (is_float && size[i] > floats)
			floats = size[i];
		p->size = size[i] > p->size ? size[i] : p->size;
	}
	p->is_float = floats > 0;
	for (int i = 0; i < 2 && p->is_float; i++)
		if (floats > 8 ? !c_quad(x->calls, both[i], &p->q[i], err)
		               : !c_number(x->calls, both[i], &p->d[i], err))
			return false;
	if (p->is_float) {
		p->size = floats;
		return true;
	}
	for (int i = 0; i < 2; i++)
		if (size[i] == p->size && !is_signed[i])
			p->is_signed = false;
	for (int i = 0; i < 2; i++)
		p->v[i] = cut_to(p->v[i], p->size, p->is_signed);
	return true;
}

struct c_value eval_truth(bool b)
{
	struct c_value v = c_integer(b, 4, true);
	v.truth = true;
	return v;
}

/* Operators on numbers of any kind. */
#define COMPARED(op, a, b)                                                                         \
	((op) == C_LT   ? (a) < (b)                                                                \
	 : (op) == C_GT ? (a) > (b)                                                                \
	 : (op) == C_LE ? (a) <= (b)                                                               \
	 : (op) == C_GE ? (a) >= (b)                                                               \
	 : (op) == C_EQ ? (a) == (b)                                                               \
	                : (a) != (b))
#define COMPUTED(op, a, b)                                                                         \
	((op) == C_MUL   ? (a) * (b)                                                               \
	 : (op) == C_DIV ? (a) / (b)                                                               \
	 : (op) == C_ADD ? (a) + (b)                                                               \
	                 : (a) - (b))

static bool is_comparison(enum c_op op)
{
	return op >= C_LT && op <= C_NE;
}

static bool of_floats(enum c_op op, const struct pair *p, struct c_value *out, struct err *err)
{
	const bool large = p->size > 8;
	if (is_comparison(op))
		*out = eval_truth(large ? COMPARED(op, p->q[0], p->q[1])
		                        : COMPARED(op, p->d[0], p->d[1]));
	else if (op != C_MUL && op != C_DIV && op != C_ADD && op != C_SUB)
		return err_set(err, "this operator takes no floating-point numbers");
	else if (large)
		*out = c_float(COMPUTED(op, p->q[0], p->q[1]), p->size);
	else
		*out = c_float((quad)COMPUTED(op, p->d[0], p->d[1]), p->size);
	return true;
}

static bool arith_divide(const struct eval *x, enum c_op op, const struct pair *p,
                         unsigned __int128 *r, struct err *err)
{
	const unsigned __int128 a = p->v[0], b = p->v[1];
	*r = 0;
	if (!b)
		return x->e->only_types || err_set(err, "division by zero");
	if (!p->is_signed)
		*r = op == C_DIV ? a / b : a % b;
	else if (!~b)
		*r = op == C_DIV ? -a : 0;
	else
		*r = (unsigned __int128)(op == C_DIV ? (__int128)a / (__int128)b
		                                     : (__int128)a % (__int128)b);
	return true;
}

static bool of_integers(const struct eval *x, enum c_op op, const struct pair *p,
                        struct c_value *out, struct err *err)
{
	const unsigned __int128 a = p->v[0], b = p->v[1];
	unsigned __int128 r;
	if (is_comparison(op)) {
		*out = eval_truth(p->is_signed ? COMPARED(op, (__int128)a, (__int128)b)
		                               : COMPARED(op, a, b));
		return true;
	}
	switch (op) {
	case C_MUL:
		r = a * b;
		break;
	case C_ADD:
		r = a + b;
		break;
	case C_SUB:
		r = a - b;
		break;
	case C_AND:
		r = a & b;
		break;
	case C_XOR:
		r = a ^ b;
		break;
	case C_OR:
		r = a | b;
		break;
	default:
		if (!arith_divide(x, op, p, &r, err))
			return false;
	}
	*out = c_wide_integer(r, p->size, p->is_signed);
	return true;
}

/* Applies an operator to complex numbers as C does: rounds each part to its type. */
static bool of_complex(enum c_op op, const struct c_value *a, const struct c_value *b,
                       struct eval *x, struct c_value *out, struct err *err)
{
	const struct c_value *both[2] = {a, b};
	struct c_value part[2][2];
	quad q[2][2];
	unsigned size = 4;
	if (op != C_MUL && op != C_DIV && op != C_ADD && op != C_SUB && op != C_EQ && op != C_NE)
		return err_set(err, "this operator takes no complex numbers");
	for (int i = 0; i < 2; i++) {
		const bool is_complex = both[i]->type.kind == CTYPE_COMPLEX;
		part[i][0] = *both[i];
		part[i][1] = c_integer(0, 4, true);
		if (is_complex)
			c_complex_parts(both[i], part[i]);
		if (part[i][0].type.kind == CTYPE_FLOAT && part[i][0].type.size > size)
			size = (unsigned)part[i][0].type.size;
		for (int k = 0; k < 2; k++)
			if (!c_quad(x->calls, &part[i][k], &q[i][k], err))
				return false;
	}
	const quad re = q[0][0], im = q[0][1], c = q[1][0], d = q[1][1], over = c * c + d * d;
	const struct c_value made[2] = {
		c_float(op == C_ADD   ? re + c
		        : op == C_SUB ? re - c
		        : op == C_MUL ? re * c - im * d
		                      : (re * c + im * d) / over,
		        size),
		c_float(op == C_ADD   ? im + d
		        : op == C_SUB ? im - d
		        : op == C_MUL ? re * d + im * c
		                      : (im * c - re * d) / over,
		        size)};
	if (op == C_EQ || op == C_NE)
		*out = eval_truth((re == c && im == d) == (op == C_EQ));
	else
		*out = c_complex(made);
	return true;
}

static bool arith_shift(struct eval *x, enum c_op op, const struct c_value *a,
                        const struct c_value *b, struct c_value *out, struct err *err)
{
	unsigned __int128 v;
	uint64_t by;
	unsigned size;
	bool is_signed;
	if (a->type.kind == CTYPE_FLOAT || b->type.kind == CTYPE_FLOAT)
		return err_set(err, "this operator takes no floating-point numbers");
	if (!c_wide(x->calls, a, &v, err) || !c_bits(x->calls, b, &by, err))
		return false;
	arith_promote_integer(a, &size, &is_signed);
	/* A typed integer is widened as needed: 1 << 40. */
	if (size == 4 && by >= 32 && a->where == C_BYTES && a->reg < 0)
		size = 8;
	if (by >= 8 * size)
		return err_set(err, "a shift by %" PRId64 " bits has no meaning: 0 to %u",
		               (int64_t)by, 8 * size - 1);
	v = cut_to(v, size, is_signed);
	v = op == C_SHL ? v << by : is_signed ? (unsigned __int128)((__int128)v >> by) : v >> by;
	*out = c_wide_integer(v, size, is_signed);
	return true;
}

/* Adds or subtracts a pointer and a number, or two pointers; *done: the operands were such. */
static bool of_pointers(struct eval *x, enum c_op op, const struct c_value *a,
                        const struct c_value *b, struct c_value *out, bool *done, struct err *err)
{
	uint64_t addr, other;
	*done = (op == C_ADD || op == C_SUB) && (is_pointer(a) || is_pointer(b)) &&
	        (is_pointer(a) || op == C_ADD || b->type.kind != CTYPE_FUNCTION);
	if (!*done)
		return true;
	const struct c_value *p = is_pointer(a) ? a : b, *n = is_pointer(a) ? b : a;
	const struct ctype target = ctype_target(&p->type);
	const uint64_t step = target.size && p->type.kind != CTYPE_FUNCTION ? target.size : 1;
	if (!c_bits(x->calls, p, &addr, err) || !c_bits(x->calls, n, &other, err))
		return false;
	if (is_pointer(n)) {
		*out = c_integer((uint64_t)((int64_t)(addr - other) / (int64_t)step), 8, true);
		return op == C_SUB || err_set(err, "can't add two pointers");
	}
	if (op == C_SUB && p == b)
		return err_set(err, "can't subtract a pointer from a number");
	if (n->type.kind == CTYPE_FLOAT)
		return err_set(err, "a pointer moves by whole elements");
	*out = c_integer(op == C_ADD ? addr + other * step : addr - other * step, 8, false);
	out->type = ctype_pointer_to(p->type.kind == CTYPE_FUNCTION ? p->type : target);
	return true;
}

static bool of_texts(struct eval *x, enum c_op op, const struct c_value *a, const struct c_value *b,
                     struct c_value *out, struct err *err)
{
	const struct c_value *both[2] = {a, b};
	char text[2][sizeof a->text] = {"", ""};
	/* nil equals only nil. */
	if ((a->nil || b->nil) && (op == C_EQ || op == C_NE)) {
		*out = eval_truth((a->nil && b->nil) == (op == C_EQ));
		return true;
	}
	for (int i = 0; i < 2; i++) {
		uint64_t addr;
		if (both[i]->where == C_TEXT) {
			snprintf(text[i], sizeof text[i], "%s", both[i]->text);
			continue;
		}
		/* A quoted character is a text of one character here. */
		if (*both[i]->text) {
			snprintf(text[i], sizeof text[i], "%s", both[i]->text);
			continue;
		}
		/* A number never equals a text. */
		if ((!is_pointer(both[i]) || both[i]->type.kind == CTYPE_FUNCTION) &&
		    (op == C_EQ || op == C_NE)) {
			*out = eval_truth(op == C_NE);
			return true;
		}
		/* A char * or a char array is compared by its text. */
		if (!is_pointer(both[i]) || ctype_target(&both[i]->type).kind != CTYPE_CHAR)
			return err_set(
				err, a->nil || b->nil
					     ? "this is nothing (nil): it can't be computed with"
					     : "a text is compared with texts, and with char * and "
					       "char arrays, only");
		if (!c_bits(x->calls, both[i], &addr, err))
			return false;
		for (size_t k = 0;
		     k + 1 < sizeof text[i] &&
		     frame_read(&x->calls->mem, addr + k, &text[i][k], 1) && text[i][k];
		     k++)
			continue;
	}
	if (op != C_EQ && op != C_NE)
		return err_set(err, a->nil || b->nil
		                            ? "this is nothing (nil): it can't be computed with"
		                            : "texts are compared by == and != only");
	*out = eval_truth(!strcmp(text[0], text[1]) == (op == C_EQ));
	return true;
}

bool eval_two(struct eval *x, enum c_op op, const struct c_value *a, const struct c_value *b,
              struct c_value *out, struct err *err)
{
	struct pair p;
	bool done;
	if (a->where == C_TEXT || b->where == C_TEXT)
		return of_texts(x, op, a, b, out, err);
	/* An error in gdb, too. */
	if (x->e->cplus && a->type.kind == CTYPE_BOOL && b->type.kind == CTYPE_BOOL &&
	    op < C_EQ)
		return err_set(err, "Invalid operation on booleans.");
	const bool truths = a->type.kind == CTYPE_BOOL && b->type.kind == CTYPE_BOOL &&
	                    x->e->cplus && (op == C_AND || op == C_OR || op == C_XOR);
	if (a->type.kind == CTYPE_COMPLEX || b->type.kind == CTYPE_COMPLEX)
		return of_complex(op, a, b, x, out, err);
	if (op == C_SHL || op == C_SHR)
		return arith_shift(x, op, a, b, out, err);
	if (!of_pointers(x, op, a, b, out, &done, err) || done)
		return done && !err->msg[0];
	if (!arith_usual_conversions(x, a, b, &p, err))
		return false;
	if (!(p.is_float ? of_floats(op, &p, out, err) : of_integers(x, op, &p, out, err)))
		return false;
	if (truths)
		*out = eval_truth(*out->bytes);
	return true;
}

bool eval_is_true(struct eval *x, const struct c_value *v, bool *b, struct err *err)
{
	struct c_value part[2];
	unsigned __int128 bits;
	quad q;
	bool second;
	if (v->where == C_TEXT) {
		*b = !v->nil;
		return true;
	}
	if (v->type.kind == CTYPE_COMPLEX) {
		c_complex_parts(v, part);
		if (!eval_is_true(x, &part[0], b, err) || !eval_is_true(x, &part[1], &second, err))
			return false;
		*b |= second;
		return true;
	}
	if (v->type.kind == CTYPE_FLOAT) {
		if (!c_quad(x->calls, v, &q, err))
			return false;
		*b = q != 0;
		return true;
	}
	if (!c_wide(x->calls, v, &bits, err))
		return false;
	*b = bits != 0;
	return true;
}

/* Computes -z, +z, and ~z, the conjugate. */
static bool one_complex(struct eval *x, enum c_op op, const struct c_value *v, struct c_value *out,
                        struct err *err)
{
	struct c_value part[2];
	quad q;
	c_complex_parts(v, part);
	for (int i = 0; i < 2; i++) {
		const bool minus = op == C_NEGATE || (op == C_INVERT && i);
		if (!c_quad(x->calls, &part[i], &q, err))
			return false;
		part[i] = c_float(minus ? -q : q, (unsigned)part[i].type.size);
	}
	*out = c_complex(part);
	return true;
}

bool eval_one(struct eval *x, enum c_op op, const struct c_value *v, struct c_value *out,
              struct err *err)
{
	unsigned __int128 bits;
	quad q;
	unsigned size;
	bool is_signed, b;
	if (op == C_NOT) {
		if (!eval_is_true(x, v, &b, err))
			return false;
		*out = eval_truth(!b);
		return true;
	}
	if (v->type.kind == CTYPE_COMPLEX && v->where != C_TEXT)
		return one_complex(x, op, v, out, err);
	if (v->type.kind == CTYPE_FLOAT && v->where != C_TEXT) {
		if (!c_quad(x->calls, v, &q, err))
			return false;
		*out = c_float(op == C_NEGATE ? -q : q, (unsigned)v->type.size);
		return op != C_INVERT ||
		       err_set(err, "this operator takes no floating-point numbers");
	}
	if (is_pointer(v) && v->type.kind != CTYPE_FUNCTION)
		return err_set(err, "this operator takes no pointers");
	if (!c_wide(x->calls, v, &bits, err))
		return false;
	arith_promote_integer(v, &size, &is_signed);
	bits = op == C_NEGATE ? -bits : op == C_INVERT ? ~bits : bits;
	*out = c_wide_integer(bits, size, is_signed);
	return true;
}
