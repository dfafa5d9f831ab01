#include "scripting/expr/expr.h"

#include <lauxlib.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "scripting/expr/expr_error.h"
#include "scripting/expr/expr_names.h"
#include "scripting/expr/expr_priv.h"
#include "scripting/expr/expr_text.h"
#include "scripting/show.h"

enum { STEPS_MAX = 5000000, BYTES_MAX = 64 << 20 };

/* Copies names of the libraries in the table on top of the stack to the table below: those that
 * only compute. The others would shadow the program's symbols. */
static void open_base(lua_State *L)
{
	static const char *const kept[] = {"ipairs",   "pairs", "tonumber",
	                                   "tostring", "math",  "string"};
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
		lua_getfield(L, -1, kept[i]);
		lua_setfield(L, -3, kept[i]);
	}
}

static int expr_open_environment(lua_State *L)
{
	struct exprs *x = host_owner(host_of(L));
	struct session *s = lua_touserdata(L, 1);
	x->w = words_new(L, s);
	lua_newtable(L);
	host_push_libraries(L);
	open_base(L);
	show_push(L);
	x->show = luaL_ref(L, LUA_REGISTRYINDEX);
	words_push_env(L, -2);
	x->env = luaL_ref(L, LUA_REGISTRYINDEX);
	x->words = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
}

static bool expr_session_evaluate(void *ctx, const char *text, int64_t *out, struct err *err)
{
	return expr_integer(ctx, text, out, err);
}

struct visit {
	session_variable_fn *fn;
	void *to;
	bool parameter;
};

static bool visit_variable(void *ctx, const struct expr_variable *v)
{
	const struct visit *t = ctx;
	t->fn(t->to, &(struct session_variable){v->name, v->text, v->inlined, t->parameter,
	                                        v->hidden, v->writer, v->coming});
	return true;
}

static bool expr_session_each_variable(void *ctx, session_variable_fn *fn, void *to)
{
	return expr_each_variable(ctx, true, visit_variable, &(struct visit){fn, to, true}) &&
	       expr_each_variable(ctx, false, visit_variable, &(struct visit){fn, to, false});
}

struct exprs *exprs_new(struct session *s, struct err *err)
{
	struct exprs *x = alloc_zeroed(1, sizeof *x);
	if (!x)
		return err_set(err, "out of memory for Lua"), NULL;
	x->limits = C_LIMITS;
	x->kept = c_kept_new();
	if (!x->kept) {
		free(x);
		return err_set(err, "out of memory for values"), NULL;
	}
	x->host = host_new(
		&(struct host_options){.bytes_max = BYTES_MAX, .steps_max = STEPS_MAX, .owner = x},
		err);
	if (!x->host) {
		c_kept_free(x->kept);
		free(x);
		return NULL;
	}
	x->L = host_state(x->host);
	lua_pushcfunction(x->L, expr_open_environment);
	lua_pushlightuserdata(x->L, s);
	if (!host_call(x->host, 1, 0, err)) {
		exprs_free(x);
		return NULL;
	}
	if (s) {
		s->evaluate = expr_session_evaluate;
		s->variables = expr_session_each_variable;
		s->evaluate_ctx = x;
	}
	return x;
}

void exprs_free(struct exprs *x)
{
	if (!x)
		return;
	if (x->w && x->w->s && x->w->s->evaluate_ctx == x) {
		x->w->s->evaluate = NULL;
		x->w->s->variables = NULL;
	}
	host_free(x->host);
	c_kept_free(x->kept);
	c_calls_deinit(&x->calls);
	free(x);
}

void exprs_interrupt(struct exprs *x)
{
	host_interrupt(x->host);
}

/* Clears an interrupt from before this evaluation, unless the machine is moving: the interrupt then
 * is for the motion, which evaluates conditions. */
static void expr_clear_interrupt(struct exprs *x)
{
	if (!host_is_busy(x->host))
		host_clear_interrupt(x->host);
}

/* Translates Lua's message into plain words, without the position: an expression is one line that
 * the user has just typed. A symbol without members may be a variable whose type is in a file
 * apart. */
static bool lua_failed(const struct exprs *x, const struct err *why, const char *text,
                       struct err *err)
{
	const char *msg = why->msg;
	if (!strncmp(msg, "expression:", 11)) {
		const char *colon = strchr(msg + 11, ':');
		msg = colon ? colon + 2 : msg;
	}
	char plain[300];
	const char *apart = strstr(msg, "attempt to index a number") && x->w->s
	                            ? program_names_apart(x->w->s->program)
	                            : NULL;
	err_set(err, "%.200s%s%.300s%s%s", text, *text ? ": " : "",
	        expr_error_text(msg, plain, sizeof plain), apart ? "; the program: " : "",
	        apart ? apart : "");
	return false;
}

