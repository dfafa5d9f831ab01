/* Parameters from a table of a script: { pipe = { rob_size = 32 }, ["bpred.kind"] = "gshare" }. */
#ifndef CYCLOPS_SCRIPTING_CONFIG_CONFIG_TABLE_H
#define CYCLOPS_SCRIPTING_CONFIG_CONFIG_TABLE_H

#include <lua.h>
#include <stdbool.h>

#include "core/base/err.h"
#include "core/defs/config.h"

/* Sets what the table at `index` names and leaves the rest of *cfg. False with *err, and *cfg
 * unchanged: of several mistakes always the same is named. With the text of the file that the table
 * comes from (else NULL), *line receives where the mistake is, UINT_MAX if that is not known; line
 * may be NULL. */
bool config_read_table(lua_State *L, int index, const char *text, struct config *cfg,
                       unsigned *line, struct err *err);

#endif
