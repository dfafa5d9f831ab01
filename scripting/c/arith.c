/* Arithmetic of C: operators of one and two operands, with C's conversions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "scripting/c/eval.h"

/* Both as C converts them to one type. */
struct pair {
	bool is_float, is_signed;
	bool is_single; /* is_float, and none is a double */
	unsigned size;
	double d[2];
	uint64_t v[2];
};

static bool is_pointer(const struct c_value *v)
{
	return v->where != C_TEXT &&
	       (v->type.kind == CTYPE_POINTER || v->type.kind == CTYPE_ARRAY ||
	        v->type.kind == CTYPE_FUNCTION);
}

/* Size and sign behind C's integer promotions. */
static void promote(const struct c_value *v, unsigned *size, bool *is_signed)
{
	*size = is_pointer(v) ? 8 : (unsigned)v->type.size;
	/* A function is the number that its symbol is to words. */
	*is_signed = v->type.kind == CTYPE_FUNCTION || (!is_pointer(v) && v->type.is_signed);
	/* A bit-field is promoted by its type, as gdb does. */
	if (*size < 4) {
		*size = 4;
		*is_signed = true;
	}
}

static bool usual(struct eval *x, const struct c_value *a, const struct c_value *b, struct pair *p,
                  struct err *err)
{
	const struct c_value *both[2] = {a, b};
	unsigned size[2];
	bool is_signed[2];
	*p = (struct pair){.size = 4, .is_signed = true, .is_single = true};
	for (int i = 0; i < 2; i++) {
		if (!c_bits(x->calls, both[i], &p->v[i], err))
			return false;
		p->is_float |= both[i]->type.kind == CTYPE_FLOAT;
		p->is_single &= both[i]->type.kind != CTYPE_FLOAT || both[i]->type.size == 4;
		promote(both[i], &size[i], &is_signed[i]);
		p->size = size[i] > p->size ? size[i] : p->size;
	}
	if (p->is_float)
		return c_number(x->calls, a, &p->d[0], err) && c_number(x->calls, b, &p->d[1], err);
	for (int i = 0; i < 2; i++)
		if (size[i] == p->size && !is_signed[i])
			p->is_signed = false;
	for (int i = 0; i < 2; i++)
		if (p->size == 4)
			p->v[i] = p->is_signed ? (uint64_t)(int64_t)(int32_t)p->v[i]
			                       : (uint32_t)p->v[i];
	return true;
}

struct c_value eval_truth(bool b)
{
	struct c_value v = c_integer(b, 4, true);
	v.truth = true;
	return v;
}

static struct c_value as_float(double d, bool single)
{
	struct c_value v = c_double(d);
	const float f = (float)d;
	if (single) {
		memcpy(v.bytes, &f, sizeof f);
		v.type = ctype_made(CTYPE_FLOAT, 4, true);
	}
	return v;
}

static bool of_floats(enum c_op op, const struct pair *p, struct c_value *out, struct err *err)
{
	const double a = p->d[0], b = p->d[1];
	switch (op) {
	case C_MUL:
		*out = as_float(a * b, p->is_single);
		return true;
	case C_DIV:
		*out = as_float(a / b, p->is_single);
		return true;
	case C_ADD:
		*out = as_float(a + b, p->is_single);
		return true;
	case C_SUB:
		*out = as_float(a - b, p->is_single);
		return true;
	case C_LT:
		*out = eval_truth(a < b);
		return true;
	case C_GT:
		*out = eval_truth(a > b);
		return true;
	case C_LE:
		*out = eval_truth(a <= b);
		return true;
	case C_GE:
		*out = eval_truth(a >= b);
		return true;
	case C_EQ:
		*out = eval_truth(a == b);
		return true;
	case C_NE:
		*out = eval_truth(a != b);
		return true;
	default:
		return err_set(err, "this operator takes no floating-point numbers");
	}
}

static bool divided(const struct eval *x, enum c_op op, const struct pair *p, uint64_t *r,
                    struct err *err)
{
	*r = 0;
	if (!p->v[1])
		return x->e->only_types || err_set(err, "division by zero");
	if (!p->is_signed)
		*r = op == C_DIV ? p->v[0] / p->v[1] : p->v[0] % p->v[1];
	else if (p->v[1] == UINT64_MAX)
		*r = op == C_DIV ? -p->v[0] : 0;
	else
		*r = (uint64_t)(op == C_DIV ? (int64_t)p->v[0] / (int64_t)p->v[1]
		                            : (int64_t)p->v[0] % (int64_t)p->v[1]);
	return true;
}

static bool of_integers(const struct eval *x, enum c_op op, const struct pair *p,
                        struct c_value *out, struct err *err)
{
	const uint64_t a = p->v[0], b = p->v[1];
	const bool less = p->is_signed ? (int64_t)a < (int64_t)b : a < b;
	uint64_t r;
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
	case C_LT:
		*out = eval_truth(less);
		return true;
	case C_GE:
		*out = eval_truth(!less);
		return true;
	case C_LE:
		*out = eval_truth(less || a == b);
		return true;
	case C_GT:
		*out = eval_truth(!less && a != b);
		return true;
	case C_EQ:
		*out = eval_truth(a == b);
		return true;
	case C_NE:
		*out = eval_truth(a != b);
		return true;
	default:
		if (!divided(x, op, p, &r, err))
			return false;
	}
	*out = c_integer(r, p->size, p->is_signed);
	return true;
}

