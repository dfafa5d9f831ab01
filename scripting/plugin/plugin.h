/* Plug-ins in Lua: a file that returns a table and becomes a part of the machine: a branch
 * predictor, a predictor of targets, a replacement policy, a prefetcher, a predictor of profile
 * flags or a stage of the sampler's compressor.
 *
 *   return {
 *     state = { counters = { 2048, bits = 2, init = 1 } },
 *     predict = function(s, pc, history) return s.counters[pc >> 1 & 2047] >= 2 end,
 *     update = function(s, pc, taken, history, predicted)
 *       s.counters:add(pc >> 1 & 2047, taken and 1 or -1)
 *     end,
 *   }
 *
 * Each runs in a safe host of its own. It can keep only its declared state: globals, libraries and
 * the tables that its functions share are read-only, and a local variable that a call changed is
 * detected and restored. Its functions do not depend on the host, on chance or on addresses, so
 * that the same arguments and state give the same result in every run. A call may take
 * lua.hook_budget steps. `cyclops help plugins` (ui/) is the user's description. */
#ifndef CYCLOPS_SCRIPTING_PLUGIN_PLUGIN_H
#define CYCLOPS_SCRIPTING_PLUGIN_PLUGIN_H

#include <stdbool.h>

#include "core/base/err.h"
#include "core/pipe/plugin.h"

/* The plug-ins of machines: up to one for each place. */
struct plugin_set;

/* Makes an empty set; NULL if memory is out. Free the set after the machines that use it; free
 * takes NULL. */
struct plugin_set *plugin_set_new(void);
void plugin_set_free(struct plugin_set *set);

/* Loads a plug-in from `source`: a file's path, or, if it has a newline, a Lua text. place: the
 * parameter of its place in the machine ("l1d.prefetch"); NULL: L1D's, or the only place for its
 * kind. Add stages in the order of the chain. False with *err: the set is unchanged. */
bool plugin_set_add(struct plugin_set *set, const char *place, const char *source, struct err *err);
/* Likewise from a word of a command line: "FILE" or "PLACE=FILE". */
bool plugin_set_add_word(struct plugin_set *set, const char *word, struct err *err);

/* Charges steps of the set's plug-ins to the current call in `host`; the plug-ins fail when the
 * call has no steps left. The host must outlive the set. */
struct lua_host;
void plugin_set_charge(struct plugin_set *set, struct lua_host *host);

/* The plug-ins for struct launch: borrowed. */
const struct plugins *plugin_set_plugins(const struct plugin_set *set);

#endif
