/* Evaluates the tree of a C expression. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/c/eval.h"
#include "scripting/c/vtable.h"

/* ---- the call ---- */
bool eval_find_call(struct eval *x, size_t *at, struct err *err)
{
	const struct c_expr *e = x->e;
	Dwarf_Die function = e->function;
	c_calls_unwind(x->calls, 0);
	for (size_t level = 0; level < x->calls->count; c_calls_unwind(x->calls, ++level)) {
		/* In a deep recursion, a call that has returned is not looked for to its end. */
		if (level >= FRAMES_MAX && (e->by_place || x->calls->frames[level].cfa > e->cfa))
			break;
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

/* ---- names ---- */
/* Finds a member function of a class or its bases: the function's address, not a call. */
static bool eval_find_method(struct eval *x, const struct ctype *class, const char *name,
                             unsigned depth, struct dwarf_walk *walk, struct c_value *out)
{
	enum { DEPTH_MAX = 8 };
	struct cmembers members = ctype_members(class, walk);
	struct cmember m;
	struct scope_name found;
	char text[512];
	const size_t n = strlen(ctype_text(class, NULL, text, sizeof text));
	snprintf(text + n, sizeof text - n, "::%s", name);
	if (scope_find(x->e->program, NULL, text, &found) && found.kind == SCOPE_FUNCTION) {
		c_variable(x->calls, NULL, &found, out);
		return out->where == C_MEMORY;
	}
	/* A pure virtual function has no code. */
	if (ctype_virtual_named(class, x->e->program, walk, name, &out->type)) {
		*out = (struct c_value){.type = out->type, .where = C_MEMORY, .reg = -1};
		return true;
	}
	members.virtuals = true;
	while (depth < DEPTH_MAX && cmember_next(&members, &m))
		if (m.is_base && eval_find_method(x, &m.type, name, depth + 1, walk, out))
			return true;
	return false;
}

static bool eval_member(struct eval *x, const struct c_node *n, const struct c_value *of,
                        struct c_value *out, struct err *err)
{
	struct c_value whole = *of;
	struct cmember m;
	char type[128];
	const bool arrow = n->op == C_ARROW;
	if (of->where == C_TEXT)
		return err_set(err, "a text has no members");
	/* Like gdb, accept either for the other. */
	if ((arrow || of->type.kind == CTYPE_POINTER) && !c_pointed(x->calls, of, &whole, err))
		return false;
	/* geo::A::x: the member of the base geo::A. */
	const char *name = strrchr(n->word, ':');
	name = name ? name + 1 : n->word;
	if (name > n->word) {
		char base[256];
		snprintf(base, sizeof base, "%.*s", (int)(name - n->word - 2), n->word);
		if (!c_base_named(x->calls, &whole, base, &whole))
			return err_set(err, "%s has no base '%.80s'",
			               ctype_text(&whole.type, NULL, type, sizeof type), base);
	}
	if (whole.type.kind != CTYPE_STRUCT && whole.type.kind != CTYPE_UNION)
		return err_set(err, "it has the type %s, and no members",
		               ctype_text(&whole.type, NULL, type, sizeof type));
	struct c_value object;
	struct dwarf_walk walk = walk_of_type();
	/* The complete object may have the member. */
	if (!ctype_member_named(&whole.type, name, &m) &&
	    c_real_object(x->calls, &whole, &object) && ctype_member_named(&object.type, name, &m))
		whole = object;
	else if (!ctype_member_named(&whole.type, name, &m) &&
	         eval_find_method(x, &whole.type, name, 0, &walk, out))
		return true;
	else if (!ctype_member_named(&whole.type, name, &m)) {
		char names[160] = "";
		struct cmembers all = ctype_members(&whole.type, &walk);
		while (cmember_next(&all, &m)) {
			const size_t used = strlen(names);
			if (m.name)
				snprintf(names + used, sizeof names - used, "%s%s",
				         used ? ", " : "", m.name);
		}
		return err_set(err, "%s has no member '%.60s'; it has %s",
		               ctype_text(&whole.type, NULL, type, sizeof type), name,
		               *names ? names : "none");
	}
	if (m.is_virtual)
		return c_virtual_member(x->calls, &whole, name, out) ||
		       err_set(err, "where its virtual base is can't be read");
	if (m.is_static)
		c_static(x->calls, &m, out);
	else
		c_part(&whole, &m, out);
	return true;
}

/* Writes a text as a literal of Lua, escaped. Returns its length, as snprintf() does. */
static size_t eval_quote_lua_text(char *to, size_t n, const char *text)
{
	size_t used = (size_t)snprintf(to, n, "\"");
	for (; *text && used + 6 < n; text++)
		used += (size_t)snprintf(to + used, n - used,
		                         isalnum((unsigned char)*text) || *text == ' ' ? "%c"
		                                                                       : "\\%03d",
		                         (unsigned char)*text);
	return used + (size_t)snprintf(to + used, n - used, *text ? "" : "\"") +
	       (*text ? n : 0);
}

/* Calls a function of the inspector with the present values of its arguments. */
static bool eval_inspector_call(struct eval *x, const struct c_node *n, struct c_value *out,
                                struct err *err)
{
	char text[512];
	const struct c_words *w = &x->e->words;
	size_t used = (size_t)snprintf(text, sizeof text, "%.128s(", n->word);
	const bool real = !strcmp(n->word, "_creal");
	if (n->args == 1 && (real || !strcmp(n->word, "_cimag"))) {
		struct c_value part[2];
		if (!eval_operand(x, n->arg[0], out))
			return false;
		if (out->type.kind != CTYPE_COMPLEX || out->where == C_TEXT)
			return err_set(err, "expected a complex number");
		c_complex_parts(out, part);
		*out = part[real ? 0 : 1];
		return true;
	}
	for (unsigned i = 0; i < n->args; i++) {
		struct c_value v;
		uint64_t bits;
		if (!eval_operand(x, n->arg[i], &v))
			return false;
		const char *comma = i ? ", " : "";
		if (v.where == C_TEXT) {
			used += (size_t)snprintf(text + used, sizeof text - used, "%s", comma);
			used += eval_quote_lua_text(text + used, sizeof text - used, v.text);
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
static bool eval_logical_operator(struct eval *x, const struct c_node *n, struct c_value *out,
                                  struct err *err)
{
	bool first;
	if (x->e->only_types && n->op != C_CHOOSE) {
		*out = eval_truth(false);
		return true;
	}
	if (!eval_operand(x, n->arg[0], out))
		return false;
	if (!eval_is_true(x, out, &first, err))
		return false;
	if (n->op == C_CHOOSE)
		return eval_at(x, n->arg[first ? 1 : 2], out);
	if (first != (n->op == C_EITHER)) {
		if (!eval_operand(x, n->arg[1], out) || !eval_is_true(x, out, &first, err))
			return false;
	}
	*out = eval_truth(first);
	return true;
}

/* Dereferences a number that is no pointer: an int, as in gdb; for the inspector's words and for
 * typed addresses, as many bytes as the symbol there has, else 8. */
static bool eval_dereference(struct eval *x, const struct c_value *v, struct c_value *out,
                             struct err *err)
{
	uint64_t addr;
	const bool plain = v->where == C_BYTES && v->reg < 0;
	if (v->where == C_TEXT || !ctype_is_integer(&v->type) || (v->type.size < 4 && !plain))
		return c_pointed(x->calls, v, out, err);
	if (!c_bits(x->calls, v, &addr, err))
		return false;
	const struct c_words *w = &x->e->words;
	const uint64_t at = plain ? w->symbol_size(w->ctx, addr) : 4,
		       size = !at && program_is_32bit(x->e->program) ? 4 : at;
	*out = c_integer(0, size == 1 || size == 2 || size == 4 ? (unsigned)size : 8,
	                 !plain || (size != 1 && size != 2 && size != 4));
	out->where = C_MEMORY;
	out->addr = addr;
	return true;
}

/* a@4: an array of so many elements from the first on. */
static bool eval_array_span(struct eval *x, const struct c_value *first,
                            const struct c_value *count, struct c_value *out, struct err *err)
{
	uint64_t n;
	char type[128];
	if (count->where == C_TEXT || !ctype_is_integer(&count->type))
		return err_set(err, "after @ a number of elements is needed");
	if (!c_bits(x->calls, count, &n, err))
		return false;
	if ((int64_t)n < 1 || n > UINT32_MAX)
		return err_set(err, "Invalid number %" PRId64 " of repetitions.", (int64_t)n);
	if (first->where != C_MEMORY && !(first->where == C_KEPT && first->addr))
		return err_set(err, "Only values in memory can be extended with '@'.");
	if (!first->type.size)
		return err_set(err, "the size of %s is not known",
		               ctype_text(&first->type, NULL, type, sizeof type));
	const uint64_t addr = first->addr;
	const struct ctype t = ctype_array_of(first->type, n);
	if (!t.size)
		return err_set(err, "that are too many elements: %" PRIu64, n);
	*out = (struct c_value){.type = t, .where = C_MEMORY, .addr = addr, .reg = -1};
	return true;
}

/* {4, 5}: an array; its elements have equal size. */
static bool eval_list(struct eval *x, const struct c_node *n, struct c_value *out, struct err *err)
{
	struct c_value element;
	uint64_t bits, size = 0;
	if (n->args > 1 && !eval_at(x, n->arg[0], out))
		return false;
	if (!eval_operand(x, n->arg[n->args - 1u], &element))
		return false;
	if (n->args > 1)
		size = out->type.size;
	else
		*out = (struct c_value){.where = C_BYTES, .reg = -1};
	const uint64_t count = size ? out->type.count : 0;
	if (element.where == C_TEXT || element.where == C_OUT || !ctype_is_scalar(&element.type))
		return err_set(err, "an array in { } has numbers");
	if (count && size != count * element.type.size)
		return err_set(err, "array elements must all be the same size");
	if (size + element.type.size > sizeof out->bytes)
		return err_set(err, "an array in { } has at most %zu bytes", sizeof out->bytes);
	if (element.bit_size ? !c_bits(x->calls, &element, &bits, err)
	                     : !c_read(x->calls, &element, 0, out->bytes + size,
	                               element.type.size))
		return err->msg[0] ? false : err_set(err, "an element can't be read");
	if (element.bit_size)
		memcpy(out->bytes + size, &bits, element.type.size);
	out->type = ctype_array_of(count ? ctype_target(&out->type) : element.type, count + 1);
	out->known = place_bytes(0, size + element.type.size);
	return true;
}

static bool with_operands(struct eval *x, const struct c_node *n, struct c_value *out,
                          struct err *err)
{
	struct c_value a, b;
	uint64_t i;
	if (!eval_operand(x, n->arg[0], &a))
		return false;
	switch (n->op) {
	case C_NOT:
	case C_NEGATE:
	case C_PLUS:
	case C_INVERT:
		return eval_one(x, n->op, &a, out, err);
	case C_FOLLOW:
		return eval_dereference(x, &a, out, err);
	case C_ADDRESS:
		return c_address(&a, out, err);
	case C_CAST:
		return c_cast(x->calls, &a, n->type, out, err);
	case C_MEMBER:
	case C_ARROW:
		return eval_member(x, n, &a, out, err);
	default:
		break;
	}
	if (!eval_operand(x, n->arg[1], &b))
		return false;
	if (n->op == C_SPAN)
		return eval_array_span(x, &a, &b, out, err);
	if (n->op == C_OF_MEMBER)
		return c_member_of(x->calls, &a, &b, out, err);
	if (n->op != C_INDEX)
		return eval_two(x, n->op, &a, &b, out, err);
	if (b.where == C_TEXT || !ctype_is_integer(&b.type))
		return err_set(err, "an index is a whole number");
	return c_bits(x->calls, &b, &i, err) && c_element(x->calls, &a, (int64_t)i, out, err);
}

/* The size of an operand, which calls nothing. */
static bool eval_sizeof(struct eval *x, const struct c_node *n, struct c_value *out)
{
	const bool before = x->no_calls;
	x->no_calls = true;
	const bool ok = eval_operand(x, n->arg[0], out);
	x->no_calls = before;
	*out = c_integer(out->type.size, 8, false);
	return ok;
}

/* Value of a variable. A variable of another function has its value in that function's innermost
 * call, or is static. */
static bool eval_variable(struct eval *x, const struct c_node *n, struct c_value *out,
                          struct err *err)
{
	const struct scope_name *name = &n->name;
	if (!name->function.addr) {
		c_variable(x->calls, NULL, name, out);
		return true;
	}
	if (!n->qualified) {
		c_variable(x->calls, &x->frame, name, out);
		return true;
	}
	c_calls_unwind(x->calls, 0);
	for (size_t level = 0; level < x->calls->count; c_calls_unwind(x->calls, ++level)) {
		const struct place_frame f = c_calls_frame(x->calls, level);
		if (f.function.addr != name->function.addr)
			continue;
		c_variable(x->calls, &f, name, out);
		return true;
	}
	c_variable(x->calls, NULL, name, out);
	Dwarf_Die function = name->function;
	return out->where != C_OUT ||
	       err_set(err, "%s isn't called here: its variables have no values",
	               dwarf_diename(&function) ? dwarf_diename(&function) : "the function");
}

/* A value of the history: number addr, or (bit_size not 0) addr places before the newest. */
static bool eval_history_value(struct eval *x, const struct c_node *n, struct c_value *out,
                               struct err *err)
{
	const struct c_kept *kept = x->e->words.kept;
	const size_t count = c_kept_count(kept), at = n->value.addr;
	if (!n->value.bit_size)
		return c_kept_value(kept, at, out, err);
	/* Places before the first value fail, as number 0 does. */
	return c_kept_value(kept, at < count ? count - at : 0, out, &(struct err){{0}}) ||
	       err_set(err, "there are only %zu values: $1 to $%zu", count, count);
}

/* Evaluates a symbol that is not a variable of C as its address. */
static bool is_symbol(struct eval *x, uint16_t i, struct c_value *out)
{
	const struct c_node *n = &x->e->nodes[i];
	uint64_t addr, size;
	if (n->op != C_WORD || !x->e->words.symbol(x->e->words.ctx, n->word, &addr, &size))
		return false;
	*out = c_integer(addr, 8, true);
	return true;
}

static bool eval_node(struct eval *x, const struct c_node *n, struct c_value *out, struct err *err)
{
	const struct c_words *w = &x->e->words;
	switch (n->op) {
	case C_NUMBER:
	case C_STRING:
		*out = n->value;
		return true;
	case C_VARIABLE:
		return eval_variable(x, n, out, err);
	case C_HISTORY:
		return eval_history_value(x, n, out, err);
	case C_CONVENIENCE:
		c_kept_variable(w->kept, n->word, out);
		return true;
	case C_ASSIGN:
	case C_AFTER:
		return eval_assign(x, n, out, err);
	case C_COMMA:
		return eval_at(x, n->arg[0], out) && eval_at(x, n->arg[1], out);
	case C_ADDRESS:
		if (is_symbol(x, n->arg[0], out))
			return true;
		return with_operands(x, n, out, err);
	case C_WORD:
		return w->eval(w->ctx, n->compiled, out, err);
	case C_CALL:
		return eval_inspector_call(x, n, out, err);
	case C_INVOKE:
		return eval_invoke(x, n, NULL, out, err);
	case C_CAST:
		if (x->e->nodes[n->arg[0]].op != C_INVOKE)
			return with_operands(x, n, out, err);
		return eval_invoke(x, &x->e->nodes[n->arg[0]], &n->type, out, err) &&
		       c_cast(x->calls, out, n->type, out, err);
	case C_SIZEOF:
		return eval_sizeof(x, n, out);
	case C_LIST:
		return eval_list(x, n, out, err);
	case C_BOTH:
	case C_EITHER:
	case C_CHOOSE:
		return eval_logical_operator(x, n, out, err);
	default:
		return with_operands(x, n, out, err);
	}
}

/* Evaluates node i. The innermost node that fails sets x->why. */
bool eval_at(struct eval *x, uint16_t i, struct c_value *out)
{
	const struct c_node *n = &x->e->nodes[i];
	struct err err = {{0}};
	if (eval_node(x, n, out, &err)) {
		/* In C++ comparisons are bool. */
		if (x->e->cplus && out->truth && n->op != C_WORD && n->op != C_CALL)
			out->type = ctype_made(CTYPE_BOOL, 1, false);
		return true;
	}
	if (err.msg[0] && !x->why.msg[0]) {
		const bool whole = !n->args || n->op == C_DIV || n->op == C_MOD;
		const struct c_node *about = whole ? n : &x->e->nodes[n->arg[0]];
		err_set(&x->why, "%.*s: %.300s", (int)about->length, x->e->text + about->at,
		        err.msg);
	}
	return false;
}

bool eval_operand(struct eval *x, uint16_t i, struct c_value *out)
{
	struct err err;
	if (!eval_at(x, i, out))
		return false;
	if (c_referent(x->calls, out, out, &err))
		return true;
	if (!x->why.msg[0])
		err_set(&x->why, "%.*s: %.300s", (int)x->e->nodes[i].length,
		        x->e->text + x->e->nodes[i].at, err.msg);
	return false;
}

bool c_eval(struct c_expr *e, struct c_calls *calls, struct c_value *out, struct err *err)
{
	struct eval x = {.e = e, .calls = calls};
	size_t level;
	if (e->needs_frame && !eval_find_call(&x, &level, err))
		return false;
	if (eval_at(&x, e->root, out))
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
	return eval_find_call(&x, level, &err);
}

bool c_lasts(struct c_expr *e, struct c_calls *calls)
{
	size_t level;
	return !e->needs_frame || c_level(e, calls, &level);
}
