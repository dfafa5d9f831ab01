/* Computes an expression of C from its tree. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/c/node.h"

struct eval {
	struct c_expr *e;
	struct c_calls *calls;
	struct place_frame frame;
	struct err why;
};

static bool eval(struct eval *x, uint16_t i, struct c_value *out);

/* ---- the call ---- */
/* The frame of the call that the names are about. */
static bool find_call(struct eval *x, size_t *at, struct err *err)
{
	const struct c_expr *e = x->e;
	Dwarf_Die function = e->function;
	c_calls_unwind(x->calls);
	for (size_t level = 0; level < x->calls->count; level++) {
		if (!e->by_place && x->calls->frames[level].cfa != e->cfa)
			continue;
		x->frame = c_calls_frame(x->calls, level);
		*at = level;
		if (x->frame.function.addr == e->function.addr)
			return true;
	}
	const char *name = function.addr ? dwarf_diename(&function) : NULL;
	if (e->by_place)
		return err_set(err, "%s isn't called here: its variables have no values",
		               name ? name : "its function");
	return err_set(err, "the call of %s that its variables belong to has returned",
	               name ? name : "the function");
}

/* ---- arithmetic ---- */
/* Both as C converts them to one type. */
struct pair {
	bool is_float, is_signed;
	unsigned size;
	double d[2];
	uint64_t v[2];
};

