/* Variables for an editor to unfold: a variable is a C expression; its parts are expressions that
 * contain it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/regs.h"
#include "core/machine/change.h"
#include "core/os/journal.h"
#include "scripting/expr/expr.h"
#include "ui/console/value_text.h"
#include "ui/dap/dap.h"
#include "ui/remote/inferior.h"

enum { HANDLES_MAX = 1 << 17, LISTED_MAX = 4096, TEXT_MAX = 1 << 14, EXPRESSION_MAX = 1 << 12 };

/* ---- references ---- */
int64_t dap_handle(struct dap *d, enum handle_kind kind, int frame, const char *text)
{
	if (d->handles == HANDLES_MAX)
		return 0;
	if (!(d->handles & (d->handles - 1))) {
		struct handle *more = alloc_resize_array(d->handle, d->handles ? 2 * d->handles : 1,
		                                         sizeof *more);
		if (!more)
			return 0;
		d->handle = more;
	}
	char *copy = text ? alloc_text(text) : NULL;
	if (text && !copy)
		return 0;
	d->handle[d->handles++] = (struct handle){kind, frame, copy};
	return d->forgotten + (int64_t)d->handles;
}

const struct handle *dap_handle_of(const struct dap *d, int64_t reference)
{
	const int64_t i = reference > d->forgotten ? reference - d->forgotten : 0;
	return i > 0 && (uint64_t)i <= d->handles ? &d->handle[i - 1] : NULL;
}

void dap_forget_handles(struct dap *d)
{
	enum { REFERENCE_MAX = INT32_MAX }; /* of the protocol */
	d->forgotten += (int64_t)d->handles;
	if (d->forgotten > REFERENCE_MAX - HANDLES_MAX)
		d->forgotten = 0;
	while (d->handles)
		free(d->handle[--d->handles].text);
	free(d->handle);
	d->handle = NULL;
}

/* ---- values ---- */
bool dap_change(void *ctx, const struct change *c, struct err *err)
{
	struct dap *d = ctx;
	struct change made = *c;
	if (!change_of_thread(machine_parked(d->m.s->machine), &made, err))
		return false;
	machine_look_from(d->m.s->machine, NULL);
	return mover_change(&d->m, &made, err);
}

static bool dap_call(void *ctx, struct c_invocation *call, struct err *err)
{
	const struct dap *d = ctx;
	return inferior_call(d->console, call, err);
}

bool dap_value(struct dap *d, int frame, const char *text, bool assigns, bool hex, json_t *out,
               struct err *err)
{
	struct exprs *x = d->console->exprs;
	char *buf = alloc_bytes(TEXT_MAX);
	struct expr_value v;
	exprs_let_assign(x, dap_change, dap_call, d);
	struct expr *e = !buf ? err_set(err, "out of memory"), NULL
		: assigns     ? expr_compile_assigning(x, text, err)
			      : expr_compile(x, text, err);
	if (!e) {
		free(buf);
		return false;
	}
	const bool is_c = expr_is_c(e);
	const bool ok = is_c ? expr_knows_names(e, err) && expr_compute(e, err)
	                     : expr_eval(e, NULL, &v, err) && expr_take(x, &v);
	if (ok) {
		if (is_c && !(expr_is_of_words(e) && expr_computed(x, &v, &(struct err){{0}})))
			expr_computed_text(x, hex ? 'x' : 0, NULL, buf, TEXT_MAX);
		else
			value_text(d->console, &v, hex ? 'x' : 0, buf, TEXT_MAX);
		json_object_set_new(out, "value", dap_text(buf, strlen(buf)));
		const struct expr_shape shape =
			is_c ? expr_computed_shape(x) : (struct expr_shape){0};
		if (is_c) {
			expr_computed_type(x, EXPR_TYPE_NAME, buf, TEXT_MAX);
			json_object_set_new(out, "type", dap_text(buf, strlen(buf)));
		}
		/* A value that was assigned or returned is not computed again for its parts. */
		char kept[32];
		if (assigns && expr_assigns(e)) {
			snprintf(kept, sizeof kept, "$%zu", expr_keep(x));
			text = kept;
		}
		const bool parts = shape.kind != EXPR_WHOLE && strlen(text) < EXPRESSION_MAX;
		json_object_set_new(
			out, "variablesReference",
			json_integer(parts ? dap_handle(d, HANDLE_PARTS, frame, text) : 0));
		if (parts && shape.kind == EXPR_ELEMENTS)
			json_object_set_new(
				out, "indexedVariables",
				json_integer((json_int_t)(shape.count > INT32_MAX ? INT32_MAX
			                                                          : shape.count)));
		if (shape.in_memory)
			json_object_set_new(out, "memoryReference", dap_address(shape.addr));
	}
	expr_free(e);
	free(buf);
	return ok;
}

/* Appends a variable of this name with an expression's value, or the reason that it can't be read.
 */
