/* m:state{...}: variables of a script that are right at every cycle, past ones included.
 *
 * What a script sees is a view of a map (scripting/host/state_map.h) that stands beside the machine
 * as an attachment. Each change is an entry of the machine's journal, at once while the machine
 * stands, in a hook one for each call of it, behind the cycle; reading sees it at once. Going back
 * and forth applies the entries without Lua.
 *
 * The tables live until their machine is closed. Where another machine takes the place of the one
 * before they begin as they were made (restart), or with what is saved of them (a checkpoint). */
#ifndef CYCLOPS_SCRIPTING_API_STATE_H
#define CYCLOPS_SCRIPTING_API_STATE_H

#include "scripting/api/api.h"

/* m:state(TABLE) */
int states_new(lua_State *L);
/* Writes down what a hook changed. False with *err: it is taken back. */
bool states_flush(struct lua_machine *m, struct err *err);
void states_free(struct lua_machine *m);

#endif
