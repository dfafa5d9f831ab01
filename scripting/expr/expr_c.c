/* Expressions that are C, and the variables of calls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scripting/c/coming.h"
#include "scripting/expr/expr_priv.h"

static bool is_word(void *ctx, const char *name, char next)
{
	(void)ctx;
	return words_come_first(name, next);
}

static void *compile_word(void *ctx, const char *text, struct err *err)
{
	struct expr *e = expr_compile_lua(ctx, text, err);
	if (e && !expr_knows_names(e, err)) {
		expr_free(e);
		return NULL;
	}
	return e;
}

static bool eval_word(void *ctx, void *word, struct c_value *out, struct err *err)
{
	const struct exprs *x = ctx;
	struct expr_value v;
	if (!expr_eval_event(word, x->w->m, x->w->ev, &v, err))
		return false;
	switch (v.type) {
	case EXPR_INT:
	case EXPR_BOOL:
		*out = c_integer((uint64_t)v.i, 8, true);
		return true;
	case EXPR_FLOAT:
		*out = c_double(v.d);
		return true;
	default:
		*out = (struct c_value){.where = C_TEXT, .reg = -1};
		snprintf(out->text, sizeof out->text, "%.*s", (int)sizeof out->text - 1,
		         v.type == EXPR_NIL ? "nil" : v.text);
		return true;
	}
}

static void free_word(void *ctx, void *word)
{
	(void)ctx;
	expr_free(word);
}

void exprs_select_frame(struct exprs *x, unsigned level, uint64_t cycle)
{
	x->level = level;
	x->level_cycle = cycle;
}

static struct c_scope scope_of(const struct exprs *x, enum expr_scope scope, uint64_t addr)
{
	const bool chosen = x->level_cycle == machine_cycle(x->w->s->machine);
	return (struct c_scope){.kind = scope == EXPR_PLACE ? C_PLACE : C_FRAME,
	                        .level = chosen ? x->level : 0,
	                        .addr = addr};
}

struct expr *expr_compile_in(struct exprs *x, const char *text, enum expr_scope scope,
                             uint64_t addr, struct err *err)
{
	const struct c_words words = {x, is_word, compile_word, eval_word, free_word};
	const struct session *s = x->w->s;
	bool is_c = false;
	if (!text[strspn(text, " \t")])
		return err_set(err, "an expression is missing"), NULL;
	if (!s || !s->machine || scope == EXPR_NOWHERE)
		return expr_compile_lua(x, text, err);
	const struct c_scope at = scope_of(x, scope, addr);
	struct c_expr *c = c_compile(s->program, s->machine, &at, &words, text, &is_c, err);
	if (!is_c)
		return expr_compile_lua(x, text, err);
	struct expr *e = c ? malloc(sizeof *e) : NULL;
	if (e)
		*e = (struct expr){.x = x, .c = c};
	else if (c)
		err_set(err, "out of memory for an expression");
	if (!e)
		c_free(c);
	return e;
}

struct expr *expr_compile(struct exprs *x, const char *text, struct err *err)
{
	return expr_compile_in(x, text, EXPR_FRAME, 0, err);
}

bool expr_is_c(const struct expr *e)
{
	return e->c;
}

/* The value, with x->calls as they are on m. */
static bool c_value_of(struct expr *e, const struct machine *m, const struct event *ev,
                       struct c_value *v, struct err *err)
{
	struct exprs *x = e->x;
	struct words *w = x->w;
	const struct machine *before = w->m;
	const struct event *event_before = w->ev;
	if (!w->s || !w->s->machine)
		return err_set(err, "there is no program to ask");
	w->m = m;
	w->ev = ev;
	c_calls_init(&x->calls, w->s->program, m ? m : w->s->machine);
	const bool ok = c_eval(e->c, &x->calls, v, err);
	w->m = before;
	w->ev = event_before;
	return ok;
}

