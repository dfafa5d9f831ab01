/* cyclops.view: views written in Lua, shown like built-in ones. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "scripting/api/api.h"
#include "scripting/api/fill_view.h"

/* ---- defining ---- */
static bool define_view_is_name(const char *s, const char *also)
{
	if (!islower((unsigned char)*s) || strlen(s) > NAME_BYTES)
		return false;
	while (islower((unsigned char)*s) || isdigit((unsigned char)*s) || (*s && strchr(also, *s)))
		s++;
	return !*s;
}

/* A cell of a column's description as a permanent string; dflt if it is missing. */
static const char *define_view_column_text(lua_State *L, int column, int i, const char *dflt)
{
	const char *text = dflt;
	if (lua_rawgeti(L, column, i) == LUA_TSTRING)
		text = own_text(L, -1);
	else if (!lua_isnil(L, -1))
		binding_fail(L, "cyclops.view: a column is { NAME, ALIGN, UNIT, HELP }, all texts");
	lua_pop(L, 1);
	return text;
}

static bool define_view_flag_field(lua_State *L, int column, const char *name)
{
	own_view_field(L, column, name);
	bool is = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return is;
}

static enum align align_of(lua_State *L, const char *text)
{
	static const char *const names[] = {
		[ALIGN_LEFT] = "left", [ALIGN_RIGHT] = "right", [ALIGN_CENTRE] = "centre"};
	for (enum align a = ALIGN_LEFT; a <= ALIGN_CENTRE; a++)
		if (!strcmp(names[a], text))
			return a;
	binding_fail(L, "cyclops.view: a column is aligned '%s'; expected left, right or centre",
	             text);
	return ALIGN_LEFT;
}

/* The default head of a column: its name with blanks. */
static const char *define_view_column_head(lua_State *L, const char *name)
{
	luaL_gsub(L, name, "_", " ");
	const char *head = own_text(L, -1);
	lua_pop(L, 1);
	return head;
}

/* Reads the description on top, and pops it; appends its help to the text at `help`. */
static void read_column(lua_State *L, struct own_view *v, int help)
{
	int column = lua_gettop(L);
	struct grid_column *c = &v->columns[v->count];
	const char *text = "";
	if (lua_type(L, column) == LUA_TSTRING) {
		*c = (struct grid_column){.name = own_text(L, column), .unit = ""};
	} else if (lua_type(L, column) == LUA_TTABLE) {
		*c = (struct grid_column){
			.name = define_view_column_text(L, column, 1, ""),
			.align = align_of(L, define_view_column_text(L, column, 2, "left")),
			.unit = define_view_column_text(L, column, 3, ""),
			.flexible = define_view_flag_field(L, column, "flexible"),
			.restless = define_view_flag_field(L, column, "restless")};
		v->hex[v->count] = define_view_flag_field(L, column, "hex");
		text = define_view_column_text(L, column, 4, "");
	} else {
		binding_fail(
			L,
			"cyclops.view: a column is a name or { NAME, ALIGN, UNIT, HELP }, not %s",
			host_a(lua_type(L, column)));
		return;
	}
	if (!define_view_is_name(c->name, "_") || !strcmp(c->name, "role") ||
	    !strcmp(c->name, "changed") || !strcmp(c->name, "new"))
		binding_fail(L,
		             "cyclops.view: column '%.40s' can't be a name; expected at most %d "
		             "small letters, "
		             "digits and _, not role, changed or new",
		             c->name, NAME_BYTES);
	for (unsigned i = 0; i < v->count; i++)
		if (!strcmp(v->columns[i].name, c->name))
			binding_fail(L, "cyclops.view: column '%s' is there twice", c->name);
	c->title = define_view_column_head(L, c->name);
	if (*text) {
		lua_pushfstring(L, "%s%s%s: %s%s%s%s", lua_tostring(L, help),
		                *lua_tostring(L, help) ? "\n" : "", c->name, text,
		                *c->unit ? " (" : "", c->unit, *c->unit ? ")" : "");
		lua_replace(L, help);
	}
	v->count++;
	lua_settop(L, column - 1);
}

static void read_columns(lua_State *L, struct own_view *v)
{
	lua_pushstring(L, v->view.help.about);
	int help = lua_gettop(L);
	if (lua_getfield(L, 1, "columns") != LUA_TTABLE || !lua_rawlen(L, -1))
		binding_fail(L, "cyclops.view needs columns = { \"NAME\", ... } or { { NAME, "
		                "ALIGN, UNIT, HELP }, ... }");
	lua_Unsigned n = lua_rawlen(L, -1);
	if (n > COLUMNS_MAX)
		binding_fail(L, "cyclops.view: at most %d columns", COLUMNS_MAX);
	for (lua_Unsigned i = 1; i <= n; i++) {
		lua_rawgeti(L, help + 1, (lua_Integer)i);
		read_column(L, v, help);
	}
	v->view.help.about = own_text(L, help);
	lua_settop(L, help - 1);
}