static int expr_compile_chunk(lua_State *L)
{
	const char *lua = lua_touserdata(L, 1);
	if (host_load(L, lua, strlen(lua), "=expression") != LUA_OK)
		return lua_error(L);
	lua_rawgeti(L, LUA_REGISTRYINDEX, ((struct exprs *)host_owner(host_of(L)))->env);
	lua_setupvalue(L, -2, 1);
	lua_pushinteger(L, luaL_ref(L, LUA_REGISTRYINDEX));
	return 1;
}

struct expr *expr_compile_lua(struct exprs *x, const char *text, struct err *err)
{
	struct expr *e = NULL;
	char *lua = expr_to_lua(text, err);
	if (!lua)
		return NULL;
	expr_clear_interrupt(x);
	lua_pushcfunction(x->L, expr_compile_chunk);
	lua_pushlightuserdata(x->L, lua);
	struct err why;
	if (!host_call(x->host, 1, 1, &why)) {
		lua_failed(x, &why, text, err);
	} else {
		e = alloc_bytes(sizeof *e);
		if (e)
			*e = (struct expr){.x = x, .ref = (int)lua_tointeger(x->L, -1), .lua = lua};
		else
			err_set(err, "out of memory for an expression");
		lua_pop(x->L, 1);
	}
	if (!e)
		free(lua);
	return e;
}

void expr_free(struct expr *e)
{
	if (!e)
		return;
	if (!e->c)
		luaL_unref(e->x->L, LUA_REGISTRYINDEX, e->ref);
	c_free(e->c);
	free(e->lua);
	free(e);
}

void expr_set_text(struct expr_value *v, enum expr_type type, const char *s)
{
	v->type = type;
	snprintf(v->text, sizeof v->text, "%s", s ? s : "");
}

/* Converts the value on top of the stack; called by lua_pcall(), because it runs Lua. */
static int expr_convert_value(lua_State *L)
{
	struct expr_value *v = lua_touserdata(L, 1);
	switch (lua_type(L, 2)) {
	case LUA_TNIL:
		v->type = EXPR_NIL;
		break;
	case LUA_TBOOLEAN:
		v->type = EXPR_BOOL;
		v->i = lua_toboolean(L, 2);
		break;
	case LUA_TNUMBER:
		v->type = lua_isinteger(L, 2) ? EXPR_INT : EXPR_FLOAT;
		v->i = lua_isinteger(L, 2) ? lua_tointeger(L, 2) : 0;
		v->d = lua_tonumber(L, 2);
		break;
	case LUA_TSTRING:
		expr_set_text(v, EXPR_STRING, lua_tostring(L, 2));
		break;
	case LUA_TFUNCTION:
		expr_set_text(v, EXPR_OTHER, "a function: call it, as in mem64(sp)");
		break;
	default:
		lua_rawgeti(L, LUA_REGISTRYINDEX, ((struct exprs *)host_owner(host_of(L)))->show);
		lua_insert(L, 2);
		lua_call(L, 1, 1);
		expr_set_text(v, EXPR_OTHER, lua_tostring(L, -1));
	}
	return 0;
}

bool expr_eval(struct expr *e, const struct machine *m, struct expr_value *out, struct err *err)
{
	return expr_eval_event(e, m, NULL, out, err);
}

/* Looks up all names in the text at 1, and the members of groups; called by lua_pcall(). */
static int ask_names(lua_State *L)
{
	const struct exprs *x = host_owner(host_of(L));
	struct expr_name n;
	lua_rawgeti(L, LUA_REGISTRYINDEX, x->env);
	for (const char *s = lua_touserdata(L, 1); (s = expr_next_name(s, &n));) {
		x->w->names_only = true;
		lua_pushlstring(L, n.at, n.length);
		lua_pushvalue(L, -1);
		lua_gettable(L, 2);
		x->w->names_only = false;
		if (n.member && words_is_group(lua_tostring(L, 3))) {
			lua_pushvalue(L, 3);
			lua_gettable(L, 2);
			lua_pushlstring(L, n.member, n.member_length);
			if (lua_istable(L, -2))
				lua_gettable(L, -2);
		}
		lua_settop(L, 2);
	}
	return 0;
}

static bool knows_word(void *ctx, void *word)
{
	return expr_knows_names(word, ctx);
}

bool expr_knows_names(struct expr *e, struct err *err)
{
	struct exprs *x = e->x;
	struct err why;
	if (e->c)
		return c_each_word(e->c, knows_word, err);
	if (expr_has_function(e->lua))
		return true;
	expr_clear_interrupt(x);
	lua_pushcfunction(x->L, ask_names);
	lua_pushlightuserdata(x->L, e->lua);
	const bool ok = host_call(x->host, 1, 0, &why);
	x->w->names_only = false;
	return ok || lua_failed(x, &why, "", err);
}

