/* m.sampler: the stream sampler of a machine, and running the machine for the stream's sake. */
#include <math.h>
#include <string.h>

#include "core/prof/prof.h"
#include "core/prof/sampler_exact.h"
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"

#define SAMPLER "cyclops.machine.sampler"

enum { ENTRIES_PER_STEP = 4, FUNCTIONAL_PIECE = 1 << 20 };
#define FAR (UINT64_C(1) << 40)

/* The machine's devices, for the sink alone. */
static struct prof *devices_of(const struct lua_machine *m)
{
	return machine_pipe(m->s->machine)->prof;
}

static struct lua_machine *machine_at(lua_State *L, int index)
{
	struct lua_machine *m = api_machine_of_part(L, index, SAMPLER);
	if (!sampler_of(devices_of(m)))
		binding_fail(L, "%s has no sampler: it needs sampler.enable=true", m->name);
	return m;
}

static const struct sampler *sampler_at(lua_State *L, int index)
{
	return sampler_of(devices_of(machine_at(L, index)));
}

static const struct sampler_exact *exact_at(lua_State *L, int index)
{
	struct lua_machine *m = machine_at(L, index);
	const struct sampler_exact *x = sampler_exact_of(devices_of(m));
	if (!x)
		binding_fail(L, "%s counts nothing exactly: it needs sampler.exact=true", m->name);
	return x;
}

/* ---- what it is ---- */
static int streams(lua_State *L)
{
	const struct sampler *s = sampler_at(L, 1);
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

static int stages(lua_State *L)
{
	const struct compressor *c = &sampler_at(L, 1)->compressor;
	char text[COMPRESSOR_TEXT_MAX];
	lua_createtable(L, (int)c->spec.count, 0);
	for (unsigned i = 0; i < c->spec.count; i++) {
		lua_createtable(L, 0, 6);
		lua_pushstring(L, component_format(&c->spec.stage[i], text, sizeof text));
		lua_setfield(L, -2, "text");
		tuples_set_integer(L, "bits", component_bits(&c->spec.stage[i]));
		tuples_set_integer(L, "came", c->flow[i].in);
		tuples_set_integer(L, "left", c->flow[i].out);
		tuples_set_integer(L, "entries", c->spec.stage[i].entries);
		tuples_set_integer(L, "buckets", sampler_exact_buckets(c, i));
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	return 1;
}

static int bits(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)compressor_bits(&sampler_at(L, 1)->compressor.spec));
	return 1;
}

static int held(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)sampler_held(devices_of(machine_at(L, 1))));
	return 1;
}

static int waiting(lua_State *L)
{
	lua_pushinteger(L, (lua_Integer)sampler_at(L, 1)->st->message_count);
	return 1;
}

static int message(lua_State *L)
{
	const struct sampler *s = sampler_at(L, 1);
	size_t i = tuples_place(L, 2, s->st->message_count);
	if (i == s->st->message_count)
		return 0;
	const struct sampler_waiting *w = sampler_message(devices_of(machine_at(L, 1)), i);
	lua_createtable(L, 0, 5);
	tuples_set(L, w->message.tuple);
	tuples_set_integer(L, "count", w->message.count);
	tuples_set_integer(L, "arrived", w->arrived);
	return 1;
}

static unsigned stage_at(lua_State *L, int index, const struct sampler *s)
{
	lua_Integer stage = luaL_checkinteger(L, index);
	if (stage < 1 || stage > (lua_Integer)s->compressor.spec.count)
		binding_fail(L, "component %d of %d; right: 1 to %d", (int)stage, (int)s->compressor.spec.count, (int)s->compressor.spec.count);
	return (unsigned)stage - 1;
}

