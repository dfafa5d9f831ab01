/* The names of events and of their fields, for files that report or read events by name: these are
 * recompiled for each new row of events.def. */
#ifndef CYCLOPS_CORE_DEFS_EVENT_FIELDS_H
#ifdef CYCLOPS_CORE_DEFS_EVENTS_H
#error "include core/defs/event_fields.h before core/defs/events.h"
#endif
#define CYCLOPS_CORE_DEFS_EVENT_FIELDS_H

#include <assert.h>
#include <stdint.h>

enum event_id {
#define EVENT(id, ...) EV_##id,
#include "core/defs/events.def"
#undef EVENT
	EV_COUNT
};

#define EV_BIT(id) (UINT64_C(1) << EV_##id)

/* The fields of each event, all words. */
#define FIELD(name, type, help) uint64_t name;
#define EVENT(id, name, help, ...) \
	struct ev_##name { \
		__VA_ARGS__ \
	};
#include "core/defs/events.def"
#undef EVENT
#undef FIELD

#include "core/defs/events.h"

static_assert((int)EV_COUNT <= (int)EVENTS_MAX, "a mask holds them all");
#define EVENT(id, name, ...)                                                                       \
	static_assert(sizeof(struct ev_##name) <= EVENT_FIELDS_MAX * sizeof(uint64_t),             \
	              "more fields than words");
#include "core/defs/events.def"
#undef EVENT

#endif
