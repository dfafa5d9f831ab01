/* Streams: sequences of tuples that a script made or recorded. */
#include "core/base/hash.h"
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"

enum { MOST_UNLESS_SAID = 1 << 24, MOST = 1 << 28, TUPLES_PER_STEP = 8 };

struct tuple_stream *tuples_stream(lua_State *L, int index)
{
	return luaL_checkudata(L, index, STREAM);
}

static struct tuple_stream *new_stream(lua_State *L, size_t most)
{
	struct tuple_stream *s = lua_newuserdatauv(L, sizeof *s, 0);
	tuple_stream_init(s, most, tuples_memory(L));
	luaL_setmetatable(L, STREAM);
	return s;
}

static int api_stream_new(lua_State *L)
{
	lua_Integer most = luaL_optinteger(L, 1, MOST_UNLESS_SAID);
	luaL_argcheck(L, most >= 1 && most <= MOST, 1,
	              "a stream has room for 1 to 268435456 tuples");
	new_stream(L, (size_t)most);
	return 1;
}

static int stream_gc(lua_State *L)
{
	tuple_stream_deinit(tuples_stream(L, 1));
	return 0;
}

/* Makes room for n more. */
void tuples_reserve(lua_State *L, struct tuple_stream *s, size_t n)
{
	size_t had = s->room;
	enum tuple_outcome outcome;
	bool tried = false;
	host_tick(L, n / TUPLES_PER_STEP + 1);
	do
		outcome = tuple_stream_reserve(s, n);
	while (outcome == TUPLES_NO_MEMORY && tuples_try_again(L, &tried));
	if (outcome != TUPLES_ADDED)
		tuples_fail(L, outcome, "a stream", s->most,
		            " tuples; cyclops.stream(N) makes one for N");
	tuples_grown(L, (s->room - had) * sizeof *s->at);
}

static int api_stream_add_tuple(lua_State *L)
{
	struct tuple_stream *s = tuples_stream(L, 1);
	struct tuple t = tuples_check(L, 2);
	uint64_t n = api_count(L, 5, 1);
	tuples_reserve(L, s, n);
	tuple_stream_add(s, t, n);
	lua_settop(L, 1);
	return 1;
}

static int api_stream_append_stream(lua_State *L)
{
	struct tuple_stream *s = tuples_stream(L, 1);
	const struct tuple_stream *other = tuples_stream(L, 2);
	size_t n = other->count;
	tuples_reserve(L, s, n);
	for (size_t i = 0; i < n; i++) /* works for s == other, too */
		s->at[s->count++] = other->at[i];
	lua_settop(L, 1);
	return 1;
}

static int api_stream_get_fields(lua_State *L)
{
	const struct tuple_stream *s = tuples_stream(L, 1);
	size_t i = tuples_place(L, 2, s->count);
	if (i == s->count)
		return 0;
	tuples_push(L, s->at[i]);
	return 3;
}

static int api_stream_get_table(lua_State *L)
{
	const struct tuple_stream *s = tuples_stream(L, 1);
	size_t i = tuples_place(L, 2, s->count);
	if (i == s->count)
		return 0;
	lua_createtable(L, 0, 3);
	tuples_set(L, s->at[i]);
	return 1;
}

static int api_stream_length(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)tuples_stream(L, 1)->count);
	return 1;
}

static int api_stream_next(lua_State *L)
{
	const struct tuple_stream *s = tuples_stream(L, lua_upvalueindex(1));
	size_t i = (size_t)lua_tointeger(L, lua_upvalueindex(2));
	if (i >= s->count)
		return 0;
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	tuples_push(L, s->at[i]);
	return 3;
}

static int api_stream_iterate(lua_State *L)
{
	tuples_stream(L, 1);
	return tuples_iterate(L, api_stream_next);
}

