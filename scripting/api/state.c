#include "scripting/api/state.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/journal.h"
#include "core/prof/common/attachment.h"
#include "scripting/api/api.h"
#include "scripting/host/state_map.h"

#define STATE "cyclops.state"

enum { DEPTH_MAX = 32, KEY_BYTES = 4096, TEXT_BYTES = 1 << 20 };

/* A key is a list of self-delimiting components: a type byte, then the value; the byte order of
 * encoded numbers is their numeric order. A value is a type byte and the value. A change is a list
 * of 'S' key_n value_n key value (set) and 'D' key_n key (delete all keys with this prefix). */
struct bytes {
	uint8_t *at; /* owned */
	size_t n, room;
	bool lost; /* out of memory */
};

struct state_table {
	struct lua_machine *m; /* borrowed; it owns this */
	struct map first;      /* initial contents */
	struct map now;        /* contents by the journal */
	struct map ahead;      /* contents by this cycle's hooks, if is_ahead */
	bool is_ahead;
	bool broken;          /* memory ran out during a change */
	struct bytes pending; /* changes not yet in the journal */
	int attachment;
	struct state_table *next;
};

/* A userdata followed by the place's key; its user value is the machine's userdata. */
struct place {
	struct lua_machine *m;
	struct state_table *t;
	size_t n; /* bytes */
	uint8_t key[];
};

/* ---- changes ---- */
static void state_put(struct bytes *b, const void *what, size_t n)
{
	if (b->n + n > b->room) {
		size_t room = 2 * (b->n + n) + 64;
		uint8_t *grown = alloc_resize(b->at, room);
		if (!grown) {
			b->lost = true;
			return;
		}
		b->at = grown;
		b->room = room;
	}
	if (n)
		memcpy(b->at + b->n, what, n);
	b->n += n;
}

static void state_put_u32(struct bytes *b, size_t v)
{
	uint32_t word = (uint32_t)v;
	state_put(b, &word, sizeof word);
}

struct saved {
	struct map_node *root;
	size_t bytes;
};

static void *script_state_save(void *ctx)
{
	struct state_table *t = ctx;
	struct saved *s = alloc_bytes(sizeof *s);
	if (!s)
		return NULL;
	*s = (struct saved){map_keep(t->now.root), sizeof *s + t->now.fresh};
	t->now.fresh = 0;
	return s;
}

static void drop_ahead(struct state_table *t)
{
	map_drop(t->ahead.root);
	t->ahead = (struct map){0};
	t->is_ahead = false;
}

static void script_state_restore(void *ctx, const void *state)
{
	struct state_table *t = ctx;
	const struct saved *s = state;
	struct map_node *root = map_keep(s ? s->root : t->first.root);
	map_drop(t->now.root);
	t->now = (struct map){.root = root};
	drop_ahead(t);
}

static void script_state_release(void *state)
{
	struct saved *s = state;
	map_drop(s->root);
	free(s);
}

static size_t saved_bytes(const void *state)
{
	return ((const struct saved *)state)->bytes;
}

static uint64_t script_state_hash(const void *ctx)
{
	return map_hash(((const struct state_table *)ctx)->now.root);
}

/* Applies a list of changes, up to the first invalid one: then false. */
static bool state_table_apply(struct state_table *t, struct map *m, const uint8_t *at, size_t n)
{
	const uint8_t *end = at + n;
	uint32_t size[2] = {0, 0};
	while (end - at >= 5) {
		bool sets = *at++ == 'S';
		size_t words = sets ? sizeof size : sizeof *size;
		if ((size_t)(end - at) < words)
			return false;
		size[1] = 0;
		memcpy(size, at, words);
		at += words;
		if ((size_t)(end - at) < (size_t)size[0] + size[1])
			return false;
		if (sets ? !map_set(m, at, size[0], at + size[0], size[1])
		         : !map_remove(m, at, size[0]))
			t->broken = true;
		at += (size_t)size[0] + size[1];
	}
	return at == end;
}

static void state_table_change(void *ctx, const void *bytes, size_t n)
{
	struct state_table *t = ctx;
	state_table_apply(t, &t->now, bytes, n);
	drop_ahead(t);
}

/* Packs the table for a checkpoint, as changes to an empty one. */
static void *script_state_pack(const void *ctx, size_t *n)
{
	const struct state_table *t = ctx;
	struct bytes b = {0};
	const struct map_node *entry = map_get(t->now.root, "", 0);
	for (; entry; entry = map_after(t->now.root, entry->bytes, entry->key_n, false)) {
		state_put(&b, "S", 1);
		state_put_u32(&b, entry->key_n);
		state_put_u32(&b, entry->value_n);
		state_put(&b, entry->bytes, entry->key_n + (size_t)entry->value_n);
	}
	*n = b.n;
	if (!b.lost)
		return b.at;
	free(b.at);
	return NULL;
}

static bool script_state_unpack(void *ctx, const void *bytes, size_t n, struct err *err)
{
	struct state_table *t = ctx;
	struct map loaded = {0};
	bool broken = t->broken;
	t->broken = false;
	bool whole = state_table_apply(t, &loaded, bytes, n);
	if (!whole || t->broken) {
		t->broken = broken;
		map_drop(loaded.root);
		return err_set(err, "the saved data is not a script's state");
	}
	map_drop(t->now.root);
	t->now = loaded;
	drop_ahead(t);
	return true;
}

