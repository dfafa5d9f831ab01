#include "scripting/plugin/plugin.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "core/base/open_input.h"
#include "core/defs/config.h"
#include "core/machine/plugin_places.h"
#include "core/prof/sampler/compressor.h"
#include "scripting/plugin/plugin_priv.h"

/* CALL_STEPS: what the shortest call costs whoever is charged for it. */
enum { BYTES_MAX = 64 << 20, LOAD_STEPS = 10000000, CALL_STEPS = 16 };

struct plugin_set {
	struct lua_plugin *at[PLUGIN_COUNT]; /* owned */
	struct plugins plugins;
};

/* What a file may be: the function that decides makes the kind. */
enum { KIND_PREDICTOR, KIND_REPLACEMENT, KIND_PREFETCHER, KIND_FLAGS, KIND_STAGE, KINDS };
static const struct kind {
	const char *decide, *hear;
	enum plugin_place first, last, usual;
	const char *places; /* their parameters, for messages */
} kinds[KINDS] = {
	[KIND_PREDICTOR] = {"predict", "update", PLUGIN_PREDICTOR, PLUGIN_PREDICTOR,
                            PLUGIN_PREDICTOR, "bpred.kind"},
	[KIND_REPLACEMENT] = {"victim", "used", PLUGIN_L1I_REPLACEMENT, PLUGIN_L2_REPLACEMENT,
                              PLUGIN_L1D_REPLACEMENT,
                              "l1i.replacement, l1d.replacement or l2.replacement"},
	[KIND_PREFETCHER] = {"access", NULL, PLUGIN_L1I_PREFETCHER, PLUGIN_L2_PREFETCHER,
                             PLUGIN_L1D_PREFETCHER, "l1i.prefetch, l1d.prefetch or l2.prefetch"},
	[KIND_FLAGS] = {"flag", "decoded", PLUGIN_FLAGS, PLUGIN_FLAGS, PLUGIN_FLAGS,
                        "xprof.predictor"},
	[KIND_STAGE] = {"take", "drain", PLUGIN_STAGE, PLUGIN_STAGE_4, PLUGIN_STAGE,
                        "sampler.compressor"},
};
#define FUNCTIONS "predict, victim, access, flag or take"

/* ---- calls ---- */

/* Pushes function and s; the rest of the arguments follow. */
static lua_State *begin(struct lua_plugin *p, int function, const struct plugin_state *s,
                        bool reads_only)
{
	lua_State *L = host_state(p->host);
	p->state = s;
	p->reads_only = reads_only;
	lua_rawgeti(L, LUA_REGISTRYINDEX, function);
	lua_rawgeti(L, LUA_REGISTRYINDEX, p->tables);
	return L;
}

/* "FILE:LINE", where a function begins. */
static const char *where(struct lua_plugin *p, int function, char *buf, size_t n)
{
	lua_State *L = host_state(p->host);
	lua_Debug ar;
	lua_rawgeti(L, LUA_REGISTRYINDEX, function);
	lua_getinfo(L, ">S", &ar);
	snprintf(buf, n, "%s:%d", ar.short_src, ar.linedefined);
	return buf;
}

/* Calls it. */
static bool call(struct lua_plugin *p, int function, int args, int results, const char *name,
                 struct err *err)
{
	char at[128];
	bool ok = host_call_within(p->host, args + 1, results, p->state->steps, name, err);
	p->state = NULL;
	const char *changed = plugin_put_back(p);
	if (p->payer && host_is_busy(p->payer) &&
	    !host_charge(p->payer, host_steps_taken(p->host) + CALL_STEPS) && ok)
		return err_set(err, "%s: whoever runs the machine may compute no more",
		               where(p, function, at, sizeof at));
	if (!changed || !ok)
		return ok;
	return err_set(err, "%s: %s changed '%s', which stands outside of it: " PLUGIN_DECLARE,
	               where(p, function, at, sizeof at), name, changed);
}

static void drop(struct lua_plugin *p)
{
	lua_settop(host_state(p->host), 0);
}

