/* Shared by this folder's files: a plug-in written in Lua. plugin.c loads, plugin_calls.c calls,
 * plugin_env.c has its globals and kept variables, plugin_state.c its tables, plugin_arguments.c
 * the fields of arguments. */
#ifndef CYCLOPS_SCRIPTING_PLUGIN_LUA_PLUGIN_H
#define CYCLOPS_SCRIPTING_PLUGIN_LUA_PLUGIN_H

#include <lua.h>

#include "core/pipe/plugin.h"
#include "scripting/host/host.h"

enum { PLUGIN_NAME_MAX = 48 };

/* Kinds of arguments with fields (plugin_arguments.c). */
enum plugin_argument {
	ARGUMENT_CONTROL,
	ARGUMENT_OUTCOME,
	ARGUMENT_ACCESS,
	ARGUMENT_FLAG,
	ARGUMENT_DECODED,
	ARGUMENT_WAYS,
	ARGUMENT_WAY,
	ARGUMENT_HISTORY,
	ARGUMENTS
};

/* A local variable of the file that its functions use, with its value after loading. */
struct kept {
	int function, value; /* references in the registry */
	int index;           /* of the upvalue */
};

struct lua_plugin {
	struct plugin p;               /* its ctx is this */
	struct lua_host *host;         /* owned; its owner is this */
	struct lua_host *payer;        /* borrowed; the host charged for its calls, NULL: none */
	enum plugin_place place;
	char *name;                    /* owned */
	struct plugin_table table[PLUGIN_TABLES_MAX];
	char table_name[PLUGIN_TABLES_MAX][PLUGIN_NAME_MAX];
	/* names of its functions (struct kind in plugin.c); the second may be NULL */
	const char *decide_name, *notify_name;
	/* registry: these functions, and those of control instructions; LUA_NOREF: none */
	int decide, notify, fetched, resolved;
	int tables;                    /* registry: the functions' argument s */
	int outcomes;                  /* registry: their argument h */
	int arguments[ARGUMENTS];      /* registry: metatables of arguments with fields */
	struct kept *kept;             /* owned; [kept_count] */
	unsigned kept_count, kept_room;
	/* during a call */
	const struct plugin_state *state; /* NULL outside of calls */
	const struct plugin_history *history; /* of h; NULL: the call has none */
	const char *calls;                /* the function's name */
	bool reads_only;
	bool control;                     /* always: it predicts branches or targets */
};

static inline struct lua_plugin *plugin_of(lua_State *L)
{
	return host_owner(host_of(L));
}

#define PLUGIN_DECLARE "what a plug-in keeps is declared, state = { NAME = { ENTRIES, bits = N } }"

/* plugin_env.c; all but the first two raise Lua errors */
/* Restores the kept variables. Returns NULL if none had changed, else the name of the first that
 * had. */
const char *plugin_put_back(struct lua_plugin *p);
void plugin_kept_free(struct lua_plugin *p);
/* Pushes the read-only globals. */
void plugin_push_env(lua_State *L);
/* Pushes a table of the values made read-only so far: initially the globals, at `env`. */
void plugin_push_seen(lua_State *L, int env);
/* Makes everything reachable from the function at `index` read-only, and keeps its variables'
 * values. */
void plugin_freeze(lua_State *L, int index, int seen);

/* plugin_arguments.c: makes p->arguments; and lets reads and writes of other fields of the table on
 * top fail, which has all its fields now. */
void plugin_arguments_make(lua_State *L);
void plugin_arguments_close(lua_State *L, enum plugin_argument kind);

/* plugin_outcomes.c: makes p->outcomes. */
void plugin_outcomes_make(lua_State *L);

/* plugin_state.c; raise Lua errors */
/* Reads state = {...} at `index` (nil: none) into p->table, and makes p->tables. */
void plugin_read_state(lua_State *L, int index);

#endif
