/* Calls a plug-in's functions for the machine: converts arguments to Lua values, and checks
 * results. */
#include "scripting/plugin/plugin_calls.h"

#include <lauxlib.h>
#include <stdio.h>

#include "core/defs/config.h"
#include "core/prof/sampler/compressor.h"
#include "scripting/plugin/lua_plugin.h"

/* ---- calls ---- */
/* Begins a call: pushes function and s; the other arguments follow. */
static lua_State *plugin_call_begin(struct lua_plugin *p, int function,
                                    const struct plugin_state *s, bool reads_only)
{
	lua_State *L = host_state(p->host);
	p->state = s;
	p->reads_only = reads_only;
	lua_rawgeti(L, LUA_REGISTRYINDEX, function);
	lua_rawgeti(L, LUA_REGISTRYINDEX, p->tables);
	return L;
}

/* "FILE:LINE" of a function's beginning. */
static const char *plugin_call_format_location(struct lua_plugin *p, int function, char *buf,
                                               size_t n)
{
	lua_State *L = host_state(p->host);
	lua_Debug ar;
	lua_rawgeti(L, LUA_REGISTRYINDEX, function);
	lua_getinfo(L, ">S", &ar);
	snprintf(buf, n, "%s:%d", ar.short_src, ar.linedefined);
	return buf;
}

/* Calls the function. */
static bool plugin_call_function(struct lua_plugin *p, int function, int args, int results,
                                 const char *name, struct err *err)
{
	char at[128];
	p->calls = name;
	bool ok = host_call_within(p->host, args + 1, results, p->state->steps, name, err);
	p->state = NULL;
	p->history = NULL;
	const char *changed = plugin_put_back(p);
	if (p->payer && host_is_busy(p->payer) &&
	    !host_charge(p->payer, host_steps_taken(p->host) + CALL_STEPS) && ok)
		return err_set(err, "%s: the machine's budget of steps is used up",
		               plugin_call_format_location(p, function, at, sizeof at));
	if (!changed || !ok)
		return ok;
	return err_set(err, "%s: %s changed '%s', which stands outside of it: " PLUGIN_DECLARE,
	               plugin_call_format_location(p, function, at, sizeof at), name, changed);
}

static void plugin_call_clear_stack(struct lua_plugin *p)
{
	lua_settop(host_state(p->host), 0);
}

/* Whether the result, on top, has this type; else reports it. */
static bool answer_is(struct lua_plugin *p, const char *function, int type, const char *right,
                      struct err *err)
{
	lua_State *L = host_state(p->host);
	char at[128];
	if (lua_type(L, -1) == type)
		return true;
	return err_set(err, "%s: %s returned %s; expected %s",
	               plugin_call_format_location(p, p->decide, at, sizeof at), function,
	               host_a(lua_type(L, -1)), right);
}

bool plugin_call_predict(void *ctx, const struct plugin_state *s, const struct plugin_branch *b,
                         bool *taken, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->decide, s, true);
	lua_pushinteger(L, (lua_Integer)b->pc);
	lua_pushinteger(L, b->bits);
	lua_rawgeti(L, LUA_REGISTRYINDEX, p->outcomes);
	p->history = &b->history;
	bool ok = plugin_call_function(p, p->decide, 3, 1, "predict", err) &&
	          answer_is(p, "predict", LUA_TBOOLEAN, "true, taken, or false", err);
	if (ok)
		*taken = lua_toboolean(L, -1);
	plugin_call_clear_stack(p);
	return ok;
}

bool plugin_call_update(void *ctx, struct plugin_state *s, const struct plugin_branch *b,
                        struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->notify, s, false);
	lua_pushinteger(L, (lua_Integer)b->pc);
	lua_pushboolean(L, b->taken);
	lua_pushinteger(L, b->bits);
	lua_pushboolean(L, b->predicted);
	lua_rawgeti(L, LUA_REGISTRYINDEX, p->outcomes);
	p->history = &b->history;
	return plugin_call_function(p, p->notify, 5, 0, "update", err);
}

