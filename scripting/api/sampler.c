/* m.sampler: the stream sampler of a machine, and running it. Exact counts are in
 * sampler_counts.c. */
#include "scripting/api/sampler.h"

#include <math.h>

#include "core/machine/change.h"
#include "core/prof/common/prof.h"
#include "core/prof/sampler/sampler_exact.h"
#include "scripting/api/tuples.h"
#include "scripting/binding.h"

/* ---- recording while the machine runs ---- */
enum { FUNCTIONAL_PIECE = 1 << 20 };
#define FAR (UINT64_C(1) << 40)

/* The end of a run: whichever limit is reached first. */
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

/* A number of instructions that cannot pass the goal, as an instruction makes at most one tuple per
 * stream. */
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
		*began = run_own_insts(m->s->run, n, true, &info, err);
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

/* Reads the goal from the table at `index`; no limit without a table. */
static struct goal goal_at(lua_State *L, int index, struct lua_machine *m, const char *tuples_key)
{
	struct goal g = {.tuples = UINT64_MAX, .insts = UINT64_MAX, .cycles = UINT64_MAX};
	api_refuse_reader(L, m->script, "a motion");
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
			"there are no cycles without timing: expected tuples = N or insts = N");
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

static int sampler_lua_record(lua_State *L)
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

static int sampler_lua_series(lua_State *L)
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

#define SAMPLER "cyclops.machine.sampler"

struct prof *sampler_devices(const struct lua_machine *m)
{
	return machine_pipe(m->s->machine)->prof;
}

struct lua_machine *sampler_machine(lua_State *L, int index)
{
	struct lua_machine *m = api_machine_of_part(L, index, SAMPLER);
	if (!sampler_of(sampler_devices(m)))
		binding_fail(L, "%s has no sampler: it needs sampler.enable=true", m->name);
	return m;
}

static const struct sampler *sampler_lua_check_sampler(lua_State *L, int index)
{
	return sampler_of(sampler_devices(sampler_machine(L, index)));
}

/* ---- properties ---- */
static int sampler_lua_streams(lua_State *L)
{
	const struct sampler *s = sampler_lua_check_sampler(L, 1);
	char text[512];
	lua_newtable(L);
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++) {
		if (!s->st->stream[i].kind)
			continue;
		lua_pushstring(L, sampler_format_stream(&s->st->stream[i], text, sizeof text));
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int sampler_lua_stages(lua_State *L)
{
	const struct compressor *c = &sampler_lua_check_sampler(L, 1)->compressor;
	char text[COMPRESSOR_TEXT_MAX];
	lua_createtable(L, (int)c->spec.count, 0);
	for (unsigned i = 0; i < c->spec.count; i++) {
		lua_createtable(L, 0, 6);
		lua_pushstring(L, component_format(&c->spec.stage[i], text, sizeof text));
		lua_setfield(L, -2, "text");
		binding_set_integer(L, "bits", component_bits(&c->spec.stage[i]));
		binding_set_integer(L, "came", c->flow[i].in);
		binding_set_integer(L, "left", c->flow[i].out);
		binding_set_integer(L, "entries", c->spec.stage[i].entries);
		binding_set_integer(L, "buckets", sampler_exact_buckets(c, i));
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int sampler_lua_storage_bits(lua_State *L)
{
	lua_pushinteger(
		L, (lua_Integer)compressor_bits(&sampler_lua_check_sampler(L, 1)->compressor.spec));
	return 1;
}

static int sampler_lua_held_tuples(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)sampler_held(sampler_devices(sampler_machine(L, 1))));
	return 1;
}

static int sampler_lua_waiting_messages(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)sampler_lua_check_sampler(L, 1)->st->message_count);
	return 1;
}

static int sampler_lua_message_at(lua_State *L)
{
	const struct sampler *s = sampler_lua_check_sampler(L, 1);
	size_t i = tuples_place(L, 2, s->st->message_count);
	if (i == s->st->message_count)
		return 0;
	const struct sampler_waiting *w =
		sampler_message(sampler_devices(sampler_machine(L, 1)), i);
	lua_createtable(L, 0, 5);
	tuples_set(L, w->message.tuple);
	binding_set_integer(L, "count", w->message.count);
	binding_set_integer(L, "arrived", w->arrived);
	return 1;
}

unsigned sampler_stage(lua_State *L, int index, const struct sampler *s)
{
	lua_Integer stage = luaL_checkinteger(L, index);
	if (stage < 1 || stage > (lua_Integer)s->compressor.spec.count)
		binding_fail(L, "component %d of %d; expected 1 to %d", (int)stage,
		             (int)s->compressor.spec.count, (int)s->compressor.spec.count);
	return (unsigned)stage - 1;
}

