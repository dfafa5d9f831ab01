/* m:state{...}: a script's variables that are correct at every cycle, past ones included.
 *
 * Scripts see a view of a map (scripting/host/state_map.h) that is attached to the machine. Each
 * change is an entry of the machine's journal: at once while the machine stands; after the cycle,
 * one for each call, in a hook. Reads see changes at once. Going back and forth applies the entries
 * without Lua.
 *
 * The tables live until their machine is closed. When another machine replaces it, they start with
 * their initial contents (restart), or with the saved ones (a checkpoint). */
#ifndef CYCLOPS_SCRIPTING_API_STATE_H
#define CYCLOPS_SCRIPTING_API_STATE_H

#include "scripting/api/api.h"

/* m:state(TABLE) */
int states_new(lua_State *L);
/* Writes a hook's changes to the journal. False with *err: they are undone. */
bool states_flush(struct lua_machine *m, struct err *err);
void states_free(struct lua_machine *m);

#endif
