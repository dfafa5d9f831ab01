/* Customisation modules of the value sampler in Lua (Burrows et al., section 2.4). A file selects
 * what is captured of which instructions, computes values from it, and formats them.
 *
 *   return {
 *     summary = "what instructions compute",
 *     capture = { all = "result", store = false },
 *     sequence = function(seq, add)
 *       for _, t in ipairs(seq) do if t.result then add(t.pc, t.result) end end
 *     end,
 *   }
 *
 * Some are part of the program (scripting/lua/values/), and have names. Each runs in a safe host of
 * its own: it computes, and reaches nothing; a call may take lua.hook_budget steps. Variables that
 * it keeps are its own concern; its declared `state` is correct in the past, too. `cyclops help
 * values` (ui/) is the user's description. */
#ifndef CYCLOPS_SCRIPTING_VALUES_VALUE_MODULES_H
#define CYCLOPS_SCRIPTING_VALUES_VALUE_MODULES_H

#include "core/defs/config.h"
#include "core/run/value_daemon.h"
#include "loader/launch.h"

struct value_modules;

/* Loads the modules in cfg->values_modules, in that order, and makes a daemon that calls them. NULL
 * with *err; also for "none": see value_modules_wanted(). */
struct value_modules *value_modules_load(const struct config *cfg, struct err *err);
bool value_modules_wanted(const struct config *cfg);
/* Call after freeing the machines that use the modules; takes NULL. */
void value_modules_free(struct value_modules *all);

struct value_daemon *value_modules_daemon(const struct value_modules *all);
/* Puts their daemon into *l, which must not outlive them, and makes the machine sample. */
void value_modules_launch(struct value_modules *all, struct launch *l);

/* Modules that are part of the program. */
struct value_shipped {
	const char *name, *text;
};
extern const struct value_shipped value_shipped[];
extern const unsigned value_shipped_count;

#endif
