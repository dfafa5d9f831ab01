/* cyclops.view: views written in Lua, shown like built-in ones. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "scripting/api/api.h"

enum { COLUMNS_MAX = 24, ROWS_MAX = 100000, NAME_BYTES = 24, STEPS_PER_ROW = 32 };

/* A redefinition reuses the struct, since panes refer to it. */
struct own_view {
	struct view view;
	struct script *script;
	int rows; /* registry: the function */
	struct grid_column columns[COLUMNS_MAX];
	bool hex[COLUMNS_MAX];
	unsigned count;
	const char *empty;
	bool building;
	struct own_view *next; /* of script->own_views */
};

/* ---- building a grid ---- */
struct filling {
	const struct own_view *v;
	struct lua_machine *m;
	const struct view_args *args;
	struct grid *out;
	bool begun;      /* *out is initialised */
	lua_Integer row; /* being read */
};

static void push_args(lua_State *L, const struct view_args *a)
{
	lua_createtable(L, a->argc, 2);
	for (int i = 0; i < a->argc; i++) {
		lua_pushstring(L, a->argv[i]);
		lua_rawseti(L, -2, i + 1);
	}
	lua_pushinteger(L, a->rows);
	lua_setfield(L, -2, "room");
}

/* Pushes a raw field of the table at `index`; returns its type. */
static int own_view_field(lua_State *L, int index, const char *name)
{
	index = lua_absindex(L, index);
	lua_pushstring(L, name);
	return lua_rawget(L, index);
}

/* The role in the table's field; PLAIN without one. */
static enum role role_of(lua_State *L, int index)
{
	struct nearest n;
	enum role role = ROLE_PLAIN;
	if (own_view_field(L, index, "role") != LUA_TNIL) {
		const char *name =
			lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : luaL_typename(L, -1);
		nearest_init(&n, name);
		while (role < ROLE_COUNT && strcmp(role_name[role], name) != 0)
			nearest_offer(&n, role_name[role++]);
		if (role == ROLE_COUNT)
			binding_fail(L, "no role '%s'%s; `help lua ownviews` lists them", name,
			             nearest_tail(&n));
	}
	lua_pop(L, 1);
	return role;
}

static void put_integer(struct grid *g, enum role role, lua_Integer v, bool hex)
{
	if (hex)
		grid_hex(g, role, (uint64_t)v);
	else if (v < 0)
		grid_int(g, role, v);
	else
		grid_uint(g, role, (uint64_t)v);
}

/* Appends a cell given as { text =, value =, role = }. */
static void put_told_cell(lua_State *L, struct grid *g, bool hex)
{
	int cell = lua_gettop(L);
	enum role role = role_of(L, cell);
	int type = own_view_field(L, cell, "value");
	if (own_view_field(L, cell, "text") == LUA_TNIL) {
		if (type == LUA_TSTRING)
			grid_text(g, role, "%s", lua_tostring(L, -2));
		else if (lua_isinteger(L, -2))
			put_integer(g, role, lua_tointeger(L, -2), hex);
		else if (type == LUA_TNUMBER)
			grid_double(g, role, lua_tonumber(L, -2), 2);
		else if (type == LUA_TNIL)
			grid_blank(g);
		else
			binding_fail(L, "a cell's value is a number or a text, not %s",
			             host_a(type));
	} else {
		const char *text = host_text(L, -1, NULL);
		if (lua_isinteger(L, cell + 1) && hex)
			grid_hex_text(g, role, (uint64_t)lua_tointeger(L, cell + 1), "%s", text);
		else if (lua_isinteger(L, cell + 1) && lua_tointeger(L, cell + 1) >= 0)
			grid_uint_text(g, role, (uint64_t)lua_tointeger(L, cell + 1), "%s", text);
		else if (type == LUA_TNUMBER)
			grid_double_text(g, role, lua_tonumber(L, cell + 1), "%s", text);
		else
			grid_text(g, role, "%s", text);
	}
	lua_settop(L, cell);
}

