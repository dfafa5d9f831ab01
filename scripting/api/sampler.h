/* Between the files about m.sampler. Functions of Lua take the object in front of their arguments,
 * as methods do. */
#ifndef CYCLOPS_SCRIPTING_SAMPLER_H
#define CYCLOPS_SCRIPTING_SAMPLER_H

#include "core/prof/sampler/sampler.h"
#include "scripting/api/api.h"

/* The machine whose sampler is at `index`, which has one, or a Lua error; and its devices, for
 * sampler.h's functions and the sink. */
struct lua_machine *sampler_machine(lua_State *L, int index);
struct prof *sampler_devices(const struct lua_machine *m);
/* The component, from 0 on, whose number from 1 on is at `index`. */
unsigned sampler_stage(lua_State *L, int index, const struct sampler *s);

struct tuple_error;
struct tuple_thresholds;
/* sampler_counts.c: the error now, of a machine that counts exactly. */
struct tuple_error sampler_error(lua_State *L, const struct lua_machine *m,
                                 const struct tuple_thresholds *limits);
int sampler_lua_tuples(lua_State *L);
int sampler_lua_count(lua_State *L);
int sampler_lua_lost(lua_State *L);
int sampler_lua_profiles(lua_State *L);
int sampler_lua_error(lua_State *L);
int sampler_lua_buckets(lua_State *L);
/* sampler_run.c */
int sampler_lua_record(lua_State *L);
int sampler_lua_series(lua_State *L);

#endif
