/* Expressions that are C. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/isa/csr.h"
#include "core/isa/regs.h"
#include "scripting/c/pending_writes.h"
#include "scripting/c/vtable.h"
#include "scripting/expr/expr_priv.h"

static bool expr_c_is_word(void *ctx, const char *name, char next)
{
	(void)ctx;
	return words_come_first(name, next);
}

static void *compile_word(void *ctx, const char *text, struct err *err)
{
	return expr_compile_lua(ctx, text, err);
}

/* Bytes of an integer of the inspector: 4 in RV32 if the value fits, else 8. */
static unsigned expr_c_word_bytes(const struct exprs *x, int64_t v)
{
	return machine_isa(x->w->s->machine) == ISA_RV32GC && v == (int32_t)v ? 4 : 8;
}

void expr_to_c(const struct exprs *x, const struct expr_value *v, struct c_value *out)
{
	switch (v->type) {
	case EXPR_INT:
	case EXPR_BOOL:
		*out = c_integer((uint64_t)v->i, expr_c_word_bytes(x, v->i), true);
		out->truth = v->type == EXPR_BOOL;
		break;
	case EXPR_FLOAT:
		*out = c_double(v->d);
		break;
	default:
		*out = (struct c_value){.where = C_TEXT, .reg = -1, .nil = v->type == EXPR_NIL};
		snprintf(out->text, sizeof out->text, "%.*s", (int)sizeof out->text - 1,
		         out->nil ? "nil" : v->text);
	}
}

static bool eval_word(void *ctx, void *word, struct c_value *out, struct err *err)
{
	const struct exprs *x = ctx;
	struct expr_value v;
	if (!expr_eval_event(word, x->w->m, x->w->ev, &v, err))
		return false;
	expr_to_c(x, &v, out);
	return true;
}

static void free_word(void *ctx, void *word)
{
	(void)ctx;
	expr_free(word);
}

static bool is_register(void *ctx, const char *name)
{
	(void)ctx;
	return reg_from_name(name) >= 0 || !strcmp(name, "pc") || csr_find(name) >= 0;
}

static bool expr_c_lookup_symbol(void *ctx, const char *name, uint64_t *addr, uint64_t *size)
{
	const struct exprs *x = ctx;
	const struct symbol *sym = program_symbol_by_name(x->w->s->program, name);
	if (!sym)
		return false;
	*addr = sym->addr;
	*size = sym->size;
	return true;
}

static uint64_t expr_c_symbol_size(void *ctx, uint64_t addr)
{
	const struct exprs *x = ctx;
	const struct symbol *sym = program_symbol_at(x->w->s->program, addr);
	return sym && sym->addr == addr ? sym->size : 0;
}

static bool write_now(void *ctx, const struct c_target *t, struct err *err)
{
	const struct exprs *x = ctx;
	const struct change change = {
		.kind = t->kind == C_TO_MEMORY ? JOURNAL_MEMORY
	                : t->kind == C_TO_REG  ? JOURNAL_REG
	                                       : JOURNAL_PC,
		.a = t->kind == C_TO_MEMORY ? t->addr
	             : t->kind == C_TO_REG  ? t->reg
	                                    : t->bits,
		.b = t->kind == C_TO_REG ? t->bits : 0,
		.bytes = t->kind == C_TO_MEMORY ? t->bytes : NULL,
		.n = t->kind == C_TO_MEMORY ? t->n : 0,
	};
	return x->change(x->change_ctx, &change, err);
}

static bool call_now(void *ctx, struct c_invocation *call, struct err *err)
{
	const struct exprs *x = ctx;
	return x->call(x->change_ctx, call, err);
}

static struct c_words expr_c_make_words(struct exprs *x, bool may_assign)
{
	return (struct c_words){.ctx = x,
	                        .is_word = expr_c_is_word,
	                        .compile = compile_word,
	                        .eval = eval_word,
	                        .free = free_word,
	                        .is_register = is_register,
	                        .symbol = expr_c_lookup_symbol,
	                        .symbol_size = expr_c_symbol_size,
	                        .write = may_assign && x->change ? write_now : NULL,
	                        .call = may_assign && x->call ? call_now : NULL,
	                        .kept = x->kept};
}

void exprs_let_assign(struct exprs *x, expr_change_fn *fn, expr_call_fn *call, void *ctx)
{
	x->change = fn;
	x->call = call;
	x->change_ctx = ctx;
}

void exprs_select_frame(struct exprs *x, unsigned level, uint64_t cycle)
{
	x->level = level;
	x->level_cycle = cycle;
}

struct c_scope expr_scope_of(const struct exprs *x, enum expr_scope scope, uint64_t addr)
{
	const bool chosen = x->level_cycle == machine_cycle(x->w->s->machine);
	return (struct c_scope){.kind = scope == EXPR_PLACE     ? C_PLACE
	                                : scope == EXPR_NOWHERE ? C_NO_VARIABLES
	                                                        : C_FRAME,
	                        .level = chosen ? x->level : 0,
	                        .addr = addr};
}

