/* Machines as Lua objects: opening, the fields m.NAME, closing. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/isa/regs.h"
#include "scripting/api/api.h"
#include "scripting/api/state.h"
#include "scripting/plugin/plugin.h"
#include "scripting/values/value_modules.h"

/* ---- opening and closing ---- */
static void api_machine_write_guest_output(void *ctx, int fd, const void *bytes, size_t n)
{
	const struct lua_machine *m = ctx;
	if (m->echo)
		m->script->opt.write(m->script->opt.ctx, fd, bytes, n);
}

/* Charges cycles. An interrupt from before the motion ends it now. */
static bool api_machine_charge_cycles(void *ctx, uint64_t cycles)
{
	struct script *s = ctx;
	return host_charge(s->host, cycles * SCRIPT_CYCLE_STEPS);
}

static bool api_machine_is_interrupted(void *ctx, uint64_t cycle)
{
	const struct script *s = ctx;
	(void)cycle;
	return host_is_interrupted(s->host);
}

struct lua_machine *api_push_machine(lua_State *L, struct session *s, bool owned, struct err *err)
{
	struct script *script = script_of(L);
	struct lua_machine *m = lua_newuserdatauv(L, sizeof *m, MACHINE_VALUES - 1);
	*m = (struct lua_machine){.script = script,
	                          .owned = owned,
	                          .input = -1,
	                          .text = -1,
	                          .kept = LUA_NOREF};
	snprintf(m->name, sizeof m->name, "machine %u", ++script->made);
	luaL_setmetatable(L, MACHINE);
	m->w = words_new(L, s);
	m->w->object = "machine";
	m->w->live = true;
	lua_newtable(L);
	words_push_env(L, -2);
	lua_setiuservalue(L, -3, MACHINE_ENV);
	lua_setiuservalue(L, -2, MACHINE_WORDS);
	lua_newtable(L);
	lua_setiuservalue(L, -2, MACHINE_PARTS);
	lua_newtable(L);
	lua_setiuservalue(L, -2, MACHINE_HOOKS);
	lua_rawgeti(L, LUA_REGISTRYINDEX, script->by_machine);
	lua_pushvalue(L, -2);
	lua_rawsetp(L, -2, m);
	lua_pop(L, 1);
	if (!owned) {
		lua_pushvalue(L, -1);
		m->kept = luaL_ref(L, LUA_REGISTRYINDEX);
	}
	m->exprs = exprs_new(s, err);
	if (!m->exprs) {
		m->w->s = NULL;
		return NULL;
	}
	m->s = s;
	own_views_give(m);
	if (owned) {
		session_set_output(s, api_machine_write_guest_output, m);
		run_set_progress(s->run, api_machine_is_interrupted, script);
		if (script->opt.safe)
			run_set_meter(s->run, api_machine_charge_cycles, script);
	}
	m->next = script->machines;
	script->machines = m;
	return m;
}

void api_close_machine(struct lua_machine *m)
{
	struct lua_machine **at = &m->script->machines;
	struct err err;
	if (!m->s)
		return;
	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
	if (m->commands && !m->script->opt.commands->close(m->commands, &err) && !m->script->lost) {
		m->script->lost = true;
		m->script->lost_why = err;
	}
	hooks_close(m);
	states_free(m);
	own_views_take(m);
	exprs_free(m->exprs);
	luaL_unref(host_state(m->script->host), LUA_REGISTRYINDEX, m->kept);
	if (m->owned)
		session_free(m->s);
	plugin_set_free(m->plugins);
	value_modules_free(m->values);
	m->values = NULL;
	if (m->input >= 0)
		close(m->input);
	if (m->text >= 0)
		close(m->text);
	m->text = -1;
	m->commands = NULL;
	m->exprs = NULL;
	m->plugins = NULL;
	m->input = -1;
	m->s = m->w->s = NULL;
}

static int machine_close(lua_State *L)
{
	struct lua_machine *m = luaL_checkudata(L, 1, MACHINE);
	if (m->s && !m->owned)
		return binding_fail(L, "%s belongs to the session and ends with it", m->name);
	if (m->s)
		api_refuse_moving(L, m, "close");
	bool before = m->script->lost;
	api_close_machine(m);
	if (m->script->lost == before)
		return 0;
	m->script->lost = false; /* reported here */
	return binding_fail(L, "%s", m->script->lost_why.msg);
}

/* A machine in motion is in use by the code that moves it, and closed by a later collection. */
static int machine_gc(lua_State *L)
{
	struct lua_machine *m = luaL_checkudata(L, 1, MACHINE);
	if (m->owned)
		api_close_machine(m);
	return 0;
}

static int machine_end_of_scope(lua_State *L)
{
	struct lua_machine *m = luaL_checkudata(L, 1, MACHINE);
	if (m->owned && !m->script->moving)
		api_close_machine(m);
	return 0;
}

/* ---- text form ---- */
static int machine_tostring(lua_State *L)
{
	const struct lua_machine *m = luaL_checkudata(L, 1, MACHINE);
	char text[400];
	if (!m->s) {
		lua_pushfstring(L, "%s, closed", m->name);
		return 1;
	}
	snprintf(text, sizeof text, "%s: %.200s, cycle %llu", m->name, program_path(m->s->program),
	         (unsigned long long)machine_cycle(m->s->machine));
	lua_pushstring(L, text);
	return 1;
}

