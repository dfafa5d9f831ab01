/* The names of expressions: registers, symbols, and the functions that read the machine. */
#include "scripting/expr_priv.h"

#include <lauxlib.h>
#include <limits.h>
#include <string.h>

#include "core/isa/csr.h"
#include "core/isa/regs.h"
#include "core/machine.h"
#include "core/nearest.h"
#include "hwviews/address.h"
#include "hwviews/csrs.h"
#include "hwviews/view.h"

/* What a name was found to be, remembered as kind << 8 | number. */
enum kind { KIND_REG = 1, KIND_PC, KIND_CYCLE, KIND_INSTS, KIND_NEWEST };

static const struct {
	const char *name;
	enum kind kind;
	const char *help;
} values[] = {
	{"pc", KIND_PC, "address of the oldest instruction not yet committed"},
	{"cycle", KIND_CYCLE, "cycles done"},
	{"insts", KIND_INSTS, "instructions committed"},
	{"newest", KIND_NEWEST, "the newest cycle that was reached"},
};
enum { VALUES = sizeof values / sizeof *values };

/* A floating-point register as a number: a NaN-boxed single, else a double. */
static double fp_value(uint64_t bits)
{
	double d;
	float f;
	uint32_t low = (uint32_t)bits;
	if (bits >> 32 == UINT32_MAX) {
		memcpy(&f, &low, sizeof f);
		return (double)f;
	}
	memcpy(&d, &bits, sizeof d);
	return d;
}

static void push_kind(lua_State *L, lua_Integer code)
{
	const struct machine *m = expr_machine(L);
	unsigned n = (unsigned)code & 0xff;
	struct run_history h;
	switch ((enum kind)(code >> 8)) {
	case KIND_REG:
		if (n >= REG_F0)
			lua_pushnumber(L, fp_value(machine_reg(m, n)));
		else
			lua_pushinteger(L, (lua_Integer)machine_reg(m, n));
		break;
	case KIND_PC:
		lua_pushinteger(L, (lua_Integer)machine_pc(m));
		break;
	case KIND_CYCLE:
		lua_pushinteger(L, (lua_Integer)machine_cycle(m));
		break;
	case KIND_INSTS:
		lua_pushinteger(L, (lua_Integer)machine_insts(m));
		break;
	case KIND_NEWEST:
		run_history(exprs_of(L)->s->run, &h);
		lua_pushinteger(L, (lua_Integer)h.newest_cycle);
		break;
	}
}

static lua_Integer kind_of(const char *name)
{
	int reg = reg_from_name(name);
	if (reg >= 0)
		return KIND_REG << 8 | reg;
	for (int i = 0; i < VALUES; i++)
		if (!strcmp(values[i].name, name))
			return (lua_Integer)values[i].kind << 8;
	return 0;
}

static int unknown(lua_State *L, const char *name)
{
	struct nearest n;
	const struct session *s = exprs_of(L)->s;
	const char *word, *help;
	size_t symbols = 0;
	nearest_init(&n, name);
	for (unsigned i = 0; (word = expr_name(i, &help)); i++)
		nearest_offer(&n, word);
	for (unsigned i = 0; exprs_of(L)->ev && i < event_info[exprs_of(L)->ev->id].field_count; i++)
		nearest_offer(&n, event_info[exprs_of(L)->ev->id].fields[i].name);
	for (unsigned i = 0; exprs_of(L)->ev && i < UOP_FIELD_COUNT; i++)
		nearest_offer(&n, uop_field_info[i].name);
	const struct symbol *sym = s ? program_symbols(s->program, &symbols) : NULL;
	for (size_t i = 0; i < symbols; i++)
		nearest_offer(&n, sym[i].name);
	return luaL_error(L, "no register, symbol, statistic or function is called '%s'%s%s%s", name,
	                  n.best ? "; did you mean '" : "", n.best ? n.best : "", n.best ? "'?" : "");
}

/* Control registers come behind symbols: a program may have a function `time`. */
static bool push_csr(lua_State *L, const char *name)
{
	int csr = csr_find(name);
	uint64_t v;
	if (csr < 0 || !exprs_of(L)->s)
		return false;
	if (!csrs_read(exprs_of(L)->s, (unsigned)csr, &v))
		luaL_error(L, "a register of M-mode, which this machine does not have: start with --firmware FILE");
	lua_pushinteger(L, (lua_Integer)v);
	return true;
}

