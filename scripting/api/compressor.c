/* Stream compressors without a machine. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/defs/config_fields.h"
#include "core/defs/kinds.h"
#include "core/defs/stats_fields.h"
#include "core/machine/plugin_places.h"
#include "core/pipe/plugin.h"
#include "core/prof/sampler/component.h"
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"
#include "scripting/binding.h"
#include "scripting/plugin/plugin.h"

/* The state lies after it, followed by as much room as the compressor allocates from the C library,
 * so that it counts as Lua's memory. The first user value counts so for plug-ins. */
struct lua_compressor {
	struct compressor c;
	uint64_t seed;
	struct plugin_set *plugins; /* owned; NULL: none */
	struct plugin_bank bank;    /* the plug-ins' tables */
	struct outcome outcome;     /* MACHINE_RUNNING until one fails */
	struct stats stats;
	uint64_t cycle; /* tuples received: a machine takes one per cycle */
};

enum { PIECE = 1 << 16 };

static struct lua_compressor *lua_compressor_check(lua_State *L, int index)
{
	struct lua_compressor *l = luaL_checkudata(L, index, COMPRESSOR);
	if (!l->c.spec.count)
		binding_fail(L, "this compressor is closed");
	return l;
}

/* Raises an error if a plug-in has failed: without its calls all further output would be wrong. */
static void lua_compressor_check_plugins(lua_State *L, const struct lua_compressor *l)
{
	if (l->plugins && l->bank.record->failed)
		binding_fail(L, "%s", l->bank.record->text);
}

static struct compressor *lua_compressor_at(lua_State *L, int index)
{
	return &lua_compressor_check(L, index)->c;
}

/* ---- one tuple, step by step ---- */
static void push_step(lua_State *L, const struct compressor *c, unsigned stage,
                      const struct component_touch *touch)
{
	lua_createtable(L, 0, 7);
	binding_set_integer(L, "stage", stage + 1);
	lua_pushstring(L, component_act_name[touch->act]);
	lua_setfield(L, -2, "act");
	lua_pushstring(L, component_act_help[touch->act]);
	lua_setfield(L, -2, "help");
	binding_set_integer(L, "entry", touch->entry);
	binding_set_integer(L, "before", touch->before);
	binding_set_integer(L, "after", touch->after);
	if (c->spec.stage[stage].ops->tagged)
		binding_set_integer(L, "misses", touch->misses);
}

