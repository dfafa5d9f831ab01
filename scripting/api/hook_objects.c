/* Hooks as Lua objects: h:remove(), h.calls and the list of a machine's hooks. */
#include "core/defs/event_fields.h"

#include "scripting/api/hooks.h"

/* ---- hooks as objects ---- */
struct hook *api_find_hook(const struct script *s, unsigned id)
{
	struct hook *h = s->hooks;
	while (h && (h->id != id || h->removed))
		h = h->next;
	return h;
}

static struct hook *check_hook(lua_State *L, unsigned *id)
{
	*id = *(unsigned *)luaL_checkudata(L, 1, HOOK);
	return api_find_hook(script_of(L), *id);
}

static int hook_remove(lua_State *L)
{
	unsigned id;
	struct hook *h = check_hook(L, &id);
	api_refuse_looking(L, script_of(L), "h:remove");
	if (h)
		api_remove_hook(h);
	return 0;
}

static int hook_calls(lua_State *L)
{
	unsigned id;
	struct hook *h = check_hook(L, &id);
	if (!h)
		return binding_fail(L, "hook %d is removed", (int)id);
	lua_pushinteger(L, (lua_Integer)h->calls);
	return 1;
}

static int hook_number(lua_State *L)
{
	unsigned id;
	check_hook(L, &id);
	lua_pushinteger(L, id);
	return 1;
}

static int hook_tostring(lua_State *L)
{
	unsigned id;
	const struct hook *h = check_hook(L, &id);
	if (h)
		lua_pushstring(L, h->who);
	else
		lua_pushfstring(L, "hook %d, removed", (int)id);
	return 1;
}

int api_hooks_list(lua_State *L)
{
	const struct lua_machine *m = api_machine(L, 1);
	lua_Integer n = 0;
	lua_newtable(L);
	for (const struct hook *h = m->script->hooks; h; h = h->next)
		if (h->m == m && !h->removed) {
			api_push_hook(L, h->id);
			lua_rawseti(L, -2, ++n);
		}
	return 1;
}

static const struct binding hook_methods[] = {
	{"remove", hook_remove, "h:remove()", "Ends it; also from inside itself."},
	{"calls", hook_calls, "h:calls() -> COUNT", "How often it was called."},
	{"id", hook_number, "h:id() -> NUMBER", "Its number, as messages name it."},
};
const struct binding_area area_hook = {
	.name = "hook",
	.object = "hook",
	.summary = "a hook, to look at and to remove",
	.text = "",
	.bindings = hook_methods,
	.count = sizeof hook_methods / sizeof *hook_methods,
};

void api_open_hooks(lua_State *L)
{
	static const luaL_Reg meta[] = {{"__tostring", hook_tostring}, {NULL, NULL}};
	api_new_part(L, HOOK, meta);
	luaL_getmetatable(L, HOOK);
	lua_newtable(L);
	binding_register_object(L, "hook", 0);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 1);
}