/* Compiles C if the text is C, else Lua, which has tables, functions, .. and //. */
static struct expr *expr_c_compile_text(struct exprs *x, const char *text, enum expr_scope scope,
                                        uint64_t addr, bool may_assign, struct err *err)
{
	const struct c_words words = expr_c_make_words(x, may_assign);
	const struct session *s = x->w->s;
	bool is_c = false;
	struct err why;
	if (!text[strspn(text, " \t")])
		return err_set(err, "an expression is missing"), NULL;
	/* Conditions on events have no variables, and are Lua. */
	if (!s || !s->machine || scope == EXPR_NOWHERE)
		return expr_compile_lua(x, text, err);
	const struct c_scope at = expr_scope_of(x, scope, addr);
	struct c_expr *c = c_compile(s->program, s->machine, &at, &words, text, &is_c, &why);
	if (!is_c) {
		struct expr *lua = expr_compile_lua(x, text, err);
		/* For text that is neither, report C's error if it has operators of C. */
		if (!lua && err && *why.msg && (strstr(text, "&&") || strstr(text, "||")))
			*err = why;
		/* C could read it: it is a single word. */
		if (lua)
			lua->alone = !*why.msg;
		return lua;
	}
	struct expr *e = c ? alloc_bytes(sizeof *e) : NULL;
	if (e)
		*e = (struct expr){.x = x, .c = c};
	else
		err_set(err, "%s", c ? "out of memory for an expression" : why.msg);
	if (!e)
		c_free(c);
	return e;
}

struct expr *expr_compile_in(struct exprs *x, const char *text, enum expr_scope scope,
                             uint64_t addr, struct err *err)
{
	return expr_c_compile_text(x, text, scope, addr, false, err);
}

struct expr *expr_compile_assigning(struct exprs *x, const char *text, struct err *err)
{
	return expr_c_compile_text(x, text, EXPR_FRAME, 0, true, err);
}

struct expr *expr_compile(struct exprs *x, const char *text, struct err *err)
{
	return expr_compile_in(x, text, EXPR_FRAME, 0, err);
}

bool expr_is_c(const struct expr *e)
{
	return e->c;
}

static bool is_word_at_all(void *ctx, void *word)
{
	(void)ctx, (void)word;
	return false;
}

bool expr_is_of_words(const struct expr *e)
{
	return e->c && !c_has_variables(e->c) && !c_each_word(e->c, is_word_at_all, NULL);
}

bool expr_assigns(const struct expr *e)
{
	return e->c && c_assigns(e->c);
}

bool expr_has_variables(const struct expr *e)
{
	return e->c && c_has_variables(e->c);
}

bool expr_is_variable(struct exprs *x, const char *name)
{
	struct err err;
	struct expr *e = *name == '$' ? NULL : expr_compile(x, name, &err);
	const bool yes = e && expr_has_variables(e);
	expr_free(e);
	return yes;
}

