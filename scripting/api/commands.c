/* m:cmd: every command of a session. */
#include <stdlib.h>
#include <string.h>

#include "scripting/api/api.h"

/* Lines of the text at `index`, as a list on top. */
static void push_lines(lua_State *L, int index)
{
	const char *s = lua_tostring(L, index);
	lua_Integer n = 0;
	lua_newtable(L);
	while (*s) {
		size_t len = strcspn(s, "\n");
		lua_pushlstring(L, s, len);
		lua_rawseti(L, -2, ++n);
		s += len + (s[len] == '\n');
	}
}

/* The text of an answer as a protected function, for whom it must not be lost. */
static int push_text(lua_State *L)
{
	lua_pushlstring(L, lua_touserdata(L, 1), (size_t)lua_tointeger(L, 2));
	return 1;
}

static int cmd(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	const char *line = luaL_checkstring(L, 2);
	const struct command_port *port = m->script->opt.commands;
	struct run *before = m->script->moving;
	struct err err;
	char *text = NULL;
	size_t n = 0;
	if (!port)
		return binding_fail(L, "there are no commands here");
	if (!m->commands && !(m->commands = port->open(m->s, m->script->opt.safe, &err)))
		return binding_fail(L, "%s", err.msg);
	host_tick(L, 1);
	if (!before)
		hooks_begin(m->script);
	m->script->moving = m->s->run;
	bool ok = port->run(m->commands, line, before != NULL, &text, &n, &err);
	m->script->moving = before;
	if (!ok) {
		free(text);
		host_tick(L, 1);
		return binding_fail(L, "%s", err.msg);
	}
	lua_pushcfunction(L, push_text);
	lua_pushlightuserdata(L, text ? text : "");
	lua_pushinteger(L, (lua_Integer)n);
	int status = lua_pcall(L, 2, 1, 0);
	free(text);
	if (status != LUA_OK)
		return lua_error(L);
	if (!before)
		hooks_check(L);
	host_tick(L, 1);
	lua_createtable(L, 0, 2);
	push_lines(L, -2);
	lua_setfield(L, -2, "lines");
	lua_pushinteger(L, (lua_Integer)machine_cycle(m->s->machine));
	lua_setfield(L, -2, "cycle");
	return 2;
}

static const struct binding methods[] = {
	{"cmd", cmd, "m:cmd(LINE) -> TEXT, ANSWER",
	 "Runs a line as typed in a session about this machine (help lists the commands): m:cmd \"break find if a0 == 3\". Answers "
	 "its text, and a table: lines = the text's lines, cycle = where the machine is then. A command that fails is an error with "
	 "its message."},
};

const struct binding_area area_commands = {
	.name = "commands",
	.object = "machine",
	.summary = "commands of a session",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
