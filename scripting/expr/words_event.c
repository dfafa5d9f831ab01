/* Events in expressions and, as tables, for other users in Lua. */
#include <string.h>

#include "core/machine/machine.h"
#include "core/pipe/pipe.h"
#include "scripting/expr/words.h"

void words_push_event_field(lua_State *L, const struct event *ev, unsigned i)
{
	words_push_value(L, field_value(event_info[ev->id].fields[i].type, ev->word[i]));
}

/* An event without an instruction has no seq, pc and op. */
static void push_seq(lua_State *L, const struct event *ev)
{
	if (ev->seq)
		lua_pushinteger(L, (lua_Integer)ev->seq);
	else
		lua_pushnil(L);
}

static void push_pc(lua_State *L, const struct event *ev)
{
	if (ev->seq || ev->pc)
		lua_pushinteger(L, (lua_Integer)ev->pc);
	else
		lua_pushnil(L);
}

void words_push_event(lua_State *L, const struct event *ev)
{
	const struct event_info *info = &event_info[ev->id];
	lua_createtable(L, 0, (int)info->field_count + 5);
	lua_pushstring(L, info->name);
	lua_setfield(L, -2, "name");
	lua_pushinteger(L, (lua_Integer)ev->cycle);
	lua_setfield(L, -2, "cycle");
	push_seq(L, ev);
	lua_setfield(L, -2, "seq");
	push_pc(L, ev);
	lua_setfield(L, -2, "pc");
	if (ev->slot != EVENT_NO_SLOT) {
		lua_pushstring(L, op_info[ev->op].mnemonic);
		lua_setfield(L, -2, "op");
	}
	for (unsigned i = 0; i < info->field_count; i++) {
		words_push_event_field(L, ev, i);
		lua_setfield(L, -2, info->fields[i].name);
	}
}

bool words_push_event_word(lua_State *L, const struct words *w, const char *name)
{
	if (!w->ev)
		return false;
	int i = event_find_field((enum event_id)w->ev->id, name);
	if (i >= 0)
		words_push_event_field(L, w->ev, (unsigned)i);
	else if (!strcmp(name, "event"))
		words_push_event(L, w->ev);
	else if (w->sample && (!strcmp(name, "seq") || !strcmp(name, "pc")))
		lua_pushinteger(L, 0);
	else if (!strcmp(name, "seq"))
		push_seq(L, w->ev);
	else if (!strcmp(name, "pc"))
		push_pc(L, w->ev);
	else
		return false;
	return true;
}

bool words_push_inst_word(lua_State *L, const struct words *w, const char *name)
{
	int f = w->ev ? uop_field_find(name) : -1;
	if (f < 0)
		return false;
	const struct uop *u = NULL;
	if (w->ev->slot != EVENT_NO_SLOT)
		u = pipe_uop(machine_pipe(words_machine(L, w)), (uint16_t)w->ev->slot);
	if (w->sample && uop_field_info[f].type == FIELD_INST)
		lua_pushstring(L, "");
	else if (w->sample)
		words_push_value(L, field_value(uop_field_info[f].type, 0));
	else if (f == UOP_FIELD_op && u) /* valid even if the slot has been reused */
		lua_pushstring(L, op_info[w->ev->op].mnemonic);
	else
		words_push_uop_field(L, w, u && u->seq == w->ev->seq ? u : NULL, (enum uop_field)f);
	return true;
}
