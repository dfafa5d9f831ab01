/* Keeps the cycles at which the machine has stopped. */
#include "hwviews/session/stop_history.h"

#include <string.h>

#include "hwviews/session/session.h"

static void stop_history_remove_place(struct places *p, unsigned i)
{
	memmove(&p->place[i], &p->place[i + 1], (--p->count - i) * sizeof *p->place);
}

/* Drops stops after the newest cycle, which were cut from history. */
static void drop_cut(struct session *s)
{
	struct places *p = &s->places;
	struct run_history h;
	run_history(s->run, &h);
	for (unsigned i = p->count; i-- > 0;)
		if (p->place[i].cycle > h.newest_cycle)
			stop_history_remove_place(p, i);
}

void places_note(struct session *s, enum place_kind kind)
{
	struct places *p = &s->places;
	const uint64_t now = machine_cycle(s->machine);
	unsigned i = 0;
	drop_cut(s);
	while (i < p->count && p->place[i].cycle != now)
		i++;
	if (i < p->count) {
		kind = p->place[i].kind > kind ? p->place[i].kind : kind;
		stop_history_remove_place(p, i);
	}
	if (p->count == STOP_PLACES) {
		for (i = 0; i < p->count - 1 && p->place[i].kind != PLACE_STOP; i++)
			;
		stop_history_remove_place(p, p->place[i].kind == PLACE_STOP ? i : 0);
	}
	p->place[p->count++] = (struct stop_place){now, kind};
}

const struct stop_place *places_at(const struct session *s, unsigned i)
{
	return i < s->places.count ? &s->places.place[i] : NULL;
}
