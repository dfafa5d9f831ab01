/* Attachments (core/prof/common/attachment.h) of a machine: the list, delivery of events, and
 * states in snapshots. */
#include "core/prof/common/attachment.h"

#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/base/hash.h"
#include "core/machine/machine_priv.h"

static struct attachment *attachments_find_by_id(const struct machine *m, int id)
{
	for (unsigned i = 0; i < m->attachments; i++)
		if (m->attachment[i].id == id)
			return &m->attachment[i];
	return NULL;
}

static uint64_t attachments_hash_key(const struct attachment_ops *ops, int id)
{
	return hash_bytes(HASH_START, ops->name, strlen(ops->name)) ^
	       (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
}

int machine_attach(struct machine *m, const struct attachment_ops *ops, void *ctx,
                   const struct event_filter *hears, struct err *err)
{
	/* Leave room for the devices of another machine whose place this one may take. */
	struct attachment *grown =
		alloc_resize(m->attachment, (m->attachments + 1 + DEVICE_COUNT) * sizeof *grown);
	if (!grown) {
		err_set(err, "out of memory for %s", ops->name);
		return 0;
	}
	m->attachment = grown;
	struct attachment *c = &grown[m->attachments++];
	*c = (struct attachment){.id = ++m->last_attachment,
	                        .ops = ops,
	                        .ctx = ctx,
	                        .cycle = machine_guest_cycle(m),
	                        .pos = m->journal.st->pos};
	c->key = attachments_hash_key(ops, c->id);
	attachment_claim(m, c);
	if (hears && ops->hear)
		c->hears = *hears;
	events_update_mask(m);
	return c->id;
}

void machine_detach(struct machine *m, int id)
{
	struct attachment *c = attachments_find_by_id(m, id);
	if (!c)
		return;
	if (c->begin)
		c->ops->free(c->begin);
	struct attachment *end = m->attachment + --m->attachments;
	memmove(c, c + 1, (size_t)((char *)end - (char *)c));
	events_update_mask(m);
}

void attachments_take(struct machine *m, struct machine *from)
{
	struct attachment own[DEVICE_COUNT], *all = from->attachment;
	unsigned more = from->attachments - from->device_attachments;
	assert(m->attachments == m->device_attachments); /* only devices so far */
	memcpy(own, all, sizeof own);
	memmove(all + m->device_attachments, all + from->device_attachments, more * sizeof *all);
	for (unsigned i = 0; i < m->device_attachments; i++)
		all[i] = m->attachment[i];
	memcpy(m->attachment, own, sizeof own);
	from->attachment = m->attachment;
	m->attachment = all;
	from->attachments = from->device_attachments;
	m->attachments += more;
	m->last_attachment = from->last_attachment;
	for (unsigned i = m->device_attachments; i < m->attachments; i++) {
		struct attachment *c = &m->attachment[i];
		if (c->begin)
			c->ops->free(c->begin);
		c->begin = NULL;
		c->cycle = machine_guest_cycle(m);
		c->pos = m->journal.st->pos;
		c->ops->restore(c->ctx, NULL);
		attachment_claim(m, c);
	}
}

void attachments_deinit(struct machine *m)
{
	for (unsigned i = 0; i < m->attachments; i++)
		if (m->attachment[i].begin)
			m->attachment[i].ops->free(m->attachment[i].begin);
	free(m->attachment);
	free(m->saved.bytes);
}

bool machine_attachment_awake(const struct machine *m, int id)
{
	const struct attachment *c = attachments_find_by_id(m, id);
	return c && machine_guest_cycle(m) >= c->cycle;
}

uint64_t machine_attachment_hash(const struct machine *m, int id)
{
	const struct attachment *c = attachments_find_by_id(m, id);
	return c ? c->ops->hash(c->ctx) : 0;
}

uint64_t machine_attachment_key(const struct machine *m, int id)
{
	const struct attachment *c = attachments_find_by_id(m, id);
	return c ? c->key : 0;
}

/* Whether an event delivered now is later than the attachment's beginning. A cycle's events are
 * delivered after it, a change's events when the change is journaled. */
static bool hears_now(const struct machine *m, const struct attachment *c)
{
	uint64_t now = machine_guest_cycle(m);
	return now > c->cycle || (now == c->cycle && m->journal.st->pos > c->pos);
}

void attachments_hear(struct machine *m, const struct event *ev)
{
	for (unsigned i = 0; i < m->attachments; i++) {
		const struct attachment *c = &m->attachment[i];
		if (c->hears.mask && hears_now(m, c) && event_passes(&c->hears, ev))
			c->ops->hear(c->ctx, m, ev);
	}
}

/* ---- changes ---- */
static struct attachment *attachments_find_by_key(const struct machine *m, uint64_t key)
{
	for (unsigned i = 0; i < m->attachments; i++)
		if (m->attachment[i].key == key && m->attachment[i].ops->change)
			return &m->attachment[i];
	return NULL;
}

bool attachments_know(const struct machine *m, uint64_t key)
{
	return attachments_find_by_key(m, key);
}

void attachments_change(struct machine *m, uint64_t key, const void *bytes, size_t n)
{
	const struct attachment *c = attachments_find_by_key(m, key);
	if (c && hears_now(m, c)) /* it may have been detached since the request */
		c->ops->change(c->ctx, bytes, n);
}

void attachments_wake(struct machine *m, uint64_t key)
{
	struct attachment *c = attachments_find_by_key(m, key);
	uint64_t now = machine_guest_cycle(m), pos = m->journal.st->pos;
	if (!c || now > c->cycle || (now == c->cycle && pos >= c->pos))
		return;
	c->cycle = now;
	c->pos = pos;
}

/* ---- in snapshots ---- */
static const void *state_in(const struct attachment_states *s, int id)
{
	for (unsigned i = 0; s && i < s->count; i++)
		if (s->state[i].id == id)
			return s->state[i].state;
	return NULL;
}

bool attachments_save(const struct machine *m, struct attachment_states *out)
{
	struct attachment_states s = {0};
	*out = s;
	if (!m->attachments)
		return true;
	/* on failure history is thinned */
	s.state = alloc_try_zeroed(m->attachments, sizeof *s.state);
	if (!s.state)
		return false;
	for (unsigned i = 0; i < m->attachments; i++) {
		const struct attachment *c = &m->attachment[i];
		void *state = c->ops->save(c->ctx);
		if (!state) {
			attachments_free(&s);
			return false;
		}
		s.state[s.count++] =
			(struct attachment_state){.id = c->id, .ops = c->ops, .state = state};
	}
	*out = s;
	return true;
}

void attachments_restore(struct machine *m, const struct attachment_states *s)
{
	for (unsigned i = 0; i < m->attachments; i++) {
		const struct attachment *c = &m->attachment[i];
		const void *state = state_in(s, c->id);
		c->ops->restore(c->ctx, state ? state : c->begin);
	}
}

void attachments_free(struct attachment_states *s)
{
	for (unsigned i = 0; i < s->count; i++)
		s->state[i].ops->free(s->state[i].state);
	free(s->state);
	*s = (struct attachment_states){0};
}

size_t attachments_bytes(const struct attachment_states *s)
{
	size_t bytes = s->count * sizeof *s->state;
	for (unsigned i = 0; i < s->count; i++)
		bytes += s->state[i].ops->bytes(s->state[i].state);
	return bytes;
}

size_t attachments_shared_bytes(const struct machine *m)
{
	size_t bytes = 0;
	for (unsigned i = 0; i < m->attachments; i++) {
		const struct attachment *c = &m->attachment[i];
		if (c->ops->shared_bytes)
			bytes += c->ops->shared_bytes(c->ctx);
	}
	return bytes;
}

void attachments_walk(const struct machine *m, const struct attachment_states *s,
                     const struct ledger_walk *w)
{
	for (unsigned i = 0; i < m->attachments; i++) {
		const struct attachment *c = &m->attachment[i];
		const void *state = state_in(s, c->id);
		if (c->ops->walk && (state || !s))
			c->ops->walk(c->ctx, state, w);
	}
}

bool attachments_served(const struct machine *m, const struct attachment_states *s,
                       uint64_t guest_cycle)
{
	for (unsigned i = 0; i < m->attachments; i++)
		if (guest_cycle > m->attachment[i].cycle && !state_in(s, m->attachment[i].id))
			return false;
	return true;
}
