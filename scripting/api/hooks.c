/* Hooks: functions of a script that are called as its machines run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/event_fields.h"
#include "core/machine/alarm.h"
#include "core/run/run.h"
#include "scripting/api/batch.h"
#include "scripting/api/event.h"
#include "scripting/api/filter.h"
#include "scripting/api/state.h"
#include "scripting/script.h"

#define HOOK "cyclops.hook"

/* A hook. Its function is in the machine's user value MACHINE_HOOKS under the hook's number, so
 * that a machine and its hooks can be collected together. */
struct hook {
	unsigned id;
	struct lua_machine *m;    /* borrowed */
	int listener, alarm;      /* one of them is used */
	struct api_filter filter; /* of a listener */
	struct api_batch batch;   /* of a listener */
	struct hook_position heard;
	uint64_t calls;
	char what[64];            /* "commit", "every 1000 insts" */
	char text[160];           /* "hook 3 on commit (lab.lua:12)" */
	bool running, removed, off;
	struct hook *next;        /* of script->hooks */
};

/* ---- calls ---- */
/* Records the first error and ends the motion. No other hook is called in it. */
static void hooks_record_failure(struct hook *h, const struct machine *m, const struct err *err,
                                 const char *trace)
{
	struct script *s = h->m->script;
	machine_request_stop(m);
	if (s->failed)
		return;
	s->failed = true;
	s->failed_hook = h->id;
	if (!strncmp(err->msg, h->text, strlen(h->text)))
		s->failure = *err;
	else
		err_set(&s->failure, "%s: %.340s", h->text, err->msg);
	snprintf(s->failure_trace, sizeof s->failure_trace, "%s", trace);
}

static void free_hook(struct hook *h)
{
	struct hook **at = &h->m->script->hooks;
	while (*at != h)
		at = &(*at)->next;
	*at = h->next;
	api_filter_deinit(&h->filter);
	api_batch_deinit(&h->batch);
	free(h);
}

/* Handles the function's result, on top of the stack. */
static void hooks_apply_result(struct hook *h, const struct machine *m)
{
	lua_State *L = host_state(h->m->script->host);
	if (lua_type(L, -1) == LUA_TSTRING && !strcmp(lua_tostring(L, -1), "stop")) {
		if (!h->m->script->stopped_by)
			h->m->script->stopped_by = h->id;
		machine_request_stop(m);
	} else if (lua_type(L, -1) == LUA_TSTRING) {
		struct err err;
		err_set(&err, "a hook returns \"stop\" or nothing, not \"%.100s\"",
		        lua_tostring(L, -1));
		hooks_record_failure(h, m, &err, "");
	}
}

/* Pushes what the function gets: the batch, the event, or the machine, which is below its hooks and
 * the function. */
static void hooks_push_argument(lua_State *L, const struct hook *h, const struct event *ev)
{
	if (h->batch.event)
		lua_rawgeti(L, -2, -(lua_Integer)h->id);
	else if (ev)
		lua_rawgeti(L, LUA_REGISTRYINDEX, h->m->script->event);
	else
		lua_pushvalue(L, -3);
}

/* Calls the function with the batch, the event, or the machine if there is neither. */
static void hooks_call_function(struct hook *h, const struct machine *m, const struct event *ev)
{
	struct lua_machine *lm = h->m;
	struct script *s = lm->script;
	lua_State *L = host_state(s->host);
	struct err err;
	struct run *moving = s->moving;
	const struct lua_event before = *s->e;
	bool in_hook = lm->in_hook;
	if (!lua_checkstack(L, LUA_MINSTACK)) {
		hooks_record_failure(h, m, &(struct err){"too many Lua values for a hook"}, "");
		return;
	}
	int top = lua_gettop(L);
	api_push_again(L, lm);
	lua_getiuservalue(L, -1, MACHINE_HOOKS);
	lua_rawgeti(L, -1, h->id);
	hooks_push_argument(L, h, ev);
	h->calls++;
	h->running = lm->in_hook = true;
	s->moving = lm->s->run;
	*s->e = (struct lua_event){ev, lm};
	bool ok = host_call_within(s->host, 1, 1, (uint64_t)CONFIG(machine_config(m), hook_budget),
	                           h->text, &err);
	*s->e = before;
	s->moving = moving;
	lm->in_hook = in_hook;
	h->running = false;
	if (ok)
		hooks_apply_result(h, m);
	else
		hooks_record_failure(h, m, &err, host_traceback(s->host));
	lua_settop(L, top);
	if (lm->states && !states_flush(lm, &err))
		hooks_record_failure(h, m, &err, "");
	if (h->removed)
		free_hook(h);
}

