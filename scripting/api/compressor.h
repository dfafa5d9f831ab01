/* A stream compressor as a Lua object: compressor.c makes it and sends tuples through,
 * compressor_inside.c inspects it. */
#ifndef CYCLOPS_SCRIPTING_API_COMPRESSOR_H
#define CYCLOPS_SCRIPTING_API_COMPRESSOR_H

#include "scripting/plugin/plugin.h"
#include "core/prof/sampler/compressor.h"
#include "scripting/api/api.h"
#include "core/pipe/plugin.h"

/* The state lies after it, followed by as much room as the compressor allocates from the C library,
 * so that it counts as Lua's memory. The first user value counts so for plug-ins. */
struct lua_compressor {
	struct compressor c;
	uint64_t seed;
	struct plugin_set *plugins; /* owned; NULL: none */
	struct plugin_bank bank;    /* the plug-ins' tables */
	struct outcome outcome;     /* MACHINE_RUNNING until one fails */
	struct stats stats;
	uint64_t cycle; /* tuples received: a machine takes one per cycle */
};

struct lua_compressor *lua_compressor_check(lua_State *L, int index);
/* Raises an error if a plug-in has failed: it is not called any more, so all further output would
 * be wrong. */
void lua_compressor_check_plugins(lua_State *L, const struct lua_compressor *l);
struct compressor *lua_compressor_at(lua_State *L, int index);
int lua_compressor_follow(lua_State *L);
int lua_compressor_held(lua_State *L);
int lua_compressor_place(lua_State *L);
int lua_compressor_hash_steps(lua_State *L);
int lua_compressor_entry(lua_State *L);

#endif
