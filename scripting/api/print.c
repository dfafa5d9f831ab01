/* Output of scripts: `print`, and values as `lua` shows them. */
#include "scripting/api/api.h"

int script_print(lua_State *L)
{
	const struct script *s = script_of(L);
	int n = lua_gettop(L);
	luaL_Buffer b;
	luaL_buffinit(L, &b);
	for (int i = 1; i <= n; i++) {
		if (i > 1)
			luaL_addchar(&b, '\t');
		host_text(L, i, NULL);
		luaL_addvalue(&b);
	}
	luaL_addchar(&b, '\n');
	luaL_pushresult(&b);
	size_t len;
	const char *text = lua_tolstring(L, -1, &len);
	s->opt.write(s->opt.ctx, 1, text, len);
	return 0;
}

int script_show(lua_State *L)
{
	const struct script *s = script_of(L);
	int n = lua_gettop(L);
	for (int i = 1; i <= n; i++) {
		lua_rawgeti(L, LUA_REGISTRYINDEX, s->show);
		lua_pushvalue(L, i);
		lua_call(L, 1, 1);
		lua_replace(L, i);
	}
	return n ? script_print(L) : 0;
}
