/* The argument of hooks: one event, valid while the hook runs. All hooks get the same object, so
 * that an event allocates nothing. */
#ifndef CYCLOPS_SCRIPTING_API_EVENT_H
#define CYCLOPS_SCRIPTING_API_EVENT_H

#include "core/defs/events.h"
#include "scripting/api/api.h"

struct lua_event {
	const struct event *ev; /* NULL after the hook returned */
	struct lua_machine *m;
};

#endif
