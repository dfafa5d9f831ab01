/* m.regs and m.csr. */
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/isa/csr.h"
#include "core/isa/regs.h"
#include "hwviews/program/csrs.h"
#include "scripting/api/api.h"

#define REGS "cyclops.regs"
#define CSRS "cyclops.csr"

/* The register named by argument 2. */
static unsigned api_regs_check_reg(lua_State *L)
{
	const char *name = luaL_checkstring(L, 2);
	int reg = reg_from_name(name);
	struct nearest n;
	if (reg >= 0)
		return (unsigned)reg;
	nearest_init(&n, name);
	for (unsigned i = 0; i < REG_SINK; i++)
		nearest_offer(&n, reg_name(i));
	binding_fail(L, "no register is called '%s'%s", name, nearest_tail(&n));
	return 0;
}

static int regs_index(lua_State *L)
{
	struct lua_machine *m = api_machine_of_part(L, 1, REGS);
	api_regs_check_reg(L);
	lua_getiuservalue(L, 1, 1);
	lua_getiuservalue(L, -1, MACHINE_ENV);
	lua_pushvalue(L, 2);
	lua_gettable(L, -2);
	(void)m;
	return 1;
}

static int regs_newindex(lua_State *L)
{
	struct lua_machine *m = api_machine_of_part(L, 1, REGS);
	unsigned reg = api_regs_check_reg(L);
	int whole;
	lua_Integer v = lua_tointegerx(L, 3, &whole);
	uint64_t bits = (uint64_t)v;
	if (lua_type(L, 3) != LUA_TNUMBER)
		return binding_fail(L, "%s: a number is needed, not %s", lua_tostring(L, 2),
		                    host_a(lua_type(L, 3)));
	if (reg >= REG_F0) {
		double d = lua_tonumber(L, 3);
		memcpy(&bits, &d, sizeof bits);
	} else if (!whole) {
		return binding_fail(L, "%s is an integer register: %f is not an integer",
		                    lua_tostring(L, 2), lua_tonumber(L, 3));
	}
	api_change(L, m, &(struct change){.kind = JOURNAL_REG, .a = reg, .b = bits});
	return 0;
}

static unsigned check_csr(lua_State *L)
{
	const char *name = luaL_checkstring(L, 2);
	int csr = csr_find(name);
	struct nearest n;
	if (csr >= 0)
		return (unsigned)csr;
	nearest_init(&n, name);
	for (unsigned i = 0; i < csr_info_count; i++)
		nearest_offer(&n, csr_info[i].name);
	binding_fail(L, "no control register is called '%s'%s", name,
	             nearest_tail(&n));
	return 0;
}

static int csr_index(lua_State *L)
{
	struct lua_machine *m = api_machine_of_part(L, 1, CSRS);
	uint64_t v;
	const unsigned csr = check_csr(L);
	if (!csrs_read(m->s, csr, &v))
		return binding_fail(L, "%s is %s", lua_tostring(L, 2), csrs_lack(m->s, csr));
	lua_pushinteger(L, (lua_Integer)v);
	return 1;
}

static int csr_newindex(lua_State *L)
{
	struct lua_machine *m = api_machine_of_part(L, 1, CSRS);
	unsigned csr = check_csr(L);
	const uint64_t value = (uint64_t)luaL_checkinteger(L, 3);
	struct err err;
	if (!csrs_may_set(m->s, csr, value, &err))
		return binding_fail(L, "%s", err.msg);
	api_change(L, m, &(struct change){.kind = JOURNAL_CSR, .a = csr, .b = value});
	return 0;
}

static int get_regs(lua_State *L)
{
	api_push_part(L, 1, REGS);
	return 1;
}

static int get_csr(lua_State *L)
{
	api_push_part(L, 1, CSRS);
	return 1;
}

static const struct binding values[] = {
	{"regs", get_regs, "m.regs.NAME, m.regs.NAME = VALUE",
         "Committed registers: m.regs.a0, m.regs.x10; fa0 is its value as a number. An assignment "
         "empties the pipeline and drops the recorded future, like the command `set`."},
	{"csr", get_csr, "m.csr.NAME, m.csr.NAME = VALUE",
         "Control registers: m.csr.fcsr; with firmware, m.csr.mepc."},
};

const struct binding_area area_regs = {
	.name = "registers",
	.object = "machine.",
	.summary = "registers, read and set",
	.text = "",
	.bindings = values,
	.count = sizeof values / sizeof *values,
};

void api_open_regs(lua_State *L)
{
	static const luaL_Reg regs[] = {
		{"__index", regs_index}, {"__newindex", regs_newindex}, {NULL, NULL}};
	static const luaL_Reg csr[] = {
		{"__index", csr_index}, {"__newindex", csr_newindex}, {NULL, NULL}};
	api_new_part(L, REGS, regs);
	api_new_part(L, CSRS, csr);
}
