/* Words of the value sampler: the position of its handler, the distance to the next interrupt, and
 * its last stop. */
#include "scripting/expr/words.h"

#include <string.h>

#include "core/prof/common/prof.h"
#include "core/prof/values/vsample.h"
#include "scripting/binding.h"

static const struct vsample_state *words_vsample_check_sampler(lua_State *L, const struct words *w)
{
	const struct vsample_state *v = machine_pipe(words_machine(L, w))->prof->vsample->st;
	if (!v)
		binding_fail(L, "this machine has no value sampler (vsample.enable = false)");
	return v;
}

static bool words_vsample_find_number(const struct prof *d, const struct vsample_state *v,
                                      const char *name, uint64_t *value)
{
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {{"distance", vsample_distance(d)},
	               {"interval", v->interval},
	               {"countdown", v->countdown},
	               {"waiting", vsample_waiting(d)},
	               {"left", v->left},
	               {"place", v->place},
	               {"sampled_pc", v->sampled_pc},
	               {"stop_pc", v->stop_pc},
	               {"since", v->since}};
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if (!strcmp(numbers[i].name, name)) {
			*value = numbers[i].value;
			return true;
		}
	return false;
}

bool words_push_vsample(lua_State *L, int key)
{
	static const char *const own[] = {"distance", "interval", "countdown",  "waiting",
	                                  "left",     "place",    "sampled_pc", "stop_pc",
	                                  "since",    "phase",    "stop",       "pc"};
	const struct words *w = words_here(L);
	uint64_t value;
	unsigned i = 0;
	if (lua_isinteger(L, key))
		return false;
	const char *name = lua_tostring(L, key);
	while (i < sizeof own / sizeof *own && strcmp(own[i], name) != 0)
		i++;
	if (i == sizeof own / sizeof *own)
		return false;
	const struct vsample_state *v = words_vsample_check_sampler(L, w);
	const struct prof *d = machine_pipe(words_machine(L, w))->prof;
	if (words_vsample_find_number(d, v, name, &value))
		lua_pushinteger(L, (lua_Integer)value);
	else if (!strcmp(name, "phase"))
		lua_pushstring(L, vsample_phase_name[v->phase]);
	else if (!strcmp(name, "stop"))
		lua_pushstring(L, vsample_stop_name[v->stop]);
	else if (v->phase == VSAMPLE_INST || v->phase == VSAMPLE_LOAD)
		lua_pushinteger(L, (lua_Integer)v->pc);
	else
		lua_pushnil(L);
	return true;
}

const char *words_tell_vsample(void)
{
	return "vsample.distance (instructions to go), vsample.interval, vsample.countdown, "
	       "vsample.phase, vsample.pc (interpreted now), vsample.place, "
	       "vsample.left, vsample.stop, vsample.stop_pc, vsample.sampled_pc, vsample.since, "
	       "vsample.waiting";
}