static void hooks_deliver_batch(struct hook *h, const struct machine *m)
{
	struct script *s = h->m->script;
	const char *before = s->reader;
	api_batch_show(&h->batch);
	s->reader = h->text;
	hooks_call_function(h, m, NULL);
	s->reader = before;
	api_batch_hide(&h->batch);
}

/* At the end of a motion: batches that are not full. */
static void hooks_deliver_rest(struct script *s)
{
	for (struct hook *h = s->hooks; h; h = h->next) {
		if (h->batch.count && !h->removed && !h->off && !h->running && !s->failed)
			hooks_deliver_batch(h, h->m->s->machine);
	}
}

/* Whether the hook is to be called in this cycle. */
static bool hooks_is_due(struct hook *h)
{
	bool first = run_first_time(h->m->s->run, &h->heard);
	return first && !h->removed && !h->off && !h->running && !h->m->script->failed;
}

static void hooks_on_event(void *ctx, const struct machine *m, const struct event *ev)
{
	struct hook *h = ctx;
	struct err err;
	bool passes = true;
	if (!hooks_is_due(h))
		return;
	if (h->filter.where && !api_filter_passes(&h->filter, m, ev, &passes, &err))
		hooks_record_failure(h, m, &err, "");
	else if (passes && !h->batch.event)
		hooks_call_function(h, m, ev);
	else if (passes && api_batch_append(&h->batch, ev))
		hooks_deliver_batch(h, m);
}

static void hooks_on_alarm(void *ctx, const struct machine *m)
{
	struct hook *h = ctx;
	if (hooks_is_due(h))
		hooks_call_function(h, m, NULL);
}

/* ---- setting ---- */
static void api_push_hook(lua_State *L, unsigned id)
{
	unsigned *h = lua_newuserdatauv(L, sizeof *h, 0);
	*h = id;
	luaL_setmetatable(L, HOOK);
}

/* Reserves a hook's number, pushes its object, and makes a place for its function: all steps that
 * may raise a Lua error, before the hook is allocated. */
static unsigned hooks_reserve_id(lua_State *L, struct lua_machine *m)
{
	api_refuse_reader(L, m->script, "a hook");
	unsigned id = ++m->script->hooked;
	lua_getiuservalue(L, 1, MACHINE_HOOKS);
	lua_pushboolean(L, false);
	lua_rawseti(L, -2, id);
	lua_pop(L, 1);
	api_push_hook(L, id);
	return id;
}

/* Adds the hook of a reserved number, whose function is at `fn`. NULL if memory is out. */
static struct hook *add_hook(lua_State *L, struct lua_machine *m, unsigned id, int fn,
                             const char *preposition, const char *what)
{
	lua_Debug ar;
	struct hook *h = alloc_zeroed(1, sizeof *h), **at = &m->script->hooks;
	if (!h)
		return NULL;
	fn = lua_absindex(L, fn);
	lua_getiuservalue(L, 1, MACHINE_HOOKS);
	lua_pushvalue(L, fn);
	lua_rawseti(L, -2, id);
	lua_pop(L, 1);
	lua_pushvalue(L, fn);
	lua_getinfo(L, ">S", &ar);
	h->id = id;
	h->m = m;
	snprintf(h->what, sizeof h->what, "%s", what);
	snprintf(h->text, sizeof h->text, "hook %u %s%s (%.60s:%d)", id, preposition, h->what,
	         ar.short_src, ar.linedefined);
	while (*at)
		at = &(*at)->next;
	*at = h;
	return h;
}

static void api_remove_hook(struct hook *h)
{
	machine_unlisten(h->m->s->machine, h->listener);
	machine_unalarm(h->m->s->machine, h->alarm);
	h->removed = true;
	if (!h->running)
		free_hook(h);
}

