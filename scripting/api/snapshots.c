/* Snapshots and checkpoint files. */
#include <stdlib.h>
#include <string.h>

#include "core/os/journal.h"
#include "core/os/os.h"
#include "core/prof/common/attachment.h"
#include "scripting/api/api.h"

#define SNAPSHOT "cyclops.snapshot"

/* A state of one machine, with the information to restore it after that part of history was cut. */
struct kept {
	struct lua_machine *m;       /* its userdata is user value 1 */
	const struct machine *of;
	struct snapshot *state;      /* owned; NULL: dropped */
	struct config cfg;           /* the machine's at that time */
	uint64_t cycle, cuts;
	void *journal, *output, *files; /* owned */
	size_t journal_n, output_n, files_n;
};

static void api_snapshots_free_state(struct kept *k)
{
	snapshot_free(k->state);
	free(k->journal);
	free(k->output);
	free(k->files);
	k->state = NULL;
	k->journal = k->output = k->files = NULL;
}

static int snapshot_gc(lua_State *L)
{
	api_snapshots_free_state(luaL_checkudata(L, 1, SNAPSHOT));
	return 0;
}

static int snapshot_tostring(lua_State *L)
{
	const struct kept *k = luaL_checkudata(L, 1, SNAPSHOT);
	lua_pushfstring(L, "%s at cycle %I", k->m->name, (lua_Integer)k->cycle);
	return 1;
}

static int api_snapshots_create(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	struct machine *machine = m->s->machine;
	struct run_history h;
	struct err err;
	api_refuse_moving(L, m, "snapshot");
	run_history(m->s->run, &h);
	struct kept *k = lua_newuserdatauv(L, sizeof *k, 1);
	*k = (struct kept){.m = m,
	                   .of = machine,
	                   .cfg = *machine_config(machine),
	                   .cycle = machine_cycle(machine),
	                   .cuts = h.cuts};
	luaL_setmetatable(L, SNAPSHOT);
	lua_pushvalue(L, 1);
	lua_setiuservalue(L, -2, 1);
	k->state = machine_snapshot(machine);
	os_save_journal(machine_os_const(machine), false, &k->journal, &k->journal_n);
	os_save_output(machine_os_const(machine), &k->output, &k->output_n);
	os_save_files(machine_os_const(machine), &k->files, &k->files_n);
	if (k->state && k->journal && k->output && k->files)
		return 1;
	api_snapshots_free_state(k);
	os_save_failed(machine_os_const(machine), "a snapshot", &err);
	return binding_fail(L, "%s", err.msg);
}

static int api_snapshots_restore(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	const struct kept *k = luaL_checkudata(L, 2, SNAPSHOT);
	struct machine *machine = m->s->machine;
	struct run_history h;
	struct run_stop_info info;
	struct err err;
	api_refuse_moving(L, m, "restore");
	run_history(m->s->run, &h);
	if (k->m != m)
		return binding_fail(L, "this is a snapshot of %s, not of %s", k->m->name, m->name);
	if (k->of != machine || memcmp(&k->cfg, machine_config(machine), sizeof k->cfg) != 0 ||
	    !snapshot_serves(k->state, machine))
		return binding_fail(L,
		                    "%s was replaced since (by restart, a checkpoint, or a "
		                    "younger state)",
		                    m->name);
	if (k->cuts == h.cuts && k->cycle >= h.first_cycle && m->s->history.history) {
		if (!run_goto_cycle(m->s->run, k->cycle, &info, &err))
			return binding_fail(L, "%s", err.msg);
		return 0;
	}
	if (!machine_revive(machine, k->state, k->journal, k->journal_n, &err))
		return binding_fail(L, "%s", err.msg);
	os_load_output(machine_os(machine), k->output, k->output_n);
	os_load_files(machine_os(machine), k->files, k->files_n);
	run_reset(m->s->run, machine);
	m->s->selected_seq = 0;
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