/* __index of the environment: upvalue 1 remembers what names are. */
static int env_index(lua_State *L)
{
	const struct session *s = exprs_of(L)->s;
	const char *name = luaL_checkstring(L, 2);
	if (expr_push_event_word(L, name))
		return 1;
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) == LUA_TNUMBER) {
		push_kind(L, lua_tointeger(L, -1));
		return 1;
	}
	lua_Integer code = kind_of(name);
	if (code) {
		lua_pushvalue(L, 2);
		lua_pushinteger(L, code);
		lua_rawset(L, lua_upvalueindex(1));
		push_kind(L, code);
		return 1;
	}
	if (expr_push_inst_word(L, name) || expr_push_group(L, name))
		return 1;
	const struct symbol *sym = s ? program_symbol_by_name(s->program, name) : NULL;
	if (sym) {
		lua_pushinteger(L, (lua_Integer)sym->addr);
		return 1;
	}
	if (push_csr(L, name))
		return 1;
	for (unsigned i = 0; i < view_count; i++) {
		struct err err;
		if (strcmp(views[i]->name, name) != 0)
			continue;
		if (!expr_push_view(L, name, &err))
			return luaL_error(L, "%s", err.msg);
		return 1;
	}
	return unknown(L, name);
}

static int env_newindex(lua_State *L)
{
	return luaL_error(L, "an expression sets nothing: `set` does");
}

/* ---- memory ---- */
static uint64_t peek(lua_State *L, unsigned n)
{
	uint64_t addr = (uint64_t)luaL_checkinteger(L, 1), v = 0;
	char place[32];
	if (!machine_peek(expr_machine(L), addr, &v, n)) {
		snprintf(place, sizeof place, "0x%llx", (unsigned long long)addr);
		luaL_error(L, "%s is not mapped memory of the program", place);
	}
	return v;
}

#define MEMORY(name, bytes, type) \
	static int name(lua_State *L) \
	{ \
		lua_pushinteger(L, (lua_Integer)(type)peek(L, bytes)); \
		return 1; \
	}
MEMORY(mem8, 1, uint8_t)
MEMORY(mem16, 2, uint16_t)
MEMORY(mem32, 4, uint32_t)
MEMORY(mem64, 8, uint64_t)
MEMORY(s8, 1, int8_t)
MEMORY(s16, 2, int16_t)
MEMORY(s32, 4, int32_t)
#undef MEMORY

/* As many bytes as the symbol at the address has. */
static int mem(lua_State *L)
{
	const struct session *s = exprs_of(L)->s;
	uint64_t addr = (uint64_t)luaL_checkinteger(L, 1);
	const struct symbol *sym = s ? program_symbol_at(s->program, addr) : NULL;
	uint64_t n = sym && sym->addr == addr ? sym->size : 8;
	lua_pushinteger(L, (lua_Integer)peek(L, n == 1 || n == 2 || n == 4 ? (unsigned)n : 8));
	return 1;
}

static int f32(lua_State *L)
{
	uint32_t bits = (uint32_t)peek(L, 4);
	float f;
	memcpy(&f, &bits, sizeof f);
	lua_pushnumber(L, (double)f);
	return 1;
}

static int f64(lua_State *L)
{
	uint64_t bits = peek(L, 8);
	double d;
	memcpy(&d, &bits, sizeof d);
	lua_pushnumber(L, d);
	return 1;
}

static int str(lua_State *L)
{
	enum { LONGEST = 4096 };
	const struct machine *m = expr_machine(L);
	uint64_t addr = (uint64_t)luaL_checkinteger(L, 1);
	lua_Integer most = luaL_optinteger(L, 2, 200);
	luaL_Buffer b;
	char c;
	if (!machine_peek(m, addr, &c, 1))
		peek(L, 1);
	luaL_buffinit(L, &b);
	for (lua_Integer i = 0; i < most && i < LONGEST; i++) {
		if (!machine_peek(m, addr + (uint64_t)i, &c, 1) || !c)
			break;
		luaL_addchar(&b, c);
	}
	luaL_pushresult(&b);
	return 1;
}

static int mapped(lua_State *L)
{
	char c;
	lua_pushboolean(L, machine_peek(expr_machine(L), (uint64_t)luaL_checkinteger(L, 1), &c, 1));
	return 1;
}

/* ---- registers by name ---- */
static unsigned check_reg(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);
	int reg = reg_from_name(*name == '$' ? name + 1 : name);
	if (reg < 0)
		luaL_error(L, "no register is called '%s'", name);
	return (unsigned)reg;
}

static int bits(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)machine_reg(expr_machine(L), check_reg(L)));
	return 1;
}

static int single(lua_State *L)
{
	uint32_t low = (uint32_t)machine_reg(expr_machine(L), check_reg(L));
	float f;
	memcpy(&f, &low, sizeof f);
	lua_pushnumber(L, (double)f);
	return 1;
}

static int as_double(lua_State *L)
{
	uint64_t all = machine_reg(expr_machine(L), check_reg(L));
	double d;
	memcpy(&d, &all, sizeof d);
	lua_pushnumber(L, d);
	return 1;
}

/* ---- the program ---- */
static int sym(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1);
	expr_machine(L);
	const struct symbol *found = program_symbol_by_name(exprs_of(L)->s->program, name);
	if (!found)
		return luaL_error(L, "the program has no symbol '%s'", name);
	lua_pushinteger(L, (lua_Integer)found->addr);
	return 1;
}

