/* The computed value of an expression: value, type and place, and the value history ($1, $2,
 * ...). */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/csr.h"
#include "loader/dwarf/scope.h"
#include "scripting/c/calling.h"
#include "scripting/c/vtable.h"
#include "scripting/expr/expr_priv.h"

bool expr_compute(struct expr *e, struct err *err)
{
	struct exprs *x = e->x;
	struct expr_value v;
	struct err why;
	if (e->c)
		return expr_c_value_of(e, NULL, NULL, &x->last, err) &&
		       c_is_readable(&x->calls, &x->last, err);
	if (!expr_eval(e, NULL, &v, &why))
		return err_set(err, "%s", why.msg);
	return expr_take(x, &v);
}

bool expr_take(struct exprs *x, const struct expr_value *v)
{
	if (x->w->s && x->w->s->machine)
		c_calls_init(&x->calls, x->w->s->program, x->w->s->machine);
	expr_to_c(x, v, &x->last);
	return true;
}

bool expr_computed(const struct exprs *x, struct expr_value *out, struct err *err)
{
	return expr_plain_value(x, &x->last, out, err);
}

char *expr_computed_text(const struct exprs *x, char letter, const struct c_limits *limits,
                         char *buf, size_t n)
{
	const struct c_show show = {letter, limits ? *limits : x->limits};
	return c_value_text(&x->calls, &x->last, &show, true, buf, n);
}

uint64_t expr_text_at(struct exprs *x, uint64_t addr, unsigned width, char *buf, size_t n)
{
	c_calls_init(&x->calls, x->w->s->program, x->w->s->machine);
	return c_text_at(&x->calls, addr, width, &x->limits, buf, n);
}

/* Writes the type of a pointer to a struct that is defined in another unit; false for any other
 * type. */
static bool expr_computed_opaque(const struct exprs *x, char *buf, size_t n)
{
	struct ctype t = x->last.type;
	if (t.kind != CTYPE_POINTER || t.is_reference)
		return false;
	t = ctype_target(&t);
	const void *declared = t.die.addr;
	scope_complete_type(x->w->s->program, &t);
	if (t.die.addr == declared)
		return false;
	const size_t used = strlen(ctype_long_text(&t, buf, n));
	snprintf(buf + used, n - used, " *");
	return true;
}

char *expr_computed_type(const struct exprs *x, enum expr_type_text how, char *buf, size_t n)
{
	const struct ctype *t = &x->last.type;
	if (how == EXPR_TYPE_WHOLE && expr_computed_opaque(x, buf, n))
		return buf;
	return how == EXPR_TYPE_LAYOUT  ? ctype_layout_text(t, buf, n)
	       : how == EXPR_TYPE_WHOLE ? ctype_long_text(t, buf, n)
	                                : ctype_text(t, NULL, buf, n);
}

bool expr_computed_address(const struct exprs *x, uint64_t *addr, bool *is_code, struct err *err)
{
	*is_code = x->last.type.kind == CTYPE_FUNCTION;
	return c_bits(&x->calls, &x->last, addr, err);
}

struct vtables {
	expr_vtable_fn *fn;
	void *ctx;
};

static void one_table(void *ctx, const struct c_value *of, uint64_t table, unsigned entries)
{
	const struct vtables *t = ctx;
	char class[256];
	t->fn(t->ctx, ctype_text(&of->type, NULL, class, sizeof class), table, of->addr, entries);
}

bool expr_each_vtable(struct exprs *x, expr_vtable_fn *fn, void *ctx, struct err *err)
{
	struct vtables t = {fn, ctx};
	struct c_value of = x->last;
	if (of.where != C_TEXT && of.type.kind == CTYPE_POINTER &&
	    !c_pointed(&x->calls, &x->last, &of, err))
		return false;
	return c_each_vtable(&x->calls, &of, one_table, &t) ||
	       err_set(err, "This object does not have a virtual function table");
}

bool expr_returned(struct exprs *x, uint64_t function, const uint64_t a[2], const uint64_t fa[2],
                   bool *in_a0)
{
	const struct program *p = x->w->s->program;
	struct scope_chain chain;
	Dwarf_Die die;
	*in_a0 = true;
	c_calls_init(&x->calls, p, x->w->s->machine);
	if (!scope_chain(scope_image(p, function), function, &chain) ||
	    !scope_function(&chain, &die))
		return false;
	const struct ctype t = ctype_of(&die);
	return calling_returned(&t, a, fa, &x->last, in_a0);
}

bool expr_given_back(struct exprs *x, uint64_t addr, const char *text, struct c_invocation *out,
                     struct err *err)
{
	const struct program *p = x->w->s->program;
	struct scope_chain chain;
	Dwarf_Die die;
	char type[256];
	const bool known = scope_chain(scope_image(p, addr), addr, &chain) &&
	                   scope_function(&chain, &die);
	const struct ctype t = known ? ctype_of(&die) : (struct ctype){.kind = CTYPE_INT};
	if (known && t.kind == CTYPE_VOID)
		return err_set(err, "this function returns no value; expected `return` alone");
	const bool cast = known && ctype_is_scalar(&t);
	char *all = alloc_format(cast ? "(%s)(%s)" : "%s%s",
	                         cast ? ctype_text(&t, NULL, type, sizeof type) : "", text);
	struct expr *e = all ? expr_compile(x, all, err) : NULL;
	const bool ok = e && expr_compute(e, err);
	if (!all)
		err_set(err, "out of memory");
	expr_free(e);
	free(all);
	if (!ok)
		return false;
	if (known && x->last.type.size != t.size)
		return err_set(err, "it has %llu bytes, %s, which the function returns, %llu",
		               (unsigned long long)x->last.type.size,
		               ctype_text(&t, NULL, type, sizeof type), (unsigned long long)t.size);
	return calling_give_back(out, &x->calls, &x->last, err);
}

size_t expr_keep(struct exprs *x)
{
	return c_keep(x->kept, &x->calls, &x->last);
}

void expr_keep_variable(struct exprs *x, const char *name, int64_t v)
{
	const struct c_value value = c_integer((uint64_t)v, 8, true);
	struct err err; /* on failure the old value stays */
	c_keep_variable(x->kept, &x->calls, name, &value, &err);
}

bool expr_kept(struct exprs *x, size_t number)
{
	struct err err;
	if (!number || number > c_kept_count(x->kept) || !x->w->s || !x->w->s->machine)
		return false;
	c_calls_init(&x->calls, x->w->s->program, x->w->s->machine);
	return c_kept_value(x->kept, number, &x->last, &err);
}

size_t exprs_kept(const struct exprs *x)
{
	return c_kept_count(x->kept);
}

const char *expr_kept_variable(struct exprs *x, size_t i)
{
	const char *name = c_kept_name(x->kept, i);
	if (name && x->w->s && x->w->s->machine) {
		c_calls_init(&x->calls, x->w->s->program, x->w->s->machine);
		c_kept_variable(x->kept, name, &x->last);
	}
	return name;
}