static bool decayed(struct eval *x, const struct c_value *v, uint64_t *bits, struct err *err)
{
	return c_bits(x->calls, v, bits, err);
}

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
	*is_signed = !is_pointer(v) && v->type.is_signed;
	if (*size < 4 || (v->bit_size && v->bit_size < 32)) {
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
	*p = (struct pair){.size = 4, .is_signed = true};
	for (int i = 0; i < 2; i++) {
		if (!decayed(x, both[i], &p->v[i], err))
			return false;
		p->is_float |= both[i]->type.kind == CTYPE_FLOAT;
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

static struct c_value truth(bool b)
{
	return c_integer(b, 4, true);
}

static bool of_floats(enum c_op op, const struct pair *p, struct c_value *out, struct err *err)
{
	const double a = p->d[0], b = p->d[1];
	switch (op) {
	case C_MUL: *out = c_double(a * b); return true;
	case C_DIV: *out = c_double(a / b); return true;
	case C_ADD: *out = c_double(a + b); return true;
	case C_SUB: *out = c_double(a - b); return true;
	case C_LT: *out = truth(a < b); return true;
	case C_GT: *out = truth(a > b); return true;
	case C_LE: *out = truth(a <= b); return true;
	case C_GE: *out = truth(a >= b); return true;
	case C_EQ: *out = truth(a == b); return true;
	case C_NE: *out = truth(a != b); return true;
	default: return err_set(err, "that is not done with floating-point numbers");
	}
}

static bool divided(enum c_op op, const struct pair *p, uint64_t *r, struct err *err)
{
	if (!p->v[1])
		return err_set(err, "division by zero");
	if (!p->is_signed)
		*r = op == C_DIV ? p->v[0] / p->v[1] : p->v[0] % p->v[1];
	else if (p->v[1] == UINT64_MAX)
		*r = op == C_DIV ? -p->v[0] : 0;
	else
		*r = (uint64_t)(op == C_DIV ? (int64_t)p->v[0] / (int64_t)p->v[1]
		                            : (int64_t)p->v[0] % (int64_t)p->v[1]);
	return true;
}

static bool of_integers(enum c_op op, const struct pair *p, struct c_value *out, struct err *err)
{
	const uint64_t a = p->v[0], b = p->v[1];
	const bool less = p->is_signed ? (int64_t)a < (int64_t)b : a < b;
	uint64_t r;
	switch (op) {
	case C_MUL: r = a * b; break;
	case C_ADD: r = a + b; break;
	case C_SUB: r = a - b; break;
	case C_AND: r = a & b; break;
	case C_XOR: r = a ^ b; break;
	case C_OR: r = a | b; break;
	case C_LT: *out = truth(less); return true;
	case C_GE: *out = truth(!less); return true;
	case C_LE: *out = truth(less || a == b); return true;
	case C_GT: *out = truth(!less && a != b); return true;
	case C_EQ: *out = truth(a == b); return true;
	case C_NE: *out = truth(a != b); return true;
	default:
		if (!divided(op, p, &r, err))
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
		return err_set(err, "that is not done with floating-point numbers");
	if (!c_bits(x->calls, a, &v, err) || !c_bits(x->calls, b, &by, err))
		return false;
	promote(a, &size, &is_signed);
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
	*done = (op == C_ADD || op == C_SUB) && (is_pointer(a) || is_pointer(b));
	if (!*done)
		return true;
	const struct c_value *p = is_pointer(a) ? a : b, *n = is_pointer(a) ? b : a;
	const struct ctype target = ctype_target(&p->type);
	const uint64_t step = target.size ? target.size : 1;
	if (!c_bits(x->calls, p, &addr, err) || !c_bits(x->calls, n, &other, err))
		return false;
	if (is_pointer(n)) {
		*out = c_integer((uint64_t)((int64_t)(addr - other) / (int64_t)step), 8, true);
		return op == C_SUB || err_set(err, "two pointers are not added");
	}
	if (op == C_SUB && p == b)
		return err_set(err, "a pointer is not subtracted from a number");
	if (n->type.kind == CTYPE_FLOAT)
		return err_set(err, "a pointer moves by whole elements");
	*out = c_integer(op == C_ADD ? addr + other * step : addr - other * step, 8, false);
	out->type = p->type.kind == CTYPE_POINTER ? p->type : ctype_pointer_to(target);
	return true;
}

static bool of_texts(struct eval *x, enum c_op op, const struct c_value *a, const struct c_value *b,
                     struct c_value *out, struct err *err)
{
	const struct c_value *both[2] = {a, b};
	char text[2][sizeof a->text] = {"", ""};
	for (int i = 0; i < 2; i++) {
		uint64_t addr;
		if (both[i]->where == C_TEXT) {
			snprintf(text[i], sizeof text[i], "%s", both[i]->text);
			continue;
		}
		/* A char * or a char array is what stands there. */
		if (!is_pointer(both[i]) || ctype_target(&both[i]->type).kind != CTYPE_CHAR)
			return err_set(err, "a text is compared with texts, and with char * and "
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
		return err_set(err, "texts are compared by == and != only");
	*out = truth(!strcmp(text[0], text[1]) == (op == C_EQ));
	return true;
}

static bool of_two(struct eval *x, enum c_op op, const struct c_value *a, const struct c_value *b,
                   struct c_value *out, struct err *err)
{
	struct pair p;
	bool done;
	if (a->where == C_TEXT || b->where == C_TEXT)
		return of_texts(x, op, a, b, out, err);
	if (op == C_SHL || op == C_SHR)
		return shifted(x, op, a, b, out, err);
	if (!of_pointers(x, op, a, b, out, &done, err) || done)
		return done && !err->msg[0];
	if (!usual(x, a, b, &p, err))
		return false;
	return p.is_float ? of_floats(op, &p, out, err) : of_integers(op, &p, out, err);
}

static bool is_true(struct eval *x, const struct c_value *v, bool *b, struct err *err)
{
	uint64_t bits;
	double d;
	if (v->where == C_TEXT) {
		*b = true;
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

static bool of_one(struct eval *x, enum c_op op, const struct c_value *v, struct c_value *out,
                   struct err *err)
{
	uint64_t bits;
	double d;
	unsigned size;
	bool is_signed, b;
	if (op == C_NOT) {
		if (!is_true(x, v, &b, err))
			return false;
		*out = truth(!b);
		return true;
	}
	if (v->type.kind == CTYPE_FLOAT && v->where != C_TEXT) {
		if (!c_number(x->calls, v, &d, err))
			return false;
		*out = c_double(op == C_NEGATE ? -d : d);
		return op != C_INVERT ||
		       err_set(err, "that is not done with floating-point numbers");
	}
	if (is_pointer(v))
		return err_set(err, "that is not done with pointers");
	if (!c_bits(x->calls, v, &bits, err))
		return false;
	promote(v, &size, &is_signed);
	*out = c_integer(op == C_NEGATE ? -bits : op == C_INVERT ? ~bits : bits, size, is_signed);
	return true;
}

/* ---- names ---- */
static bool member(struct eval *x, const struct c_node *n, const struct c_value *of,
                   struct c_value *out, struct err *err)
{
	struct c_value whole = *of;
	struct cmember m;
	char type[128];
	const bool arrow = n->op == C_ARROW;
	if (of->where == C_TEXT)
		return err_set(err, "a text has no members");
	/* As gdb does, either is read for the other. */
	if ((arrow || of->type.kind == CTYPE_POINTER) && !c_pointed(x->calls, of, &whole, err))
		return false;
	if (whole.type.kind != CTYPE_STRUCT && whole.type.kind != CTYPE_UNION)
		return err_set(err, "it has the type %s, and no members",
		               ctype_text(&whole.type, NULL, type, sizeof type));
	if (!ctype_member_named(&whole.type, n->word, &m)) {
		char names[160] = "";
		struct dwarf_walk walk = walk_of_type();
		struct cmembers all = ctype_members(&whole.type, &walk);
		while (cmember_next(&all, &m)) {
			const size_t used = strlen(names);
			if (m.name)
				snprintf(names + used, sizeof names - used, "%s%s",
				         used ? ", " : "", m.name);
		}
		return err_set(err, "%s has no member '%.60s'; it has %s",
		               ctype_text(&whole.type, NULL, type, sizeof type), n->word,
		               *names ? names : "none");
	}
	return c_part(&whole, &m, out);
}

/* A function of the inspector with what its arguments are now. */
static bool call(struct eval *x, const struct c_node *n, struct c_value *out, struct err *err)
{
	char text[512];
	const struct c_words *w = &x->e->words;
	size_t used = (size_t)snprintf(text, sizeof text, "%.128s(", n->word);
	for (unsigned i = 0; i < n->args; i++) {
		struct c_value v;
		uint64_t bits;
		if (!eval(x, n->arg[i], &v))
			return false;
		const char *comma = i ? ", " : "";
		if (v.where == C_TEXT) {
			used += (size_t)snprintf(text + used, sizeof text - used, "%s[==[%s]==]",
			                         comma, v.text);
		} else if (v.type.kind == CTYPE_FLOAT) {
			double d;
			if (!c_number(x->calls, &v, &d, err))
				return false;
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%a", comma, d);
		} else {
			if (!c_bits(x->calls, &v, &bits, err))
				return false;
			used += (size_t)snprintf(text + used, sizeof text - used, "%s0x%" PRIx64,
			                         comma, bits);
		}
		if (used + 2 >= sizeof text)
			return err_set(err, "the arguments are too long");
	}
	snprintf(text + used, sizeof text - used, ")");
	void *compiled = w->compile(w->ctx, text, err);
	if (!compiled)
		return false;
	const bool ok = w->eval(w->ctx, compiled, out, err);
	w->free(w->ctx, compiled);
	return ok;
}

/* ---- nodes ---- */
static bool choose(struct eval *x, const struct c_node *n, struct c_value *out, struct err *err)
{
	bool first;
	if (!eval(x, n->arg[0], out))
		return false;
	if (!is_true(x, out, &first, err))
		return false;
	if (n->op == C_CHOOSE)
		return eval(x, n->arg[first ? 1 : 2], out);
	if (first != (n->op == C_EITHER)) {
		if (!eval(x, n->arg[1], out) || !is_true(x, out, &first, err))
			return false;
	}
	*out = truth(first);
	return true;
}

/* What `*` reads of a plain number, as expressions without C do: 8 bytes. */
static bool follow(struct eval *x, const struct c_value *v, struct c_value *out, struct err *err)
{
	uint64_t addr;
	if (v->where == C_TEXT || !ctype_is_integer(&v->type) || v->type.size != 8)
		return c_pointed(x->calls, v, out, err);
	if (!c_bits(x->calls, v, &addr, err))
		return false;
	*out = c_integer(0, 8, true);
	out->where = C_MEMORY;
	out->addr = addr;
	return true;
}

static bool with_operands(struct eval *x, const struct c_node *n, struct c_value *out,
                          struct err *err)
{
	struct c_value a, b;
	uint64_t i;
	if (!eval(x, n->arg[0], &a))
		return false;
	switch (n->op) {
	case C_NOT: case C_NEGATE: case C_PLUS: case C_INVERT:
		return of_one(x, n->op, &a, out, err);
	case C_FOLLOW:
		return follow(x, &a, out, err);
	case C_ADDRESS:
		return c_address(&a, out, err);
	case C_CAST:
		return c_cast(x->calls, &a, n->type, out, err);
	case C_SIZEOF:
		*out = c_integer(a.type.size, 8, false);
		return true;
	case C_MEMBER: case C_ARROW:
		return member(x, n, &a, out, err);
	default:
		break;
	}
	if (!eval(x, n->arg[1], &b))
		return false;
	if (n->op != C_INDEX)
		return of_two(x, n->op, &a, &b, out, err);
	if (b.where == C_TEXT || !ctype_is_integer(&b.type))
		return err_set(err, "an index is a whole number");
	return c_bits(x->calls, &b, &i, err) && c_element(x->calls, &a, (int64_t)i, out, err);
}

static bool eval_node(struct eval *x, const struct c_node *n, struct c_value *out, struct err *err)
{
	const struct c_words *w = &x->e->words;
	switch (n->op) {
	case C_NUMBER: case C_STRING:
		*out = n->value;
		return true;
	case C_VARIABLE:
		c_variable(x->calls, n->name.function.addr ? &x->frame : NULL, &n->name, out);
		return true;
	case C_WORD:
		return w->eval(w->ctx, n->compiled, out, err);
	case C_CALL:
		return call(x, n, out, err);
	case C_BOTH: case C_EITHER: case C_CHOOSE:
		return choose(x, n, out, err);
	default:
		return with_operands(x, n, out, err);
	}
}

/* The innermost that fails says what it is about. */
static bool eval(struct eval *x, uint16_t i, struct c_value *out)
{
	const struct c_node *n = &x->e->nodes[i];
	struct err err = {{0}};
	if (eval_node(x, n, out, &err))
		return true;
	if (err.msg[0] && !x->why.msg[0]) {
		const struct c_node *about = n->args ? &x->e->nodes[n->arg[0]] : n;
		err_set(&x->why, "%.*s: %.300s", (int)about->length, x->e->text + about->at,
		        err.msg);
	}
	return false;
}

bool c_eval(struct c_expr *e, struct c_calls *calls, struct c_value *out, struct err *err)
{
	struct eval x = {.e = e, .calls = calls};
	size_t level;
	if (e->needs_frame && !find_call(&x, &level, err))
		return false;
	if (eval(&x, e->root, out))
		return true;
	return err_set(err, "%s", x.why.msg);
}

bool c_is_of_call(const struct c_expr *e)
{
	return e->needs_frame;
}

bool c_level(struct c_expr *e, struct c_calls *calls, size_t *level)
{
	struct eval x = {.e = e, .calls = calls};
	struct err err;
	return find_call(&x, level, &err);
}

bool c_lasts(struct c_expr *e, struct c_calls *calls)
{
	size_t level;
	return !e->needs_frame || c_level(e, calls, &level);
}