/* ---- control instructions ---- */
/* Pushes b and h. outcome: b has taken, next and predicted. */
static void plugin_call_push_control(struct lua_plugin *p, lua_State *L,
                                     const struct plugin_control *c, bool outcome)
{
	const struct {
		const char *name;
		bool value;
	} flags[] = {{"branch", c->branch}, {"indirect", c->indirect}, {"call", c->call},
	             {"returns", c->returns}, {"taken", c->taken}};
	lua_createtable(L, 0, 8);
	lua_pushinteger(L, (lua_Integer)c->pc);
	lua_setfield(L, -2, "pc");
	for (unsigned i = 0; i < (outcome ? 5 : 4); i++) {
		lua_pushboolean(L, flags[i].value);
		lua_setfield(L, -2, flags[i].name);
	}
	lua_pushinteger(L, (lua_Integer)c->next);
	lua_setfield(L, -2, "next");
	if (outcome) {
		lua_pushinteger(L, (lua_Integer)c->predicted);
		lua_setfield(L, -2, "predicted");
	}
	plugin_arguments_close(L, outcome ? ARGUMENT_OUTCOME : ARGUMENT_CONTROL);
	lua_rawgeti(L, LUA_REGISTRYINDEX, p->outcomes);
	p->history = &c->history;
}

bool plugin_call_target(void *ctx, const struct plugin_state *s, const struct plugin_control *c,
                        uint64_t *to, bool *known, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->decide, s, true);
	char at[128];
	plugin_call_push_control(p, L, c, false);
	bool ok = plugin_call_function(p, p->decide, 2, 1, "target", err);
	if (ok && !lua_isnil(L, -1)) {
		int whole;
		*to = (uint64_t)lua_tointegerx(L, -1, &whole) & ~UINT64_C(1);
		*known = whole && lua_type(L, -1) == LUA_TNUMBER;
		ok = *known ||
		     err_set(err, "%s: target returned %s; expected an address, or nil",
		             plugin_call_format_location(p, p->decide, at, sizeof at),
		             lua_type(L, -1) == LUA_TNUMBER ? lua_tostring(L, -1)
		                                            : host_a(lua_type(L, -1)));
	}
	plugin_call_clear_stack(p);
	return ok;
}

/* Calls a function without results. */
static bool plugin_call_with_outcome(struct lua_plugin *p, int function, const char *name,
                                     const struct plugin_state *s, bool reads_only,
                                     const struct plugin_control *c, struct err *err)
{
	lua_State *L = plugin_call_begin(p, function, s, reads_only);
	plugin_call_push_control(p, L, c, true);
	return plugin_call_function(p, function, 2, 0, name, err);
}

bool plugin_call_committed(void *ctx, struct plugin_state *s, const struct plugin_control *c,
                           struct err *err)
{
	struct lua_plugin *p = ctx;
	return plugin_call_with_outcome(p, p->notify, "update", s, false, c, err);
}

bool plugin_call_fetched(void *ctx, const struct plugin_state *s, const struct plugin_control *c,
                         struct err *err)
{
	struct lua_plugin *p = ctx;
	return plugin_call_with_outcome(p, p->fetched, "fetched", s, true, c, err);
}

bool plugin_call_resolved(void *ctx, struct plugin_state *s, const struct plugin_control *c,
                          struct err *err)
{
	struct lua_plugin *p = ctx;
	return plugin_call_with_outcome(p, p->resolved, "resolved", s, false, c, err);
}

/* ---- caches ---- */
static void plugin_call_push_moment(lua_State *L, struct plugin_moment m)
{
	lua_pushinteger(L, (lua_Integer)m.pc);
	lua_pushinteger(L, (lua_Integer)m.cycle);
}

/* Pushes ways[0..n - 1], each { addr, used, inserted, dirty }; ways.n. */
static void push_ways(lua_State *L, const struct plugin_way *way, uint32_t ways)
{
	lua_createtable(L, (int)ways, 2);
	lua_pushinteger(L, ways);
	lua_setfield(L, -2, "n");
	for (uint32_t w = 0; w < ways; w++) {
		lua_createtable(L, 0, 4);
		lua_pushinteger(L, (lua_Integer)way[w].addr);
		lua_setfield(L, -2, "addr");
		lua_pushinteger(L, (lua_Integer)way[w].used);
		lua_setfield(L, -2, "used");
		lua_pushinteger(L, (lua_Integer)way[w].inserted);
		lua_setfield(L, -2, "inserted");
		lua_pushboolean(L, way[w].dirty);
		lua_setfield(L, -2, "dirty");
		plugin_arguments_close(L, ARGUMENT_WAY);
		lua_rawseti(L, -2, w);
	}
	plugin_arguments_close(L, ARGUMENT_WAYS);
}

