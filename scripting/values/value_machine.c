#include "scripting/values/value_machine.h"

#include <lauxlib.h>
#include <string.h>

#include "core/isa/op.h"
#include "core/isa/regs.h"
#include "core/mem/mem.h"
#include "loader/dwarf/parameters.h"
#include "loader/program.h"
#include "scripting/host/host.h"

static struct value_facts *value_machine_facts(lua_State *L)
{
	return lua_touserdata(L, lua_upvalueindex(1));
}

static uint64_t value_machine_check_address(lua_State *L, int index)
{
	return (uint64_t)luaL_checkinteger(L, index);
}

static const struct program *value_machine_check_program(lua_State *L)
{
	const struct program *p = value_machine_facts(L)->program;
	if (!p)
		luaL_error(L, "no program is known yet: it is while sequence and format run");
	return p;
}

/* machine.value_machine_latencies() -> { L1D, L2, MEMORY } */
static int value_machine_latencies(lua_State *L)
{
	struct value_facts *f = value_machine_facts(L);
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

/* The program as in its file. */
static const struct mem *value_machine_program_image(lua_State *L)
{
	struct value_facts *f = value_machine_facts(L);
	const struct program *p = value_machine_check_program(L);
	if (!f->image) {
		char name[] = "program", *argv[] = {name, NULL};
		struct hart h = {0};
		struct err err;
		uint64_t brk;
		f->image = mem_new();
		if (!f->image ||
		    !program_load(p, f->image, &h, &brk, 1, argv, NULL, 1 << 16, 1, &err))
			luaL_error(L, "out of memory for a copy of the program");
	}
	return f->image;
}

/* A stack of which only the top word is known. */
struct stack_top {
	uint64_t sp, word;
	bool *asked; /* another word was read: the result is a guess */
};

static bool peek_top(const void *ctx, uint64_t addr, void *buf, size_t n)
{
	const struct stack_top *t = ctx;
	if (addr != t->sp || n != sizeof t->word) {
		*t->asked = true;
		return false;
	}
	memcpy(buf, &t->word, n);
	return true;
}

/* The address of the call that returns to `behind`, 0 if there is none; *target: the call's target,
 * 0 if in a register. */
static uint64_t call_at(lua_State *L, uint64_t behind, uint64_t *target)
{
	uint32_t word;
	struct inst in;
	*target = 0;
	if (!mem_peek(value_machine_program_image(L), behind - 4, &word, sizeof word))
		return 0;
	inst_decode(word, &in);
	if (in.len == 4 && inst_pushes_ras(&in)) {
		*target = in.op == OP_JAL ? behind - 4 + (uint64_t)(int64_t)in.imm : 0;
		return behind - 4;
	}
	inst_decode(word >> 16, &in);
	return in.len == 2 && inst_pushes_ras(&in) ? behind - 2 : 0;
}

/* True if the word is a return address of a direct call of this procedure from another: then it is
 * this procedure's own, even if also saved elsewhere. */
static bool returns_from(lua_State *L, uint64_t pc, uint64_t word)
{
	const struct symbol *s = program_symbol_at(value_machine_check_program(L), pc);
	uint64_t target;
	return s && call_at(L, word, &target) && target == s->addr &&
	       program_symbol_at(value_machine_check_program(L), word) != s;
}

/* machine.caller(pc, ra, top) -> the procedure's return address, if ra or top holds it at this
 * place. */
static int value_machine_caller_pc(lua_State *L)
{
	const struct program *p = value_machine_check_program(L);
	bool asked = false;
	const struct stack_top top = {UINT64_C(0x3f00000000), value_machine_check_address(L, 3),
	                              &asked};
	const struct frame_memory mem = {
		.mem = value_machine_program_image(L), .peek = peek_top, .ctx = &top};
	const uint64_t pc = value_machine_check_address(L, 1),
		       ra = value_machine_check_address(L, 2);
	uint64_t r[32] = {[REG_RA] = ra, [REG_SP] = top.sp};
	struct frame frames[2];
	uint64_t found = 0;
	if (program_backtrace_in(p, &mem, r, pc, frames, 2) == 2 && !asked &&
	    (frames[1].pc == ra || frames[1].pc == top.word))
		found = frames[1].pc;
	else if (returns_from(L, pc, ra) || returns_from(L, pc, top.word))
		found = returns_from(L, pc, ra) ? ra : top.word;
	if (!found)
		return 0;
	lua_pushinteger(L, (lua_Integer)found);
	return 1;
}

/* machine.procedure(pc) -> the procedure's first address, its name */
static int value_machine_procedure(lua_State *L)
{
	const struct symbol *s = program_symbol_at(value_machine_check_program(L),
	                                           value_machine_check_address(L, 1));
	if (!s || !s->code)
		return 0;
	lua_pushinteger(L, (lua_Integer)s->addr);
	lua_pushstring(L, s->name);
	return 2;
}

/* ---- arguments ---- */
/* Limits: instructions examined of a function, nested calls. */
enum { WALK_MAX = 256, CALLS_MAX = 3 };
struct walk {
	uint64_t pc[WALK_MAX];
	unsigned count, done;
};

static void value_machine_enqueue_pc(struct walk *w, uint64_t pc)
{
	for (unsigned i = 0; i < w->count; i++)
		if (w->pc[i] == pc)
			return;
	if (w->count < WALK_MAX)
		w->pc[w->count++] = pc;
}

/* True if the code reads this register before writing to it, or passes it on to a function that
 * does. A system call may read all registers. */
static bool value_machine_reads_register(const struct mem *image, uint64_t entry, unsigned reg,
                                         unsigned depth)
{
	struct walk w = {.pc = {entry}, .count = 1};
	while (w.done < w.count) {
		const uint64_t at = w.pc[w.done++];
		uint32_t word = 0;
		struct inst in;
		if (!mem_peek(image, at, &word, sizeof word) && !mem_peek(image, at, &word, 2))
			continue;
		inst_decode(word, &in);
		const unsigned flags = inst_flags(&in);
		const uint64_t to = at + (uint64_t)(int64_t)in.imm;
		if (in.rs1 == reg || in.rs2 == reg || in.rs3 == reg || in.op == OP_ECALL)
			return true;
		if (inst_pushes_ras(&in) && !(flags & OPF_INDIRECT) && depth < CALLS_MAX &&
		    value_machine_reads_register(image, to, reg, depth + 1))
			return true;
		if (in.rd == reg || inst_pushes_ras(&in) || (flags & OPF_INDIRECT))
			continue;
		if (flags & OPF_CONTROL)
			value_machine_enqueue_pc(&w, to);
		if (!(flags & OPF_JUMP))
			value_machine_enqueue_pc(&w, at + in.len);
	}
	return false;
}

static void set_taken(lua_State *L, unsigned reg)
{
	lua_pushboolean(L, true);
	lua_setfield(L, -2, reg_name(reg));
}

/* machine.arguments(procedure) -> { a0 = true, a1 = true }: registers of its arguments, from debug
 * information, else from the procedure's code */
static int value_machine_argument_regs(lua_State *L)
{
	const uint64_t entry = value_machine_check_address(L, 1);
	struct parameters known;
	lua_newtable(L);
	if (!program_parameters(value_machine_check_program(L), entry, &known)) {
		for (unsigned reg = REG_A0; reg < REG_A0 + PARAMETERS_MAX;
		     reg++, host_tick(L, WALK_MAX))
			if (value_machine_reads_register(value_machine_program_image(L), entry, reg,
			                                 0))
				set_taken(L, reg);
		return 1;
	}
	for (unsigned i = 0; i < known.count; i++)
		set_taken(L, known.at[i].reg);
	for (unsigned reg = REG_A0 + known.count; known.any && reg < REG_A0 + PARAMETERS_MAX; reg++)
		set_taken(L, reg);
	return 1;
}

/* machine.place(address) -> "main+0x10" */
static int value_machine_symbolize_address(lua_State *L)
{
	char text[256];
	lua_pushstring(L, program_addr_text(value_machine_check_program(L),
	                                    value_machine_check_address(L, 1), text, sizeof text));
	return 1;
}

/* machine.call(return address) -> address of the call before it; the call's target, if direct */
static int value_machine_call_site(lua_State *L)
{
	uint64_t target;
	const uint64_t site = call_at(L, value_machine_check_address(L, 1), &target);
	if (!site)
		return 0;
	lua_pushinteger(L, (lua_Integer)site);
	if (!target)
		return 1;
	lua_pushinteger(L, (lua_Integer)target);
	return 2;
}

void value_machine_open(lua_State *L, struct value_facts *f)
{
	static const luaL_Reg functions[] = {
		{"latencies", value_machine_latencies},
		{"caller", value_machine_caller_pc},
		{"procedure", value_machine_procedure},
		{"place", value_machine_symbolize_address},
		{"call", value_machine_call_site},
		{"arguments", value_machine_argument_regs},
		{NULL, NULL},
	};
	lua_createtable(L, 0, 6);
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
