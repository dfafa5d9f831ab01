/* Script access to state tables: m.state.NAME, its keys, values and iteration. */
#include <string.h>

#include "core/os/journal.h"
#include "core/prof/common/attachment.h"
#include "scripting/api/state_table.h"
#include "scripting/host/state_map.h"

static struct place *state_place_check(lua_State *L)
{
	struct place *p = luaL_checkudata(L, 1, STATE);
	if (!p->m->s)
		binding_fail(L, "%s is closed", p->m->name);
	if (p->t->broken)
		binding_fail(L, "memory ran out while this state changed: what it holds is lost");
	return p;
}

static const struct map_node *state_place_map_root(const struct state_table *t)
{
	return t->is_ahead ? t->ahead.root : t->now.root;
}

static uint64_t big_endian(uint64_t v)
{
	return __builtin_bswap64(v);
}

/* Appends the key at `index` to a key of n bytes; returns the new length. */
static size_t state_place_append_key(lua_State *L, int index, uint8_t *key, size_t n)
{
	size_t len;
	uint64_t word;
	int whole;
	if (n + 16 > KEY_BYTES)
		binding_fail(L, "a state's tables are nested too deeply");
	switch (lua_type(L, index)) {
	case LUA_TNUMBER: {
		lua_Integer i = lua_tointegerx(L, index, &whole);
		double d = lua_tonumber(L, index);
		if (d != d)
			binding_fail(L, "a key of a state is a number, and NaN is none");
		key[n] = whole ? 'i' : 'f';
		memcpy(&word, &d, sizeof word);
		if (whole)
			word = (uint64_t)i ^ UINT64_C(1) << 63;
		else
			word = word >> 63 ? ~word : word ^ UINT64_C(1) << 63;
		word = big_endian(word);
		memcpy(key + n + 1, &word, sizeof word);
		return n + 1 + sizeof word;
	}
	case LUA_TBOOLEAN:
		key[n] = 'b';
		key[n + 1] = (uint8_t)lua_toboolean(L, index);
		return n + 2;
	case LUA_TSTRING: {
		const char *s = lua_tolstring(L, index, &len);
		if (n + 5 + len > KEY_BYTES)
			binding_fail(L, "a key of a state is too long");
		uint32_t size = __builtin_bswap32((uint32_t)len);
		key[n] = 's';
		memcpy(key + n + 1, &size, sizeof size);
		memcpy(key + n + 5, s, len);
		return n + 5 + len;
	}
	default:
		binding_fail(L, "a key of a state is a number, a text or a boolean, not %s",
		             host_a(lua_type(L, index)));
		return 0;
	}
}

/* Pushes the component after the first n bytes of a key; returns its end. */
static size_t push_key(lua_State *L, const uint8_t *key, size_t n)
{
	uint64_t word;
	uint32_t size;
	double d;
	switch (key[n]) {
	case 'i':
		memcpy(&word, key + n + 1, sizeof word);
		lua_pushinteger(L, (lua_Integer)(big_endian(word) ^ UINT64_C(1) << 63));
		return n + 9;
	case 'f':
		memcpy(&word, key + n + 1, sizeof word);
		word = big_endian(word);
		word = word >> 63 ? word ^ UINT64_C(1) << 63 : ~word;
		memcpy(&d, &word, sizeof d);
		lua_pushnumber(L, d);
		return n + 9;
	case 'b':
		lua_pushboolean(L, key[n + 1]);
		return n + 2;
	default:
		memcpy(&size, key + n + 1, sizeof size);
		size = __builtin_bswap32(size);
		lua_pushlstring(L, (const char *)key + n + 5, size);
		return n + 5 + size;
	}
}

void state_push_place(lua_State *L, int machine, struct state_table *t, const uint8_t *key,
                      size_t n)
{
	machine = lua_absindex(L, machine);
	struct place *p = lua_newuserdatauv(L, sizeof *p + n, 1);
	p->m = t->m;
	p->t = t;
	p->n = n;
	if (n)
		memcpy(p->key, key, n);
	lua_pushvalue(L, machine);
	lua_setiuservalue(L, -2, 1);
	luaL_setmetatable(L, STATE);
}