/* Appends the value on top as a cell, and pops it. */
static void fill_view_append_cell(lua_State *L, struct grid *g, bool hex, const char *column)
{
	switch (lua_type(L, -1)) {
	case LUA_TNIL:
		grid_blank(g);
		break;
	case LUA_TBOOLEAN:
		grid_text(g, ROLE_PLAIN, "%s", lua_toboolean(L, -1) ? "yes" : "no");
		break;
	case LUA_TNUMBER:
		if (lua_isinteger(L, -1))
			put_integer(g, ROLE_PLAIN, lua_tointeger(L, -1), hex);
		else
			grid_double(g, ROLE_PLAIN, lua_tonumber(L, -1), 2);
		break;
	case LUA_TSTRING:
		grid_text(g, ROLE_PLAIN, "%s", lua_tostring(L, -1));
		break;
	case LUA_TTABLE:
		put_told_cell(L, g, hex);
		break;
	default:
		binding_fail(L,
		             "column '%s': a %s can't be shown; expected a number, a text, true, "
		             "false, nil, or "
		             "{ text =, value =, role = }",
		             column, luaL_typename(L, -1));
	}
	lua_pop(L, 1);
}

/* A whole number in a field of the row; a key may be a text. */
static uint64_t fill_view_row_number(lua_State *L, int row, const char *name)
{
	uint64_t v = 0;
	own_view_field(L, row, name);
	if (lua_type(L, -1) == LUA_TSTRING)
		v = hash_text(lua_tostring(L, -1));
	else if (lua_isinteger(L, -1))
		v = (uint64_t)lua_tointeger(L, -1);
	lua_pop(L, 1);
	return v;
}

/* Appends the row on top, and pops it. */
static void fill_view_append_row(lua_State *L, struct filling *f)
{
	const struct own_view *v = f->v;
	int row = lua_gettop(L);
	luaL_checkstack(L, 10, "a row");
	if (lua_type(L, row) != LUA_TTABLE) {
		binding_fail(L, "a row is a table of cells, by position or by column, not %s",
		             host_a(lua_type(L, row)));
		return;
	}
	bool listed = lua_rawlen(L, row) > 0;
	if (lua_rawlen(L, row) > v->count)
		binding_fail(L, "%d cells for %d columns", (int)lua_rawlen(L, row), (int)v->count);
	enum role role = role_of(L, row);
	struct grid_row *r = grid_row(f->out, fill_view_row_number(L, row, "key"), role);
	r->pc = fill_view_row_number(L, row, "pc");
	r->seq = fill_view_row_number(L, row, "seq");
	for (unsigned c = 0; c < v->count; c++) {
		if (listed)
			lua_rawgeti(L, row, (lua_Integer)c + 1);
		else
			own_view_field(L, row, v->columns[c].name);
		fill_view_append_cell(L, f->out, v->hex[c], v->columns[c].name);
	}
	lua_settop(L, row - 1);
}

/* Builds the grid, which includes calling the function. Called protected. */
static int fill_view_build_grid(lua_State *L)
{
	struct filling *f = lua_touserdata(L, 1);
	const struct own_view *v = f->v;
	lua_settop(L, 1);
	lua_rawgeti(L, LUA_REGISTRYINDEX, v->rows);
	api_push_again(L, f->m);
	push_args(L, f->args);
	lua_call(L, 2, 2);
	if (lua_type(L, 2) != LUA_TTABLE)
		return binding_fail(L, "rows returns a list of rows, not %s",
		                    host_a(lua_type(L, 2)));
	grid_init(f->out, v->view.title, v->columns, v->count);
	f->begun = true;
	grid_empty(f->out, "%s", v->empty);
	if (lua_rawlen(L, 2) > ROWS_MAX)
		return binding_fail(L, "a view has at most %d rows, not %zu", ROWS_MAX,
		                    (size_t)lua_rawlen(L, 2));
	for (lua_Integer i = 1; i <= (lua_Integer)lua_rawlen(L, 2); i++) {
		host_tick(L, STEPS_PER_ROW);
		f->row = i;
		lua_rawgeti(L, 2, i);
		fill_view_append_row(L, f);
	}
	f->row = 0;
	if (!lua_isnil(L, 3))
		grid_summary(f->out, "%s", host_text(L, 3, NULL));
	return 0;
}