static bool shifted(struct eval *x, enum c_op op, const struct c_value *a, const struct c_value *b,
                    struct c_value *out, struct err *err)
{
	uint64_t v, by;
	unsigned size;
	bool is_signed;
	if (a->type.kind == CTYPE_FLOAT || b->type.kind == CTYPE_FLOAT)
		return err_set(err, "this operator takes no floating-point numbers");
	if (!c_bits(x->calls, a, &v, err) || !c_bits(x->calls, b, &by, err))
		return false;
	promote(a, &size, &is_signed);
	/* A plain number grows: 1 << 40. */
	if (size == 4 && by >= 32 && by < 64 && a->where == C_BYTES && a->reg < 0)
		size = 8;
	if (by >= 8 * size)
		return err_set(err, "a shift by %" PRId64 " bits has no meaning: 0 to %u",
		               (int64_t)by, 8 * size - 1);
	if (op == C_SHL)
		v <<= by;
	else
		v = is_signed   ? (uint64_t)((int64_t)v >> by)
		    : size == 4 ? (uint32_t)v >> by
		                : v >> by;
	*out = c_integer(v, size, is_signed);
	return true;
}

/* A pointer and a number, or two pointers; *done: it was that. */
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
	out->type = p->type.kind == CTYPE_POINTER    ? p->type
	            : p->type.kind == CTYPE_FUNCTION ? ctype_pointer_to(p->type)
	                                             : ctype_pointer_to(target);
	return true;
}

static bool of_texts(struct eval *x, enum c_op op, const struct c_value *a, const struct c_value *b,
                     struct c_value *out, struct err *err)
{
	const struct c_value *both[2] = {a, b};
	char text[2][sizeof a->text] = {"", ""};
	/* Nothing is nothing alone. */
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
		/* A character in quotes is a text of one character here. */
		if (*both[i]->text) {
			snprintf(text[i], sizeof text[i], "%s", both[i]->text);
			continue;
		}
		/* No number is a text. */
		if ((!is_pointer(both[i]) || both[i]->type.kind == CTYPE_FUNCTION) &&
		    (op == C_EQ || op == C_NE)) {
			*out = eval_truth(op == C_NE);
			return true;
		}
		/* A char * or a char array is what stands there. */
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
	/* As gdb has it. */
	if (x->e->cplus && a->type.kind == CTYPE_BOOL && b->type.kind == CTYPE_BOOL &&
	    op < C_EQ)
		return err_set(err, "Invalid operation on booleans.");
	const bool truths = a->type.kind == CTYPE_BOOL && b->type.kind == CTYPE_BOOL &&
	                    x->e->cplus && (op == C_AND || op == C_OR || op == C_XOR);
	if (op == C_SHL || op == C_SHR)
		return shifted(x, op, a, b, out, err);
	if (!of_pointers(x, op, a, b, out, &done, err) || done)
		return done && !err->msg[0];
	if (!usual(x, a, b, &p, err))
		return false;
	if (!(p.is_float ? of_floats(op, &p, out, err) : of_integers(x, op, &p, out, err)))
		return false;
	if (truths)
		*out = eval_truth(*out->bytes);
	return true;
}

bool eval_is_true(struct eval *x, const struct c_value *v, bool *b, struct err *err)
{
	uint64_t bits;
	double d;
	if (v->where == C_TEXT) {
		*b = !v->nil;
		return true;
	}
	if (v->type.kind == CTYPE_FLOAT) {
		if (!c_number(x->calls, v, &d, err))
			return false;
		*b = d != 0;
		return true;
	}
	if (!c_bits(x->calls, v, &bits, err))
		return false;
	*b = bits != 0;
	return true;
}

bool eval_one(struct eval *x, enum c_op op, const struct c_value *v, struct c_value *out,
              struct err *err)
{
	uint64_t bits;
	double d;
	unsigned size;
	bool is_signed, b;
	if (op == C_NOT) {
		if (!eval_is_true(x, v, &b, err))
			return false;
		*out = eval_truth(!b);
		return true;
	}
	if (v->type.kind == CTYPE_FLOAT && v->where != C_TEXT) {
		if (!c_number(x->calls, v, &d, err))
			return false;
		*out = as_float(op == C_NEGATE ? -d : d, v->type.size == 4);
		return op != C_INVERT ||
		       err_set(err, "this operator takes no floating-point numbers");
	}
	if (is_pointer(v) && v->type.kind != CTYPE_FUNCTION)
		return err_set(err, "this operator takes no pointers");
	if (!c_bits(x->calls, v, &bits, err))
		return false;
	promote(v, &size, &is_signed);
	*out = c_integer(op == C_NEGATE ? -bits : op == C_INVERT ? ~bits : bits, size, is_signed);
	return true;
}