/* What it answered is on top, and is this. */
static bool answer_is(struct lua_plugin *p, const char *function, int type, const char *right,
                      struct err *err)
{
	lua_State *L = host_state(p->host);
	char at[128];
	if (lua_type(L, -1) == type)
		return true;
	return err_set(err, "%s: %s answered a %s: %s would be right",
	               where(p, p->decide, at, sizeof at), function, luaL_typename(L, -1), right);
}

static bool predict(void *ctx, const struct plugin_state *s, const struct plugin_branch *b,
                    bool *taken, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = begin(p, p->decide, s, true);
	lua_pushinteger(L, (lua_Integer)b->pc);
	lua_pushinteger(L, b->history);
	bool ok = call(p, p->decide, 2, 1, "predict", err) &&
	          answer_is(p, "predict", LUA_TBOOLEAN, "true, taken, or false", err);
	if (ok)
		*taken = lua_toboolean(L, -1);
	drop(p);
	return ok;
}

static bool update(void *ctx, struct plugin_state *s, const struct plugin_branch *b,
                   struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = begin(p, p->hear, s, false);
	lua_pushinteger(L, (lua_Integer)b->pc);
	lua_pushboolean(L, b->taken);
	lua_pushinteger(L, b->history);
	lua_pushboolean(L, b->predicted);
	return call(p, p->hear, 4, 0, "update", err);
}

/* ways[0..n - 1], each { addr, used, inserted, dirty }; ways.n. */
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
		lua_rawseti(L, -2, w);
	}
}

static bool victim(void *ctx, struct plugin_state *s, uint32_t set, const struct plugin_way *way,
                   uint32_t ways, uint32_t *out, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = begin(p, p->decide, s, false);
	char at[128];
	lua_pushinteger(L, set);
	push_ways(L, way, ways);
	bool ok = call(p, p->decide, 2, 1, "victim", err) &&
	          answer_is(p, "victim", LUA_TNUMBER, "the number of a way, from 0,", err);
	if (ok) {
		int whole;
		lua_Integer w = lua_tointegerx(L, -1, &whole);
		ok = (whole && w >= 0 && w < ways) ||
		     err_set(err, "%s: victim answered %s: a way from 0 to %u would be right",
		             where(p, p->decide, at, sizeof at), lua_tostring(L, -1), ways - 1);
		*out = (uint32_t)w;
	}
	drop(p);
	return ok;
}

static bool used(void *ctx, struct plugin_state *s, uint32_t set, uint32_t way, bool fill,
                 struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = begin(p, p->hear, s, false);
	lua_pushinteger(L, set);
	lua_pushinteger(L, way);
	lua_pushboolean(L, fill);
	return call(p, p->hear, 3, 0, "used", err);
}

static void push_access(lua_State *L, const struct plugin_access *a)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{"pc", a->pc}, {"addr", a->addr}, {"line", a->line}, {"set", a->set}};
	const struct {
		const char *name;
		bool value;
	} flags[] = {{"hit", a->hit}, {"prefetched", a->prefetched}, {"store", a->store}};
	lua_createtable(L, 0, 7);
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++) {
		lua_pushinteger(L, (lua_Integer)numbers[i].value);
		lua_setfield(L, -2, numbers[i].name);
	}
	for (unsigned i = 0; i < sizeof flags / sizeof *flags; i++) {
		lua_pushboolean(L, flags[i].value);
		lua_setfield(L, -2, flags[i].name);
	}
}

/* The numbers of lines that are on the stack. nil asks for none. */
static bool read_lines(struct lua_plugin *p, lua_State *L, uint64_t *line, uint32_t *lines,
                       struct err *err)
{
	int n = lua_gettop(L);
	char at[128];
	if (n > PLUGIN_LINES_MAX)
		return err_set(err, "%s: access answered %d lines: at most %d would be right",
		               where(p, p->decide, at, sizeof at), n, PLUGIN_LINES_MAX);
	for (int i = 1; i <= n; i++) {
		int whole;
		lua_Integer v = lua_tointegerx(L, i, &whole);
		if (lua_isnil(L, i))
			continue;
		if (!whole || lua_type(L, i) != LUA_TNUMBER)
			return err_set(err,
			               "%s: access answered %s: numbers of lines would be right, "
			               "a.line + 1 say",
			               where(p, p->decide, at, sizeof at),
			               lua_type(L, i) == LUA_TNUMBER ? lua_tostring(L, i)
			                                             : luaL_typename(L, i));
		line[(*lines)++] = (uint64_t)v;
	}
	return true;
}

