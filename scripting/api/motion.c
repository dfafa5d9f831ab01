/* Moving machines. */
#include "core/defs/event_fields.h"
#include <string.h>

#include "core/run/value_daemon.h"
#include "scripting/api/until.h"

static const char *const reason_name[] = {
	[STOPPED_DONE] = "done",       [STOPPED_BREAK] = "breakpoint",
	[STOPPED_EXIT] = "exit",       [STOPPED_INTERRUPT] = "interrupt",
	[STOPPED_BEGIN] = "begin",     [STOPPED_INPUT] = "input",
	[STOPPED_ASKED] = "hook",      [STOPPED_STALLED] = "stalled",
	[STOPPED_STARVED] = "starved",
};

void api_push_stop(lua_State *L, struct lua_machine *m, const struct run_stop_info *info,
                   const char *reason)
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
	if (info->reason == STOPPED_ASKED && !reason && m->script->stopped_by) {
		lua_pushinteger(L, m->script->stopped_by);
		lua_setfield(L, -2, "hook");
	}
	if (info->by_event) {
		words_push_event(L, &info->event);
		lua_setfield(L, -2, "event");
	}
}

/* ---- around each motion ---- */
struct motion {
	struct lua_machine *m;
	struct run *before; /* script->moving before it */
	struct run_stop_info info;
	struct err err;
};

static void api_motion_begin(lua_State *L, struct motion *mo, bool forward)
{
	struct lua_machine *m = api_machine(L, 1);
	api_refuse_looking(L, m->script, "a motion");
	*mo = (struct motion){.m = m, .before = m->script->moving};
	if (forward && machine_has_ended(m->s->machine))
		binding_fail(L, "%s has ended: m:back, m:go and m:restart still move it", m->name);
	host_tick(L, 1);
	hooks_begin(m->script);
	m->script->moving = m->s->run;
}

/* Prints a failure of a value module: neither the motion nor the script ends by it. */
static void tell_failure(const struct script *s, const struct err *err)
{
	char text[sizeof err->msg + 64];
	const int n = snprintf(text, sizeof text,
	                       "%s; the run goes on without what it makes of values\n", err->msg);
	s->opt.write(s->opt.ctx, 2, text, (size_t)n);
}

/* Ends a motion; errors that occurred meanwhile are raised. began: the result of run_*(). */
static void api_motion_end(lua_State *L, struct motion *mo, bool began)
{
	mo->m->script->moving = mo->before;
	hooks_check(L);
	struct err err;
	if (mo->m->s->launch.values && value_daemon_take_failure(mo->m->s->launch.values, &err))
		tell_failure(mo->m->script, &err);
	if (!began)
		binding_fail(L, "%s", mo->err.msg);
	host_tick(L, 1); /* an interrupt that came meanwhile is for the script, too */
}

static int api_motion_finish(lua_State *L, struct motion *mo, bool began)
{
	api_motion_end(L, mo, began);
	api_push_stop(L, mo->m, &mo->info, NULL);
	return 1;
}

/* ---- counts ---- */
typedef bool forwards(struct run *r, uint64_t n, bool stops, struct run_stop_info *out,
                      struct err *err);
typedef bool backwards(struct run *r, uint64_t n, struct run_stop_info *out, struct err *err);

static int go_forwards(lua_State *L, forwards *fn, uint64_t n, bool stops)
{
	struct motion mo;
	api_motion_begin(L, &mo, true);
	return api_motion_finish(L, &mo, fn(mo.m->s->run, n, stops, &mo.info, &mo.err));
}

static int go_backwards(lua_State *L, backwards *fn, uint64_t n)
{
	struct motion mo;
	api_motion_begin(L, &mo, false);
	return api_motion_finish(L, &mo, fn(mo.m->s->run, n, &mo.info, &mo.err));
}

static int api_motion_step_cycles(lua_State *L)
{
	return go_forwards(L, run_cycles, api_count(L, 2, 1), true);
}

static int api_motion_step_insts(lua_State *L)
{
	return go_forwards(L, run_insts, api_count(L, 2, 1), true);
}

static int to_end(lua_State *L)
{
	return go_forwards(L, run_cycles, UINT64_MAX, false);
}

static int api_motion_back_cycles(lua_State *L)
{
	return go_backwards(L, run_back_cycles, api_count(L, 2, 1));
}

