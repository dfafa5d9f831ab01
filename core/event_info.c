#include "core/events.h"

#include <string.h>

const struct event_info event_info[EV_COUNT] = {
#define FIELD(name, type, help) {#name, EVENT_FIELD_##type, help},
#define EVENT(id, name, help, ...) \
	[EV_##id] = {#name, help, sizeof(struct ev_##name) / sizeof(uint64_t), {__VA_ARGS__}},
#include "core/events.def"
#undef EVENT
#undef FIELD
};

const char *const event_field_unit[EVENT_FIELD_TYPES] = {
#define T(id, unit) unit,
	FIELD_TYPES(T)
#undef T
};

int event_find(const char *name)
{
	for (int i = 0; i < EV_COUNT; i++) {
		if (!strcmp(event_info[i].name, name))
			return i;
	}
	return -1;
}

int event_find_field(enum event_id id, const char *name)
{
	for (unsigned i = 0; i < event_info[id].field_count; i++) {
		if (!strcmp(event_info[id].fields[i].name, name))
			return (int)i;
	}
	return -1;
}