static int sampler_lua_entry_at(lua_State *L)
{
	const struct sampler *s = sampler_lua_check_sampler(L, 1);
	unsigned stage = sampler_stage(L, 2, s);
	const struct component *c = &s->compressor.spec.stage[stage];
	lua_Integer i = luaL_checkinteger(L, 3);
	if (i < 0 || i >= (lua_Integer)c->entries)
		return binding_fail(L, "entry %d of %d; expected 0 to %d", (int)i, (int)c->entries,
		                    (int)c->entries - 1);
	api_push_entry(L, &s->compressor, stage, (uint32_t)i);
	return 1;
}

static int sampler_lua_table_index(lua_State *L)
{
	const struct sampler *s = sampler_lua_check_sampler(L, 1);
	unsigned stage = sampler_stage(L, 2, s);
	lua_pushinteger(L, compressor_index(&s->compressor, stage, tuples_check(L, 3)));
	return 1;
}

static int sampler_lua_gap_histogram(lua_State *L)
{
	const struct sampler_state *st = sampler_lua_check_sampler(L, 1)->st;
	lua_newtable(L);
	for (int i = 0, n = 0; i < GAP_BUCKETS; i++) {
		if (!st->gap[i])
			continue;
		lua_createtable(L, 0, 3);
		binding_set_integer(L, "from", i ? UINT64_C(1) << (i - 1) : 0);
		binding_set_integer(L, "below", UINT64_C(1) << i);
		binding_set_integer(L, "messages", st->gap[i]);
		lua_rawseti(L, -2, ++n);
	}
	return 1;
}

/* Drains the sampler, like any change: in a hook after the cycle, when the number of messages is
 * not known yet. */
static int sampler_lua_drain(lua_State *L)
{
	struct lua_machine *m = sampler_machine(L, 1);
	const struct stats *s = machine_stats(m->s->machine);
	const struct device_write w = {SAMPLER_REGISTER_DRAIN, 1};
	const uint64_t before = STAT(s, sampler_messages);
	const bool later = m->in_hook;
	api_change(
		L, m,
		&(struct change){
			.kind = JOURNAL_DEVICE, .a = DEVICE_SAMPLER, .bytes = &w, .n = sizeof w});
	if (later)
		return 0;
	lua_pushinteger(L, (lua_Integer)(STAT(s, sampler_messages) - before));
	return 1;
}

/* Sets the threshold to what waits. */
static int sampler_lua_request(lua_State *L)
{
	struct lua_machine *m = sampler_machine(L, 1);
	const struct sampler *s = sampler_lua_check_sampler(L, 1);
	const struct device_write w = {SAMPLER_REGISTER_THRESHOLD, s->st->message_count};
	if (w.value)
		api_change(L, m,
		           &(struct change){.kind = JOURNAL_DEVICE,
		                            .a = DEVICE_SAMPLER,
		                            .bytes = &w,
		                            .n = sizeof w});
	lua_pushinteger(L, (lua_Integer)w.value);
	return 1;
}

