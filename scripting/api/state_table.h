/* A machine's table of state for scripts, and the encoding of its changes: state.c attaches it to
 * the machine, state_place.c gives scripts access. */
#ifndef CYCLOPS_SCRIPTING_API_STATE_TABLE_H
#define CYCLOPS_SCRIPTING_API_STATE_TABLE_H

#include "scripting/api/api.h"
#include "core/os/journal.h"
#include "core/prof/common/attachment.h"
#include "scripting/host/state_map.h"

#define STATE "cyclops.state"

enum { DEPTH_MAX = 32, KEY_BYTES = 4096, TEXT_BYTES = 1 << 20 };

/* Keys are self-delimiting components: a byte for the type, then the value; numbers are encoded so
 * that byte order is their order. Values are a byte for the type and the value. A change is a list
 * of 'S' key_n value_n key value (set) and 'D' key_n key (delete all with this prefix). */
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

void state_put(struct bytes *b, const void *what, size_t n);
void state_put_u32(struct bytes *b, size_t v);
/* Applies a list of changes, up to the first invalid one: then false. */
bool state_table_apply(struct state_table *t, struct map *m, const uint8_t *at, size_t n);
void state_push_place(lua_State *L, int machine, struct state_table *t, const uint8_t *key,
                      size_t n);
int state_place_index(lua_State *L);
/* Checks the value at `index` before any of it is written, so that writing cannot fail half-way. */
void state_check_value(lua_State *L, int index, uint8_t *key, size_t n, unsigned depth);
void state_put_value(lua_State *L, int index, struct bytes *b, uint8_t *key, size_t n);
int state_newindex(lua_State *L);
int state_length(lua_State *L);
int state_place_pairs(lua_State *L);

#endif