static int entry(lua_State *L)
{
	static const char *const states[] = {"empty", "valid", "evict"};
	const struct sampler *s = sampler_at(L, 1);
	unsigned stage = stage_at(L, 2, s);
	const struct component *c = &s->compressor.spec.stage[stage];
	lua_Integer i = luaL_checkinteger(L, 3);
	if (i < 0 || i >= (lua_Integer)c->entries)
		return binding_fail(L, "entry %d of %d; right: 0 to %d", (int)i, (int)c->entries, (int)c->entries - 1);
	lua_createtable(L, 0, 5);
	if (c->kind == COMPONENT_TAGGED) {
		const struct tagged_view v = compressor_tagged(&s->compressor, stage, (uint32_t)i);
		lua_pushstring(L, states[v.state]);
		lua_setfield(L, -2, "state");
		tuples_set_integer(L, "tag", v.tag);
		tuples_set_integer(L, "hits", v.hits);
		tuples_set_integer(L, "misses", v.misses);
	} else if (c->kind == COMPONENT_ASSOCIATIVE) {
		const struct associative_view v = compressor_associative(&s->compressor, stage, (uint32_t)i);
		if (v.count)
			tuples_set(L, v.tuple);
		tuples_set_integer(L, "count", v.count);
		tuples_set_integer(L, "used", v.used);
	} else {
		const struct sampler_view v = compressor_sampler(&s->compressor, stage, (uint32_t)i);
		tuples_set_integer(L, "at", v.at);
		tuples_set_integer(L, "since", v.since);
	}
	return 1;
}

static int index_of(lua_State *L)
{
	const struct sampler *s = sampler_at(L, 1);
	unsigned stage = stage_at(L, 2, s);
	lua_pushinteger(L, compressor_index(&s->compressor, stage, tuples_check(L, 3)));
	return 1;
}

static int gaps(lua_State *L)
{
	const struct sampler_state *st = sampler_at(L, 1)->st;
	lua_newtable(L);
	for (int i = 0, n = 0; i < GAP_BUCKETS; i++) {
		if (!st->gap[i])
			continue;
		lua_createtable(L, 0, 3);
		tuples_set_integer(L, "from", i ? UINT64_C(1) << (i - 1) : 0);
		tuples_set_integer(L, "below", UINT64_C(1) << i);
		tuples_set_integer(L, "messages", st->gap[i]);
		lua_rawseti(L, -2, ++n);
	}
	return 1;
}

/* ---- exact counts ---- */
static int next_tuple(lua_State *L)
{
	const struct sampler_exact *x = exact_at(L, lua_upvalueindex(1));
	uint32_t i = (uint32_t)lua_tointeger(L, lua_upvalueindex(2));
	if (i >= x->head.entries)
		return 0;
	const struct exact_tuple t = sampler_exact_tuple(x, i);
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	tuples_push(L, t.tuple);
	lua_pushinteger(L, (lua_Integer)t.selected);
	lua_pushinteger(L, (lua_Integer)t.told);
	return 5;
}

static int tuples(lua_State *L)
{
	exact_at(L, 1);
	return tuples_iterate(L, next_tuple);
}

static int count(lua_State *L)
{
	const struct exact_tuple t = sampler_exact_find(exact_at(L, 1), tuples_check(L, 2));
	lua_pushinteger(L, (lua_Integer)t.selected);
	lua_pushinteger(L, (lua_Integer)t.told);
	return 2;
}

static int lost(lua_State *L)
{
	const struct sampler_exact *x = exact_at(L, 1);
	lua_pushinteger(L, (lua_Integer)x->head.lost);
	lua_pushinteger(L, (lua_Integer)x->head.lost_told);
	return 2;
}

static int profiles(lua_State *L)
{
	const struct sampler_exact *x = exact_at(L, 1);
	struct tuple_profile *ideal = tuples_new_profile(L), *told = tuples_new_profile(L);
	host_tick(L, x->head.entries / ENTRIES_PER_STEP + 1);
	for (uint32_t i = 0; i < x->head.entries; i++) {
		const struct exact_tuple t = sampler_exact_tuple(x, i);
		tuples_count(L, ideal, t.tuple, t.selected);
		if (t.told)
			tuples_count(L, told, t.tuple, t.told);
	}
	return 2;
}