/* Formats "commit" or "commit, squash". */
static void hooks_format_event_names(uint64_t mask, char *out, size_t n)
{
	*out = '\0';
	for (int id = 0; id < EV_COUNT; id++)
		if (mask >> id & 1) {
			size_t used = strlen(out);
			snprintf(out + used, n - used, "%s%s", used ? ", " : "",
			         event_info[id].name);
		}
}

/* The batch's object is beside the function, under the negative number. */
static bool hooks_make_batch(lua_State *L, struct hook *h, uint32_t size)
{
	lua_getiuservalue(L, 1, MACHINE_HOOKS);
	const bool ok = api_batch_init(L, &h->batch, size, h->filter.events.mask);
	if (ok)
		lua_rawseti(L, -2, -(lua_Integer)h->id);
	lua_pop(L, 1);
	return ok;
}

static int hooks_on(lua_State *L)
{
	static const char *const keys[] = {API_FILTER_KEYS, "batch", NULL};
	struct lua_machine *m = api_machine(L, 1);
	struct api_filter filter = {.events.mask = api_event_mask(L, 2)};
	char names[64];
	uint64_t batch = 0;
	int fn = lua_type(L, 3) == LUA_TFUNCTION ? 3 : 4;
	lua_settop(L, fn);
	if (lua_type(L, fn) != LUA_TFUNCTION)
		return binding_fail(L, "m:on takes an event, perhaps a filter, and a function: "
		                       "m:on(\"commit\", { pc = \"find\" }, "
		                       "function(e) ... end)");
	hooks_format_event_names(filter.events.mask, names, sizeof names);
	unsigned id = hooks_reserve_id(L, m);
	if (fn == 4 && !lua_isnil(L, 3)) {
		luaL_checktype(L, 3, LUA_TTABLE);
		api_check_keys(L, 3, "m:on", keys);
		const bool given = lua_getfield(L, 3, "batch") != LUA_TNIL;
		batch = lua_isinteger(L, -1) ? (uint64_t)lua_tointeger(L, -1) : 0;
		if (given && (!batch || batch > API_BATCH_MAX))
			return binding_fail(L, "batch: expected 1 to %d events, not %s",
			                    API_BATCH_MAX, host_text(L, -1, NULL));
		lua_pop(L, 1);
		api_read_filter(L, 3, m, filter.events.mask, &filter);
	}
	struct hook *h = add_hook(L, m, id, fn, "on ", names);
	if (!h) {
		api_filter_deinit(&filter);
		return binding_fail(L, "out of memory for a hook");
	}
	h->filter = filter;
	if (batch && !hooks_make_batch(L, h, (uint32_t)batch)) {
		api_remove_hook(h);
		return binding_fail(L, "out of memory for a batch of %lld events",
		                    (long long)batch);
	}
	h->listener = machine_listen(m->s->machine, &h->filter.events, hooks_on_event, h);
	if (!h->listener) {
		api_remove_hook(h);
		return binding_fail(L, "out of memory for a hook");
	}
	return 1;
}

static int set_alarm(lua_State *L, struct lua_machine *m, int fn, const struct alarm *a,
                     const char *what)
{
	struct err err;
	unsigned id = hooks_reserve_id(L, m);
	struct hook *h = add_hook(L, m, id, fn, "", what);
	if (!h)
		return binding_fail(L, "out of memory for a hook");
	h->alarm = machine_alarm(m->s->machine, a, hooks_on_alarm, h, &err);
	if (!h->alarm) {
		api_remove_hook(h);
		return binding_fail(L, "%s", err.msg);
	}
	return 1;
}

