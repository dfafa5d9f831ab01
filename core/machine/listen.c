/* Listeners: delivery of events. Outside of core/, use machine_listen() and its kin
 * (core/defs/events.h).
 *
 * There may be as many as memory allows, called in the order in which they were added. They may be
 * added and removed while events are delivered: a removed one leaves a gap until delivery is
 * over. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine_priv.h"

struct listener {
	int id; /* 0: gone */
	bool muted;
	struct event_filter filter;
	event_fn *fn;
	void *ctx;
};

struct listeners {
	struct listener *l; /* owned; [count], by id */
	size_t count, room;
	int last_id;
	bool calling;       /* keep gaps for now */
	bool gaps;          /* some listeners were removed */
};

struct listeners *listeners_new(void)
{
	return alloc_zeroed(1, sizeof(struct listeners));
}

void listeners_free(struct listeners *l)
{
	if (!l)
		return;
	free(l->l);
	free(l);
}

/* Merges a filter into what stages report. A stage has one range and a set of kinds: of each event
 * never less than all filters pass together. */
static void listeners_merge_filter(struct event_sink *s, const struct event_filter *f)
{
	uint64_t first = f->pc_hi ? f->pc_lo : 0, last = f->pc_hi - 1;
	for (unsigned id = 0; id < EV_COUNT && first <= last; id++) {
		struct event_want *w = &s->want[id];
		uint64_t end = w->pc + w->span, bit = UINT64_C(1) << id;
		if (!(f->mask & bit))
			continue;
		if (!f->where)
			s->sifted &= ~bit;
		if (!(s->mask & bit)) {
			*w = (struct event_want){.pc = first,
			                         .span = last - first,
			                         .kinds = f->kinds,
			                         .where = f->where,
			                         .where_ctx = f->where_ctx};
			s->mask |= bit;
			continue;
		}
		w->pc = first < w->pc ? first : w->pc;
		w->span = (last > end ? last : end) - w->pc;
		w->kinds = w->kinds && f->kinds ? w->kinds | f->kinds : 0;
		w->where = NULL;
	}
}

/* Whether any filter passes the event; for events that only filters' conditions select. */
static bool listeners_event_is_wanted(void *ctx, const struct event *ev)
{
	const struct machine *m = ctx;
	for (size_t i = 0; i < m->listeners->count; i++) {
		const struct listener *l = &m->listeners->l[i];
		if (event_passes(&l->filter, ev) && l->id && !l->muted)
			return true;
	}
	for (unsigned i = 0; i < m->attachments; i++)
		if (event_passes(&m->attachment[i].hears, ev))
			return true;
	return false;
}

void events_update_mask(struct machine *m)
{
	struct event_sink *s = &m->pipe.events;
	s->mask = 0;
	s->sifted = UINT64_MAX;
	s->wanted = listeners_event_is_wanted;
	s->ctx = m;
	for (size_t i = 0; i < m->listeners->count; i++)
		if (m->listeners->l[i].id && !m->listeners->l[i].muted)
			listeners_merge_filter(s, &m->listeners->l[i].filter);
	for (unsigned i = 0; i < m->attachments; i++)
		if (m->attachment[i].hears.mask)
			listeners_merge_filter(s, &m->attachment[i].hears);
}

void event_filter_widen(struct event_filter *f, const struct event_filter *by)
{
	if (!f->mask) {
		*f = (struct event_filter){.mask = by->mask,
		                           .pc_lo = by->pc_lo,
		                           .pc_hi = by->pc_hi,
		                           .kinds = by->kinds,
		                           .where = f->where,
		                           .where_ctx = f->where_ctx};
		return;
	}
	f->mask |= by->mask;
	f->pc_lo = f->pc_hi && by->pc_hi ? (f->pc_lo < by->pc_lo ? f->pc_lo : by->pc_lo) : 0;
	f->pc_hi = f->pc_hi && by->pc_hi ? (f->pc_hi > by->pc_hi ? f->pc_hi : by->pc_hi) : 0;
	f->kinds = f->kinds && by->kinds ? f->kinds | by->kinds : 0;
}

int machine_listen(struct machine *m, const struct event_filter *filter, event_fn *fn, void *ctx)
{
	struct listeners *all = m->listeners;
	struct listener *grown = alloc_grow(all->l, all->count, &all->room, sizeof *grown, 8);
	if (!grown)
		return 0;
	all->l = grown;
	all->l[all->count++] =
		(struct listener){.id = ++all->last_id, .filter = *filter, .fn = fn, .ctx = ctx};
	events_update_mask(m);
	return all->last_id;
}

static void listeners_compact_list(struct listeners *all)
{
	size_t n = 0;
	all->gaps = false;
	for (size_t i = 0; i < all->count; i++)
		if (all->l[i].id)
			all->l[n++] = all->l[i];
	all->count = n;
}

void machine_unlisten(struct machine *m, int id)
{
	struct listeners *all = m->listeners;
	for (size_t i = 0; i < all->count; i++)
		if (all->l[i].id == id)
			all->l[i].id = 0;
	all->gaps = true;
	if (!all->calling)
		listeners_compact_list(all);
	events_update_mask(m);
}

void machine_take_observers(struct machine *m, struct machine *from)
{
	struct listeners *own = m->listeners;
	assert(!m->in_listener && !from->in_listener);
	m->listeners = from->listeners;
	from->listeners = own;
	own->count = 0;
	alarms_take(m, from);
	attachments_take(m, from);
	events_update_mask(m);
	events_update_mask(from);
}

void machine_mute(struct machine *m, bool muted)
{
	m->repeating = muted;
	alarms_mute(m, muted);
	for (size_t i = 0; i < m->listeners->count; i++)
		m->listeners->l[i].muted = muted;
	events_update_mask(m);
}

void events_deliver(struct machine *m)
{
	struct listeners *all = m->listeners;
	const struct event_sink *sink = &m->pipe.events;
	size_t here = all->count; /* listeners added meanwhile wait for the next cycle */
	all->calling = m->in_listener = true;
	for (uint32_t e = 0; e < sink->count; e++) {
		const struct event *ev = &sink->events[e];
		if (m->attachments)
			attachments_hear(m, ev);
		for (size_t i = 0; i < here && !m->hushed; i++) {
			/* valid until the call: then the table may move */
			const struct listener *l = &all->l[i];
			if (event_passes(&l->filter, ev) && l->id && !l->muted)
				l->fn(l->ctx, m, ev);
		}
	}
	all->calling = m->in_listener = false;
	if (all->gaps)
		listeners_compact_list(all);
}
