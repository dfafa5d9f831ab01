/* Lua's libraries for scripts: functions that may take long charge steps and can be interrupted.
 *
 * For scripting/host*.c and lib_*.c only. Each lib_set_*() replaces functions in the table on top
 * of the stack. */
#ifndef CYCLOPS_SCRIPTING_HOST_HOST_LIB_H
#define CYCLOPS_SCRIPTING_HOST_HOST_LIB_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>

/* Registry key of the modules loaded by a safe host's `require`. Lua's own table has the original
 * libraries, for tracebacks. */
#define SAFE_MODULES "cyclops.modules"

enum {
	CHARACTERS_PER_STEP = 2, /* compared by a pattern */
	BYTES_PER_STEP = 64,     /* copied or searched */
	PLAIN_PIECE = 1 << 20,   /* bytes searched for a plain text between ticks */
	HOST_STEPS = 128,        /* between two calls of the count hook */
};

/* lib_patterns.c: find, match, gmatch, gsub of string */
void lib_set_patterns(lua_State *L);
/* lib_string.c: rep; wraps other functions of string and utf8, to charge for the texts that they
 * read or make */
void lib_set_string(lua_State *L);
void lib_set_utf8(lua_State *L);
/* lib_table.c: all functions of table */
void lib_set_table(lua_State *L);
/* lib_coroutine.c: resume, wrap, close */
void lib_set_coroutine(lua_State *L);
/* lib_base.c: pcall and xpcall of every host; functions that differ in a safe host */
void lib_set_calls(lua_State *L);
void lib_set_safe_base(lua_State *L);
/* lib_trusted.c: wraps functions of a trusted host that Ctrl-C would not end; the globals are on
 * top */
void lib_set_trusted(lua_State *L);
/* lib_require.c: require of a safe host */
void lib_set_require(lua_State *L);

/* ---- host.c ---- */
/* Raises the error that ends the current call if it is out of steps, out of memory, or interrupted.
 */
void host_go_on(lua_State *L);
/* True if host_go_on() would raise an error. */
bool host_is_stopping(lua_State *L);
/* Records that Lua is out of memory: a safe host's call ends, even if the script catches the error.
 */
void host_note_memory(lua_State *L);
/* Sets the current thread. */
void host_set_running(lua_State *L);
/* Makes this thread check after every HOST_STEPS steps. */
void host_watch(lua_State *L);
/* The options' function, or NULL. */
int (*host_execute(lua_State *L))(const char *command);
/* Bytes of the longest allowed string. */
size_t host_text_max(lua_State *L);
const char *host_folder(lua_State *L);

/* ---- host_env.c ---- */
/* Whether the table at `index` is one that host_freeze() made. */
bool host_is_frozen(lua_State *L, int index);

#endif
