/* lua, hook: scripts in a session, and their hooks on its machine. */
#include "ui/console/lua.h"

#include <stdlib.h>
#include <string.h>

#include "hwviews/grid/grid.h"
#include "scripting/script.h"
#include "ui/console/args.h"
#include "ui/console/command_state.h"

static enum command_result cmd_lua_exec(struct console *c, const char *args)
{
	if (!*args)
		return console_fail(c, "no text given; expected lua STATEMENT, lua EXPRESSION or "
		                       "lua FILE.lua; `help lua`");
	return lua_is_file(args) ? lua_file(c, args) : lua_say(c, args);
}

static enum command_result cmd_hook_list_all(struct console *c)
{
	struct script_hook h;
	char digits[32];
	unsigned i = 0;
	for (; c->state->lua && script_hook_at(lua_script(c), i, &h); i++)
		console_print(c, "%s, called %s times%s\n", h.text, group_digits(h.calls, digits),
		              h.off                     ? ", off"
		              : h.session == c->session ? ""
		                                        : ", of another machine");
	if (!i)
		console_print(c, "No hooks; `lua m:on(\"commit\", function(e) ... end)` sets one, "
		                 "`help lua hooks`\n");
	return CMD_OK;
}

enum action { ACTION_DELETE, ACTION_ENABLE, ACTION_DISABLE, ACTIONS };

static bool cmd_hook_apply_action(struct script *s, enum action a, unsigned id)
{
	return a == ACTION_DELETE ? script_remove_hook(s, id)
	                          : script_switch_hook(s, id, a == ACTION_ENABLE);
}

static enum command_result cmd_hook_exec(struct console *c, const char *args)
{
	static const char *const words[ACTIONS] = {"delete", "enable", "disable"};
	struct script_hook h;
	size_t n = strcspn(args, " \t");
	const char *which = args + n + strspn(args + n, " \t");
	enum action a = 0;
	if (!*args)
		return cmd_hook_list_all(c);
	while (a < ACTIONS && (strlen(words[a]) != n || strncmp(args, words[a], n) != 0))
		a++;
	char *end;
	unsigned long id = strtoul(which, &end, 10);
	bool all = !strcmp(which, "all");
	if (a == ACTIONS || (!all && (!*which || *end || !id)))
		return console_fail(c, "expected hook, hook delete|enable|disable NUMBER|all");
	struct script *s = c->state->lua ? lua_script(c) : NULL;
	if (!all)
		return s && cmd_hook_apply_action(s, a, (unsigned)id)
		               ? CMD_OK
		               : console_fail(c, "there is no hook %lu; `hook` lists them", id);
	for (unsigned i = 0; s && script_hook_at(s, i, &h); i += a != ACTION_DELETE)
		cmd_hook_apply_action(s, a, h.id);
	return CMD_OK;
}

const struct command cmd_lua = {
	.name = "lua",
	.aliases = "",
	.group = "support",
	.usage = "lua STATEMENT | EXPRESSION | FILE.lua",
	.summary = "run Lua on this machine, `m`; print an expression's value",
	.help = "Variables stay for later lines; all of the line is Lua, `;` too. An error\n"
		"names its place and leaves the machine at a cycle's end; Ctrl-C ends a\n"
		"long run. Keys take it as any command: bind X lua m:step(10).\n"
		"    lua m.a0, m.sim.ipc               lua m:run{ until_event = \"squash\" }\n"
		"    lua misses = m:state{ n = 0 }     lua lab.lua\n"
		"    lua m:on(\"mem\", { where = \"level == 'memory'\" },\n"
		"             function(e) misses.n = misses.n + 1 end)\n"
		"`help lua AREA` explains an area: module, machine, motion, hooks, ...;\n"
		"`help lua ownviews` and `owncommands`: views and commands of your own;\n"
		"`cyclops lua FILE.lua` runs a script without a session.",
	.complete = COMPLETE_FILE,
	.whole = true,
	.sessionless = true,
	.files = true,
	.exec = cmd_lua_exec,
};

const struct command cmd_hook = {
	.name = "hook",
	.aliases = "hooks",
	.group = "support",
	.usage = "hook [delete|enable|disable NUMBER|all]",
	.summary = "list the hooks that Lua has set; delete, disable or enable them",
	.help = "A hook is a Lua function that is called as the machine runs forwards: at an\n"
		"event, every so many instructions or cycles, or at the end (m:on, m:every,\n"
		"m:at_exit). One that fails stops the machine and is off from then on.\n"
		"    lua m:on(\"squash\", function(e) if e.count > 40 then return \"stop\" end "
		"end)",
	.words = "delete enable disable",
	.sessionless = true,
	.exec = cmd_hook_exec,
};