/* Makes the change of an assignment, as api_change() does. */
static bool change_machine(void *ctx, const struct change *c, struct err *err)
{
	const struct lua_machine *m = ctx;
	return m->in_hook ? machine_change_later(m->s->machine, c, err)
	                  : run_change(m->s->run, c, err);
}

static int machine_eval(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	const char *text = luaL_checkstring(L, 2);
	struct expr_value v;
	struct err err, why;
	exprs_let_assign(m->exprs, change_machine, NULL, m);
	struct expr *e = expr_compile_assigning(m->exprs, text, &err);
	if (!e)
		return binding_fail(L, "%s", err.msg);
	if (expr_assigns(e)) {
		/* this may raise an error */
		expr_free(e);
		api_refuse_reader(L, m->script, "a change");
		if (!(e = expr_compile_assigning(m->exprs, text, &err)))
			return binding_fail(L, "%s", err.msg);
	}
	const bool ok = expr_eval(e, NULL, &v, &why);
	expr_free(e);
	if (!ok)
		return binding_fail(L, "%.200s: %.300s", text, why.msg);
	api_push_expr_value(L, &v);
	return 1;
}

static int machine_hash_text(lua_State *L)
{
	char text[32];
	snprintf(text, sizeof text, "%016llx",
	         (unsigned long long)machine_hash(api_session(L)->machine));
	lua_pushstring(L, text);
	return 1;
}

/* ---- m.NAME ---- */
/* Upvalues: methods, values. */
static int machine_index(lua_State *L)
{
	if (lua_type(L, 2) == LUA_TSTRING) {
		lua_pushvalue(L, 2);
		if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
			return 1;
		lua_pushvalue(L, 2);
		if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) {
			lua_pushvalue(L, 1);
			lua_call(L, 1, 1);
			return 1;
		}
	}
	api_machine(L, 1);
	if (lua_type(L, 2) != LUA_TSTRING)
		return binding_fail(L, "a machine has names, not a [%s]",
		                    host_text(L, 2, NULL));
	lua_getiuservalue(L, 1, MACHINE_ENV);
	lua_pushvalue(L, 2);
	lua_gettable(L, -2);
	return 1;
}

static int machine_newindex(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	const char *name = luaL_checkstring(L, 2);
	if (!strcmp(name, "echo")) {
		luaL_checktype(L, 3, LUA_TBOOLEAN);
		m->echo = lua_toboolean(L, 3);
		return 0;
	}
	if (!strcmp(name, "pc")) {
		api_change(L, m,
		           &(struct change){.kind = JOURNAL_PC, .a = api_address(L, 3, m->s)});
		return 0;
	}
	if (reg_from_name(name) >= 0)
		return binding_fail(L, "a register is set as m.regs.%s = VALUE", name);
	return binding_fail(L,
	                    "a machine's '%s' can't be set; expected m.pc, m.echo, m.regs.NAME, "
	                    "m.csr.NAME, m:write",
	                    name);
}

static const struct binding methods[] = {
	{"close", machine_close, "m:close()",
         "Ends the machine and frees its memory. Every later use of it raises an error. A machine "
         "without references is closed automatically; `local m <close> = cyclops.machine{...}` "
         "closes it at the end of the block."},
	{"eval", machine_eval, "m:eval(EXPRESSION) -> VALUE",
         "The value of a text in the language of `print`: m:eval 'node->next->value', m:eval "
         "'*(u32)counter != 3'; m:eval 'x = 5' changes the program. A table is returned as text; "
         "m.NAME is the table itself."},
	{"hash", machine_hash_text, "m:hash() -> TEXT",
         "A digest of the machine's whole state, 16 hexadecimal digits: equal machines have equal "
         "digests."},
};
const struct binding_area area_machine = {
	.name = "machine",
	.object = "machine",
	.summary = "machines as objects",
	.text = "m.NAME is what NAME is to `print`: a register (m.a0), m.cycle, m.insts, "
                "m.newest, a statistic (m.sim.ipc), a\n"
                "parameter (m.pipe.rob_size), a queue (m.rob[1].state, m.lsq.count), a symbol's "
                "address (m.main), a function\n"
                "(m.mem64(m.sp), m.where(m.pc)). Names of this reference take precedence. "
                "Integers have 64 bits and wrap.\n"
                "Field names of instructions: `help fields`; values that the hardware does not "
                "have yet are nil.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

void api_open_machine(lua_State *L)
{
	lua_newtable(L);
	lua_newtable(L);
	lua_pushliteral(L, "v");
	lua_setfield(L, -2, "__mode");
	lua_setmetatable(L, -2);
	script_of(L)->by_machine = luaL_ref(L, LUA_REGISTRYINDEX);
	luaL_newmetatable(L, MACHINE);
	lua_newtable(L);
	binding_register_object(L, "machine", 0);
	lua_newtable(L);
	binding_register_object(L, "machine.", 0);
	lua_pushcclosure(L, machine_index, 2);
	lua_setfield(L, -2, "__index");
	static const luaL_Reg meta[] = {
		{"__newindex", machine_newindex},
		{"__tostring", machine_tostring},
		{"__gc", machine_gc},
		{"__close", machine_end_of_scope},
		{NULL, NULL},
	};
	luaL_setfuncs(L, meta, 0);
	lua_pushboolean(L, 0);
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
}
