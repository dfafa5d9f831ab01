/* Functions among the words: they read memory, registers by name and the program. */
#include "scripting/expr/words.h"

#include <lauxlib.h>
#include <string.h>

#include "core/isa/regs.h"
#include "core/machine/machine.h"
#include "hwviews/session/address.h"
#include "scripting/binding.h"
#include "scripting/host/memory.h"

static const struct machine *words_functions_machine(lua_State *L)
{
	return words_machine(L, words_here(L));
}

/* ---- memory ---- */
static int words_functions_push_memory(lua_State *L, enum memory_type type)
{
	return memory_push(L, words_functions_machine(L), (uint64_t)luaL_checkinteger(L, 1), type);
}

#define MEMORY(name, type)                                                                         \
	static int name(lua_State *L)                                                              \
	{                                                                                          \
		return words_functions_push_memory(L, MEMORY_##type);                              \
	}
MEMORY(mem8, U8)
MEMORY(mem16, U16)
MEMORY(mem32, U32)
MEMORY(mem64, U64)
MEMORY(i8, I8)
MEMORY(i16, I16)
MEMORY(i32, I32)
MEMORY(f32, F32)
MEMORY(f64, F64)
#undef MEMORY

/* Reads as many bytes as the symbol at the address has. */
static int words_functions_mem(lua_State *L)
{
	const struct session *s = words_here(L)->s;
	uint64_t addr = (uint64_t)luaL_checkinteger(L, 1);
	const struct symbol *sym = s ? program_symbol_at(s->program, addr) : NULL;
	uint64_t n = sym && sym->addr == addr ? sym->size : 8;
	return words_functions_push_memory(L, n == 1   ? MEMORY_U8
	                                      : n == 2 ? MEMORY_U16
	                                      : n == 4 ? MEMORY_U32
	                                               : MEMORY_U64);
}

static int words_functions_str(lua_State *L)
{
	enum { LONGEST = 4096 };
	const struct machine *m = words_functions_machine(L);
	uint64_t addr = (uint64_t)luaL_checkinteger(L, 1);
	lua_Integer most = luaL_optinteger(L, 2, 200);
	luaL_Buffer b;
	char c;
	if (!machine_peek(m, addr, &c, 1))
		words_functions_push_memory(L, MEMORY_U8); /* fails if nothing is mapped */
	luaL_buffinit(L, &b);
	for (lua_Integer i = 0; i < most && i < LONGEST; i++) {
		if (!machine_peek(m, addr + (uint64_t)i, &c, 1) || !c)
			break;
		luaL_addchar(&b, c);
	}
	luaL_pushresult(&b);
	return 1;
}

/* ---- gdb's: $_streq(node->name, "two") ---- */
enum { TEXT_MAX = 4096 };

/* Pushes argument i: a text, or the text at an address. */
static const char *words_functions_check_text(lua_State *L, int i, size_t *n)
{
	luaL_Buffer b;
	char c;
	if (lua_type(L, i) == LUA_TSTRING) {
		lua_pushvalue(L, i);
		return lua_tolstring(L, -1, n);
	}
	const uint64_t addr = (uint64_t)luaL_checkinteger(L, i);
	const struct machine *m = words_functions_machine(L);
	luaL_buffinit(L, &b);
	for (uint64_t at = 0; at < TEXT_MAX; at++) {
		if (!machine_peek(m, addr + at, &c, 1))
			memory_push(L, m, addr + at, MEMORY_U8); /* fails with a message */
		if (!c)
			break;
		luaL_addchar(&b, c);
	}
	luaL_pushresult(&b);
	return lua_tolstring(L, -1, n);
}

static int text_length(lua_State *L)
{
	size_t n;
	words_functions_check_text(L, 1, &n);
	lua_pushinteger(L, (lua_Integer)n);
	return 1;
}

static int texts_equal(lua_State *L)
{
	size_t n, m;
	const char *a = words_functions_check_text(L, 1, &n),
		   *b = words_functions_check_text(L, 2, &m);
	lua_pushinteger(L, n == m && !memcmp(a, b, n));
	return 1;
}

static int memory_equal(lua_State *L)
{
	const uint64_t a = (uint64_t)luaL_checkinteger(L, 1), b = (uint64_t)luaL_checkinteger(L, 2);
	const lua_Integer n = luaL_checkinteger(L, 3);
	const struct machine *m = words_functions_machine(L);
	char x, y;
	bool equal = true;
	if (n < 0 || n > 1 << 20)
		return binding_fail(L, "$_memeq compares 0 to %d bytes", 1 << 20);
	for (lua_Integer i = 0; i < n && equal; i++) {
		if (!machine_peek(m, a + (uint64_t)i, &x, 1))
			memory_push(L, m, a + (uint64_t)i, MEMORY_U8);
		if (!machine_peek(m, b + (uint64_t)i, &y, 1))
			memory_push(L, m, b + (uint64_t)i, MEMORY_U8);
		equal = x == y;
	}
	lua_pushinteger(L, equal);
	return 1;
}

static int words_functions_mapped(lua_State *L)
{
	char c;
	lua_pushboolean(L, machine_peek(words_functions_machine(L),
	                                (uint64_t)luaL_checkinteger(L, 1), &c, 1));
	return 1;
}

/* ---- registers by name ---- */
static unsigned words_functions_check_reg(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);
	int reg = reg_from_name(*name == '$' ? name + 1 : name);
	if (reg < 0)
		binding_fail(L, "no register is called '%s'", name);
	return (unsigned)reg;
}

