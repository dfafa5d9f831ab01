#include "scripting/host/host.h"

#include <lauxlib.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/host/host_lib.h"

enum {
	TRACEBACK_MAX = 4096,
	TEXTS_PER_CAP = 16,
	CHARGED_BYTES = 1024,
	PIECE = 1024,
	VARARGS_FREE = 256,
	VALUES_PER_STEP = 16
};

/* Why the current call is to end. */
enum stop { STOP_NOT, STOP_STEPS, STOP_MEMORY, STOP_INTERRUPT };

struct lua_host {
	lua_State *main;       /* owned */
	lua_State *running;    /* main, or the coroutine that runs */
	struct host_options opt;
	char *folder;          /* owned; opt.folder */
	size_t bytes;          /* held by Lua */
	size_t text_max;       /* max bytes of one string */
	unsigned depth;        /* of host_call() */
	uint64_t left;         /* steps left in this call, UINT64_MAX: no limit */
	uint64_t allowed;      /* steps that it began with */
	uint64_t taken;        /* steps of the last call with a budget of its own */
	enum stop stop;        /* kept until the call with the budget has ended */
	const char *title;     /* named in messages; borrowed during the call; NULL: none */
	volatile sig_atomic_t interrupted;
	char traceback[TRACEBACK_MAX];
};

/* ---- memory ---- */
static void host_deduct_steps(struct lua_host *h, uint64_t steps)
{
	if (h->left != UINT64_MAX)
		h->left -= steps < h->left ? steps : h->left;
}

/* True if a new object of n bytes may be allocated; Lua passes its kind in `had`. Long strings cost
 * steps, since one VM instruction can make a string of any length. */
static bool host_may_allocate_object(struct lua_host *h, size_t kind, size_t n)
{
	if (kind != LUA_TSTRING || n < CHARGED_BYTES)
		return true;
	host_deduct_steps(h, n / BYTES_PER_STEP);
	return n - CHARGED_BYTES <= h->text_max;
}

static void *host_lua_allocate(void *ud, void *old, size_t had, size_t n)
{
	struct lua_host *h = ud;
	if (!old && n && !host_may_allocate_object(h, had, n))
		return NULL;
	if (!old)
		had = 0;
	if (!n) {
		free(old);
		h->bytes -= had;
		return NULL;
	}
	if (n > had && h->opt.bytes_max && h->bytes + (n - had) > h->opt.bytes_max)
		return NULL;
	void *p = alloc_resize(old, n);
	if (p)
		h->bytes = h->bytes - had + n;
	return p;
}

void host_note_memory(lua_State *L)
{
	struct lua_host *h = host_of(L);
	if (!h->opt.trusted && !h->stop)
		h->stop = STOP_MEMORY;
}

/* ---- stopping ---- */
/* Pushes "file:line: "; "" if no Lua runs. */
static void push_where(lua_State *L)
{
	lua_Debug ar;
	for (int level = 0; lua_getstack(L, level, &ar); level++) {
		lua_getinfo(L, "Sl", &ar);
		if (ar.currentline > 0) {
			lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
			return;
		}
	}
	lua_pushliteral(L, "");
}

/* The cost of `...`, which copies all arguments in one VM instruction: about their number. */
static uint64_t vararg_steps(lua_State *L, const lua_Debug *ar)
{
	int n = 0;
	for (int probe = VARARGS_FREE; probe < INT_MAX / 4 && lua_getlocal(L, ar, -probe);
	     probe *= 4) {
		lua_pop(L, 1);
		n = probe;
	}
	return (uint64_t)n * HOST_STEPS / VALUES_PER_STEP;
}

static void host_on_count_hook(lua_State *L, lua_Debug *ar)
{
	host_tick(L, HOST_STEPS + vararg_steps(L, ar));
}

