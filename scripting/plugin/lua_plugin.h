/* A plug-in that is written in Lua, as this folder's files share it: plugin.c loads, plugin_calls.c
 * calls, plugin_env.c is what they can reach and what they keep, plugin_state.c their tables. */
#ifndef CYCLOPS_SCRIPTING_PLUGIN_LUA_PLUGIN_H
#define CYCLOPS_SCRIPTING_PLUGIN_LUA_PLUGIN_H

#include <lua.h>

#include "core/pipe/plugin.h"
#include "scripting/host/host.h"

enum { PLUGIN_NAME_MAX = 48 };

/* A local variable of the file that its functions see, as it was when they were loaded. */
struct kept {
	int function, value; /* references in the registry */
	int index;           /* of the upvalue */
};

struct lua_plugin {
	struct plugin p;               /* its ctx is this */
	struct lua_host *host;         /* owned; its owner is this */
	struct lua_host *payer;        /* borrowed; who is charged for its calls, NULL: nobody */
	enum plugin_place place;
	char *name;                    /* owned */
	struct plugin_table table[PLUGIN_TABLES_MAX];
	char table_name[PLUGIN_TABLES_MAX][PLUGIN_NAME_MAX];
	/* names of its functions, struct kind in plugin.c; the second may be NULL */
	const char *decides, *hears;
	int decide, hear;              /* registry: these; LUA_NOREF: none */
	int tables;                    /* registry: what functions get as s */
	struct kept *kept;             /* owned; [kept_count] */
	unsigned kept_count, kept_room;
	/* during a call */
	const struct plugin_state *state; /* NULL: no call is under way */
	bool reads_only;
};

static inline struct lua_plugin *plugin_of(lua_State *L)
{
	return host_owner(host_of(L));
}

#define PLUGIN_DECLARE "what a plug-in keeps is declared, state = { NAME = { ENTRIES, bits = N } }"

/* plugin_env.c; all but the first two raise Lua errors */
/* Makes the kept variables what they were. NULL if they are; else the name of the first that was
 * not. */
const char *plugin_put_back(struct lua_plugin *p);
void plugin_kept_free(struct lua_plugin *p);
/* Pushes the read-only globals. */
void plugin_push_env(lua_State *L);
/* Pushes a table of what has been made read-only: at first the globals, which are at `env`. */
void plugin_push_seen(lua_State *L, int env);
/* Makes everything that the function at `index` can reach read-only, and keeps its variables. */
void plugin_freeze(lua_State *L, int index, int seen);

/* plugin_state.c; raise Lua errors */
/* Reads state = {...} at `index` (nil: none) into p->table, and makes p->tables. */
void plugin_read_state(lua_State *L, int index);

#endif
