/* What a hook gets: one event, looked at while the hook runs. One object for all, so that hearing
 * of an event allocates nothing. */
#ifndef CYCLOPS_SCRIPTING_API_EVENT_H
#define CYCLOPS_SCRIPTING_API_EVENT_H

#include "core/defs/events.h"
#include "scripting/api/api.h"

struct lua_event {
	const struct event *ev; /* NULL: it is over */
	struct lua_machine *m;
};

#endif
