/* Listeners: who hears which event. */
#include "core/machine_priv.h"

/* What somebody may want, for the stages: never less than what the filters let through together. */
static void update_mask(struct machine *m)
{
	uint64_t lo = UINT64_MAX, hi = 0;
	m->events.mask = 0;
	for (int i = 0; i < LISTENERS_MAX; i++) {
		const struct event_filter *f = &m->listeners[i].filter;
		if (!m->listeners[i].id || m->listeners[i].muted)
			continue;
		m->events.mask |= f->mask;
		if (!f->pc_hi || f->pc_lo < lo)
			lo = f->pc_hi ? f->pc_lo : 0;
		if (!f->pc_hi || f->pc_hi > hi)
			hi = f->pc_hi ? f->pc_hi : UINT64_MAX;
	}
	m->events.pc = lo;
	m->events.span = hi > lo ? hi - lo : 0;
}

int machine_listen(struct machine *m, const struct event_filter *filter, event_fn *fn, void *ctx)
{
	for (int i = 0; i < LISTENERS_MAX; i++) {
		struct listener *l = &m->listeners[i];
		if (l->id)
			continue;
		*l = (struct listener){.id = ++m->last_listener, .filter = *filter, .fn = fn, .ctx = ctx};
		update_mask(m);
		return l->id;
	}
	return 0;
}

void machine_unlisten(struct machine *m, int id)
{
	for (int i = 0; i < LISTENERS_MAX; i++)
		if (id && m->listeners[i].id == id)
			m->listeners[i] = (struct listener){0};
	update_mask(m);
}

void machine_mute(struct machine *m, bool muted)
{
	m->repeating = muted;
	for (int i = 0; i < LISTENERS_MAX; i++)
		m->listeners[i].muted = muted && m->listeners[i].id;
	update_mask(m);
}

bool event_passes(const struct machine *m, const struct event_filter *f, const struct event *ev)
{
	if (!(f->mask >> ev->id & 1))
		return false;
	if (f->pc_hi && (ev->pc < f->pc_lo || ev->pc >= f->pc_hi))
		return false;
	if (f->classes && (ev->slot == EVENT_NO_SLOT ||
	                   !(f->classes >> inst_class(&m->pipe.pool[ev->slot].inst) & 1)))
		return false;
	return true;
}

void events_deliver(struct machine *m)
{
	for (uint32_t e = 0; e < m->events.count; e++)
		for (int i = 0; i < LISTENERS_MAX; i++) {
			const struct listener *l = &m->listeners[i];
			if (l->id && !l->muted && event_passes(m, &l->filter, &m->events.events[e]))
				l->fn(l->ctx, m, &m->events.events[e]);
		}
}