static int lua_compressor_follow(lua_State *L)
{
	struct compressor *c = lua_compressor_at(L, 1);
	struct message m = {tuples_check(L, 2), 1}, out;
	bool sent = true;
	lua_compressor_check(L, 1)->cycle++;
	lua_newtable(L);
	for (unsigned i = 0; i < c->spec.count && sent; i++) {
		struct component_touch touch;
		sent = compressor_stage(c, i, &m, &out, &touch);
		lua_compressor_check_plugins(L, lua_compressor_check(L, 1));
		push_step(L, c, i, &touch);
		if (sent) {
			lua_createtable(L, 0, 4);
			tuples_set(L, out.tuple);
			binding_set_integer(L, "count", out.count);
			lua_setfield(L, -2, "message");
			m = out;
		}
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

/* ---- looking inside ---- */
/* The stage that the argument (from 1) selects; without an argument, the first stage that hashes.
 */
static unsigned stage_at(lua_State *L, const struct compressor *c, int index)
{
	unsigned stage = 0;
	if (lua_isnoneornil(L, index)) {
		while (stage < c->spec.count && !c->hasher[stage])
			stage++;
		return stage < c->spec.count ? stage : 0;
	}
	lua_Integer n = luaL_checkinteger(L, index);
	if (n < 1 || n > (lua_Integer)c->spec.count)
		binding_fail(L, "no stage %d; this compressor has 1 to %u", (int)n, c->spec.count);
	return (unsigned)n - 1;
}

static int lua_compressor_held(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	bool all = lua_isnoneornil(L, 2);
	unsigned stage = all ? 0 : stage_at(L, c, 2);
	for (unsigned i = 0; i < c->spec.count; i++)
		host_tick(L, c->spec.stage[i].entries / 8 + 1);
	lua_pushinteger(L, (lua_Integer)(all ? compressor_held(c) : component_held(c, stage)));
	return 1;
}

static int lua_compressor_place(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	struct tuple t = tuples_check(L, 2);
	unsigned stage = stage_at(L, c, 5);
	lua_pushinteger(L, compressor_index(c, stage, t));
	if (!c->spec.stage[stage].ops->tagged)
		return 1;
	lua_pushinteger(L, compressor_tag(c, stage, t));
	return 2;
}

static int lua_compressor_hash_steps(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	struct tuple t = tuples_check(L, 2);
	unsigned stage = stage_at(L, c, 5);
	if (!c->hasher[stage] || c->spec.stage[stage].hash != HASH_RANDOM)
		return binding_fail(L,
		                    "stage %u does not hash in steps: only H and T do, with the "
		                    "hash function random",
		                    stage + 1);
	struct tuple_hash_steps s = compressor_hash_steps(c, stage, t);
	lua_createtable(L, 0, 5);
	binding_set_integer(L, "pc_random", s.pc_random);
	binding_set_integer(L, "pc_flipped", s.pc_flipped);
	binding_set_integer(L, "value_random", s.value_random);
	binding_set_integer(L, "mixed", s.mixed);
	binding_set_integer(L, "index", s.index);
	return 1;
}

void api_push_entry(lua_State *L, const struct compressor *c, unsigned stage, uint32_t entry)
{
	struct entry_field fields[ENTRY_FIELDS_MAX];
	const unsigned n = c->spec.stage[stage].ops->fields(c, stage, entry, fields);
	lua_createtable(L, 0, (int)n);
	for (unsigned i = 0; i < n; i++) {
		if (fields[i].word)
			lua_pushstring(L, fields[i].word);
		else
			lua_pushinteger(L, (lua_Integer)fields[i].value);
		lua_setfield(L, -2, fields[i].name);
	}
}

static int lua_compressor_entry(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	unsigned stage = stage_at(L, c, 2);
	lua_Integer n = luaL_checkinteger(L, 3);
	const struct component *part = &c->spec.stage[stage];
	if (n < 0 || n >= (lua_Integer)part->entries)
		return binding_fail(L, "no entry %d; stage %u has 0 to %u", (int)n, stage + 1,
		                    part->entries - 1);
	api_push_entry(L, c, stage, (uint32_t)n);
	return 1;
}

/* ---- making a compressor, and adding tuples ---- */
static uint64_t seed_option(lua_State *L, int index)
{
	static const char *const keys[] = {"seed", "stage", NULL};
	uint64_t seed = 1;
	if (lua_isnoneornil(L, index))
		return seed;
	luaL_checktype(L, index, LUA_TTABLE);
	api_check_keys(L, index, "cyclops.compressor", keys);
	if (api_option(L, index, "seed", LUA_TNUMBER))
		seed = (uint64_t)luaL_checkinteger(L, -1);
	lua_pop(L, 1);
	return seed;
}

/* Loads the plug-ins in option `stage`, one for each such stage of the chain, and places their
 * tables. l is at `index`. */
static void add_plugins(lua_State *L, struct lua_compressor *l, int index,
                        struct compressor_spec *spec)
{
	struct config cfg;
	struct err err;
	struct arena size = {0}, arena = {0};
	config_default(&cfg);
	cfg.sampler = 1;
	l->plugins = plugin_set_new();
	if (!l->plugins)
		binding_fail(L, "out of memory");
	if (lua_istable(L, 2) && api_option(L, 2, "stage", LUA_TNONE))
		api_add_stages(L, l->plugins);
	if (script_of(L)->opt.safe)
		plugin_set_charge(l->plugins, host_of(L));
	snprintf(cfg.sampler_compressor, sizeof cfg.sampler_compressor, "%s", lua_tostring(L, 1));
	const unsigned asked = compressor_externals(lua_tostring(L, 1));
	unsigned given = 0;
	for (unsigned i = PLUGIN_STAGE; i < PLUGIN_COUNT; i++)
		given += plugin_set_plugins(l->plugins)->at[i] != NULL;
	if (given != asked)
		binding_fail(L,
		             "the chain has `external` %u time%s, and stage names %u plug-in%s; "
		             "expected as many",
		             asked, asked == 1 ? "" : "s", given, given == 1 ? "" : "s");
	if (!plugins_check(plugin_set_plugins(l->plugins), &cfg, &err))
		binding_fail(L, "%s", err.msg);
	plugins_place(&l->bank, plugin_set_plugins(l->plugins), &cfg, &size);
	host_tick(L, size.used / 64 + 1);
	arena.base = lua_newuserdatauv(L, size.used + 64, 0);
	memset(arena.base, 0, size.used + 64);
	arena.base += -(uintptr_t)arena.base % 64;
	plugins_place(&l->bank, plugin_set_plugins(l->plugins), &cfg, &arena);
	lua_setiuservalue(L, index, 1);
	l->bank.outcome = &l->outcome;
	l->bank.cycle = &l->cycle;
	l->bank.stats = &l->stats;
	compressor_be_external(spec, &l->bank);
}

static void lua_compressor_init_run(struct lua_compressor *l)
{
	compressor_reset(&l->c, l->seed);
	l->cycle = 0;
	l->outcome = (struct outcome){.status = MACHINE_RUNNING};
	if (l->plugins)
		plugins_reset(&l->bank);
}

static int lua_compressor_new(lua_State *L)
{
	enum { ALIGNED = 64 };
	struct compressor_spec spec;
	struct err err;
	const char *text = luaL_checkstring(L, 1);
	uint64_t seed = seed_option(L, 2);
	if (!compressor_parse(text, &spec, &err))
		return binding_fail(L, "%s", err.msg);
	size_t bytes = compressor_bytes(&spec),
	       whole = sizeof(struct lua_compressor) + ALIGNED + bytes;
	host_tick(L, bytes / ALIGNED + 1);
	struct lua_compressor *l = lua_newuserdatauv(L, whole + compressor_own_bytes(&spec), 1);
	const int index = lua_gettop(L);
	uint8_t *state = (uint8_t *)(l + 1);
	state += -(uintptr_t)state % ALIGNED;
	*l = (struct lua_compressor){.seed = seed};
	memset(state, 0, bytes);
	luaL_setmetatable(L, COMPRESSOR);
	if (compressor_externals(text))
		add_plugins(L, l, index, &spec);
	else if (lua_istable(L, 2) && api_option(L, 2, "stage", LUA_TNONE))
		return binding_fail(L, "stage is for a chain with `external` in it, not for %s",
		                    text);
	lua_settop(L, index);
	if (!compressor_init(&l->c, &spec, state, &err))
		return binding_fail(L, "%s", err.msg);
	l->c.plugins = l->plugins ? &l->bank : NULL;
	lua_compressor_init_run(l);
	return 1;
}

static int compressor_gc(lua_State *L)
{
	struct lua_compressor *l = luaL_checkudata(L, 1, COMPRESSOR);
	compressor_deinit(&l->c);
	plugin_set_free(l->plugins);
	l->plugins = NULL;
	return 0;
}

/* ---- sending tuples through ---- */
static int push_message(lua_State *L, const struct message *m)
{
	tuples_push(L, m->tuple);
	lua_pushinteger(L, (lua_Integer)m->count);
	return 4;
}

static int lua_compressor_insert_tuple(lua_State *L)
{
	struct lua_compressor *l = lua_compressor_check(L, 1);
	struct message m;
	l->cycle++;
	const bool sent = compressor_take(&l->c, tuples_check(L, 2), &m);
	lua_compressor_check_plugins(L, l);
	return sent ? push_message(L, &m) : 0;
}

/* The list at `index`, or a new one; pushes it. */
static struct message_list *lua_compressor_message_list(lua_State *L, int index)
{
	if (lua_isnoneornil(L, index))
		return tuples_new_messages(L);
	lua_pushvalue(L, index);
	return tuples_messages(L, index);
}

static int lua_compressor_feed_stream(lua_State *L)
{
	struct lua_compressor *of = lua_compressor_check(L, 1);
	struct compressor *c = &of->c;
	const struct tuple_stream *s = tuples_stream(L, 2);
	size_t from, n = tuples_range(L, 3, 4, s->count, &from);
	struct message_list *l = lua_compressor_message_list(L, 5);
	while (n) {
		/* with plug-ins a tuple per cycle, so that failures name a cycle */
		size_t piece = of->plugins ? 1 : n < PIECE ? n : PIECE, taken;
		of->cycle += piece;
		host_tick(L, piece);
		tuples_need(L, l, 1);
		l->count += compressor_feed(c, s->at + from, piece, l->at + l->count,
		                            l->room - l->count, &taken);
		lua_compressor_check_plugins(L, of);
		from += taken;
		n -= taken;
	}
	return 1;
}

static int lua_compressor_drain_messages(lua_State *L)
{
	struct compressor *c = lua_compressor_at(L, 1);
	struct message_list *l = lua_compressor_message_list(L, 2);
	for (;;) {
		struct message m;
		tuples_need(L, l, 1); /* make room before a message leaves its holder */
		host_tick(L, PIECE >> 8);
		const bool sent = compressor_drain(c, &m);
		lua_compressor_check_plugins(L, lua_compressor_check(L, 1));
		if (!sent)
			return 1;
		message_list_add(l, &m);
	}
}

static int lua_compressor_reset(lua_State *L)
{
	struct lua_compressor *l = lua_compressor_check(L, 1);
	l->seed = (uint64_t)luaL_optinteger(L, 2, (lua_Integer)l->seed);
	lua_compressor_init_run(l);
	lua_settop(L, 1);
	return 1;
}

/* ---- what it is ---- */
static int lua_compressor_get_bits(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)compressor_bits(&lua_compressor_at(L, 1)->spec));
	return 1;
}

