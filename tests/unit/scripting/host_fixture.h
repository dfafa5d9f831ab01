/* Scripts in a host of their own, for the host's tests. */
#ifndef CYCLOPS_TESTS_UNIT_SCRIPTING_HOST_FIXTURE_H
#define CYCLOPS_TESTS_UNIT_SCRIPTING_HOST_FIXTURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <lauxlib.h>
#include <lualib.h>

#include "scripting/host/host.h"
#include "tests/cases.h"

enum { STEPS = 500000, BYTES = 32 << 20 };

static inline struct lua_host *host_fixture_open_host(const struct host_options *opt)
{
	struct err err;
	struct lua_host *h = host_new(opt, &err);
	if (!h)
		fail_msg("%s", err.msg);
	host_push_environment(host_state(h));
	lua_setfield(host_state(h), LUA_REGISTRYINDEX, "env");
	return h;
}

static inline struct lua_host *safe_host(const char *folder)
{
	return host_fixture_open_host(
		&(struct host_options){.bytes_max = BYTES, .steps_max = STEPS, .folder = folder});
}

struct chunk {
	const char *text;
	bool returned; /* true, "yes", ... */
	char result[128];
};

static inline int run_chunk(lua_State *L)
{
	struct chunk *c = lua_touserdata(L, 1);
	if (host_load(L, c->text, strlen(c->text), "@script") != LUA_OK)
		return lua_error(L);
	lua_call(L, 0, 1);
	c->returned = lua_toboolean(L, -1);
	if (c->returned)
		snprintf(c->result, sizeof c->result, "%s", luaL_tolstring(L, -1, NULL));
	return 0;
}

static inline bool run_within(struct lua_host *h, struct chunk *c, uint64_t steps, const char *who,
                       struct err *err)
{
	lua_State *L = host_state(h);
	int top = lua_gettop(L);
	lua_pushcfunction(L, run_chunk);
	lua_pushlightuserdata(L, c);
	bool ok = who ? host_call_within(h, 1, 0, steps, who, err) : host_call(h, 1, 0, err);
	assert_int_equal(lua_gettop(host_state(h)), top);
	return ok;
}

static inline bool host_fixture_run_chunk(struct lua_host *h, const char *text, struct err *err)
{
	return run_within(h, &(struct chunk){.text = text}, 0, NULL, err);
}

static inline void expect_true(struct lua_host *h, const char *text)
{
	struct err err;
	struct chunk c = {.text = text};
	if (!run_within(h, &c, 0, NULL, &err))
		fail_msg("%s: %s", text, err.msg);
	if (!c.returned)
		fail_msg("%s: returned %s", text, c.result);
}

/* Conditions that hold after any script. */
static const char health[] =
	"assert(string.format('%d', 42) == '42' and ('x'):rep(3) == 'xxx' and math.abs(-1) == 1)\n"
	"assert(select('#', table.unpack{1, 2, 3}) == 3 and #table.concat({'a', 'b'}, '-') == 3)\n"
	"assert(type(pcall) == 'function' and pcall(error) == false and tostring(12) == '12')\n"
	"assert(coroutine.wrap(function() return 7 end)() == 7 and ('a.b'):find('.', 1, true) == "
        "2)\n"
	"return true\n";

static inline void host_fixture_expect_error(struct lua_host *h, const char *text, const char *part)
{
	struct err err;
	if (host_fixture_run_chunk(h, text, &err))
		fail_msg("%s: it ended", text);
	if (!strstr(err.msg, part))
		fail_msg("%s: '%s' should speak of '%s'", text, err.msg, part);
}

#endif