static struct tuple_error error_of(lua_State *L, const struct lua_machine *m, const struct tuple_thresholds *limits)
{
	const struct sampler_exact *x = sampler_exact_of(devices_of(m));
	struct tuple_error e;
	host_tick(L, x->head.entries / ENTRIES_PER_STEP + 1);
	if (!sampler_exact_error(devices_of(m), limits, &e))
		binding_fail(L, "out of memory for the error of %s's sampler", m->name);
	return e;
}

static int error_now(lua_State *L)
{
	static const char *const keys[] = {TUPLES_THRESHOLD_KEYS, NULL};
	struct lua_machine *m = machine_at(L, 1);
	struct tuple_thresholds t = sampler_thresholds(devices_of(m)->cfg);
	exact_at(L, 1);
	if (!lua_isnoneornil(L, 2)) {
		luaL_checktype(L, 2, LUA_TTABLE);
		api_check_keys(L, 2, "m.sampler:error", keys);
		tuples_thresholds(L, 2, &t);
	}
	const struct tuple_error e = error_of(L, m, &t);
	tuples_push_error(L, &e);
	return 2;
}

static void push_bucket(lua_State *L, const struct exact_bucket *b)
{
	lua_createtable(L, 0, 8);
	if (b->selected)
		tuples_set(L, b->tuple);
	tuples_set_integer(L, "distinct", b->distinct);
	tuples_set_integer(L, "selected", b->selected);
	tuples_set_integer(L, "most", b->most);
	lua_pushnumber(L, b->bias);
	lua_setfield(L, -2, "bias");
	lua_pushnumber(L, b->entropy);
	lua_setfield(L, -2, "entropy");
}

static int buckets(lua_State *L)
{
	const struct sampler *s = sampler_at(L, 1);
	const struct sampler_exact *x = exact_at(L, 1);
	const unsigned stage = lua_isnoneornil(L, 2) ? 0 : stage_at(L, 2, s);
	const uint32_t n = sampler_exact_buckets(&s->compressor, stage);
	host_tick(L, x->head.entries / ENTRIES_PER_STEP + n + 1);
	struct exact_bucket *all = lua_newuserdatauv(L, (n + 1) * sizeof *all, 0);
	sampler_exact_fill(devices_of(machine_at(L, 1)), stage, all);
	lua_newtable(L);
	for (uint32_t i = 0; i < n; i++) {
		push_bucket(L, &all[i]);
		lua_rawseti(L, -2, (lua_Integer)i);
	}
	return 1;
}

/* ---- running ---- */
/* Where to: whatever comes first. */
struct goal {
	uint64_t tuples, insts, cycles; /* of the machine, when it is there; FAR or more: no matter */
	bool functional;
};

