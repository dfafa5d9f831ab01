/* Shared by the files about streams of tuples: compressors, streams, messages, profiles.
 *
 * Each object is a userdata that holds its C structure. Its allocations count as Lua's memory
 * (tuples_memory()), which a safe host limits. Scripts' arguments and results have a tuple as pc,
 * value and tag; a count follows. */
#ifndef CYCLOPS_SCRIPTING_TUPLES_H
#define CYCLOPS_SCRIPTING_TUPLES_H

#include <lauxlib.h>
#include <lua.h>

#include "core/prof/sampler/compressor.h"
#include "core/prof/sampler/tuple_profile.h"
#include "core/prof/sampler/tuple_stream.h"

/* The allocator of a Lua state. */
struct tuple_memory tuples_memory(lua_State *L);
/* Reports `bytes` of C memory to the garbage collector, so that it runs in time. */
void tuples_grown(lua_State *L, size_t bytes);
/* Collects garbage. True at the first call (*tried): repeat the failed allocation then. */
bool tuples_try_again(lua_State *L, bool *tried);
/* Raises the Lua error for an outcome other than TUPLES_ADDED; `what` is "a stream", "a list of
 * messages". */
void tuples_fail(lua_State *L, enum tuple_outcome outcome, const char *what, size_t most,
                 const char *right);

/* Reads a tuple from the arguments from `index` on: pc, value, optional tag. */
struct tuple tuples_check(lua_State *L, int index);
/* Reads a pc and an optional tag, combined as in struct tuple. */
uint64_t tuples_check_pc(lua_State *L, int pc, int tag);
/* Pushes pc, value, tag. */
void tuples_push(lua_State *L, struct tuple t);
/* Sets pc, value and tag as fields of the table on top. */
void tuples_set(lua_State *L, struct tuple t);
/* The 1-based place in argument `index`, converted to 0-based; `count` if out of range. */
size_t tuples_place(lua_State *L, int index, size_t count);
/* The optional arguments N and FROM, for `count` things: returns how many are selected, from *from
 * on. */
size_t tuples_range(lua_State *L, int n, int from_index, size_t count, size_t *from);

/* Makes the metatable of a kind of objects. Its methods come from the binding areas of `object`,
 * its values from those of "object."; other names are errors. meta: further functions; an __index
 * among them handles keys that are not strings. */
void tuples_new_type(lua_State *L, const char *type, const char *object, const luaL_Reg *meta);

#define COMPRESSOR "cyclops.compressor"
#define STREAM "cyclops.stream"
#define MESSAGES "cyclops.messages"
#define PROFILE "cyclops.profile"

/* stream.c, messages.c: the stream or list at `index`; a new list, pushed. */
struct tuple_stream *tuples_stream(lua_State *L, int index);
struct message_list *tuples_messages(lua_State *L, int index);
struct message_list *tuples_new_messages(lua_State *L);
/* Makes room for n more messages, or raises a Lua error. */
void tuples_need(lua_State *L, struct message_list *l, size_t n);
/* stream.c: makes room for n more tuples, or raises a Lua error. */
void tuples_reserve(lua_State *L, struct tuple_stream *s, size_t n);
/* profile.c: pushes a new profile; adds n to a tuple's count, or raises a Lua error. */
struct tuple_profile *tuples_new_profile(lua_State *L);
void tuples_count(lua_State *L, struct tuple_profile *p, struct tuple t, uint64_t n);
/* Reads thresholds from the table at `index`; its keys. */
#define TUPLES_THRESHOLD_KEYS "min_count", "invariant", "covered", "tag"
void tuples_thresholds(lua_State *L, int index, struct tuple_thresholds *t);
/* Pushes the error, or nil, and a table with details. */
void tuples_push_error(lua_State *L, const struct tuple_error *e);
/* Pushes an iterator over the object at 1: `next` has it and a place, initially 0, as upvalues.
 * Returns 1. */
int tuples_iterate(lua_State *L, lua_CFunction next);

#endif
