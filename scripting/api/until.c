#include "core/defs/event_fields.h"
#include "scripting/api/until.h"

#include <string.h>

#include "core/machine/alarm.h"

void until_read(lua_State *L, int index, struct lua_machine *m, struct until *u)
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

bool until_begin(struct until *u)
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

/* A different value in each cycle in which the condition holds, so that each is a hit. */
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

bool until_begin_back(struct until *u)
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

void until_end(lua_State *L, struct until *u)
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