bool expr_c_value_of(struct expr *e, const struct machine *m, const struct event *ev,
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

bool expr_plain_value(const struct exprs *x, const struct c_value *of, struct expr_value *out,
                      struct err *err)
{
	struct c_value referent;
	const struct c_value *v = &referent;
	if (!c_referent(&x->calls, of, &referent, err))
		return false;
	*out = (struct expr_value){.type = EXPR_INT};
	if (v->where == C_TEXT) {
		expr_set_text(out, v->nil ? EXPR_NIL : EXPR_STRING, v->text);
		return true;
	}
	if (v->where == C_OUT)
		return err_set(err, v->unmade ? "it is %s" : "it is %s here", c_out_text(v));
	if (v->type.kind == CTYPE_FUNCTION && v->where == C_MEMORY) {
		out->i = (int64_t)v->addr;
		return true;
	}
	if (!ctype_is_scalar(&v->type)) {
		out->type = v->type.kind == CTYPE_VOID ? EXPR_NIL : EXPR_OTHER;
		c_value_text(&x->calls, v, NULL, false, out->text, sizeof out->text);
		return true;
	}
	uint64_t bits;
	if (!c_bits(&x->calls, v, &bits, err))
		return false;
	out->i = (int64_t)bits;
	if (v->truth)
		out->type = EXPR_BOOL;
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
	if (!expr_c_value_of(e, m, ev, &v, err) || !expr_plain_value(e->x, &v, &plain, err))
		return false;
	*out = plain;
	return true;
}

struct c_limits *exprs_limits(struct exprs *x)
{
	return &x->limits;
}

uint64_t expr_coming(struct expr *e, char letter, char *buf, size_t n)
{
	const struct c_show show = {letter, e->x->limits};
	struct c_calls *calls = &e->x->calls;
	struct c_value v, behind;
	struct err err;
	*buf = '\0';
	if (!e->c || c_assigns(e->c) || !expr_c_value_of(e, NULL, NULL, &v, &err))
		return 0;
	const size_t level = expr_scope_of(e->x, EXPR_FRAME, 0).level;
	c_calls_unwind(calls, level);
	const struct c_coming c = c_coming(calls, &v, c_calls_seen(calls, level).call == 0);
	if (c.known)
		c_value_text(calls, &c.value, &show, true, buf, n);
	const uint64_t address = c_coming_behind(&c, &v);
	if (!address)
		return c.by ? c.by->seq : 0;
	/* all now: later unwinding would undo this: */
	c_calls_unwind(calls, level > FRAMES_MAX ? level : FRAMES_MAX);
	calls->places[0].look = address;
	return c_eval(e->c, calls, &behind, &err) && c_stays(&v, &behind) ? c.by->seq : 0;
}

bool expr_c_place(struct expr *e, struct expr_place *out, struct err *err)
{
	struct c_value v, pointer;
	if (!e->c)
		return err_set(err, "it is no variable and no memory");
	if (!expr_c_value_of(e, NULL, NULL, &v, err) || !c_referent(&e->x->calls, &v, &v, err) ||
	    !c_address(&v, &pointer, err))
		return false;
	*out = (struct expr_place){.size = v.type.size,
	                           .is_float = v.type.kind == CTYPE_FLOAT,
	                           .is_unsigned = (v.type.kind == CTYPE_INT ||
	                                           v.type.kind == CTYPE_CHAR ||
	                                           v.type.kind == CTYPE_BOOL) &&
	                                          !v.type.is_signed,
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
	                          .back = level + 1 < calls->count ? f[1].pc : 0,
	                          .tid = machine_seen_thread(m)->tid};
	for (size_t i = level + 1; i < calls->count && out->outers < EXPR_OUTER_MAX; i++)
		if (calls->frames[i].cfa > f->cfa)
			out->outer[out->outers++] = calls->frames[i].cfa;
	return true;
}

/* Writes the dynamic type of the object that the value points to, if `set print object` is on;
 * returns its length, less than n. */
static size_t put_real_type(const struct exprs *x, char *buf, size_t n)
{
	struct c_value of, whole;
	struct err err;
	char type[256];
	if (!x->limits.objects || x->last.where == C_TEXT || x->last.type.kind != CTYPE_POINTER ||
	    !c_pointed(&x->calls, &x->last, &of, &err) || !c_real_object(&x->calls, &of, &whole))
		return 0;
	const int told = snprintf(buf, n, "/* real type = %s %c */\n",
	                          ctype_text(&whole.type, NULL, type, sizeof type),
	                          x->last.type.is_reference ? '&' : '*');
	return told > 0 && (size_t)told < n ? (size_t)told : 0;
}

bool expr_c_type(struct exprs *x, const char *text, enum expr_type_text how, char *buf, size_t n,
                 struct err *err)
{
	const struct session *s = x->w->s;
	struct ctype t;
	const struct c_scope at = expr_scope_of(x, EXPR_FRAME, 0);
	if (c_type_named(s->program, s->machine, &at, text, &t)) {
		/* The name of a typedef prints the type it stands for. */
		x->last = (struct c_value){
			.type = how == EXPR_TYPE_NAME ? ctype_behind_typedef(&t) : t, .reg = -1};
		expr_computed_type(x, how, buf, n);
		return true;
	}
	struct expr *e = expr_compile(x, text, err);
	struct expr_value v;
	if (e && e->c)
		c_only_types(e->c);
	bool ok = e &&
	          (e->c ? expr_knows_names(e, err) && expr_c_value_of(e, NULL, NULL, &x->last, err)
	                : expr_eval(e, NULL, &v, err));
	const size_t told = ok && e->c && how != EXPR_TYPE_LAYOUT ? put_real_type(x, buf, n) : 0;
	if (ok && !e->c) {
		expr_to_c(x, &v, &x->last);
		ok = x->last.where != C_TEXT ||
		     err_set(err, "%.200s is no variable, function or type of the program's C",
		             text);
	}
	expr_free(e);
	if (ok)
		expr_computed_type(x, how, buf + told, n - told);
	return ok;
}

/* Integer value of an expression; an array counts as its address. */
bool expr_integer_c(struct expr *e, struct expr_value *out, struct err *err)
{
	struct c_value v;
	uint64_t addr;
	if (!expr_c_value_of(e, NULL, NULL, &v, err))
		return false;
	if (v.where != C_MEMORY || (v.type.kind != CTYPE_ARRAY && v.type.kind != CTYPE_FUNCTION))
		return expr_plain_value(e->x, &v, out, err);
	*out = (struct expr_value){.type = EXPR_INT};
	if (!c_bits(&e->x->calls, &v, &addr, err))
		return false;
	out->i = (int64_t)addr;
	return true;
}