bool plugin_call_victim(void *ctx, struct plugin_state *s, uint32_t set,
                        const struct plugin_way *way, uint32_t ways, struct plugin_moment m,
                        uint32_t *out, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->decide, s, false);
	char at[128];
	lua_pushinteger(L, set);
	push_ways(L, way, ways);
	plugin_call_push_moment(L, m);
	bool ok = plugin_call_function(p, p->decide, 4, 1, "victim", err) &&
	          answer_is(p, "victim", LUA_TNUMBER, "the number of a way, from 0,", err);
	if (ok) {
		int whole;
		lua_Integer w = lua_tointegerx(L, -1, &whole);
		ok = (whole && w >= 0 && w < ways) ||
		     err_set(err, "%s: victim returned %s; expected a way from 0 to %u",
		             plugin_call_format_location(p, p->decide, at, sizeof at),
		             lua_tostring(L, -1), ways - 1);
		*out = (uint32_t)w;
	}
	plugin_call_clear_stack(p);
	return ok;
}

bool plugin_call_used(void *ctx, struct plugin_state *s, uint32_t set, uint32_t way, bool fill,
                      struct plugin_moment m, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->notify, s, false);
	lua_pushinteger(L, set);
	lua_pushinteger(L, way);
	lua_pushboolean(L, fill);
	plugin_call_push_moment(L, m);
	return plugin_call_function(p, p->notify, 5, 0, "used", err);
}

static void push_access(lua_State *L, const struct plugin_access *a)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{"pc", a->pc}, {"addr", a->addr}, {"line", a->line}, {"set", a->set},
	               {"cycle", a->cycle}};
	const struct {
		const char *name;
		bool value;
	} flags[] = {{"hit", a->hit}, {"prefetched", a->prefetched}, {"store", a->store}};
	lua_createtable(L, 0, 8);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		lua_pushinteger(L, (lua_Integer)numbers[i].value);
		lua_setfield(L, -2, numbers[i].name);
	}
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
		lua_pushboolean(L, flags[i].value);
		lua_setfield(L, -2, flags[i].name);
	}
	plugin_arguments_close(L, ARGUMENT_ACCESS);
}

/* Reads line numbers from the stack. A nil alone means none. */
static bool plugin_call_read_lines(struct lua_plugin *p, lua_State *L, uint64_t *line,
                                   uint32_t *lines, struct err *err)
{
	int n = lua_gettop(L);
	char at[128];
	if (n > PLUGIN_LINES_MAX)
		return err_set(err, "%s: access returned %d lines; expected at most %d",
		               plugin_call_format_location(p, p->decide, at, sizeof at), n,
		               PLUGIN_LINES_MAX);
	for (int i = 1; i <= n; i++) {
		int whole;
		lua_Integer v = lua_tointegerx(L, i, &whole);
		if (n == 1 && lua_isnil(L, i))
			break;
		if (!whole || lua_type(L, i) != LUA_TNUMBER || v < 0)
			return err_set(err,
			               "%s: access returned %s; expected numbers of lines, such as "
			               "a.line + 1",
			               plugin_call_format_location(p, p->decide, at, sizeof at),
			               lua_type(L, i) == LUA_TNUMBER ? lua_tostring(L, i)
			                                             : luaL_typename(L, i));
		line[(*lines)++] = (uint64_t)v;
	}
	return true;
}

bool plugin_call_access(void *ctx, struct plugin_state *s, const struct plugin_access *a,
                        uint64_t *line, uint32_t *lines, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->decide, s, false);
	push_access(L, a);
	bool ok = plugin_call_function(p, p->decide, 1, LUA_MULTRET, "access", err) &&
	          plugin_call_read_lines(p, L, line, lines, err);
	plugin_call_clear_stack(p);
	return ok;
}

/* ---- profile flags ---- */
/* Pushes the argument of both functions: { pc, type, entry, count }, entry nil if there is none.
 * The table stays on top. */
static void push_flag(lua_State *L, const struct plugin_flag *f)
{
	lua_createtable(L, 0, 7);
	lua_pushinteger(L, (lua_Integer)f->pc);
	lua_setfield(L, -2, "pc");
	lua_pushinteger(L, f->type);
	lua_setfield(L, -2, "type");
	if (f->entry == PLUGIN_NO_ENTRY)
		lua_pushnil(L);
	else
		lua_pushinteger(L, f->entry);
	lua_setfield(L, -2, "entry");
	lua_pushinteger(L, f->count);
	lua_setfield(L, -2, "count");
}