static int api_motion_back_insts(lua_State *L)
{
	return go_backwards(L, run_back_insts, api_count(L, 2, 1));
}

static int api_motion_goto(lua_State *L)
{
	static const char *const keys[] = {"cycle", "seq", NULL};
	if (lua_type(L, 2) != LUA_TTABLE)
		return go_backwards(L, run_goto_cycle, (uint64_t)luaL_checkinteger(L, 2));
	const bool event = lua_getfield(L, 2, "name") == LUA_TSTRING; /* e:table() */
	lua_pop(L, 1);
	if (event && lua_getfield(L, 2, "cycle") == LUA_TNUMBER)
		return go_backwards(L, run_goto_cycle, (uint64_t)luaL_checkinteger(L, -1) + 1);
	api_check_keys(L, 2, "m:go", keys);
	uint64_t cycle = api_option_count(L, 2, "cycle", UINT64_MAX),
		 seq = api_option_count(L, 2, "seq", UINT64_MAX);
	if ((cycle == UINT64_MAX) == (seq == UINT64_MAX))
		return binding_fail(L, "m:go takes cycle = N or seq = N");
	return seq == UINT64_MAX ? go_backwards(L, run_goto_cycle, cycle)
	                         : go_backwards(L, run_goto_seq, seq);
}

/* ---- run ---- */
/* The distance from `now`: to the nearer of a count and a place; UINT64_MAX if there is neither. */
static uint64_t api_motion_distance_ahead(lua_State *L, const char *count, const char *place,
                                          uint64_t now)
{
	uint64_t n = api_option_count(L, 2, count, UINT64_MAX),
		 at = api_option_count(L, 2, place, UINT64_MAX);
	char text[160];
	if (at == UINT64_MAX)
		return n;
	if (at <= now) {
		snprintf(text, sizeof text,
		         "%s = %llu is not ahead: it is %llu now; m:go leads back", place,
		         (unsigned long long)at, (unsigned long long)now);
		binding_fail(L, "%s", text);
	}
	return n < at - now ? n : at - now;
}

/* Checks the table of m:run and m:run_back; without one pushes an empty one. */
static void check_options(lua_State *L, const char *what, const char *const *keys)
{
	if (lua_isnoneornil(L, 2)) {
		lua_settop(L, 1);
		lua_newtable(L);
	}
	luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 2);
	api_check_keys(L, 2, what, keys);
}

/* Frees u and pushes the stop. */
static int finish_until(lua_State *L, struct motion *mo, struct until *u, bool began)
{
	struct until was = *u;
	until_end(L, u);
	if (began && was.failed)
		began = err_set(&mo->err, "%s", was.err.msg);
	api_motion_end(L, mo, began);
	bool met = was.met ||
	           (was.stop && mo->info.reason == STOPPED_BREAK && mo->info.stop_id == was.stop);
	if (was.met && (was.pc || was.by_event)) {
		mo->info.pc = was.event.pc;
		mo->info.seq = was.event.seq;
		mo->info.by_event = was.by_event;
		mo->info.event = was.event;
	}
	api_push_stop(L, mo->m, &mo->info,
	              met                                             ? "until"
	              : was.limit && mo->info.reason == STOPPED_ASKED ? "done"
	                                                              : NULL);
	return 1;
}

static int api_motion_run(lua_State *L)
{
	static const char *const keys[] = {"cycles",      "insts",        "until_cycle",
	                                   "until_insts", API_UNTIL_KEYS, NULL};
	struct motion mo;
	struct until u;
	struct lua_machine *m = api_machine(L, 1);
	check_options(L, "m:run", keys);
	uint64_t cycles =
		api_motion_distance_ahead(L, "cycles", "until_cycle", machine_cycle(m->s->machine));
	uint64_t insts =
		api_motion_distance_ahead(L, "insts", "until_insts", machine_insts(m->s->machine));
	api_motion_begin(L, &mo, true);
	m->script->moving = mo.before; /* until nothing can fail */
	until_read(L, 2, m, &u);
	m->script->moving = m->s->run;
	if (insts != UINT64_MAX && cycles < UINT64_MAX - machine_cycle(m->s->machine))
		u.last_cycle = machine_cycle(m->s->machine) + cycles;
	bool began = until_begin(&u);
	if (!began)
		mo.err = u.err;
	else if (insts != UINT64_MAX)
		began = run_insts(m->s->run, insts, true, &mo.info, &mo.err);
	else
		began = run_cycles(m->s->run, cycles, true, &mo.info, &mo.err);
	return finish_until(L, &mo, &u, began);
}

