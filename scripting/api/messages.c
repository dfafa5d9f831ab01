/* Lists of compressors' messages. */
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"

enum { MOST = 1 << 28, MESSAGES_PER_STEP = 8 };

struct message_list *tuples_messages(lua_State *L, int index)
{
	return luaL_checkudata(L, index, MESSAGES);
}

struct message_list *tuples_new_messages(lua_State *L)
{
	struct message_list *l = lua_newuserdatauv(L, sizeof *l, 0);
	message_list_init(l, MOST, tuples_memory(L));
	luaL_setmetatable(L, MESSAGES);
	return l;
}

void tuples_need(lua_State *L, struct message_list *l, size_t n)
{
	size_t had = l->room;
	enum tuple_outcome outcome;
	bool tried = false;
	do
		outcome = message_list_reserve(l, n);
	while (outcome == TUPLES_NO_MEMORY && tuples_try_again(L, &tried));
	if (outcome != TUPLES_ADDED)
		tuples_fail(L, outcome, "a list of messages", l->most, "");
	tuples_grown(L, (l->room - had) * sizeof *l->at);
}

static int api_messages_new(lua_State *L)
{
	tuples_new_messages(L);
	return 1;
}

static int messages_gc(lua_State *L)
{
	message_list_deinit(tuples_messages(L, 1));
	return 0;
}

static int api_messages_add(lua_State *L)
{
	struct message_list *l = tuples_messages(L, 1);
	lua_Integer count = luaL_checkinteger(L, 5);
	struct message m = {tuples_check(L, 2), (uint64_t)count};
	luaL_argcheck(L, count >= 1, 5, "a message stands for at least one tuple");
	tuples_need(L, l, 1);
	message_list_add(l, &m);
	lua_settop(L, 1);
	return 1;
}

static int api_messages_push_message(lua_State *L, const struct message *m)
{
	tuples_push(L, m->tuple);
	lua_pushinteger(L, (lua_Integer)m->count);
	return 4;
}

static int api_messages_get_fields(lua_State *L)
{
	const struct message_list *l = tuples_messages(L, 1);
	size_t i = tuples_place(L, 2, l->count);
	return i < l->count ? api_messages_push_message(L, &l->at[i]) : 0;
}

static int api_messages_get_table(lua_State *L)
{
	const struct message_list *l = tuples_messages(L, 1);
	size_t i = tuples_place(L, 2, l->count);
	if (i == l->count)
		return 0;
	lua_createtable(L, 0, 4);
	tuples_set(L, l->at[i].tuple);
	binding_set_integer(L, "count", l->at[i].count);
	return 1;
}

static int api_messages_length(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)tuples_messages(L, 1)->count);
	return 1;
}

static int api_messages_next(lua_State *L)
{
	const struct message_list *l = tuples_messages(L, lua_upvalueindex(1));
	size_t i = (size_t)lua_tointeger(L, lua_upvalueindex(2));
	if (i >= l->count)
		return 0;
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	return api_messages_push_message(L, &l->at[i]);
}

static int api_messages_iterate(lua_State *L)
{
	tuples_messages(L, 1);
	return tuples_iterate(L, api_messages_next);
}

static int api_messages_total_count(lua_State *L)
{
	const struct message_list *l = tuples_messages(L, 1);
	uint64_t sum = 0;
	host_tick(L, l->count / MESSAGES_PER_STEP + 1);
	for (size_t i = 0; i < l->count; i++)
		sum += l->at[i].count;
	lua_pushinteger(L, (lua_Integer)sum);
	return 1;
}

static int api_messages_clear(lua_State *L)
{
	tuples_messages(L, 1)->count = 0;
	lua_settop(L, 1);
	return 1;
}

static int api_messages_tostring(lua_State *L)
{
	lua_pushfstring(L, "%I messages", (lua_Integer)tuples_messages(L, 1)->count);
	return 1;
}

static const struct binding functions[] = {
	{"messages", api_messages_new, "cyclops.messages() -> MESSAGES",
         "An empty list, for c:feed to append to, or for a script's own messages."},
};

static const struct binding methods[] = {
	{"add", api_messages_add, "ms:add(PC, VALUE, TAG, COUNT) -> MESSAGES",
         "Appends a message."},
	{"get", api_messages_get_fields, "ms:get(I) -> PC, VALUE, TAG, COUNT",
         "The I-th message, from 1 on; nothing if there is none. ms[I] is the same as { pc =, "
         "value =, tag =, count = }, and #ms is their number."},
	{"tuples", api_messages_iterate, "for pc, value, tag, count in ms:tuples() do",
         "All messages in their order."},
	{"weight", api_messages_total_count, "ms:weight() -> N",
         "The tuples that they stand for, all together."},
	{"clear", api_messages_clear, "ms:clear() -> MESSAGES",
         "Removes all messages; keeps the memory for new ones."},
};

const struct binding_area area_message_lists = {
	.name = "lists",
	.object = "cyclops",
	.summary = "making lists of messages",
	.text = "",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};

const struct binding_area area_messages = {
	.name = "messages",
	.object = "messages",
	.summary = "messages of compressors",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

void api_open_messages(lua_State *L)
{
	static const luaL_Reg meta[] = {
		{"__index", api_messages_get_table},
		{"__len", api_messages_length},
		{"__gc", messages_gc},
		{"__tostring", api_messages_tostring},
		{NULL, NULL},
	};
	tuples_new_type(L, MESSAGES, "messages", meta);
}