static void dap_append_variable(struct dap *d, json_t *list, int frame, const char *name,
                                const char *expression, bool hex)
{
	struct err err;
	json_t *one = json_pack("{s:o, s:o}", "name", dap_text(name, strlen(name)), "evaluateName",
	                        dap_text(expression, strlen(expression)));
	if (!dap_value(d, frame, expression, false, hex, one, &err)) {
		json_object_set_new(one, "value", json_sprintf("<%s>", err.msg));
		json_object_set_new(one, "variablesReference", json_integer(0));
	}
	json_array_append_new(list, one);
}

struct listing {
	struct dap *d;
	json_t *list, *names;
	int frame;
	bool hex;
};

static bool note_name(void *ctx, const struct expr_variable *v)
{
	struct listing *l = ctx;
	if (v->outer)
		return false;
	/* A hidden variable has a value, but no expression. */
	json_array_append_new(l->names,
	                      json_pack("{s:o, s:o, s:b}", "name",
	                                dap_text(v->name, strlen(v->name)), "value",
	                                dap_text(v->text, strlen(v->text)), "hidden", v->hidden));
	return json_array_size(l->names) < LISTED_MAX;
}

static bool note_member(void *ctx, const char *name)
{
	struct listing *l = ctx;
	json_array_append_new(l->names, dap_text(name, strlen(name)));
	return json_array_size(l->names) < LISTED_MAX;
}

static void list_variables(struct listing *l, bool parameters)
{
	json_t *one;
	size_t i;
	expr_each_variable(l->d->console->exprs, parameters, note_name, l);
	json_array_foreach(l->names, i, one)
	{
		const char *name = json_string_value(json_object_get(one, "name"));
		if (!json_is_true(json_object_get(one, "hidden"))) {
			dap_append_variable(l->d, l->list, l->frame, name, name, l->hex);
			continue;
		}
		json_array_append_new(l->list, json_pack("{s:o, s:O, s:i}", "name",
		                                         json_sprintf("%s (hidden)", name), "value",
		                                         json_object_get(one, "value"),
		                                         "variablesReference", 0));
	}
}

/* Appends the elements [from, from + count) of an array. */
static void list_elements(struct listing *l, const char *text, uint64_t all, int64_t from,
                          int64_t count)
{
	char name[32], *expression;
	for (uint64_t i = from > 0 ? (uint64_t)from : 0, n = 0;
	     i < all && n < LISTED_MAX && (count <= 0 || n < (uint64_t)count); i++, n++) {
		snprintf(name, sizeof name, "[%" PRIu64 "]", i);
		if (!(expression = alloc_format("(%s)%s", text, name)))
			return;
		dap_append_variable(l->d, l->list, l->frame, name, expression, l->hex);
		free(expression);
	}
}

static bool list_parts(struct listing *l, const char *text, int64_t from, int64_t count,
                       struct err *err)
{
	struct exprs *x = l->d->console->exprs;
	struct expr *e = expr_compile(x, text, err);
	const bool ok = e && expr_compute(e, err);
	const struct expr_shape shape = ok ? expr_computed_shape(x) : (struct expr_shape){0};
	char *expression;
	json_t *name;
	size_t i;
	if (shape.kind == EXPR_MEMBERS)
		expr_each_member(x, note_member, l);
	expr_free(e);
	if (shape.kind == EXPR_ELEMENTS)
		list_elements(l, text, shape.count, from, count);
	if (shape.kind == EXPR_POINTS && (expression = alloc_format("*(%s)", text))) {
		dap_append_variable(l->d, l->list, l->frame, expression, expression, l->hex);
		free(expression);
	}
	json_array_foreach(l->names, i, name)
	{
		if (!(expression = alloc_format("(%s).%s", text, json_string_value(name))))
			break;
		dap_append_variable(l->d, l->list, l->frame, json_string_value(name), expression,
		                    l->hex);
		free(expression);
	}
	return ok;
}

static void list_registers(struct listing *l, unsigned from, unsigned to)
{
	char name[32];
	if (!from)
		dap_append_variable(l->d, l->list, l->frame, "pc", "$pc", l->hex);
	for (unsigned r = from ? from : 1; r < to; r++) {
		snprintf(name, sizeof name, "$%s", reg_name(r));
		dap_append_variable(l->d, l->list, l->frame, name + 1, name, l->hex);
	}
	if (from)
		dap_append_variable(l->d, l->list, l->frame, "fcsr", "$fcsr", l->hex);
}

/* Keeps the "indexed" variables, elements of an array, or the "named" ones; NULL: all. */
static void dap_keep_filtered(json_t *list, const char *filter)
{
	const bool named = filter && !strcmp(filter, "named");
	if (!named && !(filter && !strcmp(filter, "indexed")))
		return;
	for (size_t i = json_array_size(list); i-- > 0;) {
		const json_t *name = json_object_get(json_array_get(list, i), "name");
		if ((*json_string_value(name) == '[') == named)
			json_array_remove(list, i);
	}
}

