/* Fills the grid of a view written in Lua: calls its function, and reads rows and cells. */
#include "scripting/api/fill_view.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/nearest_word.h"
#include "scripting/api/api.h"

/* ---- building ---- */
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

int own_view_field(lua_State *L, int index, const char *name)
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
		const char *text = luaL_tolstring(L, -1, NULL);
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
		grid_summary(f->out, "%s", luaL_tolstring(L, 3, NULL));
	return 0;
}

static struct lua_machine *machine_of(const struct script *s, const struct session *session)
{
	struct lua_machine *m = s->machines;
	while (m && m->s != session)
		m = m->next;
	return m;
}

bool own_view_build(const struct view *view, const struct session *s, const struct view_args *args,
                    struct grid *out, struct err *err)
{
	struct own_view *v = (struct own_view *)(uintptr_t)view;
	struct script *script = v->script;
	struct grid g;
	struct filling f = {.v = v, .m = machine_of(script, s), .args = args, .out = &g};
	char who[64];
	struct err why;
	if (!f.m)
		return err_set(err, "view %s: its machine is closed", view->name);
	if (v->building)
		return err_set(err, "view %s shows itself", view->name);
	lua_State *L = host_state(script->host);
	if (!lua_checkstack(L, LUA_MINSTACK))
		return err_set(err, "too many Lua values for a view");
	snprintf(who, sizeof who, "view %s", view->name);
	if (!host_is_busy(script->host))
		host_clear_interrupt(script->host); /* the interrupt was meant for the code that ran
						     * then */
	const char *before = script->looking;
	script->looking = view->name;
	v->building = true;
	lua_pushcfunction(L, fill_view_build_grid);
	lua_pushlightuserdata(L, &f);
	bool ok = host_call_within(script->host, 1, 0,
	                           (uint64_t)CONFIG(machine_config(s->machine), hook_budget), who,
	                           &why);
	v->building = false;
	script->looking = before;
	if (ok) {
		*out = g;
		return true;
	}
	if (f.begun)
		grid_deinit(&g);
	if (f.row)
		return err_set(err, "%s, row %lld: %.400s", who, (long long)f.row, why.msg);
	return err_set(err, "%s%s%.400s", strncmp(why.msg, who, strlen(who)) ? who : "",
	               strncmp(why.msg, who, strlen(who)) ? ": " : "", why.msg);
}