static const char *memory_text(const struct lua_host *h, struct err *err)
{
	if (h->opt.bytes_max)
		err_set(err, "not enough memory: Lua has %zu MiB here, and %zu KiB for one text",
		        h->opt.bytes_max >> 20, h->text_max >> 10);
	else
		err_set(err, "out of memory for Lua");
	return err->msg;
}

/* Whatever runs on in this thread raises again at its first step. */
static void host_abandon_script(lua_State *L, const struct lua_host *h)
{
	struct err err;
	lua_sethook(L, host_on_count_hook, LUA_MASKCOUNT, 1);
	push_where(L);
	if (h->stop == STOP_INTERRUPT)
		lua_pushliteral(L, "interrupted");
	else if (h->stop == STOP_MEMORY)
		lua_pushstring(L, memory_text(h, &err));
	else if (h->title)
		lua_pushfstring(L, "%s took more than lua.hook_budget = %I steps", h->title,
		                (LUAI_UACINT)h->allowed);
	else
		lua_pushfstring(L, "it computes for too long (over %I steps)",
		                (LUAI_UACINT)h->allowed);
	lua_concat(L, 2);
	lua_error(L);
}

bool host_is_stopping(lua_State *L)
{
	struct lua_host *h = host_of(L);
	if (h->interrupted)
		h->stop = STOP_INTERRUPT;
	else if (alloc_failed())
		h->stop = STOP_MEMORY;
	else if (!h->stop && !h->left)
		h->stop = STOP_STEPS;
	return h->stop != STOP_NOT;
}

void host_go_on(lua_State *L)
{
	if (host_is_stopping(L))
		host_abandon_script(L, host_of(L));
}

bool host_charge(struct lua_host *h, uint64_t steps)
{
	host_deduct_steps(h, steps);
	return h->left;
}

void host_tick(lua_State *L, uint64_t steps)
{
	host_deduct_steps(host_of(L), steps);
	host_go_on(L);
}

void host_watch(lua_State *L)
{
	lua_sethook(L, host_on_count_hook, LUA_MASKCOUNT, HOST_STEPS);
}

void host_set_running(lua_State *L)
{
	host_of(L)->running = L;
}

void host_interrupt(struct lua_host *h)
{
	h->interrupted = 1;
	/* The next step ends the script; a call that waits, as for a child, may be its last but
	 * few. */
	lua_sethook(h->running, host_on_count_hook, LUA_MASKCOUNT, 1);
}

void host_clear_interrupt(struct lua_host *h)
{
	if (h->interrupted)
		host_watch(h->running);
	h->interrupted = 0;
}

bool host_is_interrupted(const struct lua_host *h)
{
	return h->interrupted;
}

/* ---- the host ---- */
struct lua_host *host_new(const struct host_options *opt, struct err *err)
{
	struct lua_host *h = alloc_zeroed(1, sizeof *h);
	if (h) {
		h->opt = *opt;
		h->left = UINT64_MAX;
		h->text_max = opt->bytes_max ? opt->bytes_max / TEXTS_PER_CAP : SIZE_MAX;
		h->folder = opt->folder ? alloc_text(opt->folder) : NULL;
		h->opt.folder = h->folder;
		h->main = h->running = lua_newstate(host_lua_allocate, h);
	}
	if (h && h->main && (h->folder || !opt->folder)) {
		*(struct lua_host **)lua_getextraspace(h->main) = h;
		host_watch(h->main);
		return h;
	}
	host_free(h);
	err_set(err, "out of memory for Lua");
	return NULL;
}

void host_free(struct lua_host *h)
{
	if (!h)
		return;
	if (h->main)
		lua_close(h->main);
	free(h->folder);
	free(h);
}

lua_State *host_state(struct lua_host *h)
{
	return h->running;
}

struct lua_host *host_of(lua_State *L)
{
	return *(struct lua_host **)lua_getextraspace(L);
}

void *host_owner(const struct lua_host *h)
{
	return h->opt.owner;
}

bool host_is_trusted(const struct lua_host *h)
{
	return h->opt.trusted;
}

