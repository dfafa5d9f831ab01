#include "core/events.h"

#include <string.h>

const struct event_info event_info[EV_COUNT] = {
#define EVENT(id, name, a, b, help) [EV_##id] = {name, a, b, help},
#include "core/events.def"
#undef EVENT
};

int event_find(const char *name)
{
	for (int i = 0; i < EV_COUNT; i++) {
		if (!strcmp(event_info[i].name, name))
			return i;
	}
	return -1;
}
