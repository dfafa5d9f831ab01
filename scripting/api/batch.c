#include "core/defs/event_fields.h"
#include "scripting/api/batch.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/expr/words.h"

#define BATCH "cyclops.event.batch"

bool api_batch_init(lua_State *L, struct api_batch *b, uint32_t size, uint64_t kinds)
{
	struct lua_batch *object = lua_newuserdatauv(L, sizeof *object, 0);
	*object = (struct lua_batch){0};
	luaL_setmetatable(L, BATCH);
	*b = (struct api_batch){.event = alloc_zeroed(size, sizeof *b->event),
	                        .size = size,
	                        .kinds = kinds,
	                        .object = object};
	if (!b->event)
		lua_pop(L, 1);
	return b->event;
}

void api_batch_deinit(struct api_batch *b)
{
	free(b->event);
	*b = (struct api_batch){0};
}

bool api_batch_append(struct api_batch *b, const struct event *ev)
{
	b->event[b->count++] = *ev;
	return b->count == b->size;
}

void api_batch_show(struct api_batch *b)
{
	*b->object = (struct lua_batch){b->event, b->count, b->kinds};
	b->count = 0;
}

void api_batch_hide(struct api_batch *b)
{
	*b->object = (struct lua_batch){0};
}

/* ---- the object ---- */
static struct lua_batch *batch_check(lua_State *L)
{
	struct lua_batch *b = luaL_checkudata(L, 1, BATCH);
	if (!b->event)
		binding_fail(L, "batch used after its hook returned; keep what b:column() gives");
	return b;
}

/* Where a field is in events of one kind. */
enum { BATCH_CYCLE = -6, BATCH_SEQ, BATCH_PC, BATCH_NAME, BATCH_OP, BATCH_NONE };

static int batch_find_field(unsigned event, const char *name)
{
	static const struct {
		const char *name;
		int at;
	} of_all[] = {{"cycle", BATCH_CYCLE}, {"seq", BATCH_SEQ}, {"pc", BATCH_PC},
	              {"name", BATCH_NAME}, {"op", BATCH_OP}};
	const int own = event_find_field((enum event_id)event, name);
	for (unsigned i = 0; own < 0 && i < sizeof of_all / sizeof *of_all; i++)
		if (!strcmp(of_all[i].name, name))
			return of_all[i].at;
	return own >= 0 ? own : BATCH_NONE;
}

static void batch_push_field(lua_State *L, const struct event *ev, int at)
{
	const bool has_pc = ev->seq || ev->pc;
	if (at >= 0)
		words_push_event_field(L, ev, (unsigned)at);
	else if (at == BATCH_CYCLE)
		lua_pushinteger(L, (lua_Integer)ev->cycle);
	else if (at == BATCH_SEQ && ev->seq)
		lua_pushinteger(L, (lua_Integer)ev->seq);
	else if (at == BATCH_PC && has_pc)
		lua_pushinteger(L, (lua_Integer)ev->pc);
	else if (at == BATCH_NAME)
		lua_pushstring(L, event_info[ev->id].name);
	else if (at == BATCH_OP && ev->slot != EVENT_NO_SLOT)
		lua_pushstring(L, op_info[ev->op].mnemonic);
	else
		lua_pushboolean(L, false);
}

static int batch_column(lua_State *L)
{
	const struct lua_batch *b = batch_check(L);
	const char *name = luaL_checkstring(L, 2);
	int at = BATCH_NONE;
	unsigned kind = EV_COUNT;
	bool known = false;
	for (unsigned id = 0; id < EV_COUNT; id++)
		known |= b->kinds >> id & 1 && batch_find_field(id, name) != BATCH_NONE;
	if (!known)
		return binding_fail(L,
		                    "none of these events has a '%s' of its own; fields of "
		                    "instructions are not in a batch (help events)",
		                    name);
	lua_createtable(L, (int)b->count, 0);
	for (uint32_t i = 0; i < b->count; i++) {
		const struct event *ev = &b->event[i];
		if (ev->id != kind) {
			kind = ev->id;
			at = batch_find_field(kind, name);
		}
		batch_push_field(L, ev, at);
		lua_rawseti(L, 3, (lua_Integer)i + 1);
	}
	return 1;
}

static int batch_index(lua_State *L)
{
	if (lua_type(L, 2) == LUA_TNUMBER) {
		const struct lua_batch *b = batch_check(L);
		const lua_Integer i = luaL_checkinteger(L, 2);
		if (i < 1 || i > b->count)
			return 0;
		words_push_event(L, &b->event[i - 1]);
		return 1;
	}
	lua_pushvalue(L, 2);
	lua_rawget(L, lua_upvalueindex(1));
	return 1;
}

static int batch_length(lua_State *L)
{
	lua_pushinteger(L, batch_check(L)->count);
	return 1;
}

static const struct binding methods[] = {
	{"column", batch_column, "b:column(FIELD) -> { VALUE, ... }",
         "The field of each event: cycle, seq, pc, op, name, or one of its own (`help events`); "
         "false where an event has none."},
};

const struct binding_area area_batch = {
	.name = "batch",
	.object = "batch",
	.summary = "what a hook with batch = N gets",
	.text = "A batch has #b events; b[i] is the event i as a table, oldest first. It is "
                "valid while the hook runs. It has fields of\n"
                "events only: their instructions have gone on meanwhile.\n"
                "    m:on(\"commit\", { batch = 10000 }, function(b)\n"
                "        local pc = b:column \"pc\"\n"
                "        for i = 1, #b do count[pc[i]] = (count[pc[i]] or 0) + 1 end\n"
                "    end)",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

void api_open_batch(lua_State *L)
{
	static const luaL_Reg meta[] = {{"__len", batch_length}, {NULL, NULL}};
	api_new_part(L, BATCH, meta);
	luaL_getmetatable(L, BATCH);
	lua_newtable(L);
	binding_register_object(L, "batch", 0);
	lua_pushcclosure(L, batch_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 1);
}