static int hooks_every(lua_State *L)
{
	static const char *const keys[] = {"insts", "cycles", "first", NULL};
	struct lua_machine *m = api_machine(L, 1);
	char what[64];
	luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 3);
	/* m:every{ insts = N, function() end } */
	if (lua_rawgeti(L, 2, 1) == LUA_TFUNCTION && lua_isnil(L, 3)) {
		lua_replace(L, 3);
		lua_newtable(L);
		for (lua_pushnil(L); lua_next(L, 2); lua_pop(L, 1))
			if (lua_type(L, -2) == LUA_TSTRING) {
				lua_pushvalue(L, -2);
				lua_pushvalue(L, -2);
				lua_rawset(L, 4);
			}
		lua_replace(L, 2);
	}
	lua_settop(L, 3);
	if (lua_type(L, 3) != LUA_TFUNCTION)
		return binding_fail(L, "m:every takes a number and a function: m:every({ insts = "
		                       "1000000 }, function(m) ... end)");
	api_check_keys(L, 2, "m:every", keys);
	uint64_t insts = api_option_count(L, 2, "insts", 0),
		 cycles = api_option_count(L, 2, "cycles", 0);
	if (!insts == !cycles)
		return binding_fail(L, "m:every takes insts = N or cycles = N, from 1");
	struct alarm a = {.unit = insts ? ALARM_INSTS : ALARM_CYCLES, .every = insts + cycles,
	                  .first = api_option_count(L, 2, "first", 0)};
	snprintf(what, sizeof what, "every %llu %s", (unsigned long long)a.every,
	         insts ? "insts" : "cycles");
	return set_alarm(L, m, 3, &a, what);
}

static int hooks_at_exit(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_settop(L, 2);
	return set_alarm(L, m, 2, &(struct alarm){.unit = ALARM_END}, "at exit");
}

void hooks_close(struct lua_machine *m)
{
	for (struct hook *h = m->script->hooks, *next; h; h = next) {
		next = h->next;
		if (h->m == m)
			api_remove_hook(h);
	}
}

/* ---- around motions ---- */
void hooks_begin(struct script *s)
{
	s->failed = false;
	s->stopped_by = 0;
}

void hooks_check(lua_State *L)
{
	struct script *s = script_of(L);
	hooks_deliver_rest(s);
	struct err err = s->failure;
	if (!s->failed)
		return;
	s->failed = false;
	binding_fail(L, "%s", err.msg);
}

/* ---- hooks as objects ---- */
static struct hook *api_find_hook(const struct script *s, unsigned id)
{
	struct hook *h = s->hooks;
	while (h && (h->id != id || h->removed))
		h = h->next;
	return h;
}

static struct hook *check_hook(lua_State *L, unsigned *id)
{
	*id = *(unsigned *)luaL_checkudata(L, 1, HOOK);
	return api_find_hook(script_of(L), *id);
}

static int hook_remove(lua_State *L)
{
	unsigned id;
	struct hook *h = check_hook(L, &id);
	api_refuse_reader(L, script_of(L), "h:remove");
	if (h)
		api_remove_hook(h);
	return 0;
}

static int hook_calls(lua_State *L)
{
	unsigned id;
	struct hook *h = check_hook(L, &id);
	if (!h)
		return binding_fail(L, "hook %d is removed", (int)id);
	lua_pushinteger(L, (lua_Integer)h->calls);
	return 1;
}

static int hook_number(lua_State *L)
{
	unsigned id;
	check_hook(L, &id);
	lua_pushinteger(L, id);
	return 1;
}

static int hook_tostring(lua_State *L)
{
	unsigned id;
	const struct hook *h = check_hook(L, &id);
	if (h)
		lua_pushstring(L, h->text);
	else
		lua_pushfstring(L, "hook %d, removed", (int)id);
	return 1;
}

static int api_hooks_list(lua_State *L)
{
	const struct lua_machine *m = api_machine(L, 1);
	lua_Integer n = 0;
	lua_newtable(L);
	for (const struct hook *h = m->script->hooks; h; h = h->next)
		if (h->m == m && !h->removed) {
			api_push_hook(L, h->id);
			lua_rawseti(L, -2, ++n);
		}
	return 1;
}

static const struct binding hook_methods[] = {
	{"remove", hook_remove, "h:remove()", "Removes the hook; it may remove itself."},
	{"calls", hook_calls, "h:calls() -> COUNT", "Number of its calls."},
	{"id", hook_number, "h:id() -> NUMBER", "Its number, as messages name it."},
};
const struct binding_area area_hook = {
	.name = "hook",
	.object = "hook",
	.summary = "a hook's methods",
	.text = "",
	.bindings = hook_methods,
	.count = sizeof hook_methods / sizeof *hook_methods,
};

void api_open_hooks(lua_State *L)
{
	static const luaL_Reg meta[] = {{"__tostring", hook_tostring}, {NULL, NULL}};
	api_new_part(L, HOOK, meta);
	luaL_getmetatable(L, HOOK);
	lua_newtable(L);
	binding_register_object(L, "hook", 0);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 1);
}

