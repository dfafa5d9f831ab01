/* m.mem, and writing memory: m:write, m:patch. */
#include <string.h>

#include "core/isa/inst.h"
#include "core/machine/machine.h"
#include "scripting/api/api.h"
#include "scripting/host/memory.h"

#define MEM "cyclops.mem"

enum { BYTES_MOST = 16 << 20 };

static int api_mem_push_typed(lua_State *L, enum memory_type type)
{
	const struct lua_machine *m = api_machine_of_part(L, 1, MEM);
	return memory_push(L, m->s->machine, api_address(L, 2, m->s), type);
}

#define READ(name, type)                                                                           \
	static int name(lua_State *L)                                                              \
	{                                                                                          \
		return api_mem_push_typed(L, MEMORY_##type);                                       \
	}
READ(u8, U8)
READ(u16, U16)
READ(u32, U32)
READ(u64, U64)
READ(i8, I8)
READ(i16, I16)
READ(i32, I32)
READ(i64, I64)
READ(f32, F32)
READ(f64, F64)
#undef READ

static int api_mem_read_bytes(lua_State *L)
{
	const struct lua_machine *m = api_machine_of_part(L, 1, MEM);
	uint64_t addr = api_address(L, 2, m->s), n = api_count(L, 3, 1);
	luaL_Buffer b;
	char text[64];
	luaL_argcheck(L, n <= BYTES_MOST, 3, "at most 16 MiB at a time");
	host_tick(L, n / 16);
	if (!n) {
		lua_pushliteral(L, "");
		return 1;
	}
	char *out = luaL_buffinitsize(L, &b, n);
	if (!machine_peek(m->s->machine, addr, out, n)) {
		uint64_t end = addr + n;
		snprintf(text, sizeof text, "0x%llx..0x%llx", (unsigned long long)addr,
		         (unsigned long long)end);
		return binding_fail(L, "%s is not all mapped memory of the program", text);
	}
	luaL_pushresultsize(&b, n);
	return 1;
}

static int api_mem_read_string(lua_State *L)
{
	const struct lua_machine *m = api_machine_of_part(L, 1, MEM);
	uint64_t addr = api_address(L, 2, m->s), most = api_count(L, 3, 4096);
	luaL_Buffer b;
	char c;
	api_mem_push_typed(L, MEMORY_U8); /* raises an error if the address is unmapped */
	luaL_argcheck(L, most <= BYTES_MOST, 3, "at most 16 MiB");
	luaL_buffinit(L, &b);
	for (uint64_t i = 0; i < most && machine_peek(m->s->machine, addr + i, &c, 1) && c; i++)
		luaL_addchar(&b, c);
	luaL_pushresult(&b);
	return 1;
}

static int api_mem_is_mapped(lua_State *L)
{
	const struct lua_machine *m = api_machine_of_part(L, 1, MEM);
	char c;
	lua_pushboolean(L, machine_peek(m->s->machine, api_address(L, 2, m->s), &c, 1));
	return 1;
}

/* m.mem(ADDRESS): mem() of expressions. */
static int api_mem_eval_address(lua_State *L)
{
	api_machine_of_part(L, 1, MEM);
	lua_getiuservalue(L, 1, 1);
	lua_getiuservalue(L, -1, MACHINE_ENV);
	lua_getfield(L, -1, "mem");
	lua_pushvalue(L, 2);
	lua_call(L, 1, 1);
	return 1;
}

/* ---- writing ---- */
static int api_mem_write_bytes(lua_State *L, struct lua_machine *m, uint64_t addr, const void *at,
                               size_t n)
{
	api_change(L, m, &(struct change){.kind = JOURNAL_MEMORY, .a = addr, .bytes = at, .n = n});
	return 0;
}

static int write_words(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	uint64_t addr = api_address(L, 2, m->s);
	size_t n;
	if (lua_type(L, 3) == LUA_TSTRING) {
		const char *text = lua_tolstring(L, 3, &n);
		luaL_argcheck(L, lua_isnoneornil(L, 4), 4, "SIZE is for numbers, not for texts");
		return n ? api_mem_write_bytes(L, m, addr, text, n) : 0;
	}
	uint64_t size = api_count(L, 4, 8), word;
	luaL_argcheck(L, size == 1 || size == 2 || size == 4 || size == 8, 4, "1, 2, 4 or 8 bytes");
	if (lua_isinteger(L, 3)) {
		word = (uint64_t)lua_tointeger(L, 3);
	} else {
		double d = luaL_checknumber(L, 3);
		float f = (float)d;
		luaL_argcheck(L, size >= 4, 4, "a number with a fraction takes 4 or 8 bytes");
		word = 0;
		memcpy(&word, size == 4 ? (void *)&f : (void *)&d, size);
	}
	return api_mem_write_bytes(L, m, addr, &word, size);
}

/* The length in bytes of the instruction at addr; 0: there is none. */
static unsigned inst_length(const struct machine *m, uint64_t addr)
{
	uint16_t low;
	if (!machine_peek(m, addr, &low, sizeof low))
		return 0;
	return (low & 3) == 3 ? 4 : 2;
}

static int api_mem_patch_inst(lua_State *L)
{
	static const uint32_t nop[] = {[2] = 0x0001, [4] = 0x00000013};
	struct lua_machine *m = api_machine(L, 1);
	uint64_t addr = api_address(L, 2, m->s);
	unsigned length = inst_length(m->s->machine, addr);
	uint32_t word;
	size_t n;
	if (addr & 1 || !length)
		return binding_fail(L, "no instruction begins at %s", host_text(L, 2, NULL));
	if (lua_type(L, 3) == LUA_TSTRING) {
		const char *text = lua_tolstring(L, 3, &n);
		if (!strcmp(text, "nop"))
			return api_mem_write_bytes(L, m, addr, &nop[length], length);
		luaL_argcheck(
			L, n && n % 2 == 0, 3,
			"'nop', an instruction's word, or bytes of code: an even number of them");
		return api_mem_write_bytes(L, m, addr, text, n);
	}
	lua_Integer v = luaL_checkinteger(L, 3);
	luaL_argcheck(L, v >= 0 && v <= UINT32_MAX, 3, "an instruction has 2 or 4 bytes");
	word = (uint32_t)v;
	n = (word & 3) == 3 ? 4 : 2;
	luaL_argcheck(L, n == 4 || v <= UINT16_MAX, 3,
	              "an instruction of 4 bytes ends in the bits 11");
	if (n != length)
		return binding_fail(L,
		                    "the instruction there has %d bytes, this one %d; to replace "
		                    "it anyway, give bytes",
		                    length, (int)n);
	return api_mem_write_bytes(L, m, addr, &word, n);
}

static int get_mem(lua_State *L)
{
	api_push_part(L, 1, MEM);
	return 1;
}

#define INTEGER(name, what) {#name, name, "m.mem:" #name "(ADDRESS) -> INTEGER", what}
static const struct binding methods[] = {
	INTEGER(u8, "An unsigned byte."),
	INTEGER(u16, "Two bytes, unsigned."),
	INTEGER(u32, "Four bytes, unsigned."),
	INTEGER(u64, "Eight bytes; Lua's integers are signed (%x and math.ult treat them as "
                     "unsigned)."),
	INTEGER(i8, "A signed byte."),
	INTEGER(i16, "Two bytes, signed."),
	INTEGER(i32, "Four bytes, signed."),
	INTEGER(i64, "Eight bytes, signed: the same as u64."),
	{"f32", f32, "m.mem:f32(ADDRESS) -> NUMBER", "A single."},
	{"f64", f64, "m.mem:f64(ADDRESS) -> NUMBER", "A double."},
	{"bytes", api_mem_read_bytes, "m.mem:bytes(ADDRESS, COUNT) -> TEXT",
         "COUNT bytes, at most 16 MiB; string.unpack takes them apart."},
	{"str", api_mem_read_string, "m.mem:str(ADDRESS [, MOST]) -> TEXT",
         "The text at the address, up to a zero byte; at most MOST bytes (4096)."},
	{"mapped", api_mem_is_mapped, "m.mem:mapped(ADDRESS) -> BOOLEAN",
         "True if the address is mapped."},
};

static const struct binding values[] = {
	{"mem", get_mem, "m.mem, m.mem(ADDRESS)",
         "Memory as the committed program sees it (help lua mem). m.mem(ADDRESS) reads as many "
         "bytes as the symbol there has."},
};

static const struct binding changes[] = {
	{"write", write_words, "m:write(ADDRESS, TEXT | NUMBER [, SIZE])",
         "Writes memory now: the bytes of a text, or a number of 1, 2, 4 or 8 bytes (8 without "
         "SIZE). Like the command `set` it empties the pipeline and drops the recorded future; "
         "reverse and forward motion undo and repeat it."},
	{"patch", api_mem_patch_inst, "m:patch(ADDRESS, 'nop' | WORD | BYTES)",
         "Replaces the instruction there by a nop, by another of the same length, or by bytes."},
};

const struct binding_area area_mem = {
	.name = "mem",
	.object = "mem",
	.summary = "memory, read",
	.text = "ADDRESS is a number, or a text as in commands: m.mem:u32 \"counter\", "
                "m.mem:str(m.a0).",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

const struct binding_area area_mem_value = {
	.name = "memory",
	.object = "machine.",
	.summary = "memory of a machine",
	.text = "",
	.bindings = values,
	.count = sizeof values / sizeof *values,
};

const struct binding_area area_change = {
	.name = "change",
	.object = "machine",
	.summary = "changing memory and code",
	.text = "",
	.bindings = changes,
	.count = sizeof changes / sizeof *changes,
};

void api_open_mem(lua_State *L)
{
	static const luaL_Reg meta[] = {{"__call", api_mem_eval_address}, {NULL, NULL}};
	api_new_part(L, MEM, meta);
	luaL_getmetatable(L, MEM);
	lua_newtable(L);
	binding_register_object(L, "mem", 0);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 1);
}
