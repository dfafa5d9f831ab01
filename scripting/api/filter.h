/* The events that a script selects: { pc = ..., class = ..., where = ... }. */
#ifndef CYCLOPS_SCRIPTING_API_FILTER_H
#define CYCLOPS_SCRIPTING_API_FILTER_H

#include "core/defs/events.h"
#include "scripting/api/api.h"
#include "scripting/expr/where.h"

struct api_filter {
	struct event_filter events;
	struct expr *where; /* owned; NULL: all */
	/* owned; the condition compiled to run without Lua, if possible */
	struct where *fast[EV_COUNT];
};

/* Names of the keys that api_read_filter() reads. */
#define API_FILTER_KEYS "pc", "class", "where"

/* The mask of the events named by the value at `index`, a name or a list of names. */
uint64_t api_event_mask(lua_State *L, int index);
/* Reads pc, class and where from the table at `index` for events of this mask. A Lua error leaves
 * nothing to free. Otherwise call api_filter_deinit() before the machine is closed and after its
 * listeners are removed. */
void api_read_filter(lua_State *L, int index, const struct lua_machine *m, uint64_t mask,
                     struct api_filter *out);
void api_filter_deinit(struct api_filter *f);
/* Whether an event that passed the event filter is selected. False with *err if the condition
 * fails. */
bool api_filter_passes(struct api_filter *f, const struct machine *m, const struct event *ev,
                       bool *passes, struct err *err);

#endif
