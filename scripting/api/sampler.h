/* Between the files about m.sampler. Functions of Lua take the object as first argument, like
 * methods. */
#ifndef CYCLOPS_SCRIPTING_SAMPLER_H
#define CYCLOPS_SCRIPTING_SAMPLER_H

#include "core/prof/sampler/sampler.h"
#include "scripting/api/api.h"

/* The machine whose sampler is at `index`; a Lua error if it has no sampler. Also its devices, for
 * sampler.h's functions and the sink. */
struct lua_machine *sampler_machine(lua_State *L, int index);
struct prof *sampler_devices(const struct lua_machine *m);
/* The component at `index`, converted from 1-based to 0-based. */
unsigned sampler_stage(lua_State *L, int index, const struct sampler *s);

struct tuple_error;
struct tuple_thresholds;
/* sampler_counts.c: the current error, of a machine that counts exactly. */
struct tuple_error sampler_error(lua_State *L, const struct lua_machine *m,
                                 const struct tuple_thresholds *limits);
int sampler_lua_tuples(lua_State *L);
int sampler_lua_count(lua_State *L);
int sampler_lua_lost(lua_State *L);
int sampler_lua_profiles(lua_State *L);
int sampler_lua_error(lua_State *L);
int sampler_lua_buckets(lua_State *L);

#endif
