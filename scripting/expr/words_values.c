/* Shared by the files of words: the machine of an evaluation, and pushing its values. */
#include <lauxlib.h>

#include "core/machine/machine.h"
#include "scripting/binding.h"
#include "scripting/expr/words.h"

const struct machine *words_machine(lua_State *L, const struct words *w)
{
	const struct machine *m = w->m ? w->m : w->s ? w->s->machine : NULL;
	if (!m)
		binding_fail(L, "there is no program to ask");
	return m;
}

void words_push_place(lua_State *L, int index, struct words_place at, const char *meta)
{
	index = lua_absindex(L, index);
	struct words_place *p = lua_newuserdatauv(L, sizeof *p, 1);
	*p = at;
	lua_pushvalue(L, index);
	lua_setiuservalue(L, -2, 1);
	luaL_setmetatable(L, meta);
}

void words_metatable(lua_State *L, const char *name, lua_CFunction index, lua_CFunction text)
{
	if (luaL_newmetatable(L, name)) {
		lua_pushcfunction(L, index);
		lua_setfield(L, -2, "__index");
		lua_pushcfunction(L, text);
		lua_setfield(L, -2, "__tostring");
	}
	lua_pop(L, 1);
}

void words_push_value(lua_State *L, struct field_value v)
{
	if (v.kind == FIELD_IS_TEXT)
		lua_pushstring(L, v.text);
	else if (v.kind == FIELD_IS_BOOL)
		lua_pushboolean(L, v.word != 0);
	else
		lua_pushinteger(L, (lua_Integer)v.word);
}

/* Pushes only fields that the modelled hardware has in this cycle. */
void words_push_uop_field(lua_State *L, const struct words *w, const struct uop *u,
                          enum uop_field f)
{
	char text[256];
	uint64_t word;
	if (!u || !uop_field(machine_pipe(words_machine(L, w)), u, f, &word)) {
		lua_pushnil(L);
	} else if (uop_field_info[f].type == FIELD_INST) {
		lua_pushstring(L, uop_disasm(u, text, sizeof text));
	} else {
		words_push_value(L, field_value(uop_field_info[f].type, word));
	}
}

void words_push_cell(lua_State *L, const struct cell *c)
{
	switch (c->kind) {
	case RAW_UINT:
	case RAW_HEX:
		lua_pushinteger(L, (lua_Integer)c->raw.u);
		break;
	case RAW_INT:
		lua_pushinteger(L, c->raw.i);
		break;
	case RAW_DOUBLE:
		lua_pushnumber(L, c->raw.d);
		break;
	case RAW_LIST:
		lua_createtable(L, (int)c->count, 0);
		for (uint32_t i = 0; i < c->count; i++) {
			lua_pushinteger(L, (lua_Integer)c->raw.list[i]);
			lua_rawseti(L, -2, (lua_Integer)i + 1);
		}
		break;
	case RAW_NONE:
		lua_pushstring(L, c->text);
	}
}