/* Makes room for one more in the list that sessions see. */
static struct own_view *add_view(lua_State *L, struct script *s)
{
	const struct view **grown =
		alloc_resize((void *)(uintptr_t)s->views.at, (s->views.count + 1) * sizeof *grown);
	struct own_view *v = grown ? alloc_zeroed(1, sizeof *v) : NULL;
	if (grown)
		s->views.at = grown;
	if (!v) {
		binding_fail(L, "out of memory for a view");
		return NULL;
	}
	grown[s->views.count++] = &v->view;
	v->next = s->own_views;
	s->own_views = v;
	return v;
}

static int define_view_register(lua_State *L)
{
	static const char *const keys[] = {"name",    "title", "help",  "args",
	                                   "columns", "rows",  "empty", NULL};
	struct script *s = script_of(L);
	struct own_view v = {.script = s, .view.build_own = own_view_build};
	luaL_checktype(L, 1, LUA_TTABLE);
	lua_settop(L, 1);
	api_refuse_looking(L, s, "cyclops.view");
	api_check_keys(L, 1, "cyclops.view", keys);
	v.view.name = own_option(L, "cyclops.view", "name", NULL);
	if (!define_view_is_name(v.view.name, "_-"))
		return binding_fail(L,
		                    "cyclops.view: '%.40s' can't be a name; expected at most %d "
		                    "small letters, digits, - and _, a letter first",
		                    v.view.name, NAME_BYTES);
	if (view_named(NULL, v.view.name))
		return binding_fail(L, "cyclops.view: there is a view '%s' already, which stays",
		                    v.view.name);
	v.view.title = own_option(L, "cyclops.view", "title", v.view.name);
	v.view.help.about = own_option(L, "cyclops.view", "help", "");
	v.view.args = own_option(L, "cyclops.view", "args", "");
	v.empty = own_option(L, "cyclops.view", "empty", "nothing to show");
	read_columns(L, &v);
	if (lua_getfield(L, 1, "rows") != LUA_TFUNCTION)
		return binding_fail(
			L, "cyclops.view needs rows = function(m, args) return { ... } end");
	struct own_view *at = s->own_views;
	while (at && strcmp(at->view.name, v.view.name) != 0)
		at = at->next;
	v.rows = luaL_ref(L, LUA_REGISTRYINDEX);
	if (!at)
		at = add_view(L, s);
	else
		luaL_unref(L, LUA_REGISTRYINDEX, at->rows);
	v.next = at->next;
	*at = v;
	return 0;
}

void own_views_give(struct lua_machine *m)
{
	if (!m->s->more_views)
		m->s->more_views = &m->script->views;
}

void own_views_take(struct lua_machine *m)
{
	if (m->s->more_views == &m->script->views)
		m->s->more_views = NULL;
}

void own_views_free(struct script *s)
{
	for (struct own_view *v = s->own_views, *next; v; v = next) {
		next = v->next;
		free(v);
	}
	free((void *)(uintptr_t)s->views.at);
}

static const struct binding functions[] = {
	{"view", define_view_register, "cyclops.view{ name =, columns =, rows = FUNCTION, ... }",
         "Defines a view, or defines it again; it is shown as all others are: `view NAME`, --json, "
         "m:view, in panes and layouts.\n"
         "columns = a list of names or { NAME, ALIGN, UNIT, HELP }, with hex = true for addresses, "
         "flexible = true for what gives way "
         "in narrow panes, restless = true for what is never marked as changed; ALIGN is left, "
         "right or centre.\n"
         "rows = function(m, args): answers a list of rows, and a summary for the title line if "
         "there is one. A row is a list of "
         "cells or a table of them by column; cells are numbers, texts, true, false, nil, or { "
         "text =, value =, role = }, whose text "
         "people see and whose value JSON has. A row may have key (stays the same from stop to "
         "stop: changes are found by it), pc, "
         "seq (an instruction, for why) and role. args[1], ... are the words behind the name, "
         "args.room the rows that fit, 0: any.\n"
         "role: plain, dim, current, wrong_path, squashed, waiting, ready, running, done, miss, "
         "hit, hot, stale, profile, address, "
         "number, error.\n"
         "title, help, args = \"[COUNT]\" and empty (said when there are no rows) are texts."},
};
const struct binding_area area_define_view = {
	.name = "ownviews",
	.object = "cyclops",
	.summary = "views of your own",
	.text = "    local calls = {}\n"
		"    m:on(\"commit\", { class = \"jump\" }, function(e) calls[e.pc] = (calls[e.pc] "
                "or 0) + 1 end)\n"
		"    cyclops.view{\n"
		"        name = \"jumps\", title = \"Jumps so far\",\n"
		"        columns = { { \"pc\", \"left\", \"\", \"where\", hex = true }, { "
                "\"count\", \"right\" } },\n"
		"        rows = function(m)\n"
		"            local rows = {}\n"
		"            for pc, n in pairs(calls) do rows[#rows + 1] = { key = pc, pc = pc, "
                "count = n } end\n"
		"            table.sort(rows, function(a, b) return a.count > b.count end)\n"
		"            return rows, #rows .. \" places\"\n"
		"        end,\n"
		"    }\n"
		"A view looks and changes nothing: the machine does not move, and no hook is set. "
                "One that fails, or takes more than\n"
		"lua.hook_budget steps, says so in its pane. It is there for all machines of the "
                "script.",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};