bool plugin_call_flag(void *ctx, const struct plugin_state *s, const struct plugin_flag *f,
                      bool *on, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->decide, s, true);
	push_flag(L, f);
	lua_pushboolean(L, f->bit);
	lua_setfield(L, -2, "bit");
	plugin_arguments_close(L, ARGUMENT_FLAG);
	bool ok = plugin_call_function(p, p->decide, 1, 1, "flag", err) &&
	          answer_is(p, "flag", LUA_TBOOLEAN, "true, on, or false", err);
	if (ok)
		*on = lua_toboolean(L, -1);
	plugin_call_clear_stack(p);
	return ok;
}

bool plugin_call_decoded(void *ctx, struct plugin_state *s, const struct plugin_flag *f,
                         struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->notify, s, false);
	push_flag(L, f);
	lua_pushboolean(L, f->on);
	lua_setfield(L, -2, "on");
	lua_pushboolean(L, f->expected);
	lua_setfield(L, -2, "expected");
	lua_pushinteger(L, (lua_Integer)f->leader);
	lua_setfield(L, -2, "leader");
	plugin_arguments_close(L, ARGUMENT_DECODED);
	return plugin_call_function(p, p->notify, 1, 0, "decoded", err);
}

/* ---- a compressor's stage ---- */
/* Reads the whole number at `index`, a part of a message. */
static bool plugin_call_read_word(struct lua_plugin *p, int function, const char *name, int index,
                                  uint64_t *out, struct err *err)
{
	static const char *const parts[] = {"pc", "value", "count"};
	lua_State *L = host_state(p->host);
	char at[128];
	int whole;
	const lua_Integer v = lua_tointegerx(L, index, &whole);
	*out = (uint64_t)v;
	if (whole && lua_type(L, index) == LUA_TNUMBER && (index < 3 || v > 0))
		return true;
	return err_set(err, "%s: %s returned %s for %s; expected %s",
	               plugin_call_format_location(p, function, at, sizeof at), name,
	               lua_type(L, index) == LUA_TNUMBER ? lua_tostring(L, index)
	                                                 : luaL_typename(L, index),
	               parts[index - 1],
	               index < 3 ? "a whole number" : "1 or more, the tuples that it stands for,");
}

/* Reads the message on the stack: nothing or nil, or pc, value and count. */
static bool read_message(struct lua_plugin *p, int function, const char *name, struct message *out,
                         bool *sent, struct err *err)
{
	lua_State *L = host_state(p->host);
	const int n = lua_gettop(L);
	char at[128];
	*sent = n && !(n == 1 && lua_isnil(L, 1));
	if (!*sent)
		return true;
	if (n != 3)
		return err_set(err,
		               "%s: %s returned %d value%s; expected pc, value, count of the tuple "
		               "that goes on, or nothing",
		               plugin_call_format_location(p, function, at, sizeof at), name, n,
		               n == 1 ? "" : "s");
	return plugin_call_read_word(p, function, name, 1, &out->tuple.pc, err) &&
	       plugin_call_read_word(p, function, name, 2, &out->tuple.value, err) &&
	       plugin_call_read_word(p, function, name, 3, &out->count, err);
}

bool plugin_call_take(void *ctx, struct plugin_state *s, const struct message *in,
                      struct message *out, bool *sent, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = plugin_call_begin(p, p->decide, s, false);
	lua_pushinteger(L, (lua_Integer)in->tuple.pc);
	lua_pushinteger(L, (lua_Integer)in->tuple.value);
	lua_pushinteger(L, (lua_Integer)in->count);
	bool ok = plugin_call_function(p, p->decide, 3, LUA_MULTRET, "take", err) &&
	          read_message(p, p->decide, "take", out, sent, err);
	plugin_call_clear_stack(p);
	return ok;
}

bool plugin_call_drain(void *ctx, struct plugin_state *s, struct message *out, bool *sent,
                       struct err *err)
{
	struct lua_plugin *p = ctx;
	plugin_call_begin(p, p->notify, s, false);
	bool ok = plugin_call_function(p, p->notify, 0, LUA_MULTRET, "drain", err) &&
	          read_message(p, p->notify, "drain", out, sent, err);
	plugin_call_clear_stack(p);
	return ok;
}
