/* The program's output. */
#include "core/os/os.h"
#include "scripting/api/api.h"

static int api_output_read_stream(lua_State *L)
{
	const struct machine *m = api_session(L)->machine;
	lua_Integer fd = luaL_optinteger(L, 2, 1);
	uint64_t first;
	size_t n;
	luaL_argcheck(L, fd == 1 || fd == 2, 2, "1 (standard output) or 2 (standard error)");
	const struct os *os = machine_os_const(m);
	const char *bytes = os_output(os, (int)fd, &first, &n);
	uint64_t limit = os_state_const(os)->out_bytes[fd - 1];
	if (limit && !n)
		return binding_fail(
			L, "the last 1 MiB of output is kept, and this cycle is before it");
	lua_pushlstring(L, bytes, n);
	lua_pushinteger(L, (lua_Integer)limit);
	return 2;
}

static const struct binding methods[] = {
	{"output", api_output_read_stream, "m:output([1 | 2]) -> TEXT, COUNT",
         "The program's output up to this cycle, on standard output or, with 2, on standard "
         "error: its last 1 MiB, and the number of all bytes. After a reverse motion it is the "
         "output up to that cycle."},
};

const struct binding_area area_output = {
	.name = "output",
	.object = "machine",
	.summary = "the program's output",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
