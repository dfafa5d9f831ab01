/* Moving machines. */
#include <string.h>

#include "scripting/api/api.h"

static const char *const reason_name[] = {
	[STOPPED_DONE] = "done",           [STOPPED_BREAK] = "breakpoint", [STOPPED_EXIT] = "exit",
	[STOPPED_INTERRUPT] = "interrupt", [STOPPED_BEGIN] = "begin",      [STOPPED_INPUT] = "input",
};

void api_push_stop(lua_State *L, struct lua_machine *m, const struct run_stop_info *info, const char *reason)
{
	const struct machine *machine = m->s->machine;
	lua_createtable(L, 0, 6);
	lua_pushstring(L, reason ? reason : reason_name[info->reason]);
	lua_setfield(L, -2, "reason");
	lua_pushinteger(L, (lua_Integer)machine_cycle(machine));
	lua_setfield(L, -2, "cycle");
	lua_pushinteger(L, (lua_Integer)machine_insts(machine));
	lua_setfield(L, -2, "insts");
	lua_pushinteger(L, (lua_Integer)(info->pc ? info->pc : machine_pc(machine)));
	lua_setfield(L, -2, "pc");
	if (info->seq) {
		lua_pushinteger(L, (lua_Integer)info->seq);
		lua_setfield(L, -2, "seq");
	}
	if (info->reason == STOPPED_BREAK && !reason) {
		lua_pushinteger(L, info->stop_id);
		lua_setfield(L, -2, "id");
	}
	if (info->by_event) {
		words_push_event(L, &info->event);
		lua_setfield(L, -2, "event");
	}
}

/* ---- around each motion ---- */
struct motion {
	struct lua_machine *m;
	struct run *before; /* script->moving until then */
	struct run_stop_info info;
	struct err err;
};

static void begin(lua_State *L, struct motion *mo, bool forward)
{
	struct lua_machine *m = api_machine(L, 1);
	*mo = (struct motion){.m = m, .before = m->script->moving};
	if (forward && machine_status(m->s->machine) != MACHINE_RUNNING)
		binding_fail(L, "%s has ended (m.status is '%s'): only back or to another cycle leads on", m->name,
		             machine_status(m->s->machine) == MACHINE_EXITED ? "exited" : "not running");
	host_tick(L, 1);
	m->script->moving = m->s->run;
}

/* Pushes the stop; `began` is what run_*() returned. */
static int end(lua_State *L, struct motion *mo, bool began)
{
	mo->m->script->moving = mo->before;
	if (!began)
		return binding_fail(L, "%s", mo->err.msg);
	host_tick(L, 1); /* an interrupt that came meanwhile is for the script, too */
	api_push_stop(L, mo->m, &mo->info, NULL);
	return 1;
}

static int step(lua_State *L)
{
	struct motion mo;
	uint64_t n = api_count(L, 2, 1);
	begin(L, &mo, true);
	return end(L, &mo, run_cycles(mo.m->s->run, n, true, &mo.info, &mo.err));
}

static int stepi(lua_State *L)
{
	struct motion mo;
	uint64_t n = api_count(L, 2, 1);
	begin(L, &mo, true);
	return end(L, &mo, run_insts(mo.m->s->run, n, true, &mo.info, &mo.err));
}

static int back(lua_State *L)
{
	struct motion mo;
	uint64_t n = api_count(L, 2, 1);
	begin(L, &mo, false);
	return end(L, &mo, run_back_cycles(mo.m->s->run, n, &mo.info, &mo.err));
}

static int backi(lua_State *L)
{
	struct motion mo;
	uint64_t n = api_count(L, 2, 1);
	begin(L, &mo, false);
	return end(L, &mo, run_back_insts(mo.m->s->run, n, &mo.info, &mo.err));
}

static int run(lua_State *L)
{
	static const char *const keys[] = {"cycles", "insts", NULL};
	struct motion mo;
	if (lua_isnoneornil(L, 2)) {
		lua_settop(L, 1);
		lua_newtable(L);
	}
	luaL_checktype(L, 2, LUA_TTABLE);
	api_check_keys(L, 2, "m:run", keys);
	uint64_t cycles = api_option_count(L, 2, "cycles", UINT64_MAX), insts = api_option_count(L, 2, "insts", UINT64_MAX);
	begin(L, &mo, true);
	struct run *r = mo.m->s->run;
	if (insts != UINT64_MAX)
		return end(L, &mo, run_insts(r, insts, true, &mo.info, &mo.err));
	if (cycles != UINT64_MAX)
		return end(L, &mo, run_cycles(r, cycles, true, &mo.info, &mo.err));
	return end(L, &mo, run_continue(r, &mo.info, &mo.err));
}

static int go(lua_State *L)
{
	struct motion mo;
	uint64_t cycle = api_count(L, 2, 0);
	begin(L, &mo, false);
	return end(L, &mo, run_goto_cycle(mo.m->s->run, cycle, &mo.info, &mo.err));
}

static const struct binding methods[] = {
	{"step", step, "m:step([CYCLES]) -> STOP", "So many cycles forwards, 1 without a number, or up to a breakpoint."},
	{"stepi", stepi, "m:stepi([INSTRUCTIONS]) -> STOP", "Until so many more instructions have committed."},
	{"back", back, "m:back([CYCLES]) -> STOP", "So many cycles backwards, at most to where history begins."},
	{"backi", backi, "m:backi([INSTRUCTIONS]) -> STOP", "Back to before so many instructions had committed."},
	{"run", run, "m:run{ cycles = N, insts = N } -> STOP", "Forwards, to the end of the program if nothing is given."},
	{"go", go, "m:go(CYCLE) -> STOP", "To the end of any cycle, backwards or forwards."},
};

const struct binding_area area_motion = {
	.name = "motion",
	.object = "machine",
	.summary = "moving forwards and backwards",
	.text = "Every motion ends at a cycle boundary and answers a table STOP: reason, cycle, insts, pc. The reason is 'done',\n"
	        "'breakpoint' (then id is its number), 'exit' (the program has ended: m.status says how), 'begin' (backwards: history\n"
	        "begins here), 'interrupt' or 'input' (an interrupt while the program waited for input). Breakpoints are made by\n"
	        "commands: m:cmd \"break find\". seq and event are those of the instruction and event that stopped it, if one did.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