static int addr(lua_State *L)
{
	const char *text = luaL_checkstring(L, 1);
	uint64_t found;
	struct err err;
	expr_machine(L);
	if (!address_parse(exprs_of(L)->s, text, NULL, &found, &err))
		return luaL_error(L, "%s", err.msg);
	lua_pushinteger(L, (lua_Integer)found);
	return 1;
}

static uint64_t opt_pc(lua_State *L)
{
	return (uint64_t)luaL_optinteger(L, 1, (lua_Integer)machine_pc(expr_machine(L)));
}

static int where(lua_State *L)
{
	char buf[256];
	uint64_t pc = opt_pc(L);
	lua_pushstring(L, session_where(exprs_of(L)->s, pc, buf, sizeof buf));
	return 1;
}

static int func(lua_State *L)
{
	uint64_t pc = opt_pc(L);
	const struct symbol *found = program_symbol_at(exprs_of(L)->s->program, pc);
	lua_pushstring(L, found ? found->name : NULL);
	return 1;
}

static int line(lua_State *L)
{
	struct source_line at;
	uint64_t pc = opt_pc(L);
	lua_pushinteger(L, program_line_at(exprs_of(L)->s->program, pc, &at) ? (lua_Integer)at.line : 0);
	return 1;
}

static const struct {
	const char *name;
	lua_CFunction fn;
	const char *help;
} functions[] = {
	{"mem", mem, "mem(ADDRESS): as many bytes as the symbol there has, else 8"},
	{"mem8", mem8, "mem8(ADDRESS): an unsigned byte of memory"},
	{"mem16", mem16, "mem16(ADDRESS): two bytes, unsigned"},
	{"mem32", mem32, "mem32(ADDRESS): four bytes, unsigned"},
	{"mem64", mem64, "mem64(ADDRESS): eight bytes"},
	{"s8", s8, "s8(ADDRESS): a signed byte"},
	{"s16", s16, "s16(ADDRESS): two bytes, signed"},
	{"s32", s32, "s32(ADDRESS): four bytes, signed"},
	{"f32", f32, "f32(ADDRESS): a single in memory"},
	{"f64", f64, "f64(ADDRESS): a double in memory"},
	{"str", str, "str(ADDRESS [, MOST]): the text that begins there"},
	{"mapped", mapped, "mapped(ADDRESS): whether there is memory"},
	{"bits", bits, "bits 'fa0': a register's 64 bits as an integer"},
	{"single", single, "single 'fa0': its low half as a single"},
	{"double", as_double, "double 'fa0': its bits as a double"},
	{"sym", sym, "sym 'NAME': a symbol's address, whatever else has the name"},
	{"address", addr, "address 'words.c:41': an address, as commands take it (help locations)"},
	{"where", where, "where(ADDRESS or nothing): 'find+0x10 (words.c:41)'"},
	{"func", func, "func(ADDRESS or nothing): name of the function"},
	{"line", line, "line(ADDRESS or nothing): source line"},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Made in expr_hw.c. */
static const char *const tables[][2] = {
	{"view", "view.NAME, view['NAME ARGS']: a view as a table of rows: view.ras[1].returns_to, view['btb 3'][1].target"},
	{"stat", "stat['sim.ipc']: a statistic"},
	{"config", "config['pipe.rob_size']: a parameter of this machine"},
	{"rob", "rob.count, rob[1].pc: reorder buffer, oldest first; rob[1] has what `help fields` lists"},
	{"lsq", "lsq.count, lsq[1].addr: load/store queue, oldest first"},
	{"fetchq", "fetchq.count, fetchq[1].pc: fetch queue, oldest first"},
};
enum { TABLES = sizeof tables / sizeof *tables };

const char *expr_name(unsigned i, const char **help)
{
	if (i < VALUES) {
		*help = values[i].help;
		return values[i].name;
	}
	i -= VALUES;
	for (unsigned k = 0; k < csr_info_count; k++) {
		if (csr_info[k].count > 1)
			continue;
		if (i-- == 0) {
			*help = csr_info[k].help;
			return csr_info[k].name;
		}
	}
	if (i < FUNCTIONS) {
		*help = functions[i].help;
		return functions[i].name;
	}
	i -= FUNCTIONS;
	if (i >= TABLES)
		return NULL;
	*help = tables[i][1];
	return tables[i][0];
}

void expr_open_names(lua_State *L)
{
	for (int i = 0; i < FUNCTIONS; i++) {
		lua_pushcfunction(L, functions[i].fn);
		lua_setfield(L, -2, functions[i].name);
	}
	lua_newtable(L);
	lua_newtable(L);
	lua_pushcclosure(L, env_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pushcfunction(L, env_newindex);
	lua_setfield(L, -2, "__newindex");
	lua_setmetatable(L, -2);
}