static int run_back(lua_State *L)
{
	static const char *const keys[] = {API_UNTIL_KEYS, NULL};
	struct motion mo;
	struct until u;
	struct lua_machine *m = api_machine(L, 1);
	check_options(L, "m:run_back", keys);
	until_read(L, 2, m, &u);
	mo = (struct motion){.m = m, .before = m->script->moving};
	m->script->moving = m->s->run;
	bool began = until_begin_back(&u);
	if (began)
		began = run_back_continue(m->s->run, &mo.info, &mo.err);
	else
		mo.err = u.err;
	return finish_until(L, &mo, &u, began);
}

static int api_motion_restart(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	struct err err;
	api_refuse_moving(L, m, "restart");
	if (!session_restart(m->s, &err))
		return binding_fail(L, "%s", err.msg);
	return 0;
}

static const struct binding methods[] = {
	{"step", api_motion_step_cycles, "m:step([CYCLES]) -> STOP",
         "So many cycles forwards, 1 without a number, or up to a breakpoint."},
	{"stepi", api_motion_step_insts, "m:stepi([INSTRUCTIONS]) -> STOP",
         "Until so many more instructions have committed."},
	{"run", api_motion_run, "m:run{ ... } -> STOP",
         "Forwards to whatever comes first: a breakpoint, the end of the program, or of what is "
         "given:\n"
         "cycles = N, insts = N: so many more; until_cycle = N, until_insts = N: when that number "
         "is reached;\n"
         "until_pc = ADDRESS: when an instruction there has committed ('find', 'words.c:41', "
         "0x10400);\n"
         "until_event = NAME or { NAME, pc =, class =, where = }: when such an event happens (m:on "
         "has the same filters);\n"
         "condition = FUNCTION or EXPRESSION: at the end of the first cycle in which it holds."},
	{"finish", to_end, "m:finish() -> STOP",
         "To the end of the program, past all breakpoints."},
	{"back", api_motion_back_cycles, "m:back([CYCLES]) -> STOP",
         "So many cycles backwards, at most to where history begins."},
	{"backi", api_motion_back_insts, "m:backi([INSTRUCTIONS]) -> STOP",
         "Back to before so many instructions had committed."},
	{"run_back", run_back, "m:run_back{ ... } -> STOP",
         "Backwards to the latest breakpoint, or to where until_pc, until_event or condition (as "
         "in m:run) last held; else to the "
         "beginning of history."},
	{"go", api_motion_goto, "m:go(CYCLE) -> STOP, m:go{ seq = N } -> STOP, m:go(EVENT) -> STOP",
         "Backwards or forwards to where m.cycle is CYCLE: so many cycles are done, and those up "
         "to CYCLE - 1 have happened. Or to the end of "
         "the cycle in which the instruction with this number was fetched, or in which EVENT "
         "happened: a table from e:table() or a stop's "
         "event. Its cycle has happened then, so m.cycle is one more than EVENT.cycle: "
         "m:go(e.cycle) shows the machine before it, m:go(e:table()) "
         "and m:go(e.cycle + 1) behind it, as its hook saw it. Breakpoints and hooks pass over "
         "it."},
	{"restart", api_motion_restart, "m:restart()",
         "Starts the program again from its beginning; breakpoints and hooks stay, history begins "
         "anew."},
};

const struct binding_area area_motion = {
	.name = "motion",
	.object = "machine",
	.summary = "moving forwards and backwards",
	.text = "Every motion ends at a cycle boundary and answers a table STOP: reason, cycle, "
                "insts, pc. The reason is 'done'\n"
		"(the count was reached), 'until' (what until_... or condition asked for), "
                "'breakpoint' (then id is its number), 'hook' (one\n"
		"asked for it), 'exit' (the program has ended: m.status says how), 'begin' "
                "(backwards: history begins here), 'interrupt'\n"
		"or 'input' (an interrupt while the program waited for input), or 'stalled' "
                "(nothing was committed for so long that nothing will\n"
		"be: only a machine from a file can be like that), or 'starved' (the host lacks "
                "memory, descriptors or space for the next cycle;\n"
		"the next motion tries again). pc, seq and event are those of the instruction and "
                "event\n"
		"that stopped it, if one did. Breakpoints are made by commands: m:cmd \"break "
                "find\".",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
