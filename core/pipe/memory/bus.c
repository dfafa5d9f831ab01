#include "core/pipe/memory/bus.h"

#include <string.h>

#include "core/pipe/memory/cache.h"

static void bus_remove_bookings(struct hierarchy_state *st, uint32_t first, uint32_t n)
{
	struct bus_booking *b = st->bus;
	st->bus_count -= n;
	memmove(&b[first], &b[first + n], (st->bus_count - first) * sizeof *b);
	memset(&b[st->bus_count], 0, n * sizeof *b);
}

static void forget_past(struct hierarchy_state *st, uint64_t now)
{
	uint32_t n = 0;
	while (n < st->bus_count && st->bus[n].until <= now)
		n++;
	if (n)
		bus_remove_bookings(st, 0, n);
}

uint64_t bus_book(struct hierarchy_state *st, uint64_t at, uint64_t cycles, uint64_t now)
{
	struct bus_booking *b = st->bus;
	forget_past(st, now);
	if (st->bus_count == BUS_MAX) {
		struct bus_booking *last = &b[BUS_MAX - 1];
		last->until = (at > last->until ? at : last->until) + cycles;
		return st->bus_free = last->until;
	}
	uint32_t i = 0;
	for (; i < st->bus_count && b[i].from < at + cycles; i++) {
		if (b[i].until > at)
			at = b[i].until;
	}
	uint64_t until = at + cycles;
	bool joins_previous = i > 0 && b[i - 1].until == at;
	bool joins_next = i < st->bus_count && b[i].from == until;
	if (joins_previous) {
		b[i - 1].until = joins_next ? b[i].until : until;
		if (joins_next)
			bus_remove_bookings(st, i, 1);
	} else if (joins_next) {
		b[i].from = at;
	} else {
		memmove(&b[i + 1], &b[i], (st->bus_count - i) * sizeof *b);
		b[i] = (struct bus_booking){.from = at, .until = until};
		st->bus_count++;
	}
	st->bus_free = b[st->bus_count - 1].until;
	return until;
}
