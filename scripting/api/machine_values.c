/* The values of a machine in Lua: m.status, m.name, m.program and others. */

#include "scripting/api/api.h"

/* ---- values ---- */
static int get_status(lua_State *L)
{
	static const char *const names[] = {
		[MACHINE_RUNNING] = "running", [MACHINE_EXITED] = "exited",
		[MACHINE_KILLED] = "killed",   [MACHINE_FAULTED] = "faulted",
		[MACHINE_STUCK] = "stuck",     [MACHINE_BROKEN] = "broken",
		[MACHINE_STARVED] = "starved",
	};
	lua_pushstring(L, names[machine_status(api_session(L)->machine)]);
	return 1;
}

static int get_exit_status(lua_State *L)
{
	const struct machine *m = api_session(L)->machine;
	enum machine_status status = machine_status(m);
	if (status == MACHINE_EXITED || status == MACHINE_KILLED)
		lua_pushinteger(L, machine_exit_status(m));
	else
		lua_pushnil(L);
	return 1;
}

static int get_failure(lua_State *L)
{
	const struct machine *m = api_session(L)->machine;
	if (machine_status(m) == MACHINE_BROKEN)
		lua_pushstring(L, machine_failure(m));
	else
		lua_pushnil(L);
	return 1;
}

static int get_fault(lua_State *L)
{
	const struct machine *m = api_session(L)->machine;
	const struct fault *f = machine_fault(m);
	if (machine_status(m) != MACHINE_FAULTED) {
		lua_pushnil(L);
		return 1;
	}
	lua_createtable(L, 0, 3);
	lua_pushstring(L, trap_name(f->trap));
	lua_setfield(L, -2, "name");
	lua_pushinteger(L, (lua_Integer)f->pc);
	lua_setfield(L, -2, "pc");
	if (trap_of_data(f->trap)) {
		lua_pushinteger(L, (lua_Integer)f->addr);
		lua_setfield(L, -2, "addr");
	}
	return 1;
}

static int machine_values_get_name(lua_State *L)
{
	lua_pushstring(L, api_machine(L, 1)->name);
	return 1;
}

static int get_echo(lua_State *L)
{
	lua_pushboolean(L, api_machine(L, 1)->echo);
	return 1;
}

static int get_program(lua_State *L)
{
	lua_pushstring(L, program_path(api_session(L)->program));
	return 1;
}

static const struct binding values[] = {
	{"status", get_status, "m.status",
         "'running', 'exited', 'killed' (by a signal of its own), 'faulted', 'stuck', or 'broken' "
         "(a plug-in failed: m.failure)."},
	{"exit_status", get_exit_status, "m.exit_status",
         "The program's exit status; nil before it exits."},
	{"failure", get_failure, "m.failure",
         "nil, or the plug-in that failed, with cycle, line and cause."},
	{"fault", get_fault, "m.fault",
         "nil, or the program's fault: { name =, pc =, addr = }."},
	{"name", machine_values_get_name, "m.name",
         "Its name in messages: as given to cyclops.machine, else 'machine 1'."},
	{"program", get_program, "m.program", "Path of the program's file."},
	{"echo", get_echo, "m.echo",
         "True if the program's output is passed through immediately. Can be set."},
};
const struct binding_area area_values = {
	.name = "values",
	.object = "machine.",
	.summary = "a machine's status",
	.text = "",
	.bindings = values,
	.count = sizeof values / sizeof *values,
};