static int api_stream_shuffle(lua_State *L)
{
	struct tuple_stream *s = tuples_stream(L, 1);
	/* Not the seed itself: a sampler with the same seed would select by the numbers that made
	 * the order. */
	uint64_t seed = (uint64_t)luaL_checkinteger(L, 2), random = hash_splitmix64_next(&seed);
	host_tick(L, s->count / TUPLES_PER_STEP + 1);
	tuple_stream_shuffle(s, &random);
	lua_settop(L, 1);
	return 1;
}

static int api_stream_clear(lua_State *L)
{
	tuples_stream(L, 1)->count = 0;
	lua_settop(L, 1);
	return 1;
}

static int api_stream_slice(lua_State *L)
{
	const struct tuple_stream *s = tuples_stream(L, 1);
	lua_Integer from = luaL_checkinteger(L, 2),
		    to = luaL_optinteger(L, 3, (lua_Integer)s->count);
	if (from < 1 || to > (lua_Integer)s->count || from > to + 1)
		return binding_fail(
			L,
			"slice(%d, %d) of a stream of %zu tuples; expected 1 <= FROM <= TO <= %zu",
			(int)from, (int)to, s->count, s->count);
	struct tuple_stream *part = new_stream(L, s->most);
	tuples_reserve(L, part, (size_t)(to - from + 1));
	for (lua_Integer i = from; i <= to; i++)
		part->at[part->count++] = s->at[i - 1];
	return 1;
}

static int api_stream_tostring(lua_State *L)
{
	lua_pushfstring(L, "stream of %I tuples", (lua_Integer)tuples_stream(L, 1)->count);
	return 1;
}

static const struct binding functions[] = {
	{"stream", api_stream_new, "cyclops.stream([MOST]) -> STREAM",
         "An empty stream, with room for MOST tuples: 16,777,216 if that is not given, 268,435,456 "
         "at most. A tuple takes 16 bytes once it is there."},
};

static const struct binding methods[] = {
	{"add", api_stream_add_tuple, "st:add(PC, VALUE[, TAG[, N]]) -> STREAM",
         "Appends the tuple N times (1). PC has at most 56 bits, TAG is 0 to 255."},
	{"append", api_stream_append_stream, "st:append(STREAM) -> STREAM",
         "Appends all tuples of another stream."},
	{"get", api_stream_get_fields, "st:get(I) -> PC, VALUE, TAG",
         "The I-th tuple, from 1 on; nothing if there is none. st[I] is the same as { pc =, value "
         "=, tag = }, and #st is their number."},
	{"tuples", api_stream_iterate, "for pc, value, tag in st:tuples() do",
         "All tuples in their order."},
	{"shuffle", api_stream_shuffle, "st:shuffle(SEED) -> STREAM",
         "Shuffles the tuples; all orders are equally likely (Fisher and Yates, splitmix64). "
         "The same seed gives the same order."},
	{"slice", api_stream_slice, "st:slice(FROM[, TO]) -> STREAM",
         "A new stream of the tuples FROM to TO, both included."},
	{"clear", api_stream_clear, "st:clear() -> STREAM",
         "Removes all tuples; keeps the memory for new ones."},
};

const struct binding_area area_streams = {
	.name = "streams",
	.object = "cyclops",
	.summary = "making streams of tuples",
	.text = "A tuple is a pc and a value, and a tag if several streams are merged (Sastry, "
                "Bodik, Smith): the input of samplers.\n"
                "    local st = cyclops.stream():add(0x10400, 7, 0, 300):add(0x10400, 8, 0, "
                "700):shuffle(1)",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};

const struct binding_area area_stream = {
	.name = "stream",
	.object = "stream",
	.summary = "streams of tuples",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

void api_open_stream(lua_State *L)
{
	static const luaL_Reg meta[] = {
		{"__index", api_stream_get_table},
		{"__len", api_stream_length},
		{"__gc", stream_gc},
		{"__tostring", api_stream_tostring},
		{NULL, NULL},
	};
	tuples_new_type(L, STREAM, "stream", meta);
}