bool host_is_busy(const struct lua_host *h)
{
	return h->depth > 0;
}

int (*host_execute(lua_State *L))(const char *command)
{
	return host_of(L)->opt.execute;
}

size_t host_text_max(lua_State *L)
{
	return host_of(L)->text_max;
}

const char *host_folder(lua_State *L)
{
	return host_of(L)->folder;
}

/* ---- calls ---- */
/* Message handler: stores the traceback. */
static int host_handle_error(lua_State *L)
{
	struct lua_host *h = host_of(L);
	luaL_traceback(L, L, NULL, 1);
	snprintf(h->traceback, sizeof h->traceback, "%s", lua_tostring(L, -1));
	lua_pop(L, 1);
	return 1;
}

/* The object's number: 1, 2 and so on, in the order of first use. */
static lua_Integer host_object_number(lua_State *L, int index)
{
	static const char numbers_key;
	const int top = lua_gettop(L);
	/* numbers[OBJECT], and the last one at 0. Objects are weak keys: none is kept alive. */
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &numbers_key) == LUA_TNIL) {
		lua_newtable(L);
		lua_createtable(L, 0, 1);
		lua_pushliteral(L, "k");
		lua_setfield(L, -2, "__mode");
		lua_setmetatable(L, -2);
		lua_pushvalue(L, -1);
		lua_rawsetp(L, LUA_REGISTRYINDEX, &numbers_key);
	}
	const int numbers = lua_gettop(L);
	lua_pushvalue(L, index);
	lua_rawget(L, numbers);
	lua_Integer n = lua_tointeger(L, -1);
	if (!n) {
		lua_rawgeti(L, numbers, 0);
		n = lua_tointeger(L, -1) + 1;
		lua_pushinteger(L, n);
		lua_rawseti(L, numbers, 0);
		lua_pushvalue(L, index);
		lua_pushinteger(L, n);
		lua_rawset(L, numbers);
	}
	lua_settop(L, top);
	return n;
}

bool host_is_object(lua_State *L, int index)
{
	const int type = lua_type(L, index);
	return type == LUA_TTABLE || type == LUA_TFUNCTION || type == LUA_TUSERDATA ||
	       type == LUA_TLIGHTUSERDATA || type == LUA_TTHREAD;
}

const char *host_text(lua_State *L, int index, size_t *n)
{
	index = lua_absindex(L, index);
	if (host_is_trusted(host_of(L)) || !host_is_object(L, index))
		return luaL_tolstring(L, index, n);
	if (luaL_getmetafield(L, index, "__tostring") != LUA_TNIL) {
		lua_pop(L, 1);
		return luaL_tolstring(L, index, n);
	}
	const lua_Integer number = host_object_number(L, index);
	const int name = luaL_getmetafield(L, index, "__name");
	lua_pushfstring(L, "%s: %I",
	                name == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, index),
	                (LUAI_UACINT)number);
	if (name != LUA_TNIL)
		lua_remove(L, -2);
	return lua_tolstring(L, -1, n);
}

/* Converts an error value to a string. Called protected, since the value may have any __tostring.
 */
static int host_error_to_text(lua_State *L)
{
	if (lua_isstring(L, 1))
		lua_tostring(L, 1); /* converts a number in place */
	else if (luaL_getmetafield(L, 1, "__tostring") != LUA_TNIL)
		host_text(L, 1, NULL);
	else
		lua_pushfstring(L, "an error that is not a text (%s)", host_a(lua_type(L, 1)));
	return 1;
}