/* Operations by table number of a machine: checkpoints distinguish tables by their names. */
static const struct attachment_ops ops[] = {
#define TABLE(number)                                                                              \
	{                                                                                          \
		.name = "script state " #number, .save = script_state_save,                        \
		.restore = script_state_restore, .free = script_state_release,                     \
		.bytes = saved_bytes, .hash = script_state_hash, .change = state_table_change,     \
		.pack = script_state_pack, .unpack = script_state_unpack                           \
	}
	TABLE(1), TABLE(2),  TABLE(3),  TABLE(4),  TABLE(5),  TABLE(6),  TABLE(7),  TABLE(8),
	TABLE(9), TABLE(10), TABLE(11), TABLE(12), TABLE(13), TABLE(14), TABLE(15), TABLE(16),
#undef TABLE
};

enum { TABLES_MAX = sizeof ops / sizeof *ops };

void states_free(struct lua_machine *m)
{
	while (m->states) {
		struct state_table *t = m->states;
		m->states = t->next;
		machine_detach(m->s->machine, t->attachment);
		drop_ahead(t);
		map_drop(t->now.root);
		map_drop(t->first.root);
		free(t->pending.at);
		free(t);
	}
}

bool states_flush(struct lua_machine *m, struct err *err)
{
	bool ok = true;
	for (struct state_table *t = m->states; t; t = t->next) {
		if (!t->pending.n)
			continue;
		const struct change c = {.kind = JOURNAL_ATTACHMENT,
		                         .a = machine_attachment_key(m->s->machine, t->attachment),
		                         .bytes = t->pending.at,
		                         .n = t->pending.n};
		if (ok && (t->pending.lost || !machine_change_later(m->s->machine, &c, err))) {
			if (t->pending.lost)
				err_set(err, "out of memory for a script's state");
			ok = false;
		}
		if (!ok)
			drop_ahead(t);
		t->pending.n = 0;
		t->pending.lost = false;
	}
	return ok;
}

/* ---- places, as scripts see them ---- */
static struct place *state_place_check(lua_State *L)
{
	struct place *p = luaL_checkudata(L, 1, STATE);
	if (!p->m->s)
		binding_fail(L, "%s is closed", p->m->name);
	if (p->t->broken)
		binding_fail(L, "out of memory while this state changed: its contents are lost");
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

static void state_push_place(lua_State *L, int machine, struct state_table *t, const uint8_t *key,
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

static int state_place_index(lua_State *L)
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

/* Checks the whole value at `index` before it is written, so that writing cannot fail half-way. */
static void state_check_value(lua_State *L, int index, uint8_t *key, size_t n, unsigned depth)
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

static void state_put_value(lua_State *L, int index, struct bytes *b, uint8_t *key, size_t n)
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

/* Appends an assignment; before it, deletes the entries below the key, if there may be several. */
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

static int state_newindex(lua_State *L)
{
	struct place *p = state_place_check(L);
	struct state_table *t = p->t;
	struct lua_machine *m = p->m;
	uint8_t key[KEY_BYTES];
	const struct map_node *self = map_get(state_place_map_root(t), p->key, p->n);
	if (!self || *map_value(self) != 't')
		return binding_fail(
			L,
			"this table is no longer part of the state: another value has replaced it");
	api_refuse_reader(L, m->script, "a change of a state");
	memcpy(key, p->key, p->n);
	size_t n = state_place_append_key(L, 2, key, p->n), from = t->pending.n;
	state_check_value(L, 3, key, n, 0);
	if (m->script->moving && !m->in_hook)
		return binding_fail(L, "a state may change in a hook, or between motions");
	put_assignment(L, &t->pending, key, n, state_place_map_root(t));
	if (!m->in_hook) {
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

static int state_length(lua_State *L)
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

static int state_place_pairs(lua_State *L)
{
	state_place_check(L);
	lua_pushcfunction(L, place_next);
	lua_pushvalue(L, 1);
	lua_pushnil(L);
	return 3;
}

/* ---- creation ---- */
int states_new(lua_State *L)
{
	struct lua_machine *m = api_machine(L, 1);
	uint8_t key[KEY_BYTES];
	struct err err;
	struct bytes b = {0};
	struct state_table **at = &m->states;
	unsigned number = 0;
	luaL_checktype(L, 2, LUA_TTABLE);
	lua_settop(L, 2);
	api_refuse_moving(L, m, "state");
	for (; *at; at = &(*at)->next)
		number++;
	if (number == TABLES_MAX)
		return binding_fail(L, "a machine has at most %d states: put tables into one",
		                    TABLES_MAX);
	state_check_value(L, 2, key, 0, 0);
	state_push_place(L, 1, &(struct state_table){.m = m}, NULL, 0);
	struct place *p = lua_touserdata(L, -1);
	struct state_table *t = alloc_zeroed(1, sizeof *t);
	if (!t)
		return binding_fail(L, "out of memory for a state");
	t->m = m;
	state_put_value(L, 2, &b, key, 0);
	state_table_apply(t, &t->first, b.at, b.n);
	free(b.at);
	script_state_restore(t, NULL);
	if (b.lost || t->broken)
		err_set(&err, "out of memory for a state");
	else
		t->attachment = machine_attach(m->s->machine, &ops[number], t, NULL, &err);
	if (!t->attachment) {
		map_drop(t->now.root);
		map_drop(t->first.root);
		free(t);
		return binding_fail(L, "%s", err.msg);
	}
	*at = t;
	p->t = t;
	lua_settop(L, 3);
	return 1;
}

void api_open_state(lua_State *L)
{
	static const luaL_Reg meta[] = {
		{"__index", state_place_index},
		{"__newindex", state_newindex},
		{"__len", state_length},
		{"__pairs", state_place_pairs},
		{NULL, NULL},
	};
	api_new_part(L, STATE, meta);
}
