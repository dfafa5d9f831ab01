/* Calls of the program's functions: f(3), node->compare(a, b), (int)puts("x"). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "scripting/c/calling.h"
#include "scripting/c/eval.h"

enum { INVOKE_ARGUMENTS_MAX = 32 };

/* The function that a call names. */
struct invoke_function {
	uint64_t addr;
	struct ctype type;   /* CTYPE_FUNCTION; CTYPE_UNKNOWN: not known */
	bool is_pointed;     /* by a pointer to it: it has no other of its name */
	bool is_dynamic;     /* a method that the object's table of virtual functions gives */
	bool has_object;     /* a method: its first argument is */
	struct c_value object;
};

/* The address of an object whose method is called, as a pointer. */
static bool invoke_object(struct eval *x, const struct c_node *member, struct c_value *out,
                          struct err *err)
{
	struct c_value object;
	if (!eval_operand(x, member->arg[0], &object))
		return false;
	if (object.where != C_TEXT && object.type.kind == CTYPE_POINTER) {
		*out = object;
		return true;
	}
	return c_address(&object, out, err);
}

static bool invoke_find_function(struct eval *x, const struct c_node *n,
                                 struct invoke_function *out, struct err *err)
{
	const struct c_node *callee = &x->e->nodes[n->arg[0]];
	const struct c_words *w = &x->e->words;
	struct c_value v;
	uint64_t size;
	char type[128];
	*out = (struct invoke_function){.type = {.kind = CTYPE_UNKNOWN}};
	if (callee->op == C_WORD && w->symbol(w->ctx, callee->word, &out->addr, &size))
		return true;
	if (!eval_operand(x, n->arg[0], &v))
		return false;
	if (v.where != C_TEXT && v.type.kind == CTYPE_FUNCTION && v.where == C_MEMORY) {
		out->addr = v.addr;
		out->type = v.type;
		out->has_object = callee->op == C_MEMBER || callee->op == C_ARROW;
		/* x.geo::A::f() is that of geo::A. */
		out->is_dynamic = out->has_object && !strchr(callee->word, ':');
		return !out->has_object || invoke_object(x, callee, &out->object, err);
	}
	const struct ctype target = v.where != C_TEXT && v.type.kind == CTYPE_POINTER
	                                    ? ctype_target(&v.type)
	                                    : (struct ctype){.kind = CTYPE_UNKNOWN};
	if (target.kind != CTYPE_FUNCTION)
		return err_set(err, "it is %s, and no function",
		               v.where == C_TEXT ? "a text"
		                                 : ctype_text(&v.type, NULL, type, sizeof type));
	out->type = target;
	out->is_pointed = true;
	return c_bits(x->calls, &v, &out->addr, err);
}

/* Replaces a virtual function by that of the object's own class. */
static bool invoke_dispatch(struct eval *x, struct invoke_function *f, struct err *err)
{
	const int entry = f->is_dynamic ? ctype_virtual_entry(&f->type, x->e->program) : -1;
	const unsigned word = program_is_32bit(x->e->program) ? 4 : 8;
	struct ctype object;
	struct c_value base;
	uint64_t at, table = 0;
	bool more;
	if (entry >= 0) {
		if (!ctype_parameters(&f->type, &object, 1, &more) ||
		    !c_cast(x->calls, &f->object, object, &base, err) ||
		    !c_bits(x->calls, &base, &at, err))
			return err->msg[0] ? false
			                   : err_set(err, "its object's class is not known");
		f->addr = 0;
		if (!frame_read(&x->calls->mem, at, &table, word) ||
		    !frame_read(&x->calls->mem, table + (uint64_t)entry * word, &f->addr,
		                word))
			return err_set(err,
			               "the object's table of virtual functions can't be read");
	}
	return f->addr || err_set(err, "this function has no code");
}

/* The address of the value's bytes, which are copied to the call's stack unless in memory. */
static bool invoke_address(struct eval *x, struct c_invocation *call, const struct c_value *v,
                           uint64_t *addr, struct err *err)
{
	uint8_t bytes[C_STACK_MAX];
	if (v->where == C_MEMORY && !v->bit_size) {
		*addr = v->addr;
		return true;
	}
	if (v->where == C_TEXT)
		return calling_copy(call, v->text, v->type.size ? v->type.size : sizeof v->text,
		                    addr, err);
	if (v->type.size > sizeof bytes || !c_read(x->calls, v, 0, bytes, v->type.size))
		return err_set(err, "it is not readable here");
	return calling_copy(call, bytes, v->type.size, addr, err);
}

