/* Between the files about streams of tuples: compressors, streams, messages, profiles.
 *
 * Each is a userdata that holds its C structure; what that allocates counts as Lua's memory
 * (tuples_memory()), so a safe host limits it. A tuple is pc, value and tag, in this order wherever
 * scripts give or get one; what says how often comes behind. */
#ifndef CYCLOPS_SCRIPTING_TUPLES_H
#define CYCLOPS_SCRIPTING_TUPLES_H

#include <lauxlib.h>
#include <lua.h>

#include "core/prof/sampler/compressor.h"
#include "core/prof/sampler/tuple_profile.h"
#include "core/prof/sampler/tuple_stream.h"

/* What Lua has memory from. */
struct tuple_memory tuples_memory(lua_State *L);
/* Says that `bytes` more are held that the collector doesn't know of, so that it comes in time. */
void tuples_grown(lua_State *L, size_t bytes);
/* Collects garbage; true the first time, when what failed for want of memory is worth another try.
 */
bool tuples_try_again(lua_State *L, bool *tried);
/* A Lua error about an outcome that is not TUPLES_ADDED; `what` is "a stream", "a list of
 * messages". */
void tuples_fail(lua_State *L, enum tuple_outcome outcome, const char *what, size_t most,
                 const char *right);

/* The tuple in the arguments from `index` on: pc, value, and a tag or nothing. */
struct tuple tuples_check(lua_State *L, int index);
/* A pc and a tag, or nothing, as struct tuple has them. */
uint64_t tuples_check_pc(lua_State *L, int pc, int tag);
/* Pushes pc, value, tag. */
void tuples_push(lua_State *L, struct tuple t);
/* Sets them as fields of the table on top. */
void tuples_set(lua_State *L, struct tuple t);
/* The 1-based place at `index`, as one from 0 on; count if there is no such place. */
size_t tuples_place(lua_State *L, int index, size_t count);
/* N and FROM, which may be left out, of `count` things: how many these are, from *from on. */
size_t tuples_range(lua_State *L, int n, int from_index, size_t count, size_t *from);

/* The metatable of a kind of objects: methods of the areas of this object, values of those of
 * "object." if there are any; another name is an error. `meta` are its other functions; __index
 * among them is asked for what is no name. */
void tuples_new_type(lua_State *L, const char *type, const char *object, const luaL_Reg *meta);

#define COMPRESSOR "cyclops.compressor"
#define STREAM "cyclops.stream"
#define MESSAGES "cyclops.messages"
#define PROFILE "cyclops.profile"

/* stream.c, messages.c: those at `index`, and a new list on top of the stack. */
struct tuple_stream *tuples_stream(lua_State *L, int index);
struct message_list *tuples_messages(lua_State *L, int index);
struct message_list *tuples_new_messages(lua_State *L);
/* Room for n more of them; a Lua error if there can't be. */
void tuples_need(lua_State *L, struct message_list *l, size_t n);
/* stream.c: memory for n more tuples; a Lua error if there can't be. */
void tuples_reserve(lua_State *L, struct tuple_stream *s, size_t n);
/* profile.c: a new one on top of the stack; n more of a tuple, or a Lua error. */
struct tuple_profile *tuples_new_profile(lua_State *L);
void tuples_count(lua_State *L, struct tuple_profile *p, struct tuple t, uint64_t n);
/* What the table at `index` says otherwise; its keys. */
#define TUPLES_THRESHOLD_KEYS "min_count", "invariant", "covered", "tag"
void tuples_thresholds(lua_State *L, int index, struct tuple_thresholds *t);
/* Pushes the error, or nil, and a table with the rest. */
void tuples_push_error(lua_State *L, const struct tuple_error *e);
/* Pushes an iterator over the object at 1: `next` has it and a place, 0 at first, as upvalues.
 * Returns 1. */
int tuples_iterate(lua_State *L, lua_CFunction next);

#endif
