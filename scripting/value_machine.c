#include "scripting/value_machine.h"

#include <lauxlib.h>
#include <string.h>

#include "core/mem/mem.h"
#include "loader/program.h"
#include "scripting/host.h"

static struct value_facts *facts(lua_State *L)
{
	return lua_touserdata(L, lua_upvalueindex(1));
}

static uint64_t address(lua_State *L, int index)
{
	return (uint64_t)luaL_checkinteger(L, index);
}

static const struct program *program(lua_State *L)
{
	const struct program *p = facts(L)->program;
	if (!p)
		luaL_error(L, "no program is known yet: it is while sequence and format run");
	return p;
}

/* machine.latencies() -> { L1D, L2, MEMORY } */
static int latencies(lua_State *L)
{
	struct value_facts *f = facts(L);
	struct err err;
	if (!f->latency[0] && !value_probe(&f->cfg, f->latency, &err))
		return luaL_error(L, "%s", err.msg);
	lua_createtable(L, 3, 0);
	for (int i = 0; i < 3; i++) {
		lua_pushinteger(L, (lua_Integer)f->latency[i]);
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}

/* The program as it is in its file. */
static const struct mem *image(lua_State *L)
{
	struct value_facts *f = facts(L);
	const struct program *p = program(L);
	if (!f->image) {
		char name[] = "program", *argv[] = {name, NULL};
		struct hart h = {0};
		struct err err;
		uint64_t brk;
		f->image = mem_new();
		if (!f->image || !program_load(p, f->image, &h, &brk, 1, argv, NULL, 1 << 16, 1, &err))
			luaL_error(L, "out of memory for a copy of the program");
	}
	return f->image;
}

/* Memory that has the word at the top of the stack, and no other. */
struct stack_top {
	uint64_t sp, word;
};

static bool peek_top(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct stack_top *t = ctx;
	if (addr != t->sp || n != sizeof t->word)
		return false;
	memcpy(buf, &t->word, n);
	return true;
}

/* machine.caller(pc, ra, top): where the procedure returns to, if one of the two says it at this place. */
static int caller(lua_State *L)
{
	const struct program *p = program(L);
	const struct stack_top top = {UINT64_C(0x3f00000000), address(L, 3)};
	const struct frame_memory mem = {.mem = image(L), .peek = peek_top, .ctx = &top};
	const uint64_t pc = address(L, 1), ra = address(L, 2);
	uint64_t r[32] = {[REG_RA] = ra, [REG_SP] = top.sp};
	struct frame frames[2];
	if (program_backtrace_in(p, &mem, r, pc, frames, 2) < 2 || (frames[1].pc != ra && frames[1].pc != top.word))
		return 0;
	lua_pushinteger(L, (lua_Integer)frames[1].pc);
	return 1;
}

/* machine.procedure(pc) -> where it begins, its name */
static int procedure(lua_State *L)
{
	const struct symbol *s = program_symbol_at(program(L), address(L, 1));
	if (!s || !s->code)
		return 0;
	lua_pushinteger(L, (lua_Integer)s->addr);
	lua_pushstring(L, s->name);
	return 2;
}

/* machine.place(address) -> "main+0x10" */
static int place(lua_State *L)
{
	char text[256];
	lua_pushstring(L, program_addr_text(program(L), address(L, 1), text, sizeof text));
	return 1;
}

/* machine.call(return address) -> address of the call before it */
static int call_before(lua_State *L)
{
	const uint64_t behind = address(L, 1);
	uint32_t word = 0;
	struct inst in;
	if (mem_peek(image(L), behind - 4, &word, sizeof word)) {
		inst_decode(word, &in);
		if (in.len == 4 && inst_pushes_ras(&in)) {
			lua_pushinteger(L, (lua_Integer)(behind - 4));
			return 1;
		}
		inst_decode(word >> 16, &in);
		if (in.len == 2 && inst_pushes_ras(&in)) {
			lua_pushinteger(L, (lua_Integer)(behind - 2));
			return 1;
		}
	}
	return 0;
}

void value_machine_open(lua_State *L, struct value_facts *f)
{
	static const luaL_Reg functions[] = {
		{"latencies", latencies}, {"caller", caller}, {"procedure", procedure}, {"place", place}, {"call", call_before}, {NULL, NULL},
	};
	lua_createtable(L, 0, 5);
	lua_pushlightuserdata(L, f);
	luaL_setfuncs(L, functions, 1);
	host_freeze(L, "machine");
	lua_setfield(L, -2, "machine");
}

void value_facts_deinit(struct value_facts *f)
{
	if (f->image)
		mem_free(f->image);
}
