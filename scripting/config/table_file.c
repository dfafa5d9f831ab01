#include "scripting/config/table_file.h"

#include <ctype.h>
#include <errno.h>
#include <lauxlib.h>
#include <limits.h>
#include <lua.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/open_input.h"
#include "core/base/pool.h"
#include "core/base/sort.h"
#include "scripting/host/host.h"

enum {
	TEXT_BYTES_MAX = 1 << 20,
	STEPS_MAX = 50000000,
	BYTES_MAX = 256 << 20,
	DEPTH_MAX = 8,
	VALUES_MAX = 20000
};

struct table_file {
	char path[PATH_MAX];
	char *text;           /* owned */
	struct pool store;    /* of values and their strings */
	struct lua_value root;
	size_t values;        /* read so far */
};

/* ---- positions of names ---- */

/* The length of the comment at s; 0 if there is none. */
static size_t comment_length(const char *s)
{
	if (s[0] != '-' || s[1] != '-')
		return 0;
	if (s[2] != '[' || s[3] != '[')
		return strcspn(s, "\n");
	const char *end = strstr(s, "]]");
	return end ? (size_t)(end - s) + 2 : strlen(s);
}

/* Whether s, inside text, begins NAME = or ["NAME"] =. */
static bool names_here(const char *text, const char *s, const char *name, size_t len)
{
	const char *end = s + len;
	if (strncmp(s, name, len) != 0)
		return false;
	bool quoted = s - text >= 2 && (s[-1] == '"' || s[-1] == '\'') && s[-2] == '[';
	if (quoted) {
		if (*end++ != s[-1] || *end++ != ']')
			return false;
	} else if (s > text && (isalnum((unsigned char)s[-1]) || strchr("_.\"'", s[-1]))) {
		return false;
	}
	end += strspn(end, " \t\r\n");
	return *end == '=' && end[1] != '=';
}

/* The position of an entry's name at or after `from`; SIZE_MAX if none. Lua has no positions of a
 * table's entries, so the text is searched. */
static size_t table_file_find_name(const char *text, size_t from, const char *name)
{
	size_t len = strlen(name);
	for (const char *s = text + from; *s;) {
		size_t comment = comment_length(s);
		if (comment)
			s += comment;
		else if (names_here(text, s, name, len))
			return (size_t)(s - text);
		else
			s++;
	}
	return SIZE_MAX;
}

static unsigned line_at(const char *text, size_t at)
{
	unsigned line = 1;
	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

/* Sets the position and line of v: the text of its name after in's position, else anywhere, since a
 * table may be built before the table that contains it. */
static void table_file_set_position(const struct table_file *t, struct lua_value *v,
                                    const struct lua_value *in)
{
	size_t at = table_file_find_name(t->text, in->at, v->name);
	if (at == SIZE_MAX)
		at = table_file_find_name(t->text, 0, v->name);
	v->at = at == SIZE_MAX ? in->at : at;
	v->line = at == SIZE_MAX ? in->line : line_at(t->text, at);
}

static int table_file_compare_positions(const void *a, const void *b)
{
	const struct lua_value *x = a, *y = b;
	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return strverscmp(x->name, y->name);
}

/* ---- values ---- */

static void table_file_read_value(struct table_file *t, lua_State *L, struct lua_value *v,
                                  unsigned depth);

static char *table_file_store_text(struct table_file *t, lua_State *L, const char *text, size_t n)
{
	char *copy = pool_text(&t->store, text, n);
	if (!copy)
		luaL_error(L, "out of memory");
	return copy;
}

static void count_value(struct table_file *t, lua_State *L)
{
	if (++t->values > VALUES_MAX)
		luaL_error(L, "%s: the table has more than %d entries", t->path, VALUES_MAX);
}

/* Reads the named entries of the table on top; `v` has room for them. */
static void read_named(struct table_file *t, lua_State *L, struct lua_value *v, unsigned depth)
{
	struct lua_value *items = v->items;
	size_t n = v->positions;
	for (lua_pushnil(L); items && lua_next(L, -2); lua_pop(L, 1)) {
		if (lua_type(L, -2) != LUA_TSTRING)
			continue;
		struct lua_value *item = &items[n++];
		const char *name = lua_tostring(L, -2);
		*item = (struct lua_value){.name = table_file_store_text(t, L, name, strlen(name))};
		table_file_set_position(t, item, v);
		table_file_read_value(t, L, item, depth + 1);
	}
	if (n > v->positions)
		sort_stable(items + v->positions, n - v->positions, sizeof *items,
		            table_file_compare_positions);
}

static void read_entries(struct table_file *t, lua_State *L, struct lua_value *v, unsigned depth)
{
	if (depth == DEPTH_MAX)
		luaL_error(L, "%s:%d: tables are nested too deeply", t->path, (int)v->line);
	luaL_checkstack(L, 6, "nested tables");
	v->positions = lua_rawlen(L, -1);
	size_t whole = 0;
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1)) {
		count_value(t, L);
		v->count++;
		if (lua_isinteger(L, -2) && lua_tointeger(L, -2) >= 1 &&
		    (size_t)lua_tointeger(L, -2) <= v->positions)
			whole++;
		else if (lua_type(L, -2) != LUA_TSTRING)
			luaL_error(L, "%s:%d: an entry has a name or a position from 1 on, not %s",
			           t->path, (int)v->line, luaL_tolstring(L, -2, NULL));
	}
	if (whole != v->positions)
		luaL_error(L, "%s:%d: a list has holes", t->path, (int)v->line);
	v->items = pool_alloc(&t->store, v->count * sizeof *v->items);
	if (!v->items) {
		luaL_error(L, "out of memory");
		return;
	}
	for (size_t i = 0; i < v->positions; i++) {
		v->items[i] = (struct lua_value){.line = v->line, .at = v->at};
		lua_rawgeti(L, -1, (lua_Integer)i + 1);
		table_file_read_value(t, L, &v->items[i], depth + 1);
		lua_pop(L, 1);
	}
	read_named(t, L, v, depth);
}