static bool plain_value(const struct exprs *x, const struct c_value *v, struct expr_value *out,
                        struct err *err)
{
	*out = (struct expr_value){.type = EXPR_INT};
	if (v->where == C_TEXT) {
		expr_set_text(out, EXPR_STRING, v->text);
		return true;
	}
	if (v->where == C_OUT)
		return err_set(err, v->unmade ? "it is %s" : "it is %s here", c_out_text(v));
	if (!ctype_is_scalar(&v->type)) {
		out->type = EXPR_OTHER;
		c_value_text(&x->calls, v, NULL, false, out->text, sizeof out->text);
		return true;
	}
	uint64_t bits;
	if (!c_bits(&x->calls, v, &bits, err))
		return false;
	out->i = (int64_t)bits;
	if (v->type.kind == CTYPE_FLOAT) {
		out->type = EXPR_FLOAT;
		out->i = 0;
		return c_number(&x->calls, v, &out->d, err);
	}
	return true;
}

bool expr_eval_c(struct expr *e, const struct machine *m, const struct event *ev,
                 struct expr_value *out, struct err *err)
{
	struct c_value v;
	struct expr_value plain;
	if (!c_value_of(e, m, ev, &v, err) || !plain_value(e->x, &v, &plain, err))
		return false;
	*out = plain;
	return true;
}

bool expr_c_text(struct expr *e, char letter, expr_scalar_text *scalar, const void *ctx, char *buf,
                 size_t n, struct err *err)
{
	const struct c_show show = {letter, scalar, ctx};
	struct c_value v;
	if (!c_value_of(e, NULL, NULL, &v, err))
		return false;
	c_value_text(&e->x->calls, &v, &show, true, buf, n);
	return true;
}

uint64_t expr_c_coming(struct expr *e, char letter, expr_scalar_text *scalar, const void *ctx,
                       char *buf, size_t n)
{
	const struct c_show show = {letter, scalar, ctx};
	struct c_calls *calls = &e->x->calls;
	struct c_value v, behind;
	struct err err;
	*buf = '\0';
	if (!c_value_of(e, NULL, NULL, &v, &err))
		return 0;
	const struct c_coming c = c_coming(calls, &v, scope_of(e->x, EXPR_FRAME, 0).level == 0);
	if (c.known)
		c_value_text(calls, &c.value, &show, true, buf, n);
	const uint64_t address = c_coming_behind(&c, &v);
	if (!address)
		return c.by ? c.by->seq : 0;
	c_calls_unwind(calls);
	calls->places[0].look = address;
	return c_eval(e->c, calls, &behind, &err) && c_stays(&v, &behind) ? c.by->seq : 0;
}

bool expr_c_place(struct expr *e, struct expr_place *out, struct err *err)
{
	struct c_value v, pointer;
	if (!c_value_of(e, NULL, NULL, &v, err) || !c_address(&v, &pointer, err))
		return false;
	*out = (struct expr_place){.size = v.type.size,
	                           .is_float = v.type.kind == CTYPE_FLOAT,
	                           .of_call = c_is_of_call(e->c)};
	return c_bits(&e->x->calls, &pointer, &out->addr, err);
}

bool expr_c_lasts(struct expr *e, const struct machine *m)
{
	struct exprs *x = e->x;
	c_calls_init(&x->calls, x->w->s->program, m);
	return c_lasts(e->c, &x->calls);
}

bool expr_c_call(struct expr *e, const struct machine *m, struct expr_call *out)
{
	struct exprs *x = e->x;
	struct c_calls *calls = &x->calls;
	size_t level;
	c_calls_init(calls, x->w->s->program, m);
	if (!c_level(e->c, calls, &level))
		return false;
	const struct frame *f = &calls->frames[level];
	const struct symbol *sym = program_symbol_at(calls->program, frame_look(f));
	*out = (struct expr_call){.cfa = f->cfa,
	                          .first = sym ? sym->addr : 0,
	                          .back = level + 1 < calls->count ? f[1].pc : 0};
	return true;
}