static int get_text(lua_State *L)
{
	char text[COMPRESSOR_TEXT_MAX];
	lua_pushstring(L, compressor_format(&lua_compressor_at(L, 1)->spec, text, sizeof text));
	return 1;
}

static int get_lossless(lua_State *L)
{
	lua_pushboolean(L, compressor_lossless(lua_compressor_at(L, 1)));
	return 1;
}

static int get_seed(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)lua_compressor_check(L, 1)->seed);
	return 1;
}

static int get_wrong(lua_State *L)
{
	lua_pushstring(L, compressor_check(lua_compressor_at(L, 1)));
	return 1;
}

static void push_stage(lua_State *L, const struct compressor *c, unsigned i)
{
	const struct component *part = &c->spec.stage[i];
	const struct component_flow *f = &c->flow[i];
	char text[96];
	lua_createtable(L, 0, 12);
	lua_pushstring(L, component_format(part, text, sizeof text));
	lua_setfield(L, -2, "text");
	lua_pushstring(L, component_letters[part->kind]);
	lua_setfield(L, -2, "kind");
	lua_pushboolean(L, part->split);
	lua_setfield(L, -2, "split");
	lua_pushboolean(L, component_lossless(part));
	lua_setfield(L, -2, "lossless");
	binding_set_integer(L, "bits", component_bits(part));
	binding_set_integer(L, "unit", part->unit);
	binding_set_integer(L, "entries", part->entries);
	binding_set_integer(L, "ways", part->ways);
	binding_set_integer(L, "came", f->in);
	binding_set_integer(L, "sent", f->out);
	binding_set_integer(L, "weight_came", f->weight_in);
	binding_set_integer(L, "weight_sent", f->weight_out);
}