static struct lua_machine *machine_of(const struct script *s, const struct session *session)
{
	struct lua_machine *m = s->machines;
	while (m && m->s != session)
		m = m->next;
	return m;
}

static bool own_view_build(const struct view *view, const struct session *s,
                           const struct view_args *args, struct grid *out, struct err *err)
{
	struct own_view *v = (struct own_view *)(uintptr_t)view;
	struct script *script = v->script;
	struct grid g;
	struct filling f = {.v = v, .m = machine_of(script, s), .args = args, .out = &g};
	char title[64];
	struct err why;
	if (!f.m)
		return err_set(err, "view %s: its machine is closed", view->name);
	if (v->building)
		return err_set(err, "view %s shows itself", view->name);
	lua_State *L = host_state(script->host);
	if (!lua_checkstack(L, LUA_MINSTACK))
		return err_set(err, "too many Lua values for a view");
	snprintf(title, sizeof title, "view %s", view->name);
	if (!host_is_busy(script->host))
		host_clear_interrupt(script->host); /* the interrupt was meant for the code that ran
						     * then */
	const char *before = script->reader;
	script->reader = title;
	v->building = true;
	lua_pushcfunction(L, fill_view_build_grid);
	lua_pushlightuserdata(L, &f);
	bool ok = host_call_within(script->host, 1, 0,
	                           (uint64_t)CONFIG(machine_config(s->machine), hook_budget), title,
	                           &why);
	v->building = false;
	script->reader = before;
	if (ok) {
		*out = g;
		return true;
	}
	if (f.begun)
		grid_deinit(&g);
	if (f.row)
		return err_set(err, "%s, row %lld: %.400s", title, (long long)f.row, why.msg);
	return err_set(err, "%s%s%.400s", strncmp(why.msg, title, strlen(title)) ? title : "",
	               strncmp(why.msg, title, strlen(title)) ? ": " : "", why.msg);
}

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
	api_refuse_reader(L, s, "cyclops.view");
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
         "Defines or redefines a view. It is shown as built-in views are: by `view NAME`, --json, "
         "m:view, in panes and layouts.\n"
         "columns = a list of names or { NAME, ALIGN, UNIT, HELP }, with hex = true for "
         "addresses, flexible = true for columns that shrink in narrow panes, restless = true for "
         "columns never marked as changed; ALIGN is left, right or centre.\n"
         "rows = function(m, args): returns a list of rows, and optionally a summary for the "
         "title line. A row is a list of cells or a table of them by column; cells are numbers, "
         "texts, true, false, nil, or { text =, value =, role = }: text is displayed, value goes "
         "into JSON. A row may have key (the same from stop to stop: changes are found by it), "
         "pc, seq (an instruction, for why) and role. args[1], ... are the words after the name, "
         "args.room is the number of rows that fit (0: any).\n"
         "role: plain, dim, current, wrong_path, squashed, waiting, ready, running, done, miss, "
         "hit, hot, stale, profile, address, number, error.\n"
         "title, help, args = \"[COUNT]\" and empty (shown when there are no rows) are texts."},
};
const struct binding_area area_define_view = {
	.name = "ownviews",
	.object = "cyclops",
	.summary = "views of your own",
	.text = "    local calls = {}\n"
		"    m:on(\"commit\", { class = \"jump\" }, function(e) calls[e.pc] = "
		"(calls[e.pc] or 0) + 1 end)\n"
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
		"A view changes nothing: it can't move the machine or set a hook. A view that "
		"fails, or takes more than\n"
		"lua.hook_budget steps, shows the error in its pane. It exists for all machines "
		"of the script.",
	.bindings = functions,
	.count = sizeof functions / sizeof *functions,
};