static int words_functions_reg_bits(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)machine_seen_reg(words_functions_machine(L),
	                                                 words_functions_check_reg(L)));
	return 1;
}

static int words_functions_reg_single(lua_State *L)
{
	uint32_t low = (uint32_t)machine_seen_reg(words_functions_machine(L),
	                                          words_functions_check_reg(L));
	float f;
	memcpy(&f, &low, sizeof f);
	lua_pushnumber(L, (double)f);
	return 1;
}

static int as_double(lua_State *L)
{
	uint64_t all = machine_seen_reg(words_functions_machine(L), words_functions_check_reg(L));
	double d;
	memcpy(&d, &all, sizeof d);
	lua_pushnumber(L, d);
	return 1;
}

/* ---- the program ---- */
static int words_functions_sym(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);
	words_functions_machine(L);
	const struct symbol *found = program_symbol_by_name(words_here(L)->s->program, name);
	if (!found)
		return binding_fail(L, "the program has no symbol '%s'", name);
	lua_pushinteger(L, (lua_Integer)found->addr);
	return 1;
}

static int words_functions_addr(lua_State *L)
{
	const char *text = luaL_checkstring(L, 1);
	uint64_t found;
	struct err err;
	words_functions_machine(L);
	if (!address_parse(words_here(L)->s, text, NULL, &found, &err))
		return binding_fail(L, "%s", err.msg);
	lua_pushinteger(L, (lua_Integer)found);
	return 1;
}

static uint64_t opt_pc(lua_State *L)
{
	return (uint64_t)luaL_optinteger(L, 1,
	                                 (lua_Integer)machine_seen_pc(words_functions_machine(L)));
}

static int words_functions_where(lua_State *L)
{
	char buf[256];
	uint64_t pc = opt_pc(L);
	lua_pushstring(L, session_where(words_here(L)->s, pc, buf, sizeof buf));
	return 1;
}

static int words_functions_func(lua_State *L)
{
	uint64_t pc = opt_pc(L);
	const struct symbol *found = program_symbol_at(words_here(L)->s->program, pc);
	lua_pushstring(L, found ? found->name : NULL);
	return 1;
}

static int words_functions_line(lua_State *L)
{
	struct source_line at;
	uint64_t pc = opt_pc(L);
	lua_pushinteger(
		L, program_line_at(words_here(L)->s->program, pc, &at) ? (lua_Integer)at.line : 0);
	return 1;
}

/* Stands for functions on complex numbers, which C's expressions have themselves. */
static int no_complex(lua_State *L)
{
	return binding_fail(L, "expected a complex number of the program");
}

static const struct {
	const char *name;
	lua_CFunction fn;
	const char *help;
} functions[] = {
	{"mem", words_functions_mem, "mem(ADDRESS): as many bytes as the symbol there has, else 8"},
	{"mem8", mem8, "mem8(ADDRESS): an unsigned byte of memory"},
	{"mem16", mem16, "mem16(ADDRESS): two bytes, unsigned"},
	{"mem32", mem32, "mem32(ADDRESS): four bytes, unsigned"},
	{"mem64", mem64, "mem64(ADDRESS): eight bytes"},
	{"i8", i8, "i8(ADDRESS): a signed byte"},
	{"i16", i16, "i16(ADDRESS): two bytes, signed"},
	{"i32", i32, "i32(ADDRESS): four bytes, signed"},
	{"f32", f32, "f32(ADDRESS): a single in memory"},
	{"f64", f64, "f64(ADDRESS): a double in memory"},
	{"str", words_functions_str, "str(ADDRESS [, MOST]): the text that begins there"},
	{"_strlen", text_length, "$_strlen(TEXT or ADDRESS): how long the text is"},
	{"_streq", texts_equal, "$_streq(A, B): whether two texts, or those at addresses, are"},
	{"_memeq", memory_equal, "$_memeq(A, B, BYTES): whether memory at A and B is"},
	{"_creal", no_complex, "$_creal(Z): the real part of a complex number"},
	{"_cimag", no_complex, "$_cimag(Z): its imaginary part"},
	{"mapped", words_functions_mapped, "mapped(ADDRESS): whether there is memory"},
	{"bits", words_functions_reg_bits, "bits 'fa0': a register's 64 bits as an integer"},
	{"single", words_functions_reg_single, "single 'fa0': its low half as a single"},
	{"double", as_double, "double 'fa0': its bits as a double"},
	{"sym", words_functions_sym, "sym 'NAME': a symbol's address, whatever else has the name"},
	{"address", words_functions_addr,
         "address 'words.c:41': an address, as commands take it (help locations)"},
	{"where", words_functions_where, "where(ADDRESS or nothing): 'find+0x10 (words.c:41)'"},
	{"func", words_functions_func, "func(ADDRESS or nothing): name of the function"},
	{"line", words_functions_line, "line(ADDRESS or nothing): source line"},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

const char *words_function_name(unsigned i, const char **help)
{
	if (i >= FUNCTIONS)
		return NULL;
	*help = functions[i].help;
	return functions[i].name;
}

void words_open_functions(lua_State *L, int index)
{
	for (int i = 0; i < FUNCTIONS; i++) {
		lua_pushvalue(L, index);
		lua_pushcclosure(L, functions[i].fn, 1);
		lua_setfield(L, -2, functions[i].name);
	}
}