bool expr_c_type(struct exprs *x, const char *text, bool all, char *buf, size_t n, struct err *err)
{
	const struct session *s = x->w->s;
	struct c_value v;
	struct ctype t;
	const struct c_scope at = scope_of(x, EXPR_FRAME, 0);
	if (!c_type_named(s->program, s->machine, &at, text, &t)) {
		struct expr *e = expr_compile(x, text, err);
		if (!e)
			return false;
		const bool ok =
			e->c ? c_value_of(e, NULL, NULL, &v, err)
			     : err_set(err,
		                       "%.200s is no variable, function or type of the program's C",
		                       text);
		expr_free(e);
		if (!ok)
			return false;
		t = v.type;
	}
	if (all)
		ctype_long_text(&t, buf, n);
	else
		ctype_text(&t, NULL, buf, n);
	return true;
}

/* Where a number is needed, an array is its address. */
bool expr_integer_c(struct expr *e, struct expr_value *out, struct err *err)
{
	struct c_value v;
	uint64_t addr;
	if (!c_value_of(e, NULL, NULL, &v, err))
		return false;
	if (v.where != C_MEMORY || (v.type.kind != CTYPE_ARRAY && v.type.kind != CTYPE_FUNCTION))
		return plain_value(e->x, &v, out, err);
	*out = (struct expr_value){.type = EXPR_INT};
	if (!c_bits(&e->x->calls, &v, &addr, err))
		return false;
	out->i = (int64_t)addr;
	return true;
}

/* ---- variables of a call ---- */
struct listing {
	struct exprs *x;
	const struct scope_chain *chain;
	struct place_frame frame;
	char (*seen)[64]; /* [count]: names of inner blocks */
	size_t count;
	unsigned told;
	bool parameters, innermost;
	expr_variable_fn *fn;
	void *ctx;
};

/* People read no more, and to compute them takes longer than they wait. */
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
	const bool hidden = is_seen(l, n->name);
	/* What an inlined function was given is no argument of the call. */
	if (l->parameters != (n->kind == SCOPE_PARAMETER && !inlined))
		return true;
	if (l->told++ == TOLD_MAX) {
		l->fn(l->ctx,
		      &(struct expr_variable){"...", "more are there, of which `print NAME` tells",
		                              NULL, false, 0, NULL});
		return false;
	}
	c_variable(&l->x->calls, &l->frame, n, &v);
	c_value_text(&l->x->calls, &v, NULL, true, text, sizeof text);
	struct c_coming c = c_coming(&l->x->calls, &v, l->innermost);
	struct place_frame frame = l->frame;
	frame.look = c_coming_behind(&c, &v);
	if (frame.look) {
		c_variable(&l->x->calls, &frame, n, &behind);
		if (!c_stays(&v, &behind))
			c = (struct c_coming){.by = NULL};
	}
	if (c.known)
		c_value_text(&l->x->calls, &c.value, NULL, true, coming, sizeof coming);
	return l->fn(l->ctx,
	             &(struct expr_variable){n->name, text, inlined, hidden, c.by ? c.by->seq : 0,
	                                     c.known ? coming : NULL});
}

bool expr_each_variable(struct exprs *x, bool parameters, expr_variable_fn *fn, void *ctx)
{
	struct listing l = {.x = x, .parameters = parameters, .fn = fn, .ctx = ctx};
	const struct c_scope scope = scope_of(x, EXPR_FRAME, 0);
	struct scope_chain chain;
	c_calls_init(&x->calls, x->w->s->program, x->w->s->machine);
	c_calls_unwind(&x->calls);
	l.innermost = scope.level == 0;
	l.frame = c_calls_frame(&x->calls, scope.level < x->calls.count ? scope.level : 0);
	if (!scope_chain(l.frame.image, l.frame.look, &chain) || !l.frame.function.addr ||
	    !(l.seen = malloc(SEEN_MAX * sizeof *l.seen)))
		return false;
	l.chain = &chain;
	scope_each(&chain, list_one, &l);
	free(l.seen);
	return true;
}