static struct c_value invoke_pointer(uint64_t addr, struct ctype type)
{
	struct c_value v = c_integer(addr, 8, false);
	v.type = type;
	return v;
}

/* Converts an argument to its parameter's type. */
static bool invoke_convert(struct eval *x, struct c_invocation *call, const struct c_value *v,
                           const struct ctype *to, struct c_value *out, struct err *err)
{
	const bool array = v->where == C_TEXT ? v->type.kind == CTYPE_ARRAY || !v->nil
	                                      : v->type.kind == CTYPE_ARRAY;
	uint64_t addr;
	if (to->kind == CTYPE_POINTER && to->is_reference) {
		const struct ctype target = ctype_target(to);
		struct c_value made = *v;
		if (v->where != C_MEMORY && !c_cast(x->calls, v, target, &made, err))
			return false;
		if (!invoke_address(x, call, &made, &addr, err))
			return false;
		if (made.type.kind == CTYPE_STRUCT && target.kind == CTYPE_STRUCT) {
			const struct ctype from = ctype_pointer_to(made.type),
			                   base = ctype_pointer_to(target);
			addr = c_base_pointer(x->calls, &from, &base, addr);
		}
		*out = invoke_pointer(addr, *to);
		out->type.is_reference = false;
		return true;
	}
	if (array && to->kind == CTYPE_POINTER) {
		if (!invoke_address(x, call, v, &addr, err))
			return false;
		*out = invoke_pointer(addr, *to);
		return true;
	}
	if (v->where == C_TEXT)
		return err_set(err, "a text is no argument for a parameter that is no pointer");
	return c_cast(x->calls, v, *to, out, err);
}

/* The type in which an argument without a parameter is passed. */
static struct ctype invoke_promoted(const struct c_value *v, bool is_32bit)
{
	struct ctype t = v->type;
	if (v->where == C_TEXT)
		t = ctype_pointer_to(ctype_made(CTYPE_CHAR, 1, false));
	else if (t.kind == CTYPE_ARRAY)
		t = ctype_pointer_to(ctype_target(&t));
	else if (t.kind == CTYPE_FUNCTION)
		t = ctype_pointer_to(t);
	else if (t.kind == CTYPE_FLOAT && t.size < 8)
		return ctype_made(CTYPE_FLOAT, 8, true);
	else if (ctype_is_integer(&t) && t.size < 4)
		return ctype_made(CTYPE_INT, 4, true);
	t.is_32bit |= is_32bit;
	return t;
}

struct invoke_plan {
	struct c_invocation call;
	struct ctype parameter[INVOKE_ARGUMENTS_MAX];
	unsigned parameters;
	bool more;       /* further arguments are allowed */
	uint16_t argument[INVOKE_ARGUMENTS_MAX]; /* [arguments]: nodes */
	unsigned arguments;
	struct c_value value[INVOKE_ARGUMENTS_MAX]; /* [arguments] */
};

/* Lists the nodes of a call's arguments. */
static bool invoke_list_arguments(struct eval *x, const struct c_node *n, struct invoke_plan *plan,
                                  struct err *err)
{
	if (n->args < 2)
		return true;
	unsigned count = 1;
	for (uint16_t i = n->arg[1]; x->e->nodes[i].args == 2; i = x->e->nodes[i].arg[0])
		count++;
	if (count > INVOKE_ARGUMENTS_MAX)
		return err_set(err, "a call has at most %d arguments", INVOKE_ARGUMENTS_MAX);
	plan->arguments = count;
	for (uint16_t i = n->arg[1]; count; i = x->e->nodes[i].arg[0])
		plan->argument[--count] = x->e->nodes[i].arg[x->e->nodes[i].args - 1u];
	return true;
}

static bool invoke_add_argument(struct eval *x, struct invoke_plan *plan, unsigned i,
                                bool is_32bit, struct err *err)
{
	struct c_value v;
	const bool named = i < plan->parameters;
	const struct ctype type = named ? plan->parameter[i]
	                                : invoke_promoted(&plan->value[i], is_32bit);
	return invoke_convert(x, &plan->call, &plan->value[i], &type, &v, err) &&
	       calling_add(&plan->call, x->calls, &v, !named && plan->parameters, err);
}

/* Evaluates the arguments. */
static bool invoke_evaluate(struct eval *x, const struct c_node *n, const struct invoke_function *f,
                            struct invoke_plan *plan, struct err *err)
{
	const unsigned first = f->has_object;
	if (!invoke_list_arguments(x, n, plan, err))
		return false;
	if (plan->arguments + first > INVOKE_ARGUMENTS_MAX)
		return err_set(err, "a call has at most %d arguments", INVOKE_ARGUMENTS_MAX);
	if (first)
		plan->value[0] = f->object;
	for (unsigned i = 0; i < plan->arguments; i++)
		if (!eval_operand(x, plan->argument[i], &plan->value[i + first]))
			return false;
	return true;
}

