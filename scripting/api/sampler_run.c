/* m.sampler: running the machine until the stream has enough tuples. */
#include <math.h>

#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler_exact.h"
#include "scripting/api/sampler.h"
#include "scripting/api/tuples.h"
#include "scripting/binding.h"

enum { FUNCTIONAL_PIECE = 1 << 20 };
#define FAR (UINT64_C(1) << 40)

/* The end of a run: the first of these that is reached. */
struct goal {
	/* totals of the machine; FAR or more: no limit */
	uint64_t tuples, insts, cycles;
	bool functional;
};

static uint64_t sampler_run_selected_tuples(const struct lua_machine *m)
{
	return STAT(machine_stats(m->s->machine), sampler_selected);
}

static uint64_t sampler_run_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* A number of instructions that cannot pass the goal: each makes at most one tuple per stream. */
static uint64_t insts_ahead(const struct lua_machine *m, const struct goal *g)
{
	const struct sampler_state *st = sampler_devices(m)->sampler->st;
	uint64_t streams_ = 0, left = g->tuples - sampler_run_selected_tuples(m);
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++)
		streams_ += st->stream[i].kind != 0;
	left = streams_ > 1 ? left / streams_ : left;
	return sampler_run_min(left ? left : 1, g->insts - machine_insts(m->s->machine));
}

static bool sampler_run_goal_is_ahead(const struct lua_machine *m, const struct goal *g)
{
	const struct machine *machine = m->s->machine;
	return machine_status(machine) == MACHINE_RUNNING &&
	       sampler_run_selected_tuples(m) < g->tuples && machine_insts(machine) < g->insts &&
	       machine_cycle(machine) < g->cycles;
}

/* Runs a piece of the way. False at the end: *began is then false after an error. */
static bool sampler_run_advance_piece(struct lua_machine *m, const struct goal *g, bool *began,
                                      struct err *err)
{
	struct run_stop_info info;
	uint64_t n = insts_ahead(m, g);
	*began = true;
	if (!sampler_run_goal_is_ahead(m, g))
		return false;
	if (g->functional) {
		const uint64_t done = machine_run_functional(
			m->s->machine, sampler_run_min(n, FUNCTIONAL_PIECE), false);
		return done > 0 && (!m->script->opt.safe || host_charge(m->script->host, done)) &&
		       !machine_interrupted(m->s->machine);
	}
	if (g->cycles < FAR) {
		/* A cycle may commit several instructions, and pass the goal by some. */
		n = sampler_run_min(n / PIPE_WIDTH_MAX + 1,
		                    g->cycles - machine_cycle(m->s->machine));
		*began = run_cycles(m->s->run, n, true, &info, err);
	} else {
		*began = run_insts(m->s->run, n, true, &info, err);
	}
	return *began && info.reason == STOPPED_DONE;
}

/* Runs to the goal, the program's end, a breakpoint or an interrupt. May raise a Lua error: the
 * caller must hold nothing to free except the sink. */
static void sampler_run_advance_to_goal(lua_State *L, struct lua_machine *m, const struct goal *g)
{
	struct run *before = m->script->moving;
	struct err err;
	bool began;
	hooks_begin(m->script);
	m->script->moving = m->s->run;
	while (sampler_run_advance_piece(m, g, &began, &err))
		;
	m->script->moving = before;
	sampler_devices(m)->sampler->sink = NULL;
	if (g->functional)
		run_reset(m->s->run, m->s->machine);
	hooks_check(L);
	if (!began)
		binding_fail(L, "%s", err.msg);
	host_tick(L, 1); /* an interrupt that came meanwhile is for the script, too */
}

static uint64_t sampler_run_target_after(uint64_t now, uint64_t n)
{
	return n < FAR ? now + n : UINT64_MAX;
}

/* Reads the goal from the table at `index`; without one, there is no limit. */
static struct goal goal_at(lua_State *L, int index, struct lua_machine *m, const char *tuples_key)
{
	struct goal g = {.tuples = UINT64_MAX, .insts = UINT64_MAX, .cycles = UINT64_MAX};
	api_refuse_looking(L, m->script, "a motion");
	api_refuse_moving(L, m, "run for the sampler");
	if (lua_istable(L, index)) {
		g.tuples = sampler_run_target_after(sampler_run_selected_tuples(m),
		                                    api_option_count(L, index, tuples_key, FAR));
		g.insts = sampler_run_target_after(machine_insts(m->s->machine),
		                                   api_option_count(L, index, "insts", FAR));
		g.cycles = sampler_run_target_after(machine_cycle(m->s->machine),
		                                    api_option_count(L, index, "cycles", FAR));
		g.functional = api_option_flag(L, index, "functional", false);
	}
	if (g.functional && machine_cycle(m->s->machine))
		binding_fail(
			L, "%s is in cycle %d: it runs without timing before its first cycle only",
			m->name, (int)machine_cycle(m->s->machine));
	if (g.functional && g.cycles != UINT64_MAX)
		binding_fail(
			L,
			"there are no cycles without timing: tuples = N or insts = N say how far");
	return g;
}

