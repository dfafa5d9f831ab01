/* The only Lua host. Expressions, conditions, configurations and scripts each run in an instance of
 * their own; none of them enters Lua in another way.
 *
 * A safe host computes and reaches nothing: no files (except NAME.lua in a folder, for `require`),
 * no processes, no bytecode, no finalizers, no weak tables, libraries that can't be assigned to. A
 * trusted one has all of Lua's libraries, and may run finalizers at any time. Both stop for
 * host_interrupt(), and in both a call may have a budget of steps and the host a cap of memory.
 *
 * The end of a call (no steps left, a safe host's memory, an interrupt) can't be caught: every
 * thread raises again at its next step, and pcall, resume and the like pass it on. A step is a Lua
 * instruction; C functions that loop or copy charge for it (host_tick()), so that the limit does
 * not depend on time, and the same call ends at the same place.
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
	/* limit of Lua's memory, 0: none; a string may take a 16th of the limit */
	size_t bytes_max;
	uint64_t steps_max; /* VM instructions of one outermost call, 0: no limit */
	const char *folder; /* folder where `require` finds NAME.lua, NULL: none; copied */
	void *owner;        /* returned by host_owner() */
	/* os.execute of a trusted host; returns a status like system(); NULL: Lua's own */
	int (*execute)(const char *command);
};

/* NULL with *err. */
struct lua_host *host_new(const struct host_options *opt, struct err *err);
void host_free(struct lua_host *h); /* takes NULL */

/* The current thread: push the arguments of host_call() there. */
lua_State *host_state(struct lua_host *h);
struct lua_host *host_of(lua_State *L);
void *host_owner(const struct lua_host *h);

bool host_is_trusted(const struct lua_host *h);
/* Whether a call is under way. */
bool host_is_busy(const struct lua_host *h);

/* Pushes a table with this kind of host's libraries by name; call once per host. In a safe host the
 * caller may change the table, but not the libraries, which are frozen. */
void host_push_libraries(lua_State *L);
/* Pushes the globals of a Lua file: the libraries and, in a safe host, room for the file's own
 * names, which cannot replace library names. Code compiled from now on uses these globals. */
void host_push_environment(lua_State *L);
/* Replaces the table on top of the stack by a read-only proxy; `name` is for messages. The table
 * itself can't be reached through the proxy. */
void host_freeze(lua_State *L, const char *name);
/* Pops a value: the result of `require "NAME"` from now on. */
void host_set_module(lua_State *L, const char *name);
/* Like luaL_loadbufferx() of a text, but interruptible; never loads bytecode, and syntax errors
 * have one line. In a protected call. */
int host_load(lua_State *L, const char *text, size_t n, const char *name);

/* Calls like lua_pcall(): the function and `args` arguments are on the stack and are popped. A
 * nested call shares its caller's budget. False with *err, the error as a text, whatever value was
 * thrown; no results are pushed then. */
bool host_call(struct lua_host *h, int args, int results, struct err *err);
/* Like host_call(), with a budget of its own; the message for exceeding the budget names `title`
 * ("hook 3 on commit"). */
bool host_call_within(struct lua_host *h, int args, int results, uint64_t steps, const char *title,
                      struct err *err);
/* Steps of the last call with a budget. */
uint64_t host_steps_taken(const struct lua_host *h);
/* The traceback of the last failed call, several lines; "" if none is known. Valid until the next
 * call. */
const char *host_traceback(const struct lua_host *h);

/* A type as messages name it: "a table"; nil is "nothing". */
const char *host_a(int type);
/* Pushes any value as text, like luaL_tolstring(). A safe host numbers objects without a text of
 * their own in the order of first use, "table: 3": this hides host addresses, and the text is the
 * same in each run. */
const char *host_text(lua_State *L, int index, size_t *n);
/* True for a table, function, userdata or thread. */
bool host_is_object(lua_State *L, int index);

/* Charges steps. False if none are left: the current call will end at its next step. */
bool host_charge(struct lua_host *h, uint64_t steps);
/* For C functions that loop: charges steps, and raises an error if none are left or the host is
 * interrupted. */
void host_tick(lua_State *L, uint64_t steps);

/* Ends the current call, or the next if no call is under way; safe in a signal handler. Remains in
 * effect until cleared. */
void host_interrupt(struct lua_host *h);
void host_clear_interrupt(struct lua_host *h);
bool host_is_interrupted(const struct lua_host *h);

#endif