static void dap_on_variables(struct dap *d, const json_t *request, const json_t *args)
{
	int64_t reference = 0, from = 0, count = 0;
	struct err err;
	asked_number(args, "variablesReference", &reference);
	asked_number(args, "start", &from);
	asked_number(args, "count", &count);
	const struct handle *of = dap_handle_of(d, reference);
	if (!of) {
		dap_refuse(d, request, reference > 0 && reference <= d->forgotten
		                               ? "variables: reference %lld is of an earlier stop; "
		                                 "expected one of the present scopes"
		                               : "variables: there is no such reference: %lld",
		           (long long)reference);
		return;
	}
	const struct handle h = *of; /* a copy: d->handle may be reallocated */
	if (!dap_look_at(d, h.frame, &err)) {
		dap_refuse(d, request, "%s", err.msg);
		return;
	}
	struct listing l = {.d = d,
	                    .list = json_array(),
	                    .names = json_array(),
	                    .frame = h.frame,
	                    .hex = asked_flag(json_object_get(args, "format"), "hex")};
	bool ok = true;
	switch (h.kind) {
	case HANDLE_ARGUMENTS:
	case HANDLE_LOCALS:
		list_variables(&l, h.kind == HANDLE_ARGUMENTS);
		break;
	case HANDLE_REGISTERS:
		list_registers(&l, 0, REG_F0);
		break;
	case HANDLE_FLOATS:
		list_registers(&l, REG_F0, REG_SINK);
		break;
	case HANDLE_PIPELINE:
		dap_pipeline(d, l.list);
		break;
	case HANDLE_PARTS:
		ok = list_parts(&l, h.text, from, count, &err);
		break;
	}
	dap_look_away(d);
	dap_keep_filtered(l.list, asked_text(args, "filter"));
	if (ok)
		dap_answer(d, request, json_pack("{s:O}", "variables", l.list));
	else
		dap_refuse(d, request, "%s", err.msg);
	json_decref(l.list);
	json_decref(l.names);
}

/* ---- changing ---- */
/* Evaluates "(EXPRESSION) = VALUE" in the frame. */
static void dap_assign_variable(struct dap *d, const json_t *request, int frame,
                                const char *expression, const char *value)
{
	struct err err;
	char *text;
	json_t *out = json_object();
	text = alloc_format("%s = (%s)", expression, value);
	bool ok = text ? dap_look_at(d, frame, &err) : err_set(&err, "out of memory");
	if (ok) {
		ok = dap_value(d, frame, text, true, false, out, &err);
		dap_look_away(d);
	}
	/* Evaluate the variable again: the reference must be to it, not to the value assigned. */
	if (ok && dap_look_at(d, frame, &err)) {
		json_object_clear(out);
		ok = dap_value(d, frame, expression, false, false, out, &err);
		dap_look_away(d);
	}
	free(text);
	if (ok)
		dap_answer(d, request, json_incref(out));
	else
		dap_refuse(d, request, "%s", err.msg);
	json_decref(out);
}

static void set_variable(struct dap *d, const json_t *request, const json_t *args)
{
	int64_t reference = 0;
	const char *name = asked_text(args, "name"), *value = asked_text(args, "value");
	char *expression = NULL;
	asked_number(args, "variablesReference", &reference);
	const struct handle *h = dap_handle_of(d, reference);
	if (!h || !name || !value) {
		dap_refuse(d, request, "setVariable: expected variablesReference, name and value");
		return;
	}
	const int frame = h->frame;
	switch (h->kind) {
	case HANDLE_PIPELINE:
		dap_refuse(d, request, "the pipeline's contents can't be changed");
		return;
	case HANDLE_REGISTERS:
	case HANDLE_FLOATS:
		expression = alloc_format("$%s", name);
		break;
	case HANDLE_PARTS:
		expression = *name == '['   ? alloc_format("(%s)%s", h->text, name)
		             : *name == '*' ? alloc_text(name)
		                            : alloc_format("(%s).%s", h->text, name);
		break;
	default:
		expression = alloc_text(name);
		break;
	}
	if (!expression)
		dap_refuse(d, request, "out of memory");
	else
		dap_assign_variable(d, request, frame, expression, value);
	free(expression);
}

static void set_expression(struct dap *d, const json_t *request, const json_t *args)
{
	int64_t frame = 0;
	const char *expression = asked_text(args, "expression"), *value = asked_text(args, "value");
	asked_number(args, "frameId", &frame);
	if (!expression || !value || frame < 0 || frame > INT32_MAX)
		dap_refuse(d, request, "setExpression: expected expression and value");
	else
		dap_assign_variable(d, request, (int)frame, expression, value);
}

const struct request variables_requests[] = {
	{"variables", dap_on_variables, ANY_TIME, false},
	{"setVariable", set_variable, STANDS, false},
	{"setExpression", set_expression, STANDS, false},
	{0},
};
