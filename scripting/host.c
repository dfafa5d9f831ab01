#include "scripting/host.h"

#include <lauxlib.h>
#include <lualib.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOOK_STEPS = 1000, TRACEBACK_MAX = 4096 };

struct lua_host {
	lua_State *L;          /* owned */
	struct host_options opt;
	char *folder;          /* owned; opt.folder */
	size_t bytes;          /* that Lua holds */
	unsigned depth;        /* of host_call() */
	uint64_t left;         /* steps of this call, UINT64_MAX: no limit */
	uint64_t allowed;      /* steps it began with */
	bool expired;
	const char *who;       /* borrowed during the call, NULL: nobody to name */
	volatile sig_atomic_t interrupted;
	char traceback[TRACEBACK_MAX];
};

static void *allocate(void *ud, void *old, size_t had, size_t n)
{
	struct lua_host *h = ud;
	if (!old)
		had = 0;
	if (!n) {
		free(old);
		h->bytes -= had;
		return NULL;
	}
	if (n > had && h->opt.bytes_max && h->bytes + (n - had) > h->opt.bytes_max)
		return NULL;
	void *p = realloc(old, n);
	if (p)
		h->bytes = h->bytes - had + n;
	return p;
}

static void give_up(lua_State *L, const struct lua_host *h)
{
	if (h->interrupted)
		luaL_error(L, "interrupted");
	if (h->who)
		luaL_error(L, "%s took more than %I steps", h->who, (lua_Integer)h->allowed);
	luaL_error(L, "it computes for too long");
}

void host_tick(lua_State *L, uint64_t steps)
{
	struct lua_host *h = host_of(L);
	if (h->left != UINT64_MAX)
		h->left -= steps < h->left ? steps : h->left;
	if (!h->left)
		h->expired = true;
	if (h->expired || h->interrupted)
		give_up(L, h);
}

static void count(lua_State *L, lua_Debug *ar)
{
	(void)ar;
	host_tick(L, HOOK_STEPS);
}

struct lua_host *host_new(const struct host_options *opt, struct err *err)
{
	struct lua_host *h = calloc(1, sizeof *h);
	if (h) {
		h->opt = *opt;
		h->left = UINT64_MAX;
		h->folder = opt->folder ? strdup(opt->folder) : NULL;
		h->opt.folder = h->folder;
		h->L = lua_newstate(allocate, h);
	}
	if (h && h->L && (h->folder || !opt->folder)) {
		*(struct lua_host **)lua_getextraspace(h->L) = h;
		lua_sethook(h->L, count, LUA_MASKCOUNT, HOOK_STEPS);
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
	if (h->L)
		lua_close(h->L);
	free(h->folder);
	free(h);
}

lua_State *host_state(struct lua_host *h)
{
	return h->L;
}

struct lua_host *host_of(lua_State *L)
{
	return *(struct lua_host **)lua_getextraspace(L);
}

void *host_owner(const struct lua_host *h)
{
	return h->opt.owner;
}

void host_push_libraries(lua_State *L)
{
	static const char *const kept[] = {"assert", "error", "ipairs",   "next",     "pairs",        "pcall",
	                                   "select", "type",  "tonumber", "tostring", "setmetatable", NULL};
	lua_newtable(L);
	if (host_of(L)->opt.trusted) {
		luaL_openlibs(L);
		lua_pushglobaltable(L);
		lua_replace(L, -2);
		return;
	}
	luaL_requiref(L, LUA_GNAME, luaopen_base, 0);
	for (size_t i = 0; kept[i]; i++) {
		lua_getfield(L, -1, kept[i]);
		lua_setfield(L, -3, kept[i]);
	}
	lua_pop(L, 1);
	luaL_requiref(L, LUA_MATHLIBNAME, luaopen_math, 0);
	lua_setfield(L, -2, "math");
	luaL_requiref(L, LUA_TABLIBNAME, luaopen_table, 0);
	lua_setfield(L, -2, "table");
	luaL_requiref(L, LUA_STRLIBNAME, luaopen_string, 0);
	lua_pushnil(L);
	lua_setfield(L, -2, "dump");
	lua_setfield(L, -2, "string");
}

/* Message handler: keeps the traceback and turns what was thrown into a text. */
static int handle(lua_State *L)
{
	struct lua_host *h = host_of(L);
	const char *msg = lua_tostring(L, 1);
	luaL_traceback(L, L, NULL, 1);
	snprintf(h->traceback, sizeof h->traceback, "%s", lua_tostring(L, -1));
	lua_pop(L, 1);
	if (!msg)
		lua_pushfstring(L, "an error that is not a text (a %s)", luaL_typename(L, 1));
	return 1;
}

static bool call(struct lua_host *h, int args, int results, struct err *err)
{
	lua_State *L = h->L;
	int base = lua_gettop(L) - args;
	lua_pushcfunction(L, handle);
	lua_insert(L, base);
	h->depth++;
	int status = lua_pcall(L, args, results, base);
	h->depth--;
	if (status != LUA_OK) {
		const char *msg = lua_tostring(L, -1);
		err_set(err, "%s", status == LUA_ERRMEM ? "out of memory for Lua" : msg ? msg : "an error that is not a text");
		lua_pop(L, 1);
	}
	lua_remove(L, base);
	return status == LUA_OK;
}

bool host_call(struct lua_host *h, int args, int results, struct err *err)
{
	return host_call_within(h, args, results, h->depth ? UINT64_MAX : h->opt.steps_max, h->depth ? h->who : NULL, err);
}

bool host_call_within(struct lua_host *h, int args, int results, uint64_t steps, const char *who, struct err *err)
{
	uint64_t left = h->left, allowed = h->allowed;
	const char *named = h->who;
	h->traceback[0] = '\0';
	if (!steps)
		steps = UINT64_MAX;
	if (!h->depth || steps < left) {
		h->left = h->allowed = steps;
		h->who = who;
		h->expired = false;
	}
	bool ok = call(h, args, results, err);
	uint64_t used = h->allowed - h->left;
	h->allowed = allowed;
	h->who = named;
	h->left = left == UINT64_MAX ? left : left - (used < left ? used : left);
	h->expired = !h->left;
	return ok;
}

const char *host_traceback(const struct lua_host *h)
{
	return h->traceback;
}

void host_interrupt(struct lua_host *h)
{
	h->interrupted = 1;
}

void host_clear_interrupt(struct lua_host *h)
{
	h->interrupted = 0;
}
