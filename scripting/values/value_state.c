#include "scripting/values/value_state.h"

#include <lauxlib.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/run/value_daemon.h"
#include "scripting/host/host.h"

enum { DEPTH_MAX = 16 };

static void value_state_append_bytes(lua_State *L, struct value_text *t, const void *bytes,
                                     size_t n)
{
	if (t->n + n > VALUE_STATE_MAX)
		luaL_error(L, "state: at most %d bytes can be kept from one sequence to the next",
		           VALUE_STATE_MAX);
	if (t->n + n > t->room) {
		char *grown = alloc_resize(t->at, 2 * (t->n + n) + 64);
		if (!grown) {
			luaL_error(L, "out of memory for a module's state");
			return;
		}
		t->at = grown;
		t->room = 2 * (t->n + n) + 64;
	}
	memcpy(t->at + t->n, bytes, n);
	t->n += n;
}

static void put_scalar(lua_State *L, int index, struct value_text *t, const char *what)
{
	const int type = lua_type(L, index);
	size_t len;
	if (type == LUA_TBOOLEAN) {
		value_state_append_bytes(L, t, lua_toboolean(L, index) ? "T" : "F", 1);
	} else if (type == LUA_TNUMBER && lua_isinteger(L, index)) {
		const lua_Integer i = lua_tointeger(L, index);
		value_state_append_bytes(L, t, "i", 1);
		value_state_append_bytes(L, t, &i, sizeof i);
	} else if (type == LUA_TNUMBER) {
		const lua_Number d = lua_tonumber(L, index);
		value_state_append_bytes(L, t, "d", 1);
		value_state_append_bytes(L, t, &d, sizeof d);
	} else if (type == LUA_TSTRING) {
		const char *s = lua_tolstring(L, index, &len);
		const uint32_t n = (uint32_t)len;
		value_state_append_bytes(L, t, "s", 1);
		value_state_append_bytes(L, t, &n, sizeof n);
		value_state_append_bytes(L, t, s, len);
	} else {
		luaL_error(L, "state: its %s are numbers, texts, booleans%s, not %s", what,
		           *what == 'v' ? " and tables" : "", host_a(type));
	}
}

/* An entry in t->at: the ends of its key and of the whole. */
struct entry {
	size_t from, key_end, end;
};

static int value_state_compare_keys(const void *a, const void *b, void *bytes)
{
	const struct entry *x = a, *y = b;
	const char *at = bytes;
	const size_t n = x->key_end - x->from, m = y->key_end - y->from;
	const int order = memcmp(at + x->from, at + y->from, n < m ? n : m);
	return order ? order : n < m ? -1 : n > m;
}

static void value_state_write_table(lua_State *L, int index, struct value_text *t, unsigned depth);

/* Writes the entries of a table in byte order of their keys: writes in Lua's order, then sorts the
 * bytes. */
static void write_entries(lua_State *L, int index, struct value_text *t, struct entry *e,
                          unsigned depth)
{
	unsigned n = 0;
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1)) {
		e[n].from = t->n;
		put_scalar(L, -2, t, "keys");
		e[n].key_end = t->n;
		if (lua_istable(L, -1))
			value_state_write_table(L, lua_gettop(L), t, depth + 1);
		else
			put_scalar(L, -1, t, "values");
		e[n++].end = t->n;
	}
	if (!n)
		return;
	const size_t from = e[0].from, bytes = t->n - from;
	char *ordered = lua_newuserdatauv(L, bytes, 0);
	size_t at = 0;
	sort_stable_with(e, n, sizeof *e, value_state_compare_keys, t->at);
	for (unsigned i = 0; i < n; i++) {
		memcpy(ordered + at, t->at + e[i].from, e[i].end - e[i].from);
		at += e[i].end - e[i].from;
	}
	memcpy(t->at + from, ordered, bytes);
	lua_pop(L, 1);
}

static void value_state_write_table(lua_State *L, int index, struct value_text *t, unsigned depth)
{
	uint32_t n = 0;
	if (depth == DEPTH_MAX)
		luaL_error(L, "state: its tables are nested too deeply; expected at most %d",
		           DEPTH_MAX);
	luaL_checkstack(L, 8, "a module's state");
	for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
		n++;
	value_state_append_bytes(L, t, "t", 1);
	value_state_append_bytes(L, t, &n, sizeof n);
	struct entry *e = lua_newuserdatauv(L, (n + (size_t)1) * sizeof *e, 0);
	write_entries(L, index, t, e, depth);
	lua_pop(L, 1);
}

void value_state_write(lua_State *L, int index, struct value_text *t)
{
	t->n = 0;
	value_state_write_table(L, lua_absindex(L, index), t, 0);
}

struct reader {
	const char *at, *end;
};

static void value_state_read_bytes(lua_State *L, struct reader *r, void *to, size_t n)
{
	if ((size_t)(r->end - r->at) < n)
		luaL_error(L, "state: what is saved is cut off");
	memcpy(to, r->at, n);
	r->at += n;
}

static void value_state_read_value(lua_State *L, struct reader *r, unsigned depth)
{
	char type;
	uint32_t n;
	lua_Integer i;
	lua_Number d;
	luaL_checkstack(L, 8, "a module's state");
	value_state_read_bytes(L, r, &type, 1);
	switch (depth > DEPTH_MAX ? 0 : type) {
	case 'T':
	case 'F':
		lua_pushboolean(L, type == 'T');
		break;
	case 'i':
		value_state_read_bytes(L, r, &i, sizeof i);
		lua_pushinteger(L, i);
		break;
	case 'd':
		value_state_read_bytes(L, r, &d, sizeof d);
		lua_pushnumber(L, d);
		break;
	case 's':
		value_state_read_bytes(L, r, &n, sizeof n);
		if ((size_t)(r->end - r->at) < n)
			luaL_error(L, "state: what is saved is cut off");
		lua_pushlstring(L, r->at, n);
		r->at += n;
		break;
	case 't':
		value_state_read_bytes(L, r, &n, sizeof n);
		lua_newtable(L);
		while (n--) {
			value_state_read_value(L, r, depth + 1);
			value_state_read_value(L, r, depth + 1);
			if (lua_isnil(L, -2) ||
			    (lua_isnumber(L, -2) && lua_tonumber(L, -2) != lua_tonumber(L, -2)))
				luaL_error(L, "state: what is saved is damaged");
			lua_rawset(L, -3);
		}
		break;
	default:
		luaL_error(L, "state: what is saved is damaged");
	}
}

void value_state_read(lua_State *L, const void *bytes, size_t n)
{
	struct reader r = {bytes, (const char *)bytes + n};
	value_state_read_value(L, &r, 0);
	if (!lua_istable(L, -1))
		luaL_error(L, "state: what is saved is damaged");
}
