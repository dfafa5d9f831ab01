#include "core/listen.h"

#include <stdlib.h>

#include "core/machine_priv.h"

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
	bool telling;       /* gaps stay for now */
};

struct listeners *listeners_new(void)
{
	return calloc(1, sizeof(struct listeners));
}

void listeners_free(struct listeners *l)
{
	if (!l)
		return;
	free(l->l);
	free(l);
}

/* What somebody may want, for the stages: never less than what the filters let through together. */
struct wants {
	uint64_t mask, lo, hi;
};

static void want(struct wants *w, const struct event_filter *f)
{
	w->mask |= f->mask;
	if (!f->pc_hi || f->pc_lo < w->lo)
		w->lo = f->pc_hi ? f->pc_lo : 0;
	if (!f->pc_hi || f->pc_hi > w->hi)
		w->hi = f->pc_hi ? f->pc_hi : UINT64_MAX;
}

void events_update_mask(struct machine *m)
{
	struct wants w = {.lo = UINT64_MAX};
	for (size_t i = 0; i < m->listeners->count; i++)
		if (m->listeners->l[i].id && !m->listeners->l[i].muted)
			want(&w, &m->listeners->l[i].filter);
	for (unsigned i = 0; i < m->companions; i++)
		if (m->companion[i].hears.mask)
			want(&w, &m->companion[i].hears);
	m->events.mask = w.mask;
	m->events.pc = w.lo;
	m->events.span = w.hi > w.lo ? w.hi - w.lo : 0;
}

int machine_listen(struct machine *m, const struct event_filter *filter, event_fn *fn, void *ctx)
{
	struct listeners *all = m->listeners;
	if (all->count == all->room) {
		size_t room = all->room ? 2 * all->room : 8;
		struct listener *grown = realloc(all->l, room * sizeof *grown);
		if (!grown)
			return 0;
		all->l = grown;
		all->room = room;
	}
	all->l[all->count++] = (struct listener){.id = ++all->last_id, .filter = *filter, .fn = fn, .ctx = ctx};
	events_update_mask(m);
	return all->last_id;
}

static void close_gaps(struct listeners *all)
{
	size_t n = 0;
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
	if (!all->telling)
		close_gaps(all);
	events_update_mask(m);
}

void machine_take_observers(struct machine *m, struct machine *from)
{
	struct listeners *own = m->listeners;
	assert(!m->telling && !from->telling);
	m->listeners = from->listeners;
	from->listeners = own;
	own->count = 0;
	alarms_take(m, from);
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

bool event_passes(const struct event_filter *f, const struct event *ev)
{
	if (!(f->mask >> ev->id & 1))
		return false;
	if (f->pc_hi && (ev->pc < f->pc_lo || ev->pc >= f->pc_hi))
		return false;
	return !f->kinds || (ev->slot != EVENT_NO_SLOT && (f->kinds >> inst_kind((enum op)ev->op) & 1));
}

void events_deliver(struct machine *m)
{
	struct listeners *all = m->listeners;
	size_t here = all->count; /* who comes meanwhile waits for the next cycle */
	all->telling = m->telling = true;
	for (uint32_t e = 0; e < m->events.count; e++) {
		const struct event *ev = &m->events.events[e];
		companions_hear(m, ev);
		for (size_t i = 0; i < here && !m->hushed; i++) {
			const struct listener l = all->l[i]; /* a copy: the table may move */
			if (l.id && !l.muted && event_passes(&l.filter, ev))
				l.fn(l.ctx, m, ev);
		}
	}
	all->telling = m->telling = false;
	close_gaps(all);
}
