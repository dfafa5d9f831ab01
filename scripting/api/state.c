
#include "scripting/api/state.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/os/journal.h"
#include "core/prof/common/attachment.h"
#include "scripting/api/state_table.h"
#include "scripting/host/state_map.h"

void state_put(struct bytes *b, const void *what, size_t n)
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

void state_put_u32(struct bytes *b, size_t v)
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

bool state_table_apply(struct state_table *t, struct map *m, const uint8_t *at, size_t n)
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
		return err_set(err, "what is saved is not a script's state");
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
