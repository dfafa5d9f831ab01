#include "core/machine/alarm.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine_priv.h"

struct entry {
	int id; /* 0: gone */
	bool muted;
	struct alarm alarm;
	uint64_t due; /* the next place, as of the last alarms_aim(); UINT64_MAX: none */
	alarm_fn *fn;
	void *ctx;
};

struct alarms {
	struct entry *a; /* owned; [count], by id */
	size_t count, room;
	int last_id;
	bool ringing;    /* keep gaps for now */
};

struct alarms *alarms_new(void)
{
	return alloc_zeroed(1, sizeof(struct alarms));
}

void alarms_free(struct alarms *all)
{
	if (!all)
		return;
	free(all->a);
	free(all);
}

/* Present count of the alarm's unit. */
static uint64_t alarms_unit_count(const struct machine *m, enum alarm_unit unit)
{
	return unit == ALARM_CYCLES ? machine_cycle(m)
	                            : STAT(m->stats, insts) + STAT(m->stats, functional_insts);
}

/* The alarm's first place after the present; UINT64_MAX: none. */
static uint64_t next_place(const struct machine *m, const struct alarm *a)
{
	uint64_t now = alarms_unit_count(m, a->unit);
	if (a->unit == ALARM_END)
		return UINT64_MAX;
	if (now < a->first)
		return a->first;
	if (!a->every)
		return UINT64_MAX;
	uint64_t past = (now - a->first) % a->every;
	return now > UINT64_MAX - (a->every - past) ? UINT64_MAX : now + (a->every - past);
}

int machine_alarm(struct machine *m, const struct alarm *a, alarm_fn *fn, void *ctx,
                  struct err *err)
{
	struct alarms *all = m->alarms;
	if (a->unit != ALARM_END && !a->every && !a->first) {
		err_set(err, "an alarm needs a period or a first place; expected 1 or more");
		return 0;
	}
	struct entry *grown = alloc_grow(all->a, all->count, &all->room, sizeof *grown, 8);
	if (!grown) {
		err_set(err, "out of memory for an alarm");
		return 0;
	}
	all->a = grown;
	struct entry *e = &all->a[all->count++];
	*e = (struct entry){.id = ++all->last_id, .alarm = *a, .fn = fn, .ctx = ctx};
	if (!a->first) {
		uint64_t now = alarms_unit_count(m, a->unit);
		e->alarm.first = now > UINT64_MAX - a->every ? UINT64_MAX : now + a->every;
	}
	e->due = next_place(m, &e->alarm);
	m->alarmed = true;
	m->request |= REQUEST_TURN;
	return e->id;
}

static void alarms_compact_list(struct machine *m)
{
	struct alarms *all = m->alarms;
	size_t n = 0;
	for (size_t i = 0; i < all->count; i++)
		if (all->a[i].id)
			all->a[n++] = all->a[i];
	all->count = n;
	m->alarmed = n != 0;
}

void machine_unalarm(struct machine *m, int id)
{
	struct alarms *all = m->alarms;
	for (size_t i = 0; i < all->count; i++)
		if (all->a[i].id == id)
			all->a[i].id = 0;
	if (!all->ringing)
		alarms_compact_list(m);
}

void alarms_mute(struct machine *m, bool muted)
{
	for (size_t i = 0; i < m->alarms->count; i++)
		m->alarms->a[i].muted = muted;
}

void alarms_take(struct machine *m, struct machine *from)
{
	struct alarms *own = m->alarms;
	m->alarms = from->alarms;
	m->alarmed = from->alarmed;
	from->alarms = own;
	from->alarmed = false;
	own->count = 0;
}

void alarms_aim(struct machine *m, uint64_t *cycle, uint64_t *insts)
{
	*cycle = *insts = UINT64_MAX;
	for (size_t i = 0; i < m->alarms->count; i++) {
		struct entry *e = &m->alarms->a[i];
		uint64_t *first = e->alarm.unit == ALARM_CYCLES ? cycle : insts;
		e->due = next_place(m, &e->alarm);
		if (e->id && !e->muted && e->due < *first)
			*first = e->due;
	}
}

void alarms_ring(struct machine *m, bool ended)
{
	struct alarms *all = m->alarms;
	size_t here = all->count; /* alarms added meanwhile wait for another cycle */
	all->ringing = m->in_listener = true;
	for (size_t i = 0; i < here; i++) {
		const struct entry e = all->a[i]; /* a copy: the table may move */
		bool due = e.alarm.unit == ALARM_END ? ended
		                                     : alarms_unit_count(m, e.alarm.unit) >= e.due;
		if (e.id && !e.muted && due)
			e.fn(e.ctx, m);
	}
	all->ringing = m->in_listener = false;
	alarms_compact_list(m);
}
