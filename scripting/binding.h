/* Bindings: functions that Lua scripts can call, with their documentation. An area is a const table
 * in one file: the source of registration, `cyclops help lua`, and the generated reference. */
#ifndef CYCLOPS_SCRIPTING_BINDING_H
#define CYCLOPS_SCRIPTING_BINDING_H

#include <lua.h>
#include <stdint.h>

struct binding {
	const char *name;  /* "step" */
	lua_CFunction fn;  /* NULL: a value or a notation without a function of its own */
	const char *usage; /* "m:step([CYCLES]) -> STOP" */
	/* effect, arguments, results, units, errors; lines <= 100, \n between paragraphs */
	const char *help;
};

struct binding_area {
	const char *name;   /* "machine": `help lua machine` */
	/* "cyclops" (functions of the module), "machine" (methods: m:step), "machine." (values:
	 * m.status, whose functions get the machine), "mem" (methods of m.mem), ... */
	const char *object;
	const char *summary;
	/* introduction for a reader, with an example; "" if the summary suffices */
	const char *text;
	const struct binding *bindings; /* [count] */
	unsigned count;
};

/* All areas, in the order of the reference; NULL at the end. (api/areas.c) */
extern const struct binding_area *const binding_areas[];
/* Sets the areas from which the functions below take an object's; a state without has none. They
 * come from above, because an area's functions call this file. Borrowed. */
void binding_set_areas(lua_State *L, const struct binding_area *const *areas);

/* Sets the functions of all areas of an object in the table on top of the stack. The `upvalues`
 * values above that table become upvalues of each (popped), as by luaL_setfuncs(). */
void binding_register_object(lua_State *L, const char *object, int upvalues);

struct nearest;
/* Offers an object's methods and values as candidates. */
void binding_offer(lua_State *L, const char *object, struct nearest *n);

/* luaL_error() for functions that Lua may call through other C functions: the place is the
 * innermost line of Lua. Does not return. */
int binding_fail(lua_State *L, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Set fields of the table on top. */
void binding_set_integer(lua_State *L, const char *name, uint64_t value);
void binding_set_number(lua_State *L, const char *name, double value);
void binding_set_text(lua_State *L, const char *name, const char *text);

#endif