/* Pushes the value of a node; the place through which it is reached is at index 1. */
static void push_value(lua_State *L, struct state_table *t, const struct map_node *node)
{
	const uint8_t *v = map_value(node);
	lua_Integer i;
	double d;
	switch (*v) {
	case 'i':
		memcpy(&i, v + 1, sizeof i);
		lua_pushinteger(L, i);
		break;
	case 'f':
		memcpy(&d, v + 1, sizeof d);
		lua_pushnumber(L, d);
		break;
	case 'b':
		lua_pushboolean(L, v[1]);
		break;
	case 's':
		lua_pushlstring(L, (const char *)v + 1, node->value_n - 1);
		break;
	default:
		lua_getiuservalue(L, 1, 1);
		state_push_place(L, -1, t, node->bytes, node->key_n);
		lua_remove(L, -2);
	}
}

int state_place_index(lua_State *L)
{
	const struct place *p = state_place_check(L);
	uint8_t key[KEY_BYTES];
	if (lua_isnil(L, 2))
		return 0;
	memcpy(key, p->key, p->n);
	const struct map_node *node =
		map_get(state_place_map_root(p->t), key, state_place_append_key(L, 2, key, p->n));
	if (node)
		push_value(L, p->t, node);
	else
		lua_pushnil(L);
	return 1;
}

static void put_set(struct bytes *b, const uint8_t *key, size_t n, char type, const void *value,
                    size_t value_n)
{
	state_put(b, "S", 1);
	state_put_u32(b, n);
	state_put_u32(b, value_n + 1);
	state_put(b, key, n);
	state_put(b, &type, 1);
	state_put(b, value, value_n);
}

void state_check_value(lua_State *L, int index, uint8_t *key, size_t n, unsigned depth)
{
	size_t len;
	switch (lua_type(L, index)) {
	case LUA_TNIL:
	case LUA_TBOOLEAN:
	case LUA_TNUMBER:
		break;
	case LUA_TSTRING:
		lua_tolstring(L, index, &len);
		if (len > TEXT_BYTES)
			binding_fail(L, "a text of a state has at most 1 MiB");
		break;
	case LUA_TTABLE:
		if (depth == DEPTH_MAX)
			binding_fail(L, "a state's tables are nested too deeply");
		luaL_checkstack(L, 6, "a state");
		for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
			state_check_value(L, lua_gettop(L), key,
			                  state_place_append_key(L, -2, key, n), depth + 1);
		break;
	default:
		binding_fail(L,
		             "a state holds numbers, texts, booleans and tables of them, not %s",
		             host_a(lua_type(L, index)));
	}
}

void state_put_value(lua_State *L, int index, struct bytes *b, uint8_t *key, size_t n)
{
	size_t len;
	uint8_t flag = (uint8_t)lua_toboolean(L, index);
	lua_Integer i = lua_tointeger(L, index);
	double d = lua_tonumber(L, index);
	switch (lua_type(L, index)) {
	case LUA_TBOOLEAN:
		put_set(b, key, n, 'b', &flag, 1);
		break;
	case LUA_TNUMBER:
		if (lua_isinteger(L, index))
			put_set(b, key, n, 'i', &i, sizeof i);
		else
			put_set(b, key, n, 'f', &d, sizeof d);
		break;
	case LUA_TSTRING: {
		const char *s = lua_tolstring(L, index, &len);
		put_set(b, key, n, 's', s, len);
		break;
	}
	case LUA_TTABLE:
		put_set(b, key, n, 't', NULL, 0);
		for (lua_pushnil(L); lua_next(L, index); lua_pop(L, 1))
			state_put_value(L, lua_gettop(L), b, key,
			                state_place_append_key(L, -2, key, n));
		break;
	default:
		break;
	}
}

