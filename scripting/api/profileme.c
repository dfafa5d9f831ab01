/* m.profileme: ProfileMe's counts, for scripts. */
#include "core/prof/common/prof.h"
#include "core/prof/profileme/profileme.h"
#include "scripting/api/api.h"
#include "scripting/api/tuples.h"

#define PROFILEME "cyclops.machine.profileme"

static const struct prof *devices_here(lua_State *L, int index)
{
	const struct lua_machine *m = api_machine_of_part(L, index, PROFILEME);
	const struct prof *d = machine_pipe(m->s->machine)->prof;
	if (!d->profileme->st)
		binding_fail(L, "%s has no ProfileMe: it needs profileme.enable=true", m->name);
	return d;
}

/* Sets a table of named numbers, without zeros. */
static void set_counts(lua_State *L, const char *name, const char *const *names,
                       const uint64_t *counts, unsigned n)
{
	lua_newtable(L);
	for (unsigned i = 0; i < n; i++)
		if (counts[i])
			binding_set_integer(L, names[i], counts[i]);
	lua_setfield(L, -2, name);
}

static void push_counts(lua_State *L, const struct prof *d, const struct profileme_counts *c)
{
	const uint64_t retired = c->fates[PROFILEME_FATE_RETIRED], all = profileme_all_delay(d);
	lua_createtable(L, 0, 9);
	binding_set_integer(L, "records", profileme_samples(c));
	binding_set_integer(L, "retired", retired);
	binding_set_number(L, "executions", (double)retired * profileme_scale(d));
	binding_set_number(L, "share", all ? (double)c->delay / (double)all : 0);
	if (retired)
		binding_set_number(L, "delay", (double)c->delay / (double)retired);
	set_counts(L, "events", profileme_event_name, c->events, PROFILEME_EVENT_COUNT);
	set_counts(L, "fates", profileme_fate_name, c->fates, PROFILEME_FATE_COUNT);
	lua_newtable(L);
	for (unsigned i = 0; retired && i < PROFILEME_LATENCY_COUNT; i++)
		binding_set_number(L, profileme_latency_name[i],
		                   (double)c->latency[i] / (double)retired);
	lua_setfield(L, -2, "latency");
}

static int api_profileme_counts_at_pc(lua_State *L)
{
	const struct prof *d = devices_here(L, 1);
	const struct profileme_counts *c =
		profileme_find(d, api_address(L, 2, api_machine_of_part(L, 1, PROFILEME)->s));
	if (!c)
		return 0;
	push_counts(L, d, c);
	return 1;
}

/* Upvalues: the part, the next entry. */
static int api_profileme_next_entry(lua_State *L)
{
	const struct prof *d = devices_here(L, lua_upvalueindex(1));
	const uint32_t i = (uint32_t)lua_tointeger(L, lua_upvalueindex(2));
	uint64_t pc;
	if (i >= profileme_entries(d))
		return 0;
	lua_pushinteger(L, (lua_Integer)i + 1);
	lua_replace(L, lua_upvalueindex(2));
	const struct profileme_counts *c = profileme_entry(d, i, &pc);
	lua_pushinteger(L, (lua_Integer)pc);
	push_counts(L, d, c);
	return 2;
}

static int api_profileme_iterate_entries(lua_State *L)
{
	devices_here(L, 1);
	lua_settop(L, 1);
	lua_pushinteger(L, 0);
	lua_pushcclosure(L, api_profileme_next_entry, 2);
	return 1;
}

static int api_profileme_current_state(lua_State *L)
{
	static const char *const phases[] = {"counts", "follows", "holds"};
	const struct profileme_state *st = devices_here(L, 1)->profileme->st;
	lua_createtable(L, 0, 6);
	lua_pushstring(L, phases[st->phase]);
	lua_setfield(L, -2, "phase");
	binding_set_integer(L, "interval", st->interval);
	binding_set_integer(L, "left", st->left);
	if (st->phase == PROFILEME_COUNTS)
		return 1;
	binding_set_integer(L, "pc", st->record.pc);
	binding_set_integer(L, "seq", st->record.seq);
	if (st->phase == PROFILEME_FOLLOWS)
		return 1;
	lua_pushstring(L, profileme_fate_name[st->record.fate]);
	lua_setfield(L, -2, "fate");
	return 1;
}

static const struct binding methods[] = {
	{"at", api_profileme_counts_at_pc,
         "m.profileme:at(PLACE) -> { records =, retired =, executions =, share =, delay =, events "
         "= {}, fates = {}, latency = {} }",
         "Samples of the instruction there, nothing if there are none: records, retired ones, the "
         "estimate of its executions, its share of all cycles (0 to 1), its mean retire delay in "
         "cycles; events and fates are records by name, latency has mean cycles by name."},
	{"all", api_profileme_iterate_entries, "for PC, COUNTS in m.profileme:all() do",
         "The same for each instruction, in the order of their first samples."},
	{"now", api_profileme_current_state,
         "m.profileme:now() -> { phase =, interval =, left =, pc =, seq =, fate = }",
         "The device's phase: 'counts' instructions until the next gets the tag (left, of "
         "interval), 'follows' one, or 'holds' its record until it is read."},
};

const struct binding_area area_profileme = {
	.name = "profileme",
	.object = "profileme",
	.summary = "one instruction at a time: retire delays, latencies, events",
	.text = "    local m = cyclops.machine{ program = \"build/demos/sort\", set = { "
                "[\"profileme.enable\"] = true } }\n"
		"    m:run()\n"
		"    for pc, c in m.profileme:all() do print(m.where(pc), c.delay, c.share) end\n"
		"Machines with profileme.enable=true; `report profileme` shows the same as a "
                "table. m.profileme.NAME is a statistic or a parameter.",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

static int get_profileme(lua_State *L)
{
	api_push_part(L, 1, PROFILEME);
	return 1;
}

static const struct binding value[] = {
	{"profileme", get_profileme, "m.profileme",
         "ProfileMe: `help lua profileme`; its statistics and parameters as words."},
};

const struct binding_area area_profileme_value = {
	.name = "delays",
	.object = "machine.",
	.summary = "reaching a machine's ProfileMe",
	.text = "",
	.bindings = value,
	.count = sizeof value / sizeof *value,
};

void api_open_profileme(lua_State *L)
{
	api_new_worded_part(L, PROFILEME, "profileme");
}
