/* Events in expressions and, as tables, for whoever else wants them in Lua. */
#include <string.h>

#include "core/machine.h"
#include "core/pipe/pipe.h"
#include "scripting/expr_priv.h"

static void push_field(lua_State *L, const struct event *ev, unsigned i)
{
	expr_push_value(L, field_value(event_info[ev->id].fields[i].type, ev->word[i]));
}

/* Of an event without an instruction there is neither seq nor pc nor op. */
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

void expr_push_event(lua_State *L, const struct event *ev)
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
		push_field(L, ev, i);
		lua_setfield(L, -2, info->fields[i].name);
	}
}

bool expr_push_event_word(lua_State *L, const char *name)
{
	const struct exprs *x = exprs_of(L);
	if (!x->ev)
		return false;
	int i = event_find_field((enum event_id)x->ev->id, name);
	if (i >= 0)
		push_field(L, x->ev, (unsigned)i);
	else if (!strcmp(name, "event"))
		expr_push_event(L, x->ev);
	else if (x->sample && (!strcmp(name, "seq") || !strcmp(name, "pc")))
		lua_pushinteger(L, 0);
	else if (!strcmp(name, "seq"))
		push_seq(L, x->ev);
	else if (!strcmp(name, "pc"))
		push_pc(L, x->ev);
	else
		return false;
	return true;
}

bool expr_push_inst_word(lua_State *L, const char *name)
{
	const struct exprs *x = exprs_of(L);
	int f = x->ev ? uop_field_find(name) : -1;
	if (f < 0)
		return false;
	const struct uop *u = NULL;
	if (x->ev->slot != EVENT_NO_SLOT)
		u = pipe_uop(machine_pipe(expr_machine(L)), (uint16_t)x->ev->slot);
	if (x->sample && uop_field_info[f].type == FIELD_INST)
		lua_pushstring(L, "");
	else if (x->sample)
		expr_push_value(L, field_value(uop_field_info[f].type, 0));
	else if (f == UOP_FIELD_op && u) /* known even if the slot has a new tenant by now */
		lua_pushstring(L, op_info[x->ev->op].mnemonic);
	else
		expr_push_uop_field(L, u && u->seq == x->ev->seq ? u : NULL, (enum uop_field)f);
	return true;
}
