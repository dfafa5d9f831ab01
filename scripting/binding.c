#include "scripting/binding.h"

#include <lauxlib.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/nearest_word.h"

/* registry: the areas */
static const char binding_areas_key;

void binding_set_areas(lua_State *L, const struct binding_area *const *areas)
{
	lua_pushlightuserdata(L, (void *)(uintptr_t)areas);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &binding_areas_key);
}

/* NULL at the end. */
static const struct binding_area *const *binding_areas_of(lua_State *L)
{
	static const struct binding_area *const none[] = {NULL};
	lua_rawgetp(L, LUA_REGISTRYINDEX, &binding_areas_key);
	const struct binding_area *const *areas = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return areas ? areas : none;
}

static void binding_register(lua_State *L, const struct binding_area *a, int upvalues)
{
	for (unsigned i = 0; i < a->count; i++) {
		if (!a->bindings[i].fn)
			continue;
		for (int u = 0; u < upvalues; u++)
			lua_pushvalue(L, -upvalues);
		lua_pushcclosure(L, a->bindings[i].fn, upvalues);
		lua_setfield(L, -upvalues - 2, a->bindings[i].name);
	}
	lua_pop(L, upvalues);
}

void binding_register_object(lua_State *L, const char *object, int upvalues)
{
	const struct binding_area *const *areas = binding_areas_of(L);
	int base = lua_gettop(L) - upvalues;
	for (unsigned i = 0; areas[i]; i++) {
		if (strcmp(areas[i]->object, object) != 0)
			continue;
		lua_pushvalue(L, base);
		for (int u = 1; u <= upvalues; u++)
			lua_pushvalue(L, base + u);
		binding_register(L, areas[i], upvalues);
		lua_pop(L, 1);
	}
	lua_pop(L, upvalues);
}

void binding_offer(lua_State *L, const char *object, struct nearest *n)
{
	const struct binding_area *const *areas = binding_areas_of(L);
	size_t len = strlen(object);
	for (unsigned i = 0; areas[i]; i++) {
		const struct binding_area *a = areas[i];
		if (strncmp(a->object, object, len) != 0 ||
		    strcmp(a->object + len, a->object[len] ? "." : "") != 0)
			continue;
		for (unsigned k = 0; k < a->count; k++)
			nearest_offer(n, a->bindings[k].name);
	}
}

int binding_fail(lua_State *L, const char *fmt, ...)
{
	char text[2048];
	lua_Debug ar;
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (int level = 0; lua_getstack(L, level, &ar); level++) {
		lua_getinfo(L, "Sl", &ar);
		if (ar.currentline > 0) {
			lua_pushfstring(L, "%s:%d: %s", ar.short_src, ar.currentline, text);
			return lua_error(L);
		}
	}
	lua_pushstring(L, text);
	return lua_error(L);
}

void binding_set_integer(lua_State *L, const char *name, uint64_t value)
{
	lua_pushinteger(L, (lua_Integer)value);
	lua_setfield(L, -2, name);
}

void binding_set_number(lua_State *L, const char *name, double value)
{
	lua_pushnumber(L, value);
	lua_setfield(L, -2, name);
}

void binding_set_text(lua_State *L, const char *name, const char *text)
{
	lua_pushstring(L, text);
	lua_setfield(L, -2, name);
}