bool expr_try(struct expr *e, struct err *err)
{
	struct expr_value v;
	if (e->c && c_awaits_call(e->c))
		return expr_knows_names(e, err);
	return expr_knows_names(e, err) && expr_eval(e, NULL, &v, err);
}

bool expr_try_event(struct expr *e, enum event_id id, struct err *err)
{
	const struct event sample = {.id = (uint16_t)id, .slot = EVENT_NO_SLOT};
	struct words *w = e->x->w;
	const struct event *before = w->ev;
	struct expr_value v;
	w->sample = true;
	w->ev = &sample;
	bool ok = expr_knows_names(e, err);
	w->ev = before;
	ok = ok && expr_eval_event(e, NULL, &sample, &v, err);
	w->sample = false;
	return ok;
}

bool expr_eval_event(struct expr *e, const struct machine *m, const struct event *ev,
                     struct expr_value *out, struct err *err)
{
	struct exprs *x = e->x;
	lua_State *L = x->L;
	struct words *w = x->w;
	struct expr_value v = {0};
	struct err why;
	const struct machine *before = w->m;
	const struct event *event_before = w->ev;
	if (e->c)
		return expr_eval_c(e, m, ev, out, err);
	expr_clear_interrupt(x);
	w->m = m;
	w->ev = ev;
	lua_rawgeti(L, LUA_REGISTRYINDEX, e->ref);
	bool ok = host_call(x->host, 0, 1, &why);
	if (ok) {
		lua_pushcfunction(L, expr_convert_value);
		lua_insert(L, -2);
		lua_pushlightuserdata(L, &v);
		lua_insert(L, -2);
		ok = host_call(x->host, 2, 0, &why);
	}
	if (!ok)
		lua_failed(x, &why, "", err);
	if (w->views_used) {
		lua_rawgeti(L, LUA_REGISTRYINDEX, x->words);
		words_forget_views(L, -1);
		lua_pop(L, 1);
	}
	w->m = before;
	w->ev = event_before;
	if (ok)
		*out = v;
	return ok;
}

bool expr_once(struct exprs *x, const char *text, struct expr_value *out, struct err *err)
{
	struct err why;
	struct expr *e = expr_compile(x, text, err);
	if (!e)
		return false;
	bool ok = expr_eval(e, NULL, out, &why);
	if (!ok)
		err_set(err, "%.200s: %.300s", text, why.msg);
	expr_free(e);
	return ok;
}

static bool integer_in(struct exprs *x, const char *text, enum expr_scope scope, int64_t *out,
                       struct err *err)
{
	struct expr_value v;
	struct err why;
	struct expr *e = expr_compile_in(x, text, scope, 0, err);
	if (!e)
		return false;
	bool ok = e->c ? expr_integer_c(e, &v, &why) : expr_eval(e, NULL, &v, &why);
	if (!ok)
		err_set(err, "%.200s: %.300s", text, why.msg);
	expr_free(e);
	if (!ok)
		return false;
	if (v.type == EXPR_FLOAT && v.d == floor(v.d) && fabs(v.d) < 9e18) {
		*out = (int64_t)v.d;
		return true;
	}
	if (v.type != EXPR_INT)
		return err_set(err, "%s: a whole number is needed here", text);
	*out = v.i;
	return true;
}

bool expr_integer(struct exprs *x, const char *text, int64_t *out, struct err *err)
{
	return integer_in(x, text, EXPR_FRAME, out, err);
}

bool expr_address(struct exprs *x, const char *text, uint64_t *out, struct err *err)
{
	int64_t v;
	if (!integer_in(x, text, EXPR_NOWHERE, &v, err))
		return false;
	*out = (uint64_t)v;
	return true;
}

bool expr_true(const struct expr_value *v)
{
	switch (v->type) {
	case EXPR_NIL:
		return false;
	case EXPR_FLOAT:
		return v->d != 0;
	case EXPR_INT:
	case EXPR_BOOL:
		return v->i != 0;
	default:
		return true;
	}
}

uint64_t expr_bits(const struct expr_value *v)
{
	uint64_t h;
	switch (v->type) {
	case EXPR_NIL:
		return UINT64_C(0x6e696c);
	case EXPR_INT:
	case EXPR_BOOL:
		return (uint64_t)v->i;
	case EXPR_FLOAT:
		memcpy(&h, &v->d, sizeof h);
		return h;
	default:
		return hash_text(v->text);
	}
}

const char *expr_name(unsigned i, const char **help)
{
	return words_name(i, help);
}
