#include "scripting/host/memory.h"

#include <stdio.h>
#include <string.h>

#include "core/machine/machine.h"
#include "scripting/binding.h"

static uint64_t memory_check_peek(lua_State *L, const struct machine *m, uint64_t addr, unsigned n)
{
	uint64_t v = 0;
	char place[32];
	if (!machine_peek(m, addr, &v, n)) {
		snprintf(place, sizeof place, "0x%llx", (unsigned long long)addr);
		binding_fail(L, "%s is not mapped memory of the program", place);
	}
	return v;
}

static lua_Integer memory_sign_extend(uint64_t v, enum memory_type type)
{
	switch (type) {
	case MEMORY_I8:
		return (int8_t)v;
	case MEMORY_I16:
		return (int16_t)v;
	case MEMORY_I32:
		return (int32_t)v;
	default:
		return (lua_Integer)v;
	}
}

int memory_push(lua_State *L, const struct machine *m, uint64_t addr, enum memory_type type)
{
	static const unsigned char bytes[] = {
		[MEMORY_U8] = 1,  [MEMORY_U16] = 2, [MEMORY_U32] = 4, [MEMORY_U64] = 8,
		[MEMORY_I8] = 1,  [MEMORY_I16] = 2, [MEMORY_I32] = 4, [MEMORY_I64] = 8,
		[MEMORY_F32] = 4, [MEMORY_F64] = 8};
	const uint64_t v = memory_check_peek(L, m, addr, bytes[type]);
	float f;
	double d;
	if (type == MEMORY_F32) {
		memcpy(&f, &v, sizeof f);
		lua_pushnumber(L, (double)f);
	} else if (type == MEMORY_F64) {
		memcpy(&d, &v, sizeof d);
		lua_pushnumber(L, d);
	} else {
		lua_pushinteger(L, memory_sign_extend(v, type));
	}
	return 1;
}
