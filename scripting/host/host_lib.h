/* Lua's libraries as scripts get them: what can take long charges steps and can be stopped.
 *
 * For scripting/host*.c and lib_*.c only. Each lib_set_*() replaces functions in the table on top
 * of the stack. */
#ifndef CYCLOPS_SCRIPTING_HOST_HOST_LIB_H
#define CYCLOPS_SCRIPTING_HOST_HOST_LIB_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* The registry's table of what a safe host's `require` has loaded. Lua's own has the libraries as
 * they were, for tracebacks. */
#define SAFE_MODULES "cyclops.modules"

enum {
	CHARACTERS_PER_STEP = 2, /* that a pattern compares one by one */
	BYTES_PER_STEP = 64,     /* that are copied or searched as a whole */
	PLAIN_PIECE = 1 << 20,   /* bytes that are searched for a plain text in one go */
	HOST_STEPS = 128,        /* between two looks of Lua's own loop */
};

/* lib_patterns.c: find, match, gmatch, gsub of string */
void lib_set_patterns(lua_State *L);
/* lib_string.c: rep; and charges for what else reads or makes texts, in string and in utf8 */
void lib_set_string(lua_State *L);
void lib_set_utf8(lua_State *L);
/* lib_table.c: all of table */
void lib_set_table(lua_State *L);
/* lib_coroutine.c: resume, wrap, close */
void lib_set_coroutine(lua_State *L);
/* lib_base.c: pcall and xpcall of every host; what a safe one has otherwise than Lua */
void lib_set_calls(lua_State *L);
void lib_set_safe_base(lua_State *L);
/* lib_require.c: require of a safe host */
void lib_set_require(lua_State *L);

/* ---- host.c ---- */
/* Raises the error that ends the call under way, if it is to end: out of steps, out of memory, or
 * interrupted. */
void host_go_on(lua_State *L);
/* The same as a question. */
bool host_is_stopping(lua_State *L);
/* Lua said that there is no memory: a safe host's call ends, whoever catches the error. */
void host_note_memory(lua_State *L);
/* The thread that runs from now on. */
void host_set_running(lua_State *L);
/* This thread looks up when it has done HOST_STEPS steps. */
void host_watch(lua_State *L);
/* Bytes of the longest text that there can be. */
size_t host_text_max(lua_State *L);
const char *host_folder(lua_State *L);

/* ---- host_env.c ---- */
/* Whether the table at `index` is one that host_freeze() made. */
bool host_is_frozen(lua_State *L, int index);

#endif