static uint64_t selected(const struct lua_machine *m)
{
	return machine_stats(m->s->machine)->sampler_selected;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* An instruction makes as many tuples as there are streams at most, so this many make no more than are wanted. */
static uint64_t insts_ahead(const struct lua_machine *m, const struct goal *g)
{
	const struct sampler_state *st = devices_of(m)->sampler.st;
	uint64_t streams_ = 0, left = g->tuples - selected(m);
	for (unsigned i = 0; i < SAMPLER_STREAMS_MAX; i++)
		streams_ += st->stream[i].kind != 0;
	left = streams_ > 1 ? left / streams_ : left;
	return least(left ? left : 1, g->insts - machine_insts(m->s->machine));
}

static bool ahead(const struct lua_machine *m, const struct goal *g)
{
	const struct machine *machine = m->s->machine;
	return machine_status(machine) == MACHINE_RUNNING && selected(m) < g->tuples && machine_insts(machine) < g->insts &&
	       machine_cycle(machine) < g->cycles;
}

/* A piece of the way. False if it is over: *began then says whether there was no error. */
static bool go_on(struct lua_machine *m, const struct goal *g, bool *began, struct err *err)
{
	struct run_stop_info info;
	uint64_t n = insts_ahead(m, g);
	*began = true;
	if (!ahead(m, g))
		return false;
	if (g->functional)
		return machine_run_functional(m->s->machine, least(n, FUNCTIONAL_PIECE), false) > 0 && !machine_interrupted(m->s->machine);
	if (g->cycles < FAR) {
		/* A cycle commits several instructions: it may be one too many. */
		n = least(n / RETIRED_MAX + 1, g->cycles - machine_cycle(m->s->machine));
		*began = run_cycles(m->s->run, n, true, &info, err);
	} else {
		*began = run_insts(m->s->run, n, true, &info, err);
	}
	return *began && info.reason == STOPPED_DONE;
}

/* To the goal, or the end of the program, a breakpoint or an interrupt. The caller has nothing that a Lua error would leave
 * behind, but the sink. */
static void advance(lua_State *L, struct lua_machine *m, const struct goal *g)
{
	struct run *before = m->script->moving;
	struct err err;
	bool began;
	hooks_begin(m->script);
	m->script->moving = m->s->run;
	while (go_on(m, g, &began, &err))
		;
	m->script->moving = before;
	devices_of(m)->sampler.sink = NULL;
	if (g->functional)
		run_reset(m->s->run, m->s->machine);
	hooks_check(L);
	if (!began)
		binding_fail(L, "%s", err.msg);
	host_tick(L, 1); /* an interrupt that came meanwhile is for the script, too */
}

static uint64_t after(uint64_t now, uint64_t n)
{
	return n < FAR ? now + n : UINT64_MAX;
}

/* Of the table at `index`, or none: all the way. */
static struct goal goal_at(lua_State *L, int index, struct lua_machine *m, const char *tuples_key)
{
	struct goal g = {.tuples = UINT64_MAX, .insts = UINT64_MAX, .cycles = UINT64_MAX};
	api_refuse_looking(L, m->script, "a motion");
	api_refuse_moving(L, m, "run for the sampler");
	if (lua_istable(L, index)) {
		g.tuples = after(selected(m), api_option_count(L, index, tuples_key, FAR));
		g.insts = after(machine_insts(m->s->machine), api_option_count(L, index, "insts", FAR));
		g.cycles = after(machine_cycle(m->s->machine), api_option_count(L, index, "cycles", FAR));
		g.functional = api_option_flag(L, index, "functional", false);
	}
	if (g.functional && machine_cycle(m->s->machine))
		binding_fail(L, "%s is in cycle %d: it runs without timing before its first cycle only", m->name,
		             (int)machine_cycle(m->s->machine));
	if (g.functional && g.cycles != UINT64_MAX)
		binding_fail(L, "there are no cycles without timing: tuples = N or insts = N say how far");
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

static int record(lua_State *L)
{
	static const char *const keys[] = {"tuples", "insts", "cycles", "functional", NULL};
	struct lua_machine *m = machine_at(L, 1);
	struct recording r = {.to = tuples_stream(L, 2), .m = m};
	size_t had = r.to->count, room = r.to->room;
	if (!lua_isnoneornil(L, 3)) {
		luaL_checktype(L, 3, LUA_TTABLE);
		api_check_keys(L, 3, "m.sampler:record", keys);
	}
	struct goal g = goal_at(L, 3, m, "tuples");
	/* What is selected besides in the last cycle finds room, too. */
	if (g.tuples != UINT64_MAX && g.tuples - selected(m) < r.to->most - r.to->count)
		tuples_reserve(L, r.to, (size_t)least(g.tuples - selected(m) + RETIRED_MAX * SAMPLER_STREAMS_MAX, r.to->most - r.to->count));
	else
		g.tuples = least(g.tuples, selected(m) + (r.to->most - r.to->count));
	struct sampler *s = &devices_of(m)->sampler;
	s->sink_ctx = &r;
	s->sink = record_one;
	advance(L, m, &g);
	tuples_grown(L, (r.to->room - room) * sizeof *r.to->at);
	if (r.outcome == TUPLES_NO_MEMORY)
		return binding_fail(L, "out of memory for a stream, at tuple %d", (int)r.to->count);
	lua_pushinteger(L, (lua_Integer)(r.to->count - had));
	return 1;
}

static void set_number(lua_State *L, const char *name, double v)
{
	lua_pushnumber(L, v);
	lua_setfield(L, -2, name);
}

/* One row about now. */
static void push_row(lua_State *L, const struct lua_machine *m, const struct tuple_thresholds *limits)
{
	const struct stats *s = machine_stats(m->s->machine);
	const double cycles = (double)stats_guest_cycle(s, machine_cycle(m->s->machine));
	struct tuple_error e = {.error = NAN};
	if (sampler_exact_of(devices_of(m)))
		e = error_of(L, m, limits);
	lua_createtable(L, 0, 12);
	tuples_set_integer(L, "tuples", s->sampler_selected);
	tuples_set_integer(L, "dropped", s->sampler_dropped);
	tuples_set_integer(L, "insts", machine_insts(m->s->machine));
	tuples_set_integer(L, "cycles", stats_guest_cycle(s, machine_cycle(m->s->machine)));
	tuples_set_integer(L, "messages", s->sampler_messages);
	tuples_set_integer(L, "read", s->sampler_read);
	tuples_set_integer(L, "interrupts", s->firmware_interrupts);
	if (!isnan(e.error))
		set_number(L, "error", e.error);
	set_number(L, "model_overhead", cycles > 0 ? (double)s->sampler_model_cycles / cycles : 0);
	set_number(L, "measured_overhead", cycles > 0 ? (double)s->firmware_cycles / cycles : 0);
}

static int series(lua_State *L)
{
	static const char *const keys[] = {"every", "until_tuples", "insts", "cycles", "functional", TUPLES_THRESHOLD_KEYS, NULL};
	struct lua_machine *m = machine_at(L, 1);
	luaL_checktype(L, 2, LUA_TTABLE);
	api_check_keys(L, 2, "m.sampler:series", keys);
	struct tuple_thresholds t = sampler_thresholds(devices_of(m)->cfg);
	tuples_thresholds(L, 2, &t);
	uint64_t every = api_option_count(L, 2, "every", 0), until = api_option_count(L, 2, "until_tuples", UINT64_MAX);
	if (!every)
		return binding_fail(L, "m.sampler:series needs every = N: a row whenever so many more tuples were selected");
	struct goal g = goal_at(L, 2, m, "tuples");
	lua_newtable(L);
	for (lua_Integer n = 1; ; n++) {
		uint64_t before = selected(m);
		g.tuples = least(until, before - before % every + every);
		if (!ahead(m, &g))
			break;
		advance(L, m, &g);
		push_row(L, m, &t);
		lua_rawseti(L, -2, n);
		if (selected(m) < g.tuples)
			break;
	}
	return 1;
}

static const struct binding methods[] = {
	{"streams", streams, "m.sampler:streams() -> { TEXT, ... }", "What is profiled now, as sampler.select says it; firmware may have changed that."},
	{"stages", stages, "m.sampler:stages() -> { { text =, bits =, came =, left =, entries =, buckets = }, ... }",
	 "The compressor's components: what each is, its storage, what came to it and left it, its counters, and the sets that its hash has."},
	{"bits", bits, "m.sampler:bits() -> N", "Storage that the compressor takes in hardware."},
	{"held", held, "m.sampler:held() -> N", "Tuples that are somewhere in the sampler, or in messages that wait; exactly, of lossless compressors."},
	{"waiting", waiting, "m.sampler:waiting() -> N", "Messages that wait for software."},
	{"message", message, "m.sampler:message(I) -> { pc =, value =, tag =, count =, arrived = }",
	 "The I-th message that waits, the oldest is 1; nothing if there is none. `arrived` is a cycle."},
	{"entry", entry, "m.sampler:entry(STAGE, I) -> TABLE",
	 "Counter I, from 0 on, of a component, from 1 on: { at =, since = } of samplers, { state =, tag =, hits =, misses = } of T, { pc =, value "
	 "=, tag =, count =, used = } of A."},
	{"index", index_of, "m.sampler:index(STAGE, PC, VALUE[, TAG]) -> N", "Which set of a component's table, from 0 on, this tuple goes to."},
	{"gaps", gaps, "m.sampler:gaps() -> { { from =, below =, messages = }, ... }",
	 "How many messages came so many cycles after the one before them, by powers of two; only what there is."},
	{"tuples", tuples, "for pc, value, tag, selected, told in m.sampler:tuples() do",
	 "Exact counts of every tuple, in the order in which they were first selected: how often it was, and how often it was by what messages "
	 "told software so far."},
	{"count", count, "m.sampler:count(PC, VALUE[, TAG]) -> SELECTED, TOLD", "The same of one tuple."},
	{"lost", lost, "m.sampler:lost() -> SELECTED, TOLD", "Tuples that exact counts had no room for (sampler.memory)."},
	{"profiles", profiles, "m.sampler:profiles() -> IDEAL, TOLD", "The same counts as two profiles (`help lua profile`)."},
	{"buckets", buckets, "m.sampler:buckets([STAGE]) -> { [0] = { distinct =, selected =, most =, bias =, entropy =, pc =, value =, tag = }, ... }",
	 "What the hardware doesn't know: of each set of a component's (the first's) table the tuples that belong there, the share of the most "
	 "frequent one, which that is, and the entropy in bits."},
	{"error", error_now, "m.sampler:error([{ min_count =, invariant =, covered =, tag = }]) -> ERROR, DETAILS",
	 "How far what software was told is from what was selected, as p:error of profiles has it; sampler.min_count and its kin if nothing else is said."},
	{"record", record, "m.sampler:record(STREAM[, { tuples =, insts =, cycles =, functional = }]) -> N",
	 "Runs forwards until so many more tuples are selected, instructions committed or cycles over, or to the end of the program, and puts "
	 "each selected tuple into the stream. It ends with its cycle, so there may be a few tuples more. With functional = true it runs "
	 "without timing, only before the first cycle; history begins anew behind that."},
	{"series", series, "m.sampler:series{ every = N, until_tuples =, insts =, cycles =, functional =, min_count =, ... } -> { ROW, ... }",
	 "Runs forwards in the same way, with a row whenever N more tuples were selected, and at the end: tuples, dropped, insts, cycles, messages, read, "
	 "interrupts, error, model_overhead (the paper's model) and measured_overhead (firmware's share), so far."},
};

const struct binding_area area_sampler = {
	.name = "recording", /* `help lua sampler` is the module's */
	.object = "sampler",
	.summary = "a machine's stream sampler",
	.text = "    local m = cyclops.machine{ program, config = { [\"sampler.enable\"] = true } }\n"
	        "    for _, row in ipairs(m.sampler:series{ every = 100000, functional = true }) do print(row.tuples, row.error) end\n"
	        "m.sampler.NAME is a statistic or parameter as before: m.sampler.selected. Compressors alone: `help lua compressor`.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

/* A method, or what `sampler` is to expressions: a group of statistics and parameters. */
static int sampler_index(lua_State *L)
{
	lua_pushvalue(L, 2);
	if (lua_rawget(L, lua_upvalueindex(1)) != LUA_TNIL)
		return 1;
	lua_getiuservalue(L, 1, 1);
	lua_getiuservalue(L, -1, MACHINE_ENV);
	lua_getfield(L, -1, "sampler");
	lua_pushvalue(L, 2);
	lua_gettable(L, -2);
	return 1;
}

static int get_sampler(lua_State *L)
{
	api_push_part(L, 1, SAMPLER);
	return 1;
}

static const struct binding value[] = {
	{"sampler", get_sampler, "m.sampler", "The stream sampler: `help lua recording`; its statistics and parameters as before."},
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
	static const luaL_Reg meta[] = {{NULL, NULL}};
	api_new_part(L, SAMPLER, meta);
	luaL_getmetatable(L, SAMPLER);
	lua_newtable(L);
	binding_register_object(L, "sampler", 0);
	lua_pushcclosure(L, sampler_index, 1);
	lua_setfield(L, -2, "__index");
	lua_pop(L, 1);
}