static bool access_of(void *ctx, struct plugin_state *s, const struct plugin_access *a,
                      uint64_t *line, uint32_t *lines, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = begin(p, p->decide, s, false);
	push_access(L, a);
	bool ok = call(p, p->decide, 1, LUA_MULTRET, "access", err) &&
	          read_lines(p, L, line, lines, err);
	drop(p);
	return ok;
}

/* ---- profile flags ---- */

/* What both functions are told: { pc, type, entry, count }; an entry that is none is nil. The table
 * stays on top. */
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

static bool flag(void *ctx, const struct plugin_state *s, const struct plugin_flag *f, bool *on,
                 struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = begin(p, p->decide, s, true);
	push_flag(L, f);
	lua_pushboolean(L, f->bit);
	lua_setfield(L, -2, "bit");
	bool ok = call(p, p->decide, 1, 1, "flag", err) &&
	          answer_is(p, "flag", LUA_TBOOLEAN, "true, on, or false", err);
	if (ok)
		*on = lua_toboolean(L, -1);
	drop(p);
	return ok;
}

static bool decoded(void *ctx, struct plugin_state *s, const struct plugin_flag *f, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = begin(p, p->hear, s, false);
	push_flag(L, f);
	lua_pushboolean(L, f->on);
	lua_setfield(L, -2, "on");
	lua_pushboolean(L, f->expected);
	lua_setfield(L, -2, "expected");
	lua_pushinteger(L, (lua_Integer)f->leader);
	lua_setfield(L, -2, "leader");
	return call(p, p->hear, 1, 0, "decoded", err);
}

/* ---- a compressor's stage ---- */

/* The whole number at `index`, as part of a message. */
static bool read_word(struct lua_plugin *p, int function, const char *name, int index,
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
	return err_set(err, "%s: %s answered %s for %s: %s would be right",
	               where(p, function, at, sizeof at), name,
	               lua_type(L, index) == LUA_TNUMBER ? lua_tostring(L, index)
	                                                 : luaL_typename(L, index),
	               parts[index - 1],
	               index < 3 ? "a whole number" : "1 or more, the tuples that it stands for,");
}

/* The message that is on the stack: nothing or nil, or pc, value and count. */
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
		               "%s: %s answered %d value%s: pc, value, count would be right for "
		               "what goes on, nothing if none does",
		               where(p, function, at, sizeof at), name, n, n == 1 ? "" : "s");
	return read_word(p, function, name, 1, &out->tuple.pc, err) &&
	       read_word(p, function, name, 2, &out->tuple.value, err) &&
	       read_word(p, function, name, 3, &out->count, err);
}

static bool take(void *ctx, struct plugin_state *s, const struct message *in, struct message *out,
                 bool *sent, struct err *err)
{
	struct lua_plugin *p = ctx;
	lua_State *L = begin(p, p->decide, s, false);
	lua_pushinteger(L, (lua_Integer)in->tuple.pc);
	lua_pushinteger(L, (lua_Integer)in->tuple.value);
	lua_pushinteger(L, (lua_Integer)in->count);
	bool ok = call(p, p->decide, 3, LUA_MULTRET, "take", err) &&
	          read_message(p, p->decide, "take", out, sent, err);
	drop(p);
	return ok;
}

static bool drain(void *ctx, struct plugin_state *s, struct message *out, bool *sent,
                  struct err *err)
{
	struct lua_plugin *p = ctx;
	begin(p, p->hear, s, false);
	bool ok = call(p, p->hear, 0, LUA_MULTRET, "drain", err) &&
	          read_message(p, p->hear, "drain", out, sent, err);
	drop(p);
	return ok;
}

/* ---- loading ---- */