struct recording {
	struct tuple_stream *to;
	enum tuple_outcome outcome;
	struct lua_machine *m;
};

static void record_one(void *ctx, struct tuple t)
{
	struct recording *r = ctx;
	struct tuple_stream *s = r->to;
	if (s->count < s->room)
		s->at[s->count++] = t;
	else if (r->outcome == TUPLES_ADDED)
		r->outcome = tuple_stream_add(s, t, 1);
}

int sampler_lua_record(lua_State *L)
{
	static const char *const keys[] = {"tuples", "insts", "cycles", "functional", NULL};
	struct lua_machine *m = sampler_machine(L, 1);
	struct recording r = {.to = tuples_stream(L, 2), .m = m};
	size_t had = r.to->count, room = r.to->room;
	if (!lua_isnoneornil(L, 3)) {
		luaL_checktype(L, 3, LUA_TTABLE);
		api_check_keys(L, 3, "m.sampler:record", keys);
	}
	struct goal g = goal_at(L, 3, m, "tuples");
	/* Leave room for further tuples selected in the last cycle. */
	if (g.tuples != UINT64_MAX &&
	    g.tuples - sampler_run_selected_tuples(m) < r.to->most - r.to->count)
		tuples_reserve(L, r.to,
		               (size_t)sampler_run_min(g.tuples - sampler_run_selected_tuples(m) +
		                                               PIPE_WIDTH_MAX * SAMPLER_STREAMS_MAX,
		                                       r.to->most - r.to->count));
	else
		g.tuples = sampler_run_min(g.tuples, sampler_run_selected_tuples(m) +
		                                             (r.to->most - r.to->count));
	struct sampler *s = sampler_devices(m)->sampler;
	s->sink_ctx = &r;
	s->sink = record_one;
	sampler_run_advance_to_goal(L, m, &g);
	tuples_grown(L, (r.to->room - room) * sizeof *r.to->at);
	if (r.outcome == TUPLES_NO_MEMORY)
		return binding_fail(L, "out of memory for a stream, at tuple %d", (int)r.to->count);
	lua_pushinteger(L, (lua_Integer)(r.to->count - had));
	return 1;
}

/* Pushes a row about the current state. */
static void sampler_run_push_row(lua_State *L, const struct lua_machine *m,
                                 const struct tuple_thresholds *limits)
{
	const struct stats *s = machine_stats(m->s->machine);
	const double cycles = (double)stats_guest_cycle(s, machine_cycle(m->s->machine));
	struct tuple_error e = {.error = NAN};
	if (sampler_exact_of(sampler_devices(m)))
		e = sampler_error(L, m, limits);
	lua_createtable(L, 0, 12);
	binding_set_integer(L, "tuples", STAT(s, sampler_selected));
	binding_set_integer(L, "dropped", STAT(s, sampler_dropped));
	binding_set_integer(L, "insts", machine_insts(m->s->machine));
	binding_set_integer(L, "cycles", stats_guest_cycle(s, machine_cycle(m->s->machine)));
	binding_set_integer(L, "messages", STAT(s, sampler_messages));
	binding_set_integer(L, "read", STAT(s, sampler_read));
	binding_set_integer(L, "interrupts", STAT(s, firmware_interrupts));
	if (!isnan(e.error))
		binding_set_number(L, "error", e.error);
	binding_set_number(L, "model_overhead",
	                   cycles > 0 ? (double)STAT(s, sampler_model_cycles) / cycles : 0);
	binding_set_number(L, "measured_overhead",
	                   cycles > 0 ? (double)STAT(s, firmware_cycles) / cycles : 0);
}

int sampler_lua_series(lua_State *L)
{
	static const char *const keys[] = {"every",      "until_tuples",        "insts", "cycles",
	                                   "functional", TUPLES_THRESHOLD_KEYS, NULL};
	struct lua_machine *m = sampler_machine(L, 1);
	luaL_checktype(L, 2, LUA_TTABLE);
	api_check_keys(L, 2, "m.sampler:series", keys);
	struct tuple_thresholds t = sampler_thresholds(sampler_devices(m)->cfg);
	tuples_thresholds(L, 2, &t);
	uint64_t every = api_option_count(L, 2, "every", 0),
		 until = api_option_count(L, 2, "until_tuples", UINT64_MAX);
	if (!every)
		return binding_fail(L, "m.sampler:series needs every = N: a row whenever so many "
		                       "more tuples were selected");
	struct goal g = goal_at(L, 2, m, "tuples");
	lua_newtable(L);
	for (lua_Integer n = 1; ; n++) {
		uint64_t before = sampler_run_selected_tuples(m);
		g.tuples = sampler_run_min(until, before - before % every + every);
		if (!sampler_run_goal_is_ahead(m, &g))
			break;
		sampler_run_advance_to_goal(L, m, &g);
		sampler_run_push_row(L, m, &t);
		lua_rawseti(L, -2, n);
		if (sampler_run_selected_tuples(m) < g.tuples)
			break;
	}
	return 1;
}

