/* Snapshots and checkpoint files. */
#include "hwviews/session/kept_state.h"
#include "scripting/api/api.h"

#define SNAPSHOT "cyclops.snapshot"

/* A state of one machine. */
struct kept {
	struct lua_machine *m; /* its userdata is user value 1 */
	struct kept_state is;  /* owned */
};

static int snapshot_gc(lua_State *L)
{
	struct kept *k = luaL_checkudata(L, 1, SNAPSHOT);
	kept_state_drop(&k->is);
	return 0;
}

static int snapshot_tostring(lua_State *L)
{
	const struct kept *k = luaL_checkudata(L, 1, SNAPSHOT);
	lua_pushfstring(L, "%s at cycle %I", k->m->name, (lua_Integer)k->is.cycle);
	return 1;
}

static int api_snapshots_create(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	struct err err;
	api_refuse_moving(L, m, "snapshot");
	struct kept *k = lua_newuserdatauv(L, sizeof *k, 1);
	*k = (struct kept){.m = m};
	luaL_setmetatable(L, SNAPSHOT);
	lua_pushvalue(L, 1);
	lua_setiuservalue(L, -2, 1);
	if (!kept_state_take(&k->is, m->s, &err))
		return binding_fail(L, "%s", err.msg);
	return 1;
}

static int api_snapshots_restore(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	const struct kept *k = luaL_checkudata(L, 2, SNAPSHOT);
	struct err err;
	enum kept_way way;
	api_refuse_moving(L, m, "restore");
	if (k->m != m)
		return binding_fail(L, "this is a snapshot of %s, not of %s", k->m->name, m->name);
	if (!kept_state_serves(&k->is, m->s))
		return binding_fail(L,
		                    "%s was replaced since (by restart, a checkpoint, or a "
		                    "younger state)",
		                    m->name);
	if (!kept_state_return(&k->is, m->s, &way, &err))
		return binding_fail(L, "%s", err.msg);
	return 0;
}

static const struct command_port *port_of(lua_State *L, const struct lua_machine *m,
                                          const char *what)
{
	const struct command_port *port = m->script->opt.commands;
	api_refuse_moving(L, m, what);
	if (!port)
		binding_fail(L, "%s: there are no checkpoint files here", what);
	return port;
}

static int api_snapshots_save_checkpoint(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	struct err err;
	const char *path = luaL_checkstring(L, 2);
	const struct command_port *port = port_of(L, m, "save");
	if (m->script->opt.safe)
		return binding_fail(L, "save: with --lua-safe no file is written");
	if (!port->save(m->s, path, &err))
		return binding_fail(L, "%s", err.msg);
	return 0;
}

static int api_snapshots_load_checkpoint(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	struct err err;
	const char *path = luaL_checkstring(L, 2);
	const struct command_port *port = port_of(L, m, "load");
	api_check_path(L, path, "load");
	if (!port->load(m->s, path, &err))
		return binding_fail(L, "%s", err.msg);
	return 0;
}

static const struct binding methods[] = {
	{"snapshot", api_snapshots_create, "m:snapshot() -> SNAPSHOT",
         "Keeps the present state; it shares memory with the machine until either writes it."},
	{"restore", api_snapshots_restore, "m:restore(SNAPSHOT)",
	 "Returns to the snapshot. Without later changes by hand this is m:go to its cycle, and "
         "history stays; otherwise the state is restored with its past, and history begins "
         "there."},
	{"save", api_snapshots_save_checkpoint, "m:save(PATH)",
         "Writes a checkpoint file, as the command `save`: for m:load, `restore`, `cyclops run "
         "--restore`."},
	{"load", api_snapshots_load_checkpoint, "m:load(PATH)",
         "Continues from a checkpoint file of the same program. History begins there; hooks stay; "
         "m:state tables are as saved."},
};

const struct binding_area area_snapshots = {
	.name = "snapshots",
	.object = "machine",
	.summary = "states to return to",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};

void api_open_snapshots(lua_State *L)
{
	static const luaL_Reg meta[] = {
		{"__gc", snapshot_gc}, {"__tostring", snapshot_tostring}, {NULL, NULL}};
	api_new_part(L, SNAPSHOT, meta);
}