static const struct kind *kind_of(lua_State *L, int index)
{
	const struct kind *found = NULL;
	for (const struct kind *k = kinds; k < kinds + KINDS; k++) {
		if (lua_getfield(L, index, k->decide) != LUA_TNIL) {
			if (found)
				luaL_error(L, "it has both %s and %s: a plug-in is one thing",
				           found->decide, k->decide);
			found = k;
		}
		lua_pop(L, 1);
	}
	if (!found)
		luaL_error(L, "a plug-in returns a table with " FUNCTIONS
		              ", and here is none of them");
	return found;
}

static void check_keys(lua_State *L, int index, const struct kind *k)
{
	const char *const right[] = {"state", "description", k->decide, k->hear};
	struct nearest n;
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2)
		                                                 : luaL_tolstring(L, -2, NULL);
		bool known = false;
		nearest_init(&n, key);
		for (unsigned i = 0; i < 4 && right[i]; i++) {
			known |= !strcmp(key, right[i]);
			nearest_offer(&n, right[i]);
		}
		if (!known)
			luaL_error(L,
			           n.best ? "a plug-in has no '%s': did you mean '%s'?"
			                  : "a plug-in has no '%s': state, description and its "
			                    "functions are all",
			           key, n.best);
		if (lua_type(L, -2) != LUA_TSTRING)
			lua_pop(L, 1);
	}
}