/* ---- listing ---- */
bool script_hook_at(const struct script *s, unsigned i, struct script_hook *out)
{
	for (const struct hook *h = s->hooks; h; h = h->next) {
		if (h->removed || i--)
			continue;
		*out = (struct script_hook){.id = h->id,
		                            .text = h->text,
		                            .calls = h->calls,
		                            .off = h->off,
		                            .session = h->m->s};
		return true;
	}
	return false;
}

bool script_remove_hook(struct script *s, unsigned id)
{
	struct hook *h = api_find_hook(s, id);
	if (h)
		api_remove_hook(h);
	return h;
}

bool script_switch_hook(struct script *s, unsigned id, bool on)
{
	struct hook *h = api_find_hook(s, id);
	if (h)
		h->off = !on;
	return h;
}

bool script_take_failure(struct script *s, struct err *err, const char **trace)
{
	hooks_deliver_rest(s);
	if (!s->failed)
		return false;
	s->failed = false;
	*err = s->failure;
	*trace = s->failure_trace;
	script_switch_hook(s, s->failed_hook, false);
	return true;
}

const char *script_stopper(const struct script *s)
{
	const struct hook *h = s->stopped_by ? api_find_hook(s, s->stopped_by) : NULL;
	return h ? h->text : NULL;
}

static const struct binding methods[] = {
	{"on", hooks_on,
         "m:on(EVENT | {EVENT, ...}, [{ pc =, class =, where =, batch = },] FUNCTION) -> HOOK",
         "Calls function(e) for each such event, after its cycle (help lua event). The filter: pc "
         "= an address, a function's name (all of it) or { FROM, BEHIND }; class = a class of "
         "instructions or a list (load, store, atomic, branch, jump, int, mul, div, fp, system); "
         "where = an expression about the event, as in `catch ... if`: \"level == 'memory'\". "
         "batch = N calls function(b) once for N events, and for the rest at the end of the "
         "motion (help lua batch); it changes nothing."},
	{"every", hooks_every,
         "m:every({ insts = N | cycles = N [, first = N] }, FUNCTION) -> HOOK",
         "Calls function(m) at the end of the first cycle that reaches each multiple of N, "
         "counted from now, or from `first`, which is counted from the machine's beginning. Free "
         "between calls."},
	{"at_exit", hooks_at_exit, "m:at_exit(FUNCTION) -> HOOK",
         "Calls function(m) in the cycle in which the program ends."},
	{"hooks", api_hooks_list, "m:hooks() -> { HOOK, ... }",
         "The hooks of this machine, oldest first."},
	{"state", states_new, "m:state(TABLE) -> STATE",
         "A table that follows the machine: reverse motion undoes its changes, forward motion "
         "repeats them, a checkpoint contains them. It holds numbers, texts, booleans and tables "
         "of them. It may change in hooks, and between motions (which drops the recorded future). "
         "It is used like any table; pairs has a fixed order."},
};
const struct binding_area area_hooks = {
	.name = "hooks",
	.object = "machine",
	.summary = "functions called as the machine runs",
	.text = "    local count = m:state{ misses = 0 }\n"
		"    m:on(\"mem\", { class = \"load\", where = \"level == 'memory'\" }, "
		"function(e)\n"
		"        count.misses = count.misses + 1\n"
		"        if count.misses == 100 then return \"stop\" end\n"
		"    end)\n"
		"Forward motion calls a hook once for each event; reverse motion and the "
		"repetition of recorded cycles call none. It\n"
		"may read all of the machine, as it is at the end of the cycle. It may change the "
		"machine by m.regs, m.pc, m.csr, m:write\n"
		"and m:patch; this happens after all hooks of the cycle, and the journal repeats "
		"it. A script's own variables\n"
		"do not follow reverse motion; m:state does. A change empties the pipeline: one "
		"at every misprediction\n"
		"keeps the program from making progress. \"stop\" as its value ends the motion "
		"with this cycle\n"
		"(reason 'hook'). An error ends it too, and is the motion's error; so does "
		"running for more than lua.hook_budget steps.\n"
		"A call costs some 2,000 host instructions, three times what the machine needs "
		"for an instruction: a filter or a batch saves them.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
