/* Moving machines. */
#include "core/base/alloc.h"
#include "core/defs/event_fields.h"
#include "core/machine/alarm.h"
#include "core/run/value_daemon.h"
#include "scripting/api/filter.h"

/* Ends of a motion other than counts: a place, an event, a condition. */
struct until {
	struct lua_machine *m;
	/* which are requested; by_cycle: `condition`, or a cycle beside instructions */
	bool pc, by_event, by_cycle;
	struct api_filter filter;   /* pc: of commits there */
	int fn;                     /* registry: the condition's function, LUA_NOREF: none */
	struct expr *condition;     /* owned; the condition if it is a text */
	uint64_t last_cycle;        /* UINT64_MAX: none */
	int listener, alarm;
	int stop;                   /* backwards */
	bool met;                   /* the place, event or condition was reached */
	bool limit;                 /* last_cycle was reached */
	bool holds;                 /* backwards: the condition's last result */
	struct event event;         /* the event that ended it, if pc or by_event */
	bool failed;
	struct err err;
};

/* Names of the keys that until_read() reads. */
#define API_UNTIL_KEYS "until_pc", "until_event", "condition"

static inline bool until_any(const struct until *u)
{
	return u->pc || u->by_event || u->by_cycle;
}

/* ---- ends of a motion ---- */
/* Reads the ends from the table at `index` into *u, or raises a Lua error. The caller must call
 * until_end() on *u, and raise no Lua error before. */
static void until_read(lua_State *L, int index, struct lua_machine *m, struct until *u)
{
	static const char *const event_keys[] = {API_FILTER_KEYS, NULL};
	struct err err;
	*u = (struct until){.m = m, .fn = LUA_NOREF, .last_cycle = UINT64_MAX};
	index = lua_absindex(L, index);
	int fields = lua_gettop(L) + 1;
	u->pc = api_option(L, index, "until_pc", LUA_TNONE);
	u->by_event = api_option(L, index, "until_event", LUA_TNONE);
	int condition = lua_getfield(L, index, "condition");
	u->by_cycle = condition != LUA_TNIL;
	if (u->pc + u->by_event + u->by_cycle > 1)
		binding_fail(L, "one of until_pc, until_event and condition at a time");
	if (u->by_cycle && condition != LUA_TFUNCTION && condition != LUA_TSTRING)
		binding_fail(L, "condition: a function or an expression is needed, not %s",
		             host_a(condition));
	if (u->pc) {
		uint64_t pc = api_address(L, fields, m->s);
		u->filter.events =
			(struct event_filter){.mask = EV_BIT(COMMIT), .pc_lo = pc, .pc_hi = pc + 1};
	} else if (u->by_event && lua_type(L, fields + 1) == LUA_TTABLE) {
		lua_newtable(L); /* names only; [1] is the event */
		for (lua_pushnil(L); lua_next(L, fields + 1); lua_pop(L, 1)) {
			if (lua_type(L, -2) != LUA_TSTRING)
				continue;
			lua_pushvalue(L, -2);
			lua_pushvalue(L, -2);
			lua_rawset(L, fields + 3);
		}
		api_check_keys(L, fields + 3, "until_event", event_keys);
		api_read_filter(L, fields + 3, m, api_event_mask(L, fields + 1), &u->filter);
	} else if (u->by_event) {
		u->filter.events.mask = api_event_mask(L, fields + 1);
	} else if (condition == LUA_TFUNCTION) {
		lua_pushvalue(L, fields + 2);
		u->fn = luaL_ref(L, LUA_REGISTRYINDEX);
	} else if (condition == LUA_TSTRING) {
		u->condition = expr_compile(m->exprs, lua_tostring(L, fields + 2), &err);
		if (u->condition && !expr_knows_names(u->condition, &err)) {
			expr_free(u->condition);
			u->condition = NULL;
		}
		if (!u->condition)
			binding_fail(L, "condition: %s", err.msg);
	}
	lua_settop(L, fields - 1);
}

/* Records the first error, which stops the machine. */
static bool until_record_failure(struct until *u, const struct machine *m, const struct err *err)
{
	if (!u->failed)
		err_set(&u->err, "%s", err->msg);
	u->failed = true;
	machine_request_stop(m);
	return true;
}

