
#include "scripting/plugin/plugin.h"

#include <lauxlib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "core/base/open_input.h"
#include "core/defs/config.h"
#include "core/machine/params.h"
#include "core/machine/plugin_places.h"
#include "core/prof/sampler/compressor.h"
#include "scripting/plugin/plugin_calls.h"
#include "scripting/plugin/lua_plugin.h"

struct plugin_set {
	struct lua_plugin *at[PLUGIN_COUNT]; /* owned */
	struct plugins plugins;
};

/* Kinds of plug-ins: the name of its deciding function gives the kind. */
enum {
	KIND_PREDICTOR,
	KIND_TARGETS,
	KIND_REPLACEMENT,
	KIND_PREFETCHER,
	KIND_FLAGS,
	KIND_STAGE,
	KINDS
};

static const struct kind {
	const char *decide, *notify;
	enum plugin_place first, last, usual;
	const char *places; /* their parameters, for messages */
} kinds[KINDS] = {
	[KIND_PREDICTOR] = {"predict", "update", PLUGIN_PREDICTOR, PLUGIN_PREDICTOR,
                            PLUGIN_PREDICTOR, "bpred.kind"},
	[KIND_TARGETS] = {"target", "update", PLUGIN_INDIRECT, PLUGIN_BTB, PLUGIN_INDIRECT,
                          "bpred.indirect or btb.kind"},
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

/* ---- loading ---- */
static const struct kind *plugin_detect_kind(lua_State *L, int index)
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

/* It predicts control instructions, and may have fetched and resolved. */
static bool plugin_kind_is_control(const struct kind *k)
{
	return k - kinds == KIND_PREDICTOR || k - kinds == KIND_TARGETS;
}

static void plugin_check_keys(lua_State *L, int index, const struct kind *k)
{
	const bool control = plugin_kind_is_control(k);
	const char *const right[] = {"state",
	                             "description",
	                             k->decide,
	                             k->notify ? k->notify : k->decide,
	                             control ? "fetched" : k->decide,
	                             control ? "resolved" : k->decide};
	struct nearest n;
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2)
		                                                 : luaL_tolstring(L, -2, NULL);
		bool known = false;
		nearest_init(&n, key);
		for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
			known |= !strcmp(key, right[i]);
			nearest_offer(&n, right[i]);
		}
		if (!known)
			luaL_error(L, "a plug-in has no '%s': %s", key,
			           nearest_said(&n, "state, description and its functions are "
			                            "all"));
		if (lua_type(L, -2) != LUA_TSTRING)
			lua_pop(L, 1);
	}
}

/* A reference to the function `name` of the plug-in at `index`; LUA_NOREF if it is missing and
 * optional. */
static int plugin_read_function(lua_State *L, int index, int seen, const char *name)
{
	if (!name || lua_getfield(L, index, name) == LUA_TNIL)
		return LUA_NOREF;
	if (!lua_isfunction(L, -1))
		luaL_error(L, "%s is a function, not %s", name, host_a(lua_type(L, -1)));
	plugin_freeze(L, -1, seen);
	return luaL_ref(L, LUA_REGISTRYINDEX);
}

/* Hashes the code: comments and lines do not matter. */
static int plugin_hash_code_chunk(lua_State *L, const void *bytes, size_t n, void *ctx)
{
	uint64_t *hash = ctx;
	(void)L;
	*hash = hash_bytes(*hash, bytes, n);
	return 0;
}