/* Pops the error into *err. Must not raise an error, as no protected call is active. */
static void set_error(const struct lua_host *h, lua_State *L, int status, struct err *err)
{
	struct err none;
	const char *type = luaL_typename(L, -1);
	if (status == LUA_OK)
		return;
	if (status != LUA_ERRMEM && lua_type(L, -1) != LUA_TSTRING) {
		lua_pushcfunction(L, host_error_to_text);
		lua_insert(L, -2);
		status = lua_pcall(L, 1, 1, 0) == LUA_ERRMEM ? LUA_ERRMEM : status;
	}
	if (status == LUA_ERRMEM)
		memory_text(h, err ? err : &none);
	else if (lua_type(L, -1) == LUA_TSTRING)
		err_set(err, "%s", lua_tostring(L, -1));
	else
		err_set(err, "an error that is not a text (a %s, whose __tostring fails)", type);
	lua_pop(L, 1);
}

static bool host_protected_call(struct lua_host *h, int args, int results, struct err *err)
{
	lua_State *L = h->running;
	int base = lua_gettop(L) - args;
	lua_pushcfunction(L, host_handle_error);
	lua_insert(L, base);
	h->depth++;
	int status = lua_pcall(L, args, results, base);
	h->running = L;
	set_error(h, L, status, err);
	h->depth--;
	lua_remove(L, base);
	return status == LUA_OK;
}

bool host_call(struct lua_host *h, int args, int results, struct err *err)
{
	return host_call_within(h, args, results, h->depth ? UINT64_MAX : h->opt.steps_max,
	                        h->depth ? h->title : NULL, err);
}

bool host_call_within(struct lua_host *h, int args, int results, uint64_t steps, const char *title,
                      struct err *err)
{
	const uint64_t left = h->left, allowed = h->allowed;
	const char *const before = h->title;
	const enum stop stop = h->stop;
	if (!steps)
		steps = UINT64_MAX;
	h->traceback[0] = '\0';
	if (h->depth && steps >= left)
		return host_protected_call(h, args, results, err);
	/* Restart the step count at each outermost call, so that a call's limit is independent of
	 * earlier calls. */
	if (!h->depth)
		host_watch(h->running);
	h->left = h->allowed = steps;
	h->title = title;
	h->stop = STOP_NOT;
	bool ok = host_protected_call(h, args, results, err);
	const uint64_t used = h->taken = h->allowed - h->left;
	if (h->stop)
		host_watch(h->running);
	h->allowed = allowed;
	h->title = before;
	h->left = left == UINT64_MAX ? left : left - (used < left ? used : left);
	h->stop = stop;
	return ok;
}

uint64_t host_steps_taken(const struct lua_host *h)
{
	return h->taken;
}

const char *host_traceback(const struct lua_host *h)
{
	return h->traceback;
}

/* ---- Lua source ---- */
struct source {
	const char *text;
	size_t left;
};

/* Returns the text in small pieces, so that compiling can be interrupted. */
static const char *read_piece(lua_State *L, void *ctx, size_t *n)
{
	struct source *s = ctx;
	const char *piece = s->text;
	*n = s->left < PIECE ? s->left : PIECE;
	host_tick(L, *n / CHARACTERS_PER_STEP + 1);
	s->text += *n;
	s->left -= *n;
	return *n ? piece : NULL;
}

int host_load(lua_State *L, const char *text, size_t n, const char *name)
{
	const int status = lua_load(L, read_piece, &(struct source){text, n}, name, "t");
	/* The message about a missing end quotes all that was read, including line breaks. */
	if (status == LUA_ERRSYNTAX && strchr(lua_tostring(L, -1), '\n')) {
		luaL_gsub(L, lua_tostring(L, -1), "\n", "\\n");
		lua_remove(L, -2);
	}
	return status;
}

const char *host_a(int type)
{
	switch (type) {
	case LUA_TBOOLEAN: return "a boolean";
	case LUA_TNUMBER: return "a number";
	case LUA_TSTRING: return "a string";
	case LUA_TTABLE: return "a table";
	case LUA_TFUNCTION: return "a function";
	case LUA_TTHREAD: return "a thread";
	case LUA_TUSERDATA:
	case LUA_TLIGHTUSERDATA: return "a userdata";
	default: return "nothing";
	}
}
