/* Parameters from a table of a script: { pipe = { rob_size = 32 }, ["bpred.kind"] = "gshare" }. */
#ifndef CYCLOPS_SCRIPTING_CONFIG_TABLE_H
#define CYCLOPS_SCRIPTING_CONFIG_TABLE_H

#include <lua.h>
#include <stdbool.h>

#include "core/config.h"
#include "core/err.h"

/* Sets what the table at `index` names and leaves the rest of *cfg. False with *err, and *cfg unchanged: of several
 * mistakes always the same is named. */
bool config_read_table(lua_State *L, int index, struct config *cfg, struct err *err);

#endif
