#include "core/prof/common/companion.h"

#include <stdlib.h>

#include "core/base/hash.h"
#include "core/machine/machine_priv.h"

static struct companion *find(const struct machine *m, int id)
{
	for (unsigned i = 0; i < m->companions; i++)
		if (m->companion[i].id == id)
			return &m->companion[i];
	return NULL;
}

static uint64_t key_of(const struct companion_ops *ops, int id)
{
	return hash_bytes(HASH_START, ops->name, strlen(ops->name)) ^
	       (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
}

int machine_attach(struct machine *m, const struct companion_ops *ops, void *ctx,
                   const struct event_filter *hears, struct err *err)
{
	/* With room for the devices of another machine whose place it takes. */
	struct companion *grown =
		realloc(m->companion, (m->companions + 1 + DEVICE_COUNT) * sizeof *grown);
	if (!grown) {
		err_set(err, "out of memory for %s", ops->name);
		return 0;
	}
	m->companion = grown;
	struct companion *c = &grown[m->companions++];
	*c = (struct companion){.id = ++m->last_companion,
	                        .ops = ops,
	                        .ctx = ctx,
	                        .cycle = machine_guest_cycle(m),
	                        .pos = m->journal.st->pos};
	c->key = key_of(ops, c->id);
	companion_claim(m, c);
	if (hears && ops->hear)
		c->hears = *hears;
	events_update_mask(m);
	return c->id;
}

void machine_detach(struct machine *m, int id)
{
	struct companion *c = find(m, id);
	if (!c)
		return;
	if (c->begin)
		c->ops->free(c->begin);
	struct companion *end = m->companion + --m->companions;
	memmove(c, c + 1, (size_t)((char *)end - (char *)c));
	events_update_mask(m);
}

void companions_take(struct machine *m, struct machine *from)
{
	struct companion own[DEVICE_COUNT], *all = from->companion;
	unsigned more = from->companions - from->device_companions;
	assert(m->companions == m->device_companions); /* nothing of its own yet */
	memcpy(own, all, sizeof own);
	memmove(all + m->device_companions, all + from->device_companions, more * sizeof *all);
	for (unsigned i = 0; i < m->device_companions; i++)
		all[i] = m->companion[i];
	memcpy(m->companion, own, sizeof own);
	from->companion = m->companion;
	m->companion = all;
	from->companions = from->device_companions;
	m->companions += more;
	m->last_companion = from->last_companion;
	for (unsigned i = m->device_companions; i < m->companions; i++) {
		struct companion *c = &m->companion[i];
		if (c->begin)
			c->ops->free(c->begin);
		c->begin = NULL;
		c->cycle = machine_guest_cycle(m);
		c->pos = m->journal.st->pos;
		c->ops->restore(c->ctx, NULL);
		companion_claim(m, c);
	}
}

void companions_deinit(struct machine *m)
{
	for (unsigned i = 0; i < m->companions; i++)
		if (m->companion[i].begin)
			m->companion[i].ops->free(m->companion[i].begin);
	free(m->companion);
	free(m->saved.bytes);
}

bool machine_companion_awake(const struct machine *m, int id)
{
	const struct companion *c = find(m, id);
	return c && machine_guest_cycle(m) >= c->cycle;
}

uint64_t machine_companion_hash(const struct machine *m, int id)
{
	const struct companion *c = find(m, id);
	return c ? c->ops->hash(c->ctx) : 0;
}

uint64_t machine_companion_key(const struct machine *m, int id)
{
	const struct companion *c = find(m, id);
	return c ? c->key : 0;
}

/* Events are delivered when their cycle is over, and those of a change when it is written down. */
static bool hears_now(const struct machine *m, const struct companion *c)
{
	uint64_t now = machine_guest_cycle(m);
	return now > c->cycle || (now == c->cycle && m->journal.st->pos > c->pos);
}

void companions_hear(struct machine *m, const struct event *ev)
{
	for (unsigned i = 0; i < m->companions; i++) {
		const struct companion *c = &m->companion[i];
		if (c->hears.mask && hears_now(m, c) && event_passes(&c->hears, ev))
			c->ops->hear(c->ctx, m, ev);
	}
}

/* ---- changes ---- */
static struct companion *keyed(const struct machine *m, uint64_t key)
{
	for (unsigned i = 0; i < m->companions; i++)
		if (m->companion[i].key == key && m->companion[i].ops->change)
			return &m->companion[i];
	return NULL;
}

bool companions_know(const struct machine *m, uint64_t key)
{
	return keyed(m, key);
}

void companions_change(struct machine *m, uint64_t key, const void *bytes, size_t n)
{
	const struct companion *c = keyed(m, key);
	if (c && hears_now(m, c)) /* it may have been detached since this was asked for */
		c->ops->change(c->ctx, bytes, n);
}

void companions_wake(struct machine *m, uint64_t key)
{
	struct companion *c = keyed(m, key);
	uint64_t now = machine_guest_cycle(m), pos = m->journal.st->pos;
	if (!c || now > c->cycle || (now == c->cycle && pos >= c->pos))
		return;
	c->cycle = now;
	c->pos = pos;
}

/* ---- in snapshots ---- */
static const void *state_in(const struct companion_states *s, int id)
{
	for (unsigned i = 0; s && i < s->count; i++)
		if (s->state[i].id == id)
			return s->state[i].state;
	return NULL;
}

bool companions_save(const struct machine *m, struct companion_states *out)
{
	struct companion_states s = {0};
	*out = s;
	if (!m->companions)
		return true;
	s.state = calloc(m->companions, sizeof *s.state);
	if (!s.state)
		return false;
	for (unsigned i = 0; i < m->companions; i++) {
		const struct companion *c = &m->companion[i];
		void *state = c->ops->save(c->ctx);
		if (!state) {
			companions_free(&s);
			return false;
		}
		s.state[s.count++] =
			(struct companion_state){.id = c->id, .ops = c->ops, .state = state};
	}
	*out = s;
	return true;
}

void companions_restore(struct machine *m, const struct companion_states *s)
{
	for (unsigned i = 0; i < m->companions; i++) {
		const struct companion *c = &m->companion[i];
		const void *state = state_in(s, c->id);
		c->ops->restore(c->ctx, state ? state : c->begin);
	}
}

void companions_free(struct companion_states *s)
{
	for (unsigned i = 0; i < s->count; i++)
		s->state[i].ops->free(s->state[i].state);
	free(s->state);
	*s = (struct companion_states){0};
}

size_t companions_bytes(const struct companion_states *s)
{
	size_t bytes = s->count * sizeof *s->state;
	for (unsigned i = 0; i < s->count; i++)
		bytes += s->state[i].ops->bytes(s->state[i].state);
	return bytes;
}

size_t companions_shared_bytes(const struct machine *m)
{
	size_t bytes = 0;
	for (unsigned i = 0; i < m->companions; i++) {
		const struct companion *c = &m->companion[i];
		if (c->ops->shared_bytes)
			bytes += c->ops->shared_bytes(c->ctx);
	}
	return bytes;
}

void companions_walk(const struct machine *m, const struct companion_states *s,
                     const struct ledger_walk *w)
{
	for (unsigned i = 0; i < m->companions; i++) {
		const struct companion *c = &m->companion[i];
		const void *state = state_in(s, c->id);
		if (c->ops->walk && (state || !s))
			c->ops->walk(c->ctx, state, w);
	}
}

bool companions_served(const struct machine *m, const struct companion_states *s,
                       uint64_t guest_cycle)
{
	for (unsigned i = 0; i < m->companions; i++)
		if (guest_cycle > m->companion[i].cycle && !state_in(s, m->companion[i].id))
			return false;
	return true;
}