/* Whether the condition holds at the end of this cycle; a failure also ends the motion. */
static bool until_condition_holds(struct until *u, const struct machine *m)
{
	struct lua_host *host = u->m->script->host;
	lua_State *L = host_state(u->m->script->host);
	struct expr_value v;
	struct err err;
	if (u->condition)
		return expr_eval(u->condition, m, &v, &err) ? expr_true(&v)
		                                            : until_record_failure(u, m, &err);
	if (!lua_checkstack(L, LUA_MINSTACK))
		return until_record_failure(u, m,
		                            &(struct err){"too many Lua values for a condition"});
	lua_rawgeti(L, LUA_REGISTRYINDEX, u->fn);
	if (!host_call(host, 0, 1, &err))
		return until_record_failure(u, m, &err);
	bool yes = lua_toboolean(L, -1) && !(lua_isnumber(L, -1) && lua_tonumber(L, -1) == 0);
	lua_pop(L, 1);
	return yes;
}

static void until_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct until *u = ctx;
	struct err err;
	bool passes;
	if (u->met || u->failed)
		return;
	if (!api_filter_passes(&u->filter, m, ev, &passes, &err)) {
		until_record_failure(u, m, &err);
		return;
	}
	if (!passes)
		return;
	u->met = true;
	u->event = *ev;
	u->event.slot = EVENT_NO_SLOT;
	machine_request_stop(m);
}

static void until_on_alarm(void *ctx, const struct machine *m)
{
	struct until *u = ctx;
	u->limit = machine_cycle(m) >= u->last_cycle;
	if (u->by_cycle && until_condition_holds(u, m) && !u->failed)
		u->met = true;
	if (u->met || u->limit)
		machine_request_stop(m);
}

/* Starts listening, before a motion forwards; false with u->err. */
static bool until_begin(struct until *u)
{
	struct machine *m = u->m->s->machine;
	if (u->pc || u->by_event) {
		u->listener = machine_listen(m, &u->filter.events, until_on_event, u);
		if (!u->listener)
			return err_set(&u->err, "out of memory for a listener");
	}
	if (!u->by_cycle && u->last_cycle == UINT64_MAX)
		return true;
	struct alarm a = {.unit = ALARM_CYCLES, .every = 1};
	if (!u->by_cycle)
		a = (struct alarm){.unit = ALARM_CYCLES, .first = u->last_cycle};
	u->alarm = machine_alarm(m, &a, until_on_alarm, u, &u->err);
	return u->alarm;
}

/* ---- backwards ---- */
static bool until_event_matches(void *ctx, const struct machine *m, const struct event *ev)
{
	struct until *u = ctx;
	struct err err;
	bool passes;
	if (u->failed || !api_filter_passes(&u->filter, m, ev, &passes, &err))
		return u->failed || until_record_failure(u, m, &err);
	return passes;
}

/* Differs in each cycle in which the condition holds, so that every such cycle is a hit; else 0. */
static uint64_t until_watched_value(void *ctx, const struct machine *m)
{
	struct until *u = ctx;
	u->holds = u->failed || until_condition_holds(u, m);
	return u->holds ? machine_cycle(m) + 1 : 0;
}

static bool value_holds(void *ctx, const struct machine *m)
{
	(void)m;
	return ((struct until *)ctx)->holds;
}

/* Sets a stop point, before a motion backwards; false with u->err. */
static bool until_begin_back(struct until *u)
{
	struct stop_point sp = {.enabled = true, .ctx = u};
	if (!until_any(u))
		return true;
	if (u->pc) {
		sp.kind = STOP_POINT_PC;
		sp.addr = u->filter.events.pc_lo;
	} else if (u->by_event) {
		sp.kind = STOP_POINT_EVENT;
		sp.filter = u->filter.events;
		sp.event_condition = until_event_matches;
	} else {
		sp.kind = STOP_POINT_VALUE;
		sp.value = until_watched_value;
		sp.condition = value_holds;
	}
	u->stop = run_add_stop(u->m->s->run, &sp);
	return u->stop || err_set(&u->err, "out of memory for a stop point");
}

static void until_end(lua_State *L, struct until *u)
{
	machine_unlisten(u->m->s->machine, u->listener);
	machine_unalarm(u->m->s->machine, u->alarm);
	if (u->stop)
		run_delete_stop(u->m->s->run, u->stop);
	luaL_unref(L, LUA_REGISTRYINDEX, u->fn);
	expr_free(u->condition);
	u->condition = NULL;
	api_filter_deinit(&u->filter);
}

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
	lua_pushinteger(L, (lua_Integer)(info->pc ? info->pc : machine_seen_pc(machine)));
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
	api_refuse_reader(L, m->script, "a motion");
	*mo = (struct motion){.m = m, .before = m->script->moving};
	if (forward && machine_has_ended(m->s->machine)) {
		const bool broken = machine_status(m->s->machine) == MACHINE_BROKEN;
		binding_fail(L, "%s has ended%s%s: m:back, m:go and m:restart still move it",
		             m->name, broken ? ", since " : "",
		             broken ? machine_failure(m->s->machine) : "");
	}
	host_tick(L, 1);
	hooks_begin(m->script);
	m->script->moving = m->s->run;
}

