/* The cycle that somebody watches: events are collected, and delivered when the cycle is over. */
#include "core/pipe/window.h"
#include "core/pipe/why.h"

#define WATCHED 1
#include "core/pipe/cycle.h"

bool cycle_step_watched(struct machine *m)
{
	m->event_count = 0;
	uint64_t out_before[2];
	const struct os_state *os = os_state_const(m->os);
	memcpy(out_before, os->out_bytes, sizeof out_before);
	bool stepped = cycle_step(m);
	for (unsigned i = 0; i < 2; i++)
		if (os->out_bytes[i] != out_before[i])
			EMIT(m, OUTPUT, NULL, i + 1, os->out_bytes[i] - out_before[i]);
	if (m->event_count)
		events_deliver(m);
	return stepped;
}
