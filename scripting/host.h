/* The one Lua host. Expressions, conditions, configurations and scripts each run in an instance of their own; none of them
 * enters Lua in another way.
 *
 * A safe host computes and reaches nothing: no files, no processes, no bytecode, shared tables that can't be assigned
 * to. A trusted one has all of Lua's libraries. Both stop for host_interrupt(), and in both a call may have a budget of steps
 * and the host a cap of memory.
 *
 * One thread. */
#ifndef CYCLOPS_SCRIPTING_HOST_H
#define CYCLOPS_SCRIPTING_HOST_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

struct lua_host;

struct host_options {
	bool trusted;
	size_t bytes_max;   /* memory that Lua may hold, 0: no cap */
	uint64_t steps_max; /* VM instructions of one outermost call, 0: no limit */
	const char *folder; /* where `require` looks for NAME.lua, NULL: nowhere; copied */
	void *owner;        /* what host_owner() answers */
};

/* NULL with *err. */
struct lua_host *host_new(const struct host_options *opt, struct err *err);
void host_free(struct lua_host *h); /* takes NULL */

lua_State *host_state(struct lua_host *h);
struct lua_host *host_of(lua_State *L);
void *host_owner(const struct lua_host *h);

/* Pushes the libraries that hosts of this kind have: a new table with their names. */
void host_push_libraries(lua_State *L);

/* Calls as lua_pcall() does: the function and `args` arguments are on the stack and leave it. A call within a call shares its
 * budget. False with *err: what went wrong as a text, whatever was thrown; the stack is as before without function and
 * arguments. */
bool host_call(struct lua_host *h, int args, int results, struct err *err);
/* The same with a budget of its own, for `who`, which the message about an exceeded one names ("hook 3 on commit"). */
bool host_call_within(struct lua_host *h, int args, int results, uint64_t steps, const char *who, struct err *err);
/* Where the error of the last failed call came about: a traceback of several lines, "" if none is known. Good until the next
 * call. */
const char *host_traceback(const struct lua_host *h);

/* For C functions that loop: charges so many steps, and raises if there are none left or the host is interrupted. */
void host_tick(lua_State *L, uint64_t steps);

/* Ends what runs in this host, or the next call if nothing does; safe in a signal handler. Sticky until cleared. */
void host_interrupt(struct lua_host *h);
void host_clear_interrupt(struct lua_host *h);

#endif