static void add_functions(struct plugin *p, int kind, const struct lua_plugin *from)
{
	const bool is_notified = from->notify != LUA_NOREF;
	p->predict = kind == KIND_PREDICTOR ? plugin_call_predict : NULL;
	p->update = kind == KIND_PREDICTOR && is_notified ? plugin_call_update : NULL;
	p->target = kind == KIND_TARGETS ? plugin_call_target : NULL;
	p->committed = kind == KIND_TARGETS && is_notified ? plugin_call_committed : NULL;
	p->fetched = from->fetched != LUA_NOREF ? plugin_call_fetched : NULL;
	p->resolved = from->resolved != LUA_NOREF ? plugin_call_resolved : NULL;
	p->victim = kind == KIND_REPLACEMENT ? plugin_call_victim : NULL;
	p->used = kind == KIND_REPLACEMENT && is_notified ? plugin_call_used : NULL;
	p->access = kind == KIND_PREFETCHER ? plugin_call_access : NULL;
	p->flag = kind == KIND_FLAGS ? plugin_call_flag : NULL;
	p->decoded = kind == KIND_FLAGS && is_notified ? plugin_call_decoded : NULL;
	p->take = kind == KIND_STAGE ? plugin_call_take : NULL;
	p->drain = kind == KIND_STAGE && is_notified ? plugin_call_drain : NULL;
}

/* Loads the source. Called protected, with a lightuserdata of it. */
static int plugin_load_source(lua_State *L)
{
	struct lua_plugin *p = plugin_of(L);
	const char *source = lua_touserdata(L, 1);
	bool text = strchr(source, '\n') != NULL;
	FILE *f = text ? NULL : open_input(source);
	if (!text && !f)
		luaL_error(L, "cannot open %s (%s)", source, open_input_error());
	bool zero = false;
	for (int byte; f && !zero && (byte = getc(f)) != EOF;)
		zero = !byte;
	if (f)
		fclose(f);
	if (zero)
		luaL_error(L, "%s: not a text: it has zero bytes", source);
	plugin_push_env(L);
	int env = lua_gettop(L);
	if ((text ? luaL_loadbufferx(L, source, strlen(source), "=a text", "t")
	          : luaL_loadfilex(L, source, "t")) != LUA_OK)
		return lua_error(L);
	p->p.digest = HASH_START;
	lua_dump(L, plugin_hash_code_chunk, &p->p.digest, 1);
	lua_pushvalue(L, env);
	lua_setupvalue(L, -2, 1);
	lua_call(L, 0, 1);
	int table = lua_gettop(L);
	if (!lua_istable(L, table))
		luaL_error(L, "a plug-in returns a table with " FUNCTIONS ", this one returns %s",
		           host_a(lua_type(L, table)));
	const struct kind *k = plugin_detect_kind(L, table);
	plugin_check_keys(L, table, k);
	p->control = plugin_kind_is_control(k);
	lua_getfield(L, table, "state");
	plugin_read_state(L, -1);
	plugin_arguments_make(L);
	plugin_outcomes_make(L);
	plugin_push_seen(L, env);
	int seen = lua_gettop(L);
	p->decide = plugin_read_function(L, table, seen, k->decide);
	p->notify = plugin_read_function(L, table, seen, k->notify);
	p->fetched = plugin_read_function(L, table, seen, p->control ? "fetched" : NULL);
	p->resolved = plugin_read_function(L, table, seen, p->control ? "resolved" : NULL);
	p->place = k->usual;
	p->decide_name = k->decide;
	p->notify_name = k->notify;
	add_functions(&p->p, (int)(k - kinds), p);
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
	struct lua_plugin *p = alloc_zeroed(1, sizeof *p);
	const struct host_options opt = {
		.bytes_max = BYTES_MAX, .steps_max = LOAD_STEPS, .owner = p};
	if (p)
		p->name = alloc_text(strchr(source, '\n') ? "a text" : source);
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
	lua_pushcfunction(host_state(p->host), plugin_load_source);
	lua_pushlightuserdata(host_state(p->host), (void *)(uintptr_t)source);
	if (host_call(p->host, 1, 0, &why))
		return p;
	/* Lua's own messages name the file, except where they concern no line. */
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
	return alloc_zeroed(1, sizeof(struct plugin_set));
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

/* Moves the plug-in to the place of this parameter; false with *err if that takes another kind of
 * plug-in. */
static bool plugin_move_to_place(struct lua_plugin *p, const char *name, struct err *err)
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
	bool ok = p && (!place || plugin_move_to_place(p, place, err));
	/* the next free stage of the chain */
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
