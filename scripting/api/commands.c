/* m:cmd: every command of a session. */
#include <stdlib.h>
#include <string.h>

#include "scripting/api/api.h"

/* Pushes the lines of the text at `index` as a list. */
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

void api_push_expr_value(lua_State *L, const struct expr_value *v)
{
	switch (v->type) {
	case EXPR_NIL:
		lua_pushnil(L);
		break;
	case EXPR_BOOL:
		lua_pushboolean(L, v->i != 0);
		break;
	case EXPR_INT:
		lua_pushinteger(L, v->i);
		break;
	case EXPR_FLOAT:
		lua_pushnumber(L, v->d);
		break;
	case EXPR_STRING:
	case EXPR_OTHER:
		lua_pushstring(L, v->text);
	}
}

/* Pushes the answer as text and table. Called protected, so that the caller frees the answer if
 * memory is out. */
static int push_answer(lua_State *L)
{
	const struct command_answer *a = lua_touserdata(L, 1);
	struct lua_machine *m = lua_touserdata(L, 2);
	lua_pushlstring(L, a->text ? a->text : "", a->text ? a->n : 0);
	lua_createtable(L, 0, 4);
	push_lines(L, -2);
	lua_setfield(L, -2, "lines");
	lua_pushinteger(L, (lua_Integer)machine_cycle(m->s->machine));
	lua_setfield(L, -2, "cycle");
	if (a->stopped) {
		api_push_stop(L, m, &a->stop, NULL);
		lua_setfield(L, -2, "stop");
	}
	if (a->valued) {
		api_push_expr_value(L, &a->value);
		lua_setfield(L, -2, "value");
	}
	if (a->judged) {
		lua_pushboolean(L, a->holds);
		lua_setfield(L, -2, "holds");
		lua_pushinteger(L, a->got);
		lua_setfield(L, -2, "points");
		lua_pushinteger(L, a->of);
		lua_setfield(L, -2, "of");
	}
	if (a->shown) {
		lua_pushcfunction(L, api_push_grid_table);
		lua_pushlightuserdata(L, (void *)(uintptr_t)&a->grid);
		lua_call(L, 1, 1);
		lua_setfield(L, -2, "view");
	}
	return 2;
}

static void answer_deinit(struct command_answer *a)
{
	free(a->text);
	if (a->shown)
		grid_deinit(&a->grid);
}

static int api_commands_run_command(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	const char *line = luaL_checkstring(L, 2);
	const struct command_port *port = m->script->opt.commands;
	struct run *before = m->script->moving;
	struct command_answer answer = {0};
	struct err err;
	api_refuse_reader(L, m->script, "m:cmd");
	if (!port)
		return binding_fail(L, "there are no commands here");
	if (!m->commands && !(m->commands = port->open(port->ctx, m->script, m->s, &err)))
		return binding_fail(L, "%s", err.msg);
	host_tick(L, 1);
	if (!before)
		hooks_begin(m->script);
	m->script->moving = m->s->run;
	bool ok = port->run(m->commands, line, &answer, &err);
	m->script->moving = before;
	if (!ok) {
		answer_deinit(&answer);
		host_tick(L, 1);
		return binding_fail(L, "%s", err.msg);
	}
	lua_pushcfunction(L, push_answer);
	lua_pushlightuserdata(L, &answer);
	lua_pushlightuserdata(L, m);
	int status = lua_pcall(L, 2, 2, 0);
	answer_deinit(&answer);
	if (status != LUA_OK)
		return lua_error(L);
	if (!before)
		hooks_check(L);
	host_tick(L, 1);
	return 2;
}

static int api_commands_expect(lua_State *L)
{
	luaL_checkstring(L, 2);
	lua_settop(L, 2);
	lua_pushliteral(L, "expect ");
	lua_insert(L, 2);
	lua_concat(L, 2);
	api_commands_run_command(L);
	lua_getfield(L, -1, "holds");
	lua_getfield(L, -2, "points");
	lua_getfield(L, -3, "of");
	lua_getfield(L, -4, "lines");
	lua_rawgeti(L, -1, 1);
	lua_insert(L, -4);
	lua_pop(L, 1);
	return 4;
}

static const struct binding methods[] = {
	{"cmd", api_commands_run_command, "m:cmd(LINE) -> TEXT, ANSWER",
         "Runs a command line of a session with this machine (`help` lists the commands): m:cmd "
         "\"break find if a0 == 3\". Returns its text and a table: lines, the text's lines; "
         "cycle, the machine's cycle afterwards; after a motion stop, as m:run returns it; after "
         "`print` value; after `view` view, as m:view returns it; after `expect` holds, points "
         "and of. A command that fails raises an error with its message."},
	{"expect", api_commands_expect, "m:expect(STATEMENT) -> HOLDS, SAID, POINTS, OF",
         "Judges a statement about the machine, or about an answer given to `answer`, as `expect` "
         "does (help expect): m:expect \"2: sim.ipc in 0.9 .. 1 else See view cpi\". Returns "
         "whether it holds, the text printed for it, and the points reached and possible since "
         "the machine was made. A statement that can't be evaluated raises an error."},
};

const struct binding_area area_commands = {
	.name = "commands",
	.object = "machine",
	.summary = "commands of a session",
	.text = "",
	.bindings = methods,
	.count = sizeof methods / sizeof *methods,
};