/* Prints a failure of a value module: neither the motion nor the script ends by it. */
static void tell_failure(const struct script *s, const struct err *err)
{
	char text[sizeof err->msg + 64];
	const int n =
		snprintf(text, sizeof text, "%s; the run goes on without its values\n", err->msg);
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
	if (mo->info.reason == STOPPED_STARVED && machine_lacks_memory(mo->m->s->machine)) {
		alloc_note_failure();
		binding_fail(L, "out of memory: %s", machine_lacks(mo->m->s->machine));
	}
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
		         "%s = %llu is not ahead: it is %llu now; use m:go to go back", place,
		         (unsigned long long)at, (unsigned long long)now);
		binding_fail(L, "%s", text);
	}
	return n < at - now ? n : at - now;
}

/* Checks the table of m:run and m:run_back; if it is missing, pushes an empty table. */
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
		began = run_own_insts(m->s->run, insts, true, &mo.info, &mo.err);
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
         "Runs CYCLES (1) cycles, or up to a breakpoint."},
	{"stepi", api_motion_step_insts, "m:stepi([INSTRUCTIONS]) -> STOP",
         "Runs until INSTRUCTIONS (1) more have committed, or up to a breakpoint."},
	{"run", api_motion_run, "m:run{ ... } -> STOP",
         "Runs to the first of these: a breakpoint, the end of the program, or a condition of the "
         "table:\n"
         "cycles = N, insts = N: after N more; until_cycle = N, until_insts = N: when that number "
         "is reached. Instructions are the program's, as in m.insts and sim.insts, without "
         "firmware's;\n"
         "until_pc = ADDRESS: when an instruction there has committed ('find', 'words.c:41', "
         "0x10400);\n"
         "until_event = NAME or { NAME, pc =, class =, where = }: when such an event happens "
         "(m:on has the same filters);\n"
         "condition = FUNCTION or EXPRESSION: at the end of the first cycle in which it holds."},
	{"finish", to_end, "m:finish() -> STOP",
         "Runs to the end of the program, past all breakpoints."},
	{"back", api_motion_back_cycles, "m:back([CYCLES]) -> STOP",
         "Goes back CYCLES (1) cycles, at most to where history begins."},
	{"backi", api_motion_back_insts, "m:backi([INSTRUCTIONS]) -> STOP",
         "Goes back to before the last INSTRUCTIONS (1) committed."},
	{"run_back", run_back, "m:run_back{ ... } -> STOP",
         "Goes back to the latest breakpoint, or to where until_pc, until_event or condition (as "
         "in m:run) last held; else to the beginning of history."},
	{"go", api_motion_goto, "m:go(CYCLE) -> STOP, m:go{ seq = N } -> STOP, m:go(EVENT) -> STOP",
         "Goes to where m.cycle is CYCLE, after the cycles 0 to CYCLE - 1; or to the end of the "
         "cycle in which the instruction with this number was fetched, or in which EVENT "
         "happened: a table from e:table() or a stop's event. Its cycle has happened then, so "
         "m.cycle is one more than EVENT.cycle: m:go(e.cycle) shows the machine before it, "
         "m:go(e:table()) and m:go(e.cycle + 1) after it, as its hook saw it. Breakpoints and "
         "hooks pass over it."},
	{"restart", api_motion_restart, "m:restart()",
         "Starts the program again from its beginning; breakpoints and hooks stay, history begins "
         "anew."},
};

const struct binding_area area_motion = {
	.name = "motion",
	.object = "machine",
	.summary = "moving forwards and backwards",
	.text = "Every motion ends at a cycle boundary and returns a table STOP: reason, cycle, "
                "insts, pc. The reason is 'done'\n"
		"(the count was reached), 'until' (until_... or condition was met), "
                "'breakpoint' (then id is its number), 'hook' (one\n"
		"returned \"stop\"), 'exit' (the program has ended: see m.status), 'begin' "
                "(backwards: history begins here), 'interrupt'\n"
		"or 'input' (an interrupt while the program waited for input), or 'stalled' "
		"(nothing has committed for so long that nothing ever\n"
		"will: only a machine from a file can stall), or 'starved' (the host lacks "
		"descriptors or space for the next cycle;\n"
		"the next motion tries again). A motion that lacks memory raises an error. pc, seq "
		"and event are those of the\n"
		"instruction and event that stopped it, if one did. Breakpoints are made by "
		"commands: m:cmd \"break find\".",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
