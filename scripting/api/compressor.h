/* A stream compressor as a Lua object: compressor.c makes it and sends tuples through,
 * compressor_inside.c looks into it. */
#ifndef CYCLOPS_SCRIPTING_API_COMPRESSOR_H
#define CYCLOPS_SCRIPTING_API_COMPRESSOR_H

#include "scripting/plugin/plugin.h"
#include "core/prof/sampler/compressor.h"
#include "scripting/api/api.h"
#include "core/pipe/plugin.h"

/* The state lies behind it, and behind that as much as the compressor takes from the C library, so
 * that it counts as Lua's. So does that of plug-ins, the first user value. */
struct lua_compressor {
	struct compressor c;
	uint64_t seed;
	struct plugin_set *plugins; /* owned; NULL: none */
	struct plugin_bank bank;    /* theirs */
	struct outcome outcome;     /* MACHINE_RUNNING until one fails */
	struct stats stats;
	uint64_t cycle; /* tuples that came: a machine takes one a cycle */
};

struct lua_compressor *lua_compressor_check(lua_State *L, int index);
/* A plug-in that failed is asked no more, so nothing that comes out is right any more. */
void lua_compressor_check_plugins(lua_State *L, const struct lua_compressor *l);
struct compressor *lua_compressor_at(lua_State *L, int index);
int lua_compressor_follow(lua_State *L);
int lua_compressor_held(lua_State *L);
int lua_compressor_place(lua_State *L);
int lua_compressor_hash_steps(lua_State *L);
int lua_compressor_entry(lua_State *L);

#endif
