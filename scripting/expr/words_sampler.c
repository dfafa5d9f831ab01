/* Words of the stream sampler: sampler.component[K], the components of its compressor, and
 * sampler.bucket[I], the counters of the first component that is a table. */
#include "scripting/expr/words.h"

#include <inttypes.h>
#include <lauxlib.h>
#include <stdio.h>
#include <string.h>

#include "hwviews/sampler/sampler_rows.h"
#include "scripting/binding.h"

#define COMPONENTS_META "cyclops.sampler_components"
#define COMPONENT_META "cyclops.sampler_component"
#define BUCKET_META "cyclops.sampler_bucket"

static const struct prof *prof_here(lua_State *L, const struct words *w)
{
	const struct prof *d = machine_pipe(words_machine(L, w))->prof;
	if (!sampler_of(d))
		binding_fail(L, "this machine has no sampler (sampler.enable = false)");
	return d;
}

static const struct sampler *words_sampler_check_sampler(lua_State *L, const struct words *w)
{
	return sampler_of(prof_here(L, w));
}

/* The integer at index 2; false if no integer is there. A Lua error if it is not below n. */
static bool words_sampler_parse_index(lua_State *L, const char *what, uint32_t n, uint32_t *out)
{
	if (!lua_isinteger(L, 2))
		return false;
	lua_Integer i = lua_tointeger(L, 2);
	if (i < 0 || i >= (lua_Integer)n)
		return binding_fail(L, "%s 0 to %d", what, (int)n - 1);
	*out = (uint32_t)i;
	return true;
}

struct number {
	const char *name;
	uint64_t value;
};

static bool push_number(lua_State *L, const char *name, const struct number *of, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(of[i].name, name)) {
			lua_pushinteger(L, (lua_Integer)of[i].value);
			return true;
		}
	return false;
}

/* ---- a counter ---- */
static int bucket_index(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, BUCKET_META);
	const struct compressor *c = &words_sampler_check_sampler(L, at->words)->compressor;
	const struct component *part = &c->spec.stage[at->number];
	const struct component_counter counter = counter_of(c, at->number, at->part);
	const char *name = luaL_checkstring(L, 2);
	const struct number both[] = {{"count", counter.at}, {"of", counter.of}};
	struct entry_field fields[ENTRY_FIELDS_MAX];
	const unsigned n = part->ops->fields(c, at->number, at->part, fields);
	char names[128] = "", text[96];
	struct textbuf list = {names, sizeof names, 0};
	if (!counter.known)
		return binding_fail(L, "'%s' of %s: it has no counter", name,
		                    format_component(part, text, sizeof text));
	if (push_number(L, name, both, 2))
		return 1;
	for (unsigned i = 0; i < n; i++) {
		if (!strcmp(fields[i].name, name)) {
			if (fields[i].word)
				lua_pushstring(L, fields[i].word);
			else
				lua_pushinteger(L, (lua_Integer)fields[i].value);
			return 1;
		}
		if (strcmp(fields[i].name, "count") != 0)
			textbuf_add(&list, " %s", fields[i].name);
	}
	return binding_fail(L, "an entry of %s has no '%s'; it has count of%s",
	                    format_component(part, text, sizeof text), name, names);
}

static int bucket_tostring(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, BUCKET_META);
	const struct compressor *c = &words_sampler_check_sampler(L, at->words)->compressor;
	const struct component *part = &c->spec.stage[at->number];
	const struct component_counter counter = counter_of(c, at->number, at->part);
	struct entry_field fields[ENTRY_FIELDS_MAX];
	const unsigned n = part->ops->fields(c, at->number, at->part, fields);
	char line[160];
	struct textbuf t = {line, sizeof line, 0};
	for (unsigned i = 0; i < n; i++)
		if (fields[i].word)
			textbuf_add(&t, "%s, ", fields[i].word);
	component_say_counter(part, &counter, &t);
	lua_pushstring(L, line);
	return 1;
}

