/* Reads the program's memory for Lua: shared by `mem32(p)` of expressions and `m.mem:u32(p)` of
 * scripts.
 *
 * Addresses are in bytes. An unmapped address raises a Lua error. */
#ifndef CYCLOPS_SCRIPTING_HOST_MEMORY_H
#define CYCLOPS_SCRIPTING_HOST_MEMORY_H

#include <lua.h>
#include <stdint.h>

struct machine;

enum memory_type {
	MEMORY_U8,
	MEMORY_U16,
	MEMORY_U32,
	MEMORY_U64,
	MEMORY_I8,
	MEMORY_I16,
	MEMORY_I32,
	MEMORY_I64,
	MEMORY_F32,
	MEMORY_F64
};

/* Pushes the number in memory. Returns 1. */
int memory_push(lua_State *L, const struct machine *m, uint64_t addr, enum memory_type type);

#endif