/* Makes the call, whose arguments have been evaluated: one may itself be a call. */
static bool invoke_prepare(struct eval *x, const struct c_node *n, const struct invoke_function *f,
                           const struct ctype *result, struct invoke_plan *plan, struct err *err)
{
	const unsigned first = f->has_object;
	const struct c_node *callee = &x->e->nodes[n->arg[0]];
	const bool is_32bit = program_is_32bit(x->e->program);
	plan->parameters = ctype_parameters(&f->type, plan->parameter, INVOKE_ARGUMENTS_MAX,
	                                    &plan->more);
	plan->more |= f->type.kind == CTYPE_UNKNOWN;
	if (plan->parameters > INVOKE_ARGUMENTS_MAX)
		return err_set(err, "a call has at most %d arguments", INVOKE_ARGUMENTS_MAX);
	if (plan->arguments + first < plan->parameters)
		return err_set(err, "Too few arguments in function call.");
	if (plan->arguments + first > plan->parameters && !plan->more)
		return err_set(err, "Too many arguments in function call.");
	calling_begin(&plan->call, f->addr, machine_seen_reg(x->calls->machine, REG_SP), result);
	snprintf(plan->call.name, sizeof plan->call.name, "%.*s", (int)callee->length,
	         x->e->text + callee->at);
	for (unsigned i = 0; i < plan->arguments + first; i++)
		if (!invoke_add_argument(x, plan, i, is_32bit, err))
			return false;
	return calling_end(&plan->call, err);
}

/* A value of the result's type, for expressions of which only the type counts. */
static struct c_value invoke_only_type(const struct ctype *result)
{
	struct c_value v = {.type = *result, .where = C_BYTES, .reg = -1};
	if (result->size > sizeof v.bytes)
		v.where = C_MEMORY;
	v.known = place_bytes(0, v.where == C_BYTES ? result->size : 0);
	return v;
}

/* Calls the function, or gives only its result's type. */
static bool invoke_run(struct eval *x, const struct c_node *n, const struct ctype *as,
                       struct invoke_function *f, struct invoke_plan *plan, struct c_value *out,
                       struct err *err)
{
	const struct c_words *w = &x->e->words;
	const struct c_node *callee = &x->e->nodes[n->arg[0]];
	const bool only_type = x->e->only_types || x->no_calls,
	           chooses = !f->is_pointed && eval_has_overloads(x, f->addr);
	if ((!only_type || chooses) && !invoke_evaluate(x, n, f, plan, err))
		return false;
	if (chooses && !eval_overload(x, plan->value, plan->arguments + f->has_object,
	                              f->has_object, &f->addr, &f->type, err))
		return false;
	const bool known = f->type.kind == CTYPE_FUNCTION;
	if (!known && !as)
		return err_set(err,
		               "'%.*s' has unknown return type; cast the call to its declared "
		               "return type",
		               (int)callee->length, x->e->text + callee->at);
	struct ctype result = known ? ctype_target(&f->type) : *as;
	result.is_32bit |= program_is_32bit(x->e->program);
	if (only_type) {
		*out = invoke_only_type(&result);
		return true;
	}
	const bool ok = invoke_dispatch(x, f, err) &&
	                invoke_prepare(x, n, f, &result, plan, err) &&
	                w->call(w->ctx, &plan->call, err) &&
	                calling_result(&plan->call, &result, out, err);
	x->calls->count = 0;
	walk_begin(x->e->program);
	return ok;
}

bool eval_invoke(struct eval *x, const struct c_node *n, const struct ctype *as,
                 struct c_value *out, struct err *err)
{
	struct invoke_function f;
	size_t level;
	const bool only_type = x->e->only_types || x->no_calls;
	if (!invoke_find_function(x, n, &f, err))
		return false;
	if (!only_type && !x->e->words.call)
		return err_set(err, "functions of the program are not called here, but by "
		                    "`print`, `call` and `set`");
	struct invoke_plan *plan = alloc_zeroed(1, sizeof *plan);
	if (!plan)
		return err_set(err, "out of memory for a call");
	const bool ok = invoke_run(x, n, as, &f, plan, out, err);
	free(plan);
	return ok && (only_type || !x->e->needs_frame || eval_find_call(x, &level, err));
}
