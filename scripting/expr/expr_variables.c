/* The variables of a call, for `info locals`, with the values that instructions in flight will
 * write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/textbuf.h"
#include "loader/dwarf/inlined.h"
#include "scripting/c/pending_writes.h"
#include "scripting/expr/expr_priv.h"

struct listing {
	struct exprs *x;
	const struct scope_chain *chain;
	struct place_frame frame;
	char (*seen)[64]; /* [count]: names of inner blocks */
	size_t count;
	unsigned told;
	bool parameters, innermost;
	unsigned first; /* index in the chain of the block of the frame's own function */
	expr_variable_fn *fn;
	void *ctx;
};

/* More are not read, and would take too long to compute. */
enum { SEEN_MAX = 256, TOLD_MAX = 1000 };

static bool is_seen(struct listing *l, const char *name)
{
	for (size_t i = 0; i < l->count; i++)
		if (!strncmp(l->seen[i], name, sizeof l->seen[i] - 1))
			return true;
	if (l->count < SEEN_MAX)
		snprintf(l->seen[l->count++], sizeof l->seen[0], "%s", name);
	return false;
}

static bool list_one(void *ctx, const struct scope_name *n)
{
	struct listing *l = ctx;
	struct c_value v, behind;
	char text[1024], coming[1024];
	const char *inlined = scope_inlined(l->chain, n->block);
	if (n->kind != SCOPE_VARIABLE && n->kind != SCOPE_PARAMETER)
		return true;
	const bool hidden = is_seen(l, n->name), outer = n->block < l->first;
	/* Parameters of an outer function are not arguments of this one. */
	if (l->parameters != (n->kind == SCOPE_PARAMETER && (!outer || !inlined)))
		return true;
	if (l->told++ == TOLD_MAX) {
		l->fn(l->ctx,
		      &(struct expr_variable){"...", "more are not listed; use `print NAME`", NULL,
		                              false, false, 0, NULL});
		return false;
	}
	c_variable(&l->x->calls, &l->frame, n, &v);
	const struct c_show show = {0, l->x->limits};
	c_value_text(&l->x->calls, &v, &show, false, text, sizeof text);
	struct c_coming c = c_coming(&l->x->calls, &v, l->innermost);
	struct place_frame frame = l->frame;
	frame.look = c_coming_behind(&c, &v);
	if (frame.look) {
		c_variable(&l->x->calls, &frame, n, &behind);
		if (!c_stays(&v, &behind))
			c = (struct c_coming){.by = NULL};
	}
	if (c.known)
		c_value_text(&l->x->calls, &c.value, &show, false, coming, sizeof coming);
	return l->fn(l->ctx,
	             &(struct expr_variable){n->name, text, inlined, hidden, outer,
	                                     c.by ? c.by->seq : 0, c.known ? coming : NULL});
}

bool expr_each_variable(struct exprs *x, bool parameters, expr_variable_fn *fn, void *ctx)
{
	struct listing l = {.x = x, .parameters = parameters, .fn = fn, .ctx = ctx};
	const struct c_scope scope = expr_scope_of(x, EXPR_FRAME, 0);
	struct scope_chain chain;
	c_calls_init(&x->calls, x->w->s->program, x->w->s->machine);
	c_calls_unwind(&x->calls, scope.level);
	const struct frame f = c_calls_seen(&x->calls, scope.level);
	l.innermost = f.call == 0;
	l.frame = c_calls_frame(&x->calls, f.call);
	if (!inlined_chain(x->w->s->program, &f, &chain) || !l.frame.function.addr ||
	    !(l.seen = alloc_bytes(SEEN_MAX * sizeof *l.seen)))
		return false;
	/* Include those of outer functions. */
	l.first = chain.first;
	chain.first = 1;
	l.chain = &chain;
	scope_each(&chain, list_one, &l);
	free(l.seen);
	return true;
}

struct arguments {
	struct exprs *x;
	struct place_frame frame;
	struct textbuf out;
	unsigned count;
	unsigned block; /* its function's */
};

static bool add_argument(void *ctx, const struct scope_name *n)
{
	enum { SHOWN_MAX = 12 };
	struct arguments *a = ctx;
	const struct c_show show = {0, a->x->limits};
	struct c_value v;
	char text[300];
	if (n->kind != SCOPE_PARAMETER || n->block != a->block)
		return true;
	c_variable(&a->x->calls, &a->frame, n, &v);
	struct c_value is;
	struct err err;
	const bool whole = v.where == C_OUT || !c_referent(&a->x->calls, &v, &is, &err) ||
	                   ctype_is_scalar(&is.type) || is.type.kind == CTYPE_COMPLEX ||
	                   c_is_string(&is);
	textbuf_add(&a->out, "%s%s=%s", a->count ? ", " : "", n->name,
	            !whole ? "..."
	                   : c_value_text(&a->x->calls, &v, &show, false, text, sizeof text));
	return ++a->count < SHOWN_MAX;
}

char *expr_arguments(struct exprs *x, unsigned level, bool again, char *buf, size_t n)
{
	struct arguments a = {.x = x, .out = {buf, n, 0}};
	struct scope_chain chain;
	*buf = '\0';
	if (!x->w->s || !x->w->s->machine)
		return buf;
	if (again)
		walk_begin(x->w->s->program);
	else
		c_calls_init(&x->calls, x->w->s->program, x->w->s->machine);
	c_calls_unwind(&x->calls, level);
	const struct frame f = c_calls_seen(&x->calls, level);
	a.frame = c_calls_frame(&x->calls, f.call);
	if (!inlined_chain(x->w->s->program, &f, &chain) || !a.frame.function.addr)
		return buf;
	a.block = chain.first;
	textbuf_add(&a.out, " (");
	scope_each(&chain, add_argument, &a);
	textbuf_add(&a.out, ")");
	return buf;
}

struct declared {
	expr_declared_fn *fn;
	void *ctx;
};

static bool tell_declared(void *ctx, const struct scope_name *n)
{
	const struct declared *d = ctx;
	Dwarf_Die die = n->die;
	char type[256];
	if (n->kind != SCOPE_VARIABLE && n->kind != SCOPE_PARAMETER)
		return true;
	const struct ctype t = ctype_of(&die);
	return d->fn(d->ctx, n->name, n->kind == SCOPE_PARAMETER,
	             ctype_text(&t, NULL, type, sizeof type), t.size);
}

bool expr_each_declared(struct exprs *x, uint64_t addr, expr_declared_fn *fn, void *ctx)
{
	const struct program *p = x->w->s->program;
	struct scope_chain chain;
	walk_begin(p);
	if (!scope_chain(scope_image(p, addr), addr, &chain))
		return false;
	scope_each(&chain, tell_declared, &(struct declared){fn, ctx});
	return true;
}