/* Reads the value on top of the stack, which stays. */
static void table_file_read_value(struct table_file *t, lua_State *L, struct lua_value *v,
                                  unsigned depth)
{
	size_t len = 0;
	const char *text;
	switch (lua_type(L, -1)) {
	case LUA_TBOOLEAN:
		v->kind = LUA_VALUE_BOOL;
		v->flag = lua_toboolean(L, -1);
		break;
	case LUA_TNUMBER:
		v->kind = lua_isinteger(L, -1) ? LUA_VALUE_INT : LUA_VALUE_REAL;
		v->number = lua_tointeger(L, -1);
		v->real = lua_tonumber(L, -1);
		break;
	case LUA_TSTRING:
		v->kind = LUA_VALUE_TEXT;
		break;
	case LUA_TTABLE:
		v->kind = LUA_VALUE_TABLE;
		v->text = "";
		read_entries(t, L, v, depth);
		return;
	default:
		luaL_error(L, "%s:%d: %s: a number, text, boolean or table is needed, not %s",
		           t->path, (int)v->line, v->name ? v->name : "an entry",
		           host_a(lua_type(L, -1)));
	}
	text = luaL_tolstring(L, -1, &len);
	if (strlen(text) != len)
		luaL_error(L, "%s:%d: a text has a zero byte in it", t->path, (int)v->line);
	v->text = table_file_store_text(t, L, text, len);
	lua_pop(L, 1);
}

/* ---- the file ---- */

struct reading {
	struct table_file *t;
	const char *what;
};

/* Runs the chunk. Called protected, with the reading on the stack. */
static int table_file_run_chunk(lua_State *L)
{
	struct reading *r = lua_touserdata(L, 1);
	char chunk[PATH_MAX + 2];
	snprintf(chunk, sizeof chunk, "@%s", r->t->path);
	host_push_environment(L);
	lua_pop(L, 1);
	if (host_load(L, r->t->text, strlen(r->t->text), chunk) != LUA_OK)
		return lua_error(L);
	lua_call(L, 0, 1);
	if (!lua_istable(L, -1))
		return luaL_error(L, "%s: %s returns a table, this one returns %s", r->t->path,
		                  r->what, host_a(lua_type(L, -1)));
	r->t->root.line = 1;
	table_file_read_value(r->t, L, &r->t->root, 0);
	return 0;
}

static bool table_file_evaluate(struct table_file *t, const char *what, struct err *err)
{
	struct reading r = {t, what};
	struct err why;
	struct lua_host *h = host_new(
		&(struct host_options){.bytes_max = BYTES_MAX, .steps_max = STEPS_MAX}, err);
	if (!h)
		return false;
	lua_State *L = host_state(h);
	lua_pushcfunction(L, table_file_run_chunk);
	lua_pushlightuserdata(L, &r);
	bool ok = host_call(h, 1, 0, &why);
	if (!ok)
		err_set(err, "%s%s%s", strncmp(why.msg, t->path, strlen(t->path)) ? t->path : "",
		        strncmp(why.msg, t->path, strlen(t->path)) ? ": " : "", why.msg);
	host_free(h);
	return ok;
}

/* Reads the file with a NUL added, malloc'd; NULL on failure. */
static char *table_file_read_text(const char *path, struct err *err)
{
	FILE *f = open_input(path);
	if (!f)
		return err_set(err, "%s: %s", path, open_input_error()), NULL;
	char *text = alloc_bytes(TEXT_BYTES_MAX + 1);
	size_t n = text ? fread(text, 1, TEXT_BYTES_MAX + 1, f) : 0;
	int why = ferror(f) ? errno : 0;
	fclose(f);
	if (text && !why && n <= TEXT_BYTES_MAX && !memchr(text, '\0', n)) {
		text[n] = '\0';
		return text;
	}
	free(text);
	if (why)
		return err_set(err, "%s: %s", path, strerror(why)), NULL;
	return err_set(err, "%s: it is not Lua's text, or over %d bytes", path, TEXT_BYTES_MAX),
	       NULL;
}

struct table_file *table_file_read(const char *path, const char *what, struct err *err)
{
	struct table_file *t = alloc_zeroed(1, sizeof *t);
	if (!t)
		return err_set(err, "out of memory"), NULL;
	snprintf(t->path, sizeof t->path, "%s", path);
	t->text = table_file_read_text(path, err);
	if (t->text && table_file_evaluate(t, what, err))
		return t;
	table_file_free(t);
	return NULL;
}

void table_file_free(struct table_file *t)
{
	if (!t)
		return;
	pool_deinit(&t->store);
	free(t->text);
	free(t);
}

const struct lua_value *table_file_root(const struct table_file *t)
{
	return &t->root;
}

const struct lua_value *lua_value_named(const struct lua_value *table, const char *name)
{
	for (size_t i = table->positions; i < table->count; i++)
		if (!strcmp(table->items[i].name, name))
			return &table->items[i];
	return NULL;
}