static int get_stages(lua_State *L)
{
	const struct compressor *c = lua_compressor_at(L, 1);
	lua_createtable(L, (int)c->spec.count, 0);
	for (unsigned i = 0; i < c->spec.count; i++) {
		push_stage(L, c, i);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static const struct binding functions[] = {
	{"compressor", lua_compressor_new,
         "cyclops.compressor(TEXT[, { seed = 1, stage = FILE }]) -> COMPRESSOR",
         "A chain of components, as in \"H(P(256), 2048), A(16)\":\n"
#define C(id, name, letters, help, ...) letters help ";\n"
         COMPONENT_ROWS(C, C)
#undef C
         "C(X), X one of R, Rc and P, with the number of tuples since the last message in each "
         "message, not r;\n"
         "H(X, n[, HASH]) n strata by a hash of the tuple (random, fold, modulo), each with its "
         "own sampler X.\n"
         "Of a plug-in (`cyclops help plugins`), stage is its FILE, or a list of files if there "
         "are several. A plug-in that fails raises an error."},
};
static const struct binding methods[] = {
	{"take", lua_compressor_insert_tuple, "c:take(PC, VALUE[, TAG]) -> PC, VALUE, TAG, COUNT",
         "Feeds one tuple. Returns nothing, or the message that software gets."},
	{"feed", lua_compressor_feed_stream, "c:feed(STREAM[, N[, FROM[, MESSAGES]]]) -> MESSAGES",
         "Feeds all tuples of a stream, or N of them from place FROM (1) on. Returns the messages "
         "in a new list, or appended to MESSAGES."},
	{"drain", lua_compressor_drain_messages, "c:drain([MESSAGES]) -> MESSAGES",
         "Sends the held tuples as messages, where that is possible. Strata and tagged counters "
         "do not store their tuples: their counts stay."},
	{"follow", lua_compressor_follow, "c:follow(PC, VALUE[, TAG]) -> { STEP, ... }",
         "Takes a tuple as c:take does, and returns the step of each stage: { stage =, act =, "
         "help =, entry =, before =, after = } with the counter that it went to, misses for T, "
         "and message = { pc =, value =, tag =, count = } if the stage sent one, to the next "
         "stage.\n"
         "act is 'counted' or 'sampled'; for T the transition of figure 6 ('E1' to 'E6a'); for A "
         "'hit', 'placed', 'replaced' or 'full'."},
	{"held", lua_compressor_held, "c:held([STAGE]) -> N",
         "Tuples that came in and are in no message yet, in all stages or in one."},
	{"index", lua_compressor_place, "c:index(PC, VALUE[, TAG[, STAGE]]) -> INDEX[, TAG]",
         "The entry of a tuple in a stage; for T its set and partial tag. Without STAGE, the "
         "first stage that hashes. Counted from 0, as in hardware."},
	{"hash_steps", lua_compressor_hash_steps,
         "c:hash_steps(PC, VALUE[, TAG[, STAGE]]) -> { pc_random =, pc_flipped =, value_random =, "
         "mixed =, index = }",
         "The hash of section 3.5, step by step: each word's bytes through the random table, "
         "those of pc reversed, both xored, and folded."},
	{"entry", lua_compressor_entry, "c:entry(STAGE, I) -> { ... }",
         "Entry I, from 0 on: of samplers at (P: tuples since the last message, Rc: still to "
         "come) and since; of T state ('empty', 'valid', 'evict'), tag, hits and misses; of A pc, "
         "value, tag, count (in units of its input; 0: free) and used (larger: used later); of a "
         "plug-in count, from its table `counts`."},
	{"reset", lua_compressor_reset, "c:reset([SEED]) -> COMPRESSOR",
         "Empties it and starts its random numbers again, from this seed or the one it had."},
};
static const struct binding values[] = {
	{"bits", lua_compressor_get_bits, "c.bits", "Storage that it needs in hardware, in bits."},
	{"text", get_text, "c.text", "Its description, with the defaults filled in."},
	{"lossless", get_lossless, "c.lossless",
         "True if messages and held tuples always add up to the tuples that came in."},
	{"seed", get_seed, "c.seed", "The seed of its random numbers."},
	{"wrong", get_wrong, "c.wrong",
         "nil, or a text about an impossible state, which only a defect can cause."},
	{"stages", get_stages, "c.stages",
         "Its components, in the order in which tuples meet them: { text =, kind = 'P', split = "
         "(H), lossless =, bits =, entries =, ways =, unit = (tuples that each input stands for; "
         "0: each has its own count), came =, sent =, weight_came =, weight_sent = (tuples that "
         "these stand for) }."},
};
const struct binding_area area_compressors = {
	.name = "compressors",
	.object = "cyclops",
	.summary = "making stream compressors, without a machine",
	.text = "The profiling hardware of Sastry, Bodik and Smith, to try with any stream:\n"
	        "    local c = cyclops.compressor \"H(P(256), 2048), A(16)\"\n"
	        "    local messages = c:feed(cyclops.stream():add(0x10400, 7, 0, 10000))\n"
	        "    print(c.bits, #messages, messages:weight(), c:held())",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};
const struct binding_area area_compressor = {
	.name = "compressor",
	.object = "compressor",
	.summary = "stream compressors as objects",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
const struct binding_area area_compressor_values = {
	.name = "components",
	.object = "compressor.",
	.summary = "a compressor's components, and their traffic",
	.text = "",
	.bindings = values,
	.count = sizeof values / sizeof *values,
};

/* Formats components with their cost in bits, and the sum. */
static int lua_compressor_tostring(lua_State *L)
{
	const struct compressor_spec *spec = &lua_compressor_at(L, 1)->spec;
	char text[96], line[160];
	int width = 8;
	luaL_Buffer b;
	for (unsigned i = 0; i < spec->count; i++) {
		int n = (int)strlen(component_format(&spec->stage[i], text, sizeof text));
		width = n > width ? n : width;
	}
	luaL_buffinit(L, &b);
	for (unsigned i = 0; i < spec->count; i++) {
		const struct component *part = &spec->stage[i];
		uint64_t bits = component_bits(part);
		snprintf(line, sizeof line, "%-*s %12" PRIu64 " bits", width,
		         component_format(part, text, sizeof text), bits);
		luaL_addstring(&b, line);
		snprintf(line, sizeof line,
		         part->entries > 1 && !(bits % part->entries) ? ", %" PRIu32 " of %" PRIu64
		                                                        "\n"
		                                                      : "\n",
		         part->entries, bits / part->entries);
		luaL_addstring(&b, line);
	}
	snprintf(line, sizeof line, "%-*s %12" PRIu64 " bits, %.2f KiB", width, "all",
	         compressor_bits(spec), (double)compressor_bits(spec) / 8192);
	luaL_addstring(&b, line);
	luaL_pushresult(&b);
	return 1;
}

void api_open_compressor(lua_State *L)
{
	static const luaL_Reg meta[] = {
		{"__gc", compressor_gc}, {"__tostring", lua_compressor_tostring}, {NULL, NULL}};
	tuples_new_type(L, COMPRESSOR, "compressor", meta);
}