/* Appends an assignment; first deletes what was below the key, if that may be more than one
 * entry. */
static void put_assignment(lua_State *L, struct bytes *b, uint8_t *key, size_t n,
                           const struct map_node *root)
{
	const struct map_node *was = map_get(root, key, n);
	if (was && (*map_value(was) == 't' || lua_isnil(L, 3))) {
		state_put(b, "D", 1);
		state_put_u32(b, n);
		state_put(b, key, n);
	}
	state_put_value(L, 3, b, key, n);
}

int state_newindex(lua_State *L)
{
	struct place *p = state_place_check(L);
	struct state_table *t = p->t;
	struct lua_machine *m = p->m;
	uint8_t key[KEY_BYTES];
	const struct map_node *self = map_get(state_place_map_root(t), p->key, p->n);
	if (!self || *map_value(self) != 't')
		return binding_fail(
			L,
			"this table is no longer part of the state: something else took its place");
	api_refuse_looking(L, m->script, "a change of a state");
	memcpy(key, p->key, p->n);
	size_t n = state_place_append_key(L, 2, key, p->n), from = t->pending.n;
	state_check_value(L, 3, key, n, 0);
	if (m->script->moving && !m->telling)
		return binding_fail(L, "a state changes in a hook, or while the machine stands");
	put_assignment(L, &t->pending, key, n, state_place_map_root(t));
	if (!m->telling) {
		struct err err;
		const struct change c = {.kind = JOURNAL_ATTACHMENT,
		                         .a = machine_attachment_key(m->s->machine, t->attachment),
		                         .bytes = t->pending.at,
		                         .n = t->pending.n};
		bool lost = t->pending.lost;
		t->pending.n = 0;
		t->pending.lost = false;
		if (lost || (c.n && !run_change(m->s->run, &c, &err)))
			return binding_fail(L, "%s", lost ? "out of memory for a state" : err.msg);
		return 0;
	}
	if (!t->is_ahead) {
		t->ahead = (struct map){.root = map_keep(t->now.root)};
		t->is_ahead = true;
	}
	state_table_apply(t, &t->ahead, t->pending.at + from, t->pending.n - from);
	return 0;
}

int state_length(lua_State *L)
{
	const struct place *p = state_place_check(L);
	uint8_t key[KEY_BYTES];
	lua_Integer low = 0, high = 1;
	memcpy(key, p->key, p->n);
	for (;; low = high, high *= 2) { /* a border, as in Lua */
		lua_pushinteger(L, high);
		size_t n = state_place_append_key(L, -1, key, p->n);
		lua_pop(L, 1);
		if (!map_get(state_place_map_root(p->t), key, n))
			break;
	}
	while (high - low > 1) {
		lua_Integer middle = low + (high - low) / 2;
		lua_pushinteger(L, middle);
		size_t n = state_place_append_key(L, -1, key, p->n);
		lua_pop(L, 1);
		if (map_get(state_place_map_root(p->t), key, n))
			low = middle;
		else
			high = middle;
	}
	lua_pushinteger(L, low);
	return 1;
}

/* next(place, key) in key order: booleans, numbers, texts by length. */
static int place_next(lua_State *L)
{
	const struct place *p = state_place_check(L);
	const struct map_node *root = state_place_map_root(p->t), *node;
	uint8_t key[KEY_BYTES];
	lua_settop(L, 2);
	memcpy(key, p->key, p->n);
	if (lua_isnoneornil(L, 2))
		node = map_after(root, key, p->n, false);
	else
		node = map_after(root, key, state_place_append_key(L, 2, key, p->n), true);
	if (!node || node->key_n < p->n || memcmp(node->bytes, p->key, p->n) != 0)
		return 0;
	push_key(L, node->bytes, p->n);
	push_value(L, p->t, node);
	return 2;
}

int state_place_pairs(lua_State *L)
{
	state_place_check(L);
	lua_pushcfunction(L, place_next);
	lua_pushvalue(L, 1);
	lua_pushnil(L);
	return 3;
}
