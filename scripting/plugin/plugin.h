/* Plug-ins in Lua: a part of the machine as a file that returns a table. It is a branch predictor,
 * a replacement policy, a prefetcher, a predictor of profile flags or a stage of the sampler's
 * compressor.
 *
 *   return {
 *     state = { counters = { 2048, bits = 2, init = 1 } },
 *     predict = function(s, pc, history) return s.counters[pc >> 1 & 2047] >= 2 end,
 *     update = function(s, pc, taken, history, predicted)
 *       s.counters:add(pc >> 1 & 2047, taken and 1 or -1)
 *     end,
 *   }
 *
 * Each runs in a safe host of its own. It can keep nothing but its declared state: globals,
 * libraries and the tables that its functions share are read-only, and a local variable that a call
 * changed is found out and put back. Nothing that it can call depends on the host, on chance or on
 * addresses, so that the same arguments and state give the same answer in every run. A call may
 * take lua.hook_budget steps. `cyclops help plugins` (ui/) says it to people. */
#ifndef CYCLOPS_SCRIPTING_PLUGIN_PLUGIN_H
#define CYCLOPS_SCRIPTING_PLUGIN_PLUGIN_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/pipe/plugin.h"

/* The plug-ins of machines: up to one for each place. */
struct plugin_set;

/* NULL if memory is out. Freed after the machines that have them; free takes NULL. */
struct plugin_set *plugin_set_new(void);
void plugin_set_free(struct plugin_set *set);

/* Stages are given in the order of the chain. Loads what `source` is: a file's path, or the Lua
 * text itself if it has a newline. place: the parameter by which the machine knows the place
 * ("l1d.prefetch"); NULL: that of L1D, or the only one of its kind. False with *err, and the set is
 * as before. */
bool plugin_set_add(struct plugin_set *set, const char *place, const char *source, struct err *err);
/* The same from one word of a command line: "FILE" or "PLACE=FILE". */
bool plugin_set_add_word(struct plugin_set *set, const char *word, struct err *err);

/* What its plug-ins compute counts as what a call that is under way in `host` does, and they fail
 * when that has nothing left: the host outlives the set. */
struct lua_host;
void plugin_set_charge(struct plugin_set *set, struct lua_host *host);

/* For struct launch: borrowed. */
const struct plugins *plugin_set_plugins(const struct plugin_set *set);

#endif
