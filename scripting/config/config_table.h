/* Parameters from a table of a script: { pipe = { rob_size = 32 }, ["bpred.kind"] = "gshare" }. */
#ifndef CYCLOPS_SCRIPTING_CONFIG_CONFIG_TABLE_H
#define CYCLOPS_SCRIPTING_CONFIG_CONFIG_TABLE_H

#include <lua.h>
#include <stdbool.h>

#include "core/base/err.h"
#include "core/defs/config.h"

/* Sets the parameters in the table at `index` and leaves the rest of *cfg. False with *err, and
 * *cfg unchanged; of several mistakes always the same is reported. With the text of the file that
 * the table comes from (else NULL), *line receives the mistake's line, UINT_MAX if not known; line
 * may be NULL. */
bool config_read_table(lua_State *L, int index, const char *text, struct config *cfg,
                       unsigned *line, struct err *err);

#endif
