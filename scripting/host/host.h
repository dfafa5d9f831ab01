/* The one Lua host. Expressions, conditions, configurations and scripts each run in an instance of
 * their own; none of them enters Lua in another way.
 *
 * A safe host computes and reaches nothing: no files (but NAME.lua in a folder, for `require`), no
 * processes, no bytecode, no finalizers, no weak tables, libraries that can't be assigned to. A
 * trusted one has all of Lua's libraries, and the times of its finalizers are its own concern. Both
 * stop for host_interrupt(), and in both a call may have a budget of steps and the host a cap of
 * memory.
 *
 * What ends a call (no steps left, a safe host's memory, an interrupt) can't be caught: every
 * thread raises again at its next step, and pcall, resume and the like let it pass. A step is an
 * instruction of Lua's; C functions that loop or copy charge for it (host_tick()), so that the
 * limit does not depend on time, and the same call ends at the same place.
 *
 * One thread. */
#ifndef CYCLOPS_SCRIPTING_HOST_HOST_H
#define CYCLOPS_SCRIPTING_HOST_HOST_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct lua_host;

struct host_options {
	bool trusted;
	/* memory that Lua may hold, 0: no cap; one text has at most a 16th of it */
	size_t bytes_max;
	uint64_t steps_max; /* VM instructions of one outermost call, 0: no limit */
	const char *folder; /* where `require` looks for NAME.lua, NULL: nowhere; copied */
	void *owner;        /* what host_owner() answers */
};

/* NULL with *err. */
struct lua_host *host_new(const struct host_options *opt, struct err *err);
void host_free(struct lua_host *h); /* takes NULL */

/* The thread that runs now: what host_call() calls is pushed there. */
lua_State *host_state(struct lua_host *h);
struct lua_host *host_of(lua_State *L);
void *host_owner(const struct lua_host *h);

bool host_is_trusted(const struct lua_host *h);
/* Whether a call is under way. */
bool host_is_busy(const struct lua_host *h);

/* Pushes the libraries that hosts of this kind have: a table with their names, once per host. Of a
 * safe one the table is the caller's, the libraries in it are frozen. */
void host_push_libraries(lua_State *L);
/* Pushes what a file of Lua sees as its globals: the libraries and, in a safe host, room for names
 * of its own behind which theirs can't be hidden. What is compiled from now on has it. */
void host_push_environment(lua_State *L);
/* Puts a read-only stand-in in the place of the table on top of the stack; `name` is what messages
 * call it. The table itself is reached from nowhere else if the caller keeps it nowhere. */
void host_freeze(lua_State *L, const char *name);
/* The value on top of the stack, which is popped, becomes what `require "NAME"` answers. */
void host_set_module(lua_State *L, const char *name);
/* As luaL_loadbufferx() of a text, but can be stopped; never bytecode, and errors of syntax are of
 * one line. In a protected call. */
int host_load(lua_State *L, const char *text, size_t n, const char *name);

/* Calls as lua_pcall() does: the function and `args` arguments are on the stack and leave it. A
 * call within a call shares its budget. False with *err: what went wrong as a text, whatever was
 * thrown; the stack is as before without function and arguments. */
bool host_call(struct lua_host *h, int args, int results, struct err *err);
/* The same with a budget of its own, for `who`, which the message about an exceeded one names
 * ("hook 3 on commit"). */
bool host_call_within(struct lua_host *h, int args, int results, uint64_t steps, const char *who,
                      struct err *err);
/* Steps that the last of these took. */
uint64_t host_steps_taken(const struct lua_host *h);
/* Where the error of the last failed call came about: a traceback of several lines, "" if none is
 * known. Good until the next call. */
const char *host_traceback(const struct lua_host *h);

/* A value of this type as messages name it: "a table", "nothing" of nil. */
const char *host_a(int type);

/* Charges so many steps. False if none are left: what is under way ends where it can. */
bool host_charge(struct lua_host *h, uint64_t steps);
/* For C functions that loop: charges so many steps, and raises if there are none left or the host
 * is interrupted. */
void host_tick(lua_State *L, uint64_t steps);

/* Ends what runs in this host, or the next call if nothing does; safe in a signal handler. Sticky
 * until cleared. */
void host_interrupt(struct lua_host *h);
void host_clear_interrupt(struct lua_host *h);
bool host_is_interrupted(const struct lua_host *h);

#endif