/* The function `name` of the plug-in at `index`; LUA_NOREF if it has none and needs none. */
static int read_function(lua_State *L, int index, int seen, const char *name)
{
	if (!name || lua_getfield(L, index, name) == LUA_TNIL)
		return LUA_NOREF;
	if (!lua_isfunction(L, -1))
		luaL_error(L, "%s is a function, not a %s", name, luaL_typename(L, -1));
	plugin_freeze(L, -1, seen);
	return luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Of the code: comments and lines do not matter. */
static int digest(lua_State *L, const void *bytes, size_t n, void *ctx)
{
	uint64_t *hash = ctx;
	(void)L;
	*hash = hash_bytes(*hash, bytes, n);
	return 0;
}

static void add_functions(struct plugin *p, int kind, bool hears)
{
	p->predict = kind == KIND_PREDICTOR ? predict : NULL;
	p->update = kind == KIND_PREDICTOR && hears ? update : NULL;
	p->victim = kind == KIND_REPLACEMENT ? victim : NULL;
	p->used = kind == KIND_REPLACEMENT && hears ? used : NULL;
	p->access = kind == KIND_PREFETCHER ? access_of : NULL;
	p->flag = kind == KIND_FLAGS ? flag : NULL;
	p->decoded = kind == KIND_FLAGS && hears ? decoded : NULL;
	p->take = kind == KIND_STAGE ? take : NULL;
	p->drain = kind == KIND_STAGE && hears ? drain : NULL;
}

/* Called protected, with a lightuserdata of the source. */
static int load(lua_State *L)
{
	struct lua_plugin *p = plugin_of(L);
	const char *source = lua_touserdata(L, 1);
	bool text = strchr(source, '\n') != NULL;
	FILE *f = text ? NULL : open_input(source);
	if (!text && !f)
		luaL_error(L, "cannot open %s (%s)", source, open_input_error());
	if (f)
		fclose(f);
	plugin_push_env(L);
	int env = lua_gettop(L);
	if ((text ? luaL_loadbufferx(L, source, strlen(source), "=a text", "t")
	          : luaL_loadfilex(L, source, "t")) != LUA_OK)
		return lua_error(L);
	p->p.digest = HASH_START;
	lua_dump(L, digest, &p->p.digest, 1);
	lua_pushvalue(L, env);
	lua_setupvalue(L, -2, 1);
	lua_call(L, 0, 1);
	int table = lua_gettop(L);
	if (!lua_istable(L, table))
		luaL_error(L, "a plug-in returns a table with " FUNCTIONS ", this one returns a %s",
		           luaL_typename(L, table));
	const struct kind *k = kind_of(L, table);
	check_keys(L, table, k);
	lua_getfield(L, table, "state");
	plugin_read_state(L, -1);
	plugin_push_seen(L, env);
	int seen = lua_gettop(L);
	p->decide = read_function(L, table, seen, k->decide);
	p->hear = read_function(L, table, seen, k->hear);
	p->place = k->usual;
	p->decides = k->decide;
	p->hears = k->hear;
	add_functions(&p->p, (int)(k - kinds), p->hear != LUA_NOREF);
	return 0;
}

static void free_plugin(struct lua_plugin *p)
{
	if (!p)
		return;
	host_free(p->host);
	plugin_kept_free(p);
	for (unsigned t = 0; t < PLUGIN_TABLES_MAX; t++)
		free((int64_t *)(uintptr_t)p->table[t].init);
	free(p->name);
	free(p);
}

static struct lua_plugin *load_plugin(const char *source, struct err *err)
{
	struct err why;
	struct lua_plugin *p = calloc(1, sizeof *p);
	const struct host_options opt = {
		.bytes_max = BYTES_MAX, .steps_max = LOAD_STEPS, .owner = p};
	if (p)
		p->name = strdup(strchr(source, '\n') ? "a text" : source);
	if (!p || !p->name) {
		free_plugin(p);
		return err_set(err, "%s: out of memory", source), NULL;
	}
	p->host = host_new(&opt, err);
	if (!p->host) {
		free_plugin(p);
		return NULL;
	}
	p->p = (struct plugin){.name = p->name, .table = p->table, .ctx = p};
	lua_pushcfunction(host_state(p->host), load);
	lua_pushlightuserdata(host_state(p->host), (void *)(uintptr_t)source);
	if (host_call(p->host, 1, 0, &why))
		return p;
	/* Lua's own messages name the file, except where no line is to blame. */
	if (!strncmp(why.msg, p->name, strlen(p->name)))
		err_set(err, "%s", why.msg);
	else
		err_set(err, "%s: %s", p->name, why.msg);
	free_plugin(p);
	return NULL;
}

/* ---- sets ---- */

struct plugin_set *plugin_set_new(void)
{
	return calloc(1, sizeof(struct plugin_set));
}

void plugin_set_free(struct plugin_set *set)
{
	if (!set)
		return;
	for (unsigned i = 0; i < PLUGIN_COUNT; i++)
		free_plugin(set->at[i]);
	free(set);
}

void plugin_set_charge(struct plugin_set *set, struct lua_host *host)
{
	for (unsigned i = 0; i < PLUGIN_COUNT; i++)
		if (set->at[i])
			set->at[i]->payer = host;
}

const struct plugins *plugin_set_plugins(const struct plugin_set *set)
{
	return &set->plugins;
}

/* Moves it to the place of this parameter, if that is one for it. */
static bool move(struct lua_plugin *p, const char *name, struct err *err)
{
	const struct kind *k = kinds;
	while (p->place < k->first || p->place > k->last)
		k++;
	for (unsigned i = k->first; i <= k->last; i++)
		if (!strcmp(plugin_place_param(i)->name, name)) {
			p->place = i;
			return true;
		}
	return err_set(err, "%s is a plug-in with %s, which is for %s, not for '%s'", p->name,
	               k->decide, k->places, name);
}

bool plugin_set_add(struct plugin_set *set, const char *place, const char *source, struct err *err)
{
	struct lua_plugin *p = load_plugin(source, err);
	bool ok = p && (!place || move(p, place, err));
	/* the next in the chain */
	while (ok && p->place >= PLUGIN_STAGE && p->place < PLUGIN_STAGE_4 && set->at[p->place])
		p->place++;
	if (ok && set->at[p->place])
		ok = err_set(err, "%s: there is a %s already, %s", p->name,
		             plugin_place_name(p->place), set->at[p->place]->name);
	if (!ok) {
		free_plugin(p);
		return false;
	}
	set->at[p->place] = p;
	set->plugins.at[p->place] = &p->p;
	return true;
}

bool plugin_set_add_word(struct plugin_set *set, const char *word, struct err *err)
{
	char place[64];
	const char *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : 0;
	if (!equals || n >= sizeof place || memchr(word, '/', n))
		return plugin_set_add(set, NULL, word, err);
	memcpy(place, word, n);
	place[n] = '\0';
	return param_find(place, err) && plugin_set_add(set, place, equals + 1, err);
}