static const struct binding methods[] = {
	{"streams", sampler_lua_streams, "m.sampler:streams() -> { TEXT, ... }",
         "The profiled streams, in words of sampler.select; firmware may have changed them."},
	{"stages", sampler_lua_stages,
         "m.sampler:stages() -> { { text =, bits =, came =, left =, entries =, buckets = }, ... }",
         "The compressor's components: each one's description, storage, input, output, counters, "
         "and the sets of its hash."},
	{"bits", sampler_lua_storage_bits, "m.sampler:bits() -> N",
         "Storage that the compressor takes in hardware."},
	{"held", sampler_lua_held_tuples, "m.sampler:held() -> N",
         "Tuples in the sampler or in waiting messages; exact for lossless compressors."},
	{"waiting", sampler_lua_waiting_messages, "m.sampler:waiting() -> N",
         "Messages that wait for software."},
	{"message", sampler_lua_message_at,
         "m.sampler:message(I) -> { pc =, value =, tag =, count =, arrived = }",
         "The I-th waiting message, 1 is the oldest; nothing if there is none. `arrived` is a "
         "cycle."},
	{"drain", sampler_lua_drain, "m.sampler:drain() -> N",
         "Sends the tuples held in A as N messages, as many as their queue has room for; another "
         "call sends the rest when those have been read. Other components do not store the tuples "
         "that they count: their counts stay, as do tuples on their way through the compressor. A "
         "change: reverse motions undo it. In a hook it is made after the cycle, without a "
         "result."},
	{"request", sampler_lua_request, "m.sampler:request() -> N",
         "Requests firmware's interrupt for the N messages that wait, by lowering the threshold to "
         "that; 0: none waits. A change, as drain is."},
	{"entry", sampler_lua_entry_at, "m.sampler:entry(STAGE, I) -> TABLE",
         "Counter I, from 0 on, of a component, from 1 on: { at =, since = } of samplers, { state "
         "=, tag =, hits =, misses = } of T, { pc =, value "
         "=, tag =, count =, used = } of A."},
	{"index", sampler_lua_table_index, "m.sampler:index(STAGE, PC, VALUE[, TAG]) -> N",
         "The set, from 0 on, of a component's table that this tuple goes to."},
	{"gaps", sampler_lua_gap_histogram,
         "m.sampler:gaps() -> { { from =, below =, messages = }, ... }",
         "Messages by their distance in cycles from the message before, by powers of two; empty "
         "rows are left out."},
	{"tuples", sampler_lua_tuples,
         "for pc, value, tag, selected, told in m.sampler:tuples() do",
         "Exact counts of every tuple, in the order in which they were first selected: how often "
         "it was selected, and how often according to the messages that software has received."},
	{"count", sampler_lua_count, "m.sampler:count(PC, VALUE[, TAG]) -> SELECTED, TOLD",
         "The same for one tuple."},
	{"lost", sampler_lua_lost, "m.sampler:lost() -> SELECTED, TOLD",
         "Tuples that exact counts had no room for (sampler.memory)."},
	{"profiles", sampler_lua_profiles, "m.sampler:profiles() -> IDEAL, TOLD",
         "The same counts as two profiles (`help lua profile`)."},
	{"buckets", sampler_lua_buckets,
         "m.sampler:buckets([STAGE]) -> { [0] = { distinct =, selected =, most =, bias =, entropy "
         "=, pc =, value =, tag = }, ... }",
         "For each set of a component's (the first's) table, which the hardware itself can't "
         "report: the tuples that belong there, the most frequent one and its share, and the "
         "entropy in bits."},
	{"error", sampler_lua_error,
         "m.sampler:error([{ min_count =, invariant =, covered =, tag = }]) -> ERROR, DETAILS",
         "The error of software's profile against the selected tuples, as p:error of profiles; "
         "the defaults are sampler.min_count and related parameters."},
	{"record", sampler_lua_record,
         "m.sampler:record(STREAM[, { tuples =, insts =, cycles =, functional = }]) -> N",
         "Runs until N more tuples are selected, instructions committed or cycles done, or to the "
         "end of the program, and appends each selected tuple to the stream. The run ends with a "
         "whole cycle, so there may be a few tuples more. With functional = true it runs without "
         "timing, only before the first cycle; history begins anew after that."},
	{"series", sampler_lua_series,
         "m.sampler:series{ every = N, until_tuples =, insts =, cycles =, functional =, min_count "
         "=, ... } -> { ROW, ... }",
         "Runs in the same way, with a row after every N selected tuples and at the end: tuples, "
         "dropped, insts, cycles, messages, read, interrupts, error, model_overhead (the paper's "
         "model) and measured_overhead (firmware's share), so far."},
};

const struct binding_area area_sampler = {
	.name = "recording", /* `help lua sampler` is about the module of that name */
	.object = "sampler",
	.summary = "a machine's stream sampler",
	.text = "    local m = cyclops.machine{ program, config = { [\"sampler.enable\"] = true } "
                "}\n"
		"    for _, row in ipairs(m.sampler:series{ every = 100000, functional = true }) "
                "do print(row.tuples, row.error) end\n"
		"m.sampler.NAME is a statistic or parameter: m.sampler.selected. "
                "Compressors alone: `help lua compressor`.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

static int get_sampler(lua_State *L)
{
	api_push_part(L, 1, SAMPLER);
	return 1;
}

static const struct binding value[] = {
	{"sampler", get_sampler, "m.sampler",
         "The stream sampler: `help lua recording`; its statistics and parameters as words."},
};

const struct binding_area area_sampler_value = {
	.name = "samplers",
	.object = "machine.",
	.summary = "reaching a machine's sampler",
	.text = "",
	.bindings = value,
	.count = sizeof value / sizeof *value,
};

void api_open_sampler(lua_State *L)
{
	api_new_worded_part(L, SAMPLER, "sampler");
}