/* ---- a component ---- */
static int component_index(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, COMPONENT_META);
	const struct sampler *sm = words_sampler_check_sampler(L, at->words);
	const struct component *part = &sm->compressor.spec.stage[at->number];
	const struct component_flow *flow = &sm->compressor.flow[at->number];
	const struct sampler_step *step = &sm->st->step[at->number];
	const char *name;
	uint32_t entry = 0;
	if (words_sampler_parse_index(L, "this component has entries", part->entries, &entry)) {
		lua_getiuservalue(L, 1, 1);
		words_push_place(L, -1, (struct words_place){at->words, at->number, entry},
		                 BUCKET_META);
		return 1;
	}
	name = luaL_checkstring(L, 2);
	const struct number numbers[] = {{"received", flow->in},
	                                 {"sent", flow->out},
	                                 {"bits", component_bits(part)},
	                                 {"entry", step->touch.entry},
	                                 {"cycle", step->cycle}};
	if (push_number(L, name, numbers, sizeof numbers / sizeof *numbers))
		return 1;
	if (!strcmp(name, "held") && component_lossless(part))
		lua_pushinteger(L, (lua_Integer)component_held(&sm->compressor, at->number));
	else if (!strcmp(name, "held"))
		lua_pushnil(L);
	else if (!strcmp(name, "act"))
		lua_pushstring(L, component_act_name[step->touch.act]);
	else
		return binding_fail(L,
		                    "a component has no '%s'; it has [ENTRY], received sent held "
		                    "bits act entry cycle",
		                    name);
	return 1;
}

static int component_tostring(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, COMPONENT_META);
	char text[128];
	lua_pushstring(L, component_format(&words_sampler_check_sampler(L, at->words)
	                                            ->compressor.spec.stage[at->number],
	                                   text, sizeof text));
	return 1;
}

/* ---- all of them ---- */
static int components_index(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, COMPONENTS_META);
	uint32_t stage = 0;
	if (!words_sampler_parse_index(
		    L, "the compressor has components",
		    words_sampler_check_sampler(L, at->words)->compressor.spec.count, &stage))
		return binding_fail(L, "components go by numbers: sampler.component[0]");
	lua_getiuservalue(L, 1, 1);
	words_push_place(L, -1, (struct words_place){at->words, stage, 0}, COMPONENT_META);
	return 1;
}

static int components_tostring(lua_State *L)
{
	const struct words_place *at = luaL_checkudata(L, 1, COMPONENTS_META);
	char text[COMPRESSOR_TEXT_MAX];
	lua_pushstring(
		L, compressor_format(&words_sampler_check_sampler(L, at->words)->compressor.spec,
	                             text, sizeof text));
	return 1;
}

bool words_push_sampler(lua_State *L, int key)
{
	struct words *w = words_here(L);
	const char *name = lua_isinteger(L, key) ? "" : lua_tostring(L, key);
	const bool bucket = !strcmp(name, "bucket");
	if (bucket || !strcmp(name, "component")) {
		const struct sampler *sm = words_sampler_check_sampler(L, w);
		unsigned stage = 0;
		while (bucket && stage < sm->compressor.spec.count - 1 &&
		       sm->compressor.spec.stage[stage].entries == 1)
			stage++;
		words_push_place(L, lua_upvalueindex(1), (struct words_place){w, stage, 0},
		                 bucket ? COMPONENT_META : COMPONENTS_META);
		return true;
	}
	if (strcmp(name, "waiting") != 0 && strcmp(name, "queued") != 0 &&
	    strcmp(name, "held") != 0)
		return false;
	const struct prof *d = prof_here(L, w);
	const struct sampler *sm = sampler_of(d);
	if (*name == 'h' && !compressor_lossless(&sm->compressor))
		lua_pushnil(L);
	else
		lua_pushinteger(L, (lua_Integer)(*name == 'h'   ? sampler_held(d)
		                                 : *name == 'w' ? sm->st->message_count
		                                                : sm->st->tuple_count));
	return true;
}

const char *words_tell_sampler(void)
{
	return "sampler.bucket[0].count, sampler.component[0].act, sampler.queued, "
	       "sampler.waiting, sampler.held";
}

void words_open_sampler(lua_State *L)
{
	words_metatable(L, COMPONENTS_META, components_index, components_tostring);
	words_metatable(L, COMPONENT_META, component_index, component_tostring);
	words_metatable(L, BUCKET_META, bucket_index, bucket_tostring);
}
