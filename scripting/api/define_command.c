/* cyclops.command: commands written in Lua, used like built-in ones. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "scripting/api/api.h"
#include "scripting/script.h"

enum { NAME_BYTES = 24 };

struct own_command {
	struct script_command told;
	int run; /* registry: the function */
	struct own_command *next;
};

static bool define_command_is_name(const char *s)
{
	if (!islower((unsigned char)*s) || strlen(s) > NAME_BYTES)
		return false;
	while (islower((unsigned char)*s) || isdigit((unsigned char)*s) || *s == '-')
		s++;
	return !*s;
}

/* ---- running ---- */
struct running {
	const struct own_command *c;
	struct lua_machine *m;
	const char *args;
};

/* Calls run(m, args, WORD, ...) and shows its results as `lua` shows values. Called protected. */
static int define_command_run_handler(lua_State *L)
{
	const struct running *r = lua_touserdata(L, 1);
	const char *s = r->args;
	lua_settop(L, 0);
	lua_rawgeti(L, LUA_REGISTRYINDEX, r->c->run);
	api_push_again(L, r->m);
	lua_pushstring(L, s);
	for (s += strspn(s, " \t"); *s; s += strspn(s, " \t")) {
		size_t n = strcspn(s, " \t");
		luaL_checkstack(L, 4, "too many words");
		lua_pushlstring(L, s, n);
		s += n;
	}
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	return script_show(L);
}

bool script_command_run(struct script *s, const char *name, const struct session *session,
                        const char *args,
                        void (*write)(void *ctx, int fd, const char *text, size_t n), void *ctx,
                        struct err *err)
{
	const struct script_options before = s->opt;
	struct running r = {.c = s->commands, .m = s->machines, .args = args};
	while (r.c && strcmp(r.c->told.name, name) != 0)
		r.c = r.c->next;
	while (r.m && r.m->s != session)
		r.m = r.m->next;
	if (!r.c || !r.m)
		return err_set(err,
		               r.c ? "'%s' needs a machine of its script"
		                   : "no command is called '%s'",
		               name);
	lua_State *L = host_state(s->host);
	if (!lua_checkstack(L, LUA_MINSTACK))
		return err_set(err, "too many Lua values for a command");
	s->opt.write = write;
	s->opt.ctx = ctx;
	lua_pushcfunction(L, define_command_run_handler);
	lua_pushlightuserdata(L, &r);
	s->loaded = true;
	bool ok = host_call(s->host, 1, 0, err);
	s->opt.write = before.write;
	s->opt.ctx = before.ctx;
	return ok;
}

const struct script_command *script_command_at(const struct script *s, unsigned i)
{
	const struct own_command *c = s->commands;
	while (c && i--)
		c = c->next;
	return c ? &c->told : NULL;
}

bool script_is_safe(const struct script *s)
{
	return s->opt.safe;
}

/* ---- defining ---- */
/* Reads the completion: a kind of things, or a list of words. */
static void read_completion(lua_State *L, struct script_command *c)
{
	luaL_Buffer b;
	c->words = c->complete = "";
	if (lua_getfield(L, 1, "complete") == LUA_TSTRING) {
		c->complete = own_text(L, -1);
	} else if (lua_type(L, -1) == LUA_TTABLE) {
		lua_Integer n = (lua_Integer)lua_rawlen(L, -1);
		luaL_buffinit(L, &b);
		for (lua_Integer i = 1; i <= n; i++) {
			if (lua_rawgeti(L, 2, i) != LUA_TSTRING ||
			    strpbrk(lua_tostring(L, -1), " \t\n"))
				binding_fail(L, "cyclops.command: complete is a list of words, "
				                "without blanks");
			lua_pushliteral(L, " ");
			lua_concat(L, 2);
			luaL_addvalue(&b);
		}
		luaL_pushresult(&b);
		c->words = own_text(L, -1);
	} else if (!lua_isnil(L, -1)) {
		binding_fail(L, "cyclops.command: complete is a list of words, or what the "
		                "arguments are: \"location\"");
	}
	lua_settop(L, 1);
}

static int define_command_register(lua_State *L)
{
	static const char *const keys[] = {"name",     "usage",   "summary", "help",
	                                   "complete", "repeats", "run",     NULL};
	struct script *s = script_of(L);
	const struct command_port *port = s->opt.commands;
	struct script_command c = {0};
	struct own_command **at = &s->commands;
	struct err err;
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	api_refuse_reader(L, s, "cyclops.command");
	api_check_keys(L, 1, "cyclops.command", keys);
	c.name = own_option(L, "cyclops.command", "name", NULL);
	if (!define_command_is_name(c.name))
		return binding_fail(L,
		                    "cyclops.command: '%.40s' can't be a name; expected at most %d "
		                    "small letters, digits and -, a letter first",
		                    c.name, NAME_BYTES);
	c.usage = own_option(L, "cyclops.command", "usage", c.name);
	c.summary = own_option(L, "cyclops.command", "summary", "a command in Lua");
	c.help = own_option(L, "cyclops.command", "help", "");
	read_completion(L, &c);
	lua_getfield(L, 1, "repeats");
	c.repeats = lua_toboolean(L, -1);
	lua_settop(L, 1);
	if (!port)
		return binding_fail(L, "there are no commands here");
	if (!port->may_define(port->ctx, &c, &err))
		return binding_fail(L, "cyclops.command: %s", err.msg);
	if (lua_getfield(L, 1, "run") != LUA_TFUNCTION)
		return binding_fail(L, "cyclops.command needs run = function(m, args) ... end");
	int fn = luaL_ref(L, LUA_REGISTRYINDEX);
	while (*at && strcmp((*at)->told.name, c.name) != 0)
		at = &(*at)->next;
	if (*at)
		luaL_unref(L, LUA_REGISTRYINDEX, (*at)->run);
	else
		*at = alloc_zeroed(1, sizeof **at);
	if (!*at)
		return binding_fail(L, "out of memory for a command");
	(*at)->told = c;
	(*at)->run = fn;
	return 0;
}

void own_commands_free(struct script *s)
{
	for (struct own_command *c = s->commands, *next; c; c = next) {
		next = c->next;
		free(c);
	}
}

static const struct binding functions[] = {
	{"command", define_command_register, "cyclops.command{ name =, run = FUNCTION, ... }",
         "Defines or redefines a command of the session. It works as built-in commands do: at the "
         "prompt, from a key, in files, by -e and m:cmd. It may be abbreviated where no built-in "
         "command begins alike. Built-in commands can't be redefined.\n"
         "run = function(m, args, WORD, ...): args is the text after the name, followed by its "
         "words. Its output and its results are the command's answer; an error in it is the "
         "command's error.\n"
         "usage = \"hot [COUNT]\", summary (a line) and help are printed by `help`. complete = a "
         "list of words, or the kind of the arguments: location, view, report, statistic, "
         "parameter, register, event, expression, file, stop. repeats = true: Enter repeats it."},
};

const struct binding_area area_define_command = {
	.name = "owncommands",
	.object = "cyclops",
	.summary = "commands of your own",
	.text = "    cyclops.command{\n"
		"        name = \"next-miss\", summary = \"run to the next load from memory\", "
                "repeats = true,\n"
		"        run = function(m, args)\n"
		"            local stop = m:run{ until_event = { \"mem\", class = \"load\", where "
                "= \"level == 'memory'\" } }\n"
		"            print(stop.reason, m.where(stop.pc))\n"
		"        end,\n"
		"    }",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};
