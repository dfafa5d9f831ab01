/* A machine's table of state for scripts, and the bytes of a change to it: state.c keeps it in the
 * machine, state_place.c is how a script reads and writes it. */
#ifndef CYCLOPS_SCRIPTING_API_STATE_TABLE_H
#define CYCLOPS_SCRIPTING_API_STATE_TABLE_H

#include "scripting/api/api.h"
#include "core/os/journal.h"
#include "core/prof/common/attachment.h"
#include "scripting/host/state_map.h"

#define STATE "cyclops.state"

enum { DEPTH_MAX = 32, KEY_BYTES = 4096, TEXT_BYTES = 1 << 20 };

/* Keys are components one behind the other, each of which says where it ends: a byte for the type,
 * then the value, numbers so that their order is that of bytes. Values are a byte for the type and
 * the value. What changes is a list of 'S' key_n value_n key value, 'D' key_n key (all that begins
 * so). */
struct bytes {
	uint8_t *at; /* owned */
	size_t n, room;
	bool lost; /* memory was out */
};

struct state_table {
	struct lua_machine *m; /* borrowed; it owns this */
	struct map first;      /* as it was made */
	struct map now;        /* as the journal has it */
	struct map ahead;      /* as the hooks of this cycle have it, if is_ahead */
	bool is_ahead;
	bool broken;          /* memory was out in the middle of a change */
	struct bytes pending; /* what is not yet asked for */
	int attachment;
	struct state_table *next;
};

/* A userdata with the place's key behind it; its user value is the machine's userdata. */
struct place {
	struct lua_machine *m;
	struct state_table *t;
	size_t n; /* bytes */
	uint8_t key[];
};

void state_put(struct bytes *b, const void *what, size_t n);
void state_put_u32(struct bytes *b, size_t v);
/* Applies a list of changes. What makes no sense ends it: false. */
bool state_table_apply(struct state_table *t, struct map *m, const uint8_t *at, size_t n);
void state_push_place(lua_State *L, int machine, struct state_table *t, const uint8_t *key,
                      size_t n);
int state_place_index(lua_State *L);
/* Checks the value at `index` before anything is written: then writing it can't fail half-way. */
void state_check_value(lua_State *L, int index, uint8_t *key, size_t n, unsigned depth);
void state_put_value(lua_State *L, int index, struct bytes *b, uint8_t *key, size_t n);
int state_newindex(lua_State *L);
int state_length(lua_State *L);
int state_place_pairs(lua_State *L);

#endif
