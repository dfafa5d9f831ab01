#include "core/companion.h"

#include <stdlib.h>

#include "core/hash.h"
#include "core/machine_priv.h"

static struct companion *find(const struct machine *m, int id)
{
	for (unsigned i = 0; i < m->companions; i++)
		if (m->companion[i].id == id)
			return &m->companion[i];
	return NULL;
}

static uint64_t key_of(const struct companion_ops *ops, int id)
{
	return hash_bytes(HASH_START, ops->name, strlen(ops->name)) ^ (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15);
}

int machine_attach(struct machine *m, const struct companion_ops *ops, void *ctx, const struct event_filter *hears,
                   struct err *err)
{
	struct companion *grown = realloc(m->companion, (m->companions + 1) * sizeof *grown);
	if (!grown) {
		err_set(err, "out of memory for %s", ops->name);
		return 0;
	}
	m->companion = grown;
	struct companion *c = &grown[m->companions++];
	*c = (struct companion){.id = ++m->last_companion, .ops = ops, .ctx = ctx, .cycle = machine_guest_cycle(m),
	                        .pos = m->journal.st->pos};
	c->key = key_of(ops, c->id);
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
	struct companion *end = m->companion + --m->companions;
	memmove(c, c + 1, (size_t)((char *)end - (char *)c));
	events_update_mask(m);
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

/* ---- in checkpoints: name, length, bytes of each ---- */
struct packed {
	char name[24]; /* zero-padded */
	uint64_t n;
};

static bool pack_one(const struct companion *c, uint8_t **bytes, size_t *n)
{
	struct packed head = {0};
	size_t more;
	void *state = c->ops->pack(c->ctx, &more);
	uint8_t *grown = state ? realloc(*bytes, *n + sizeof head + more) : NULL;
	if (grown) {
		strncpy(head.name, c->ops->name, sizeof head.name - 1);
		head.n = more;
		memcpy(grown + *n, &head, sizeof head);
		memcpy(grown + *n + sizeof head, state, more);
		*bytes = grown;
		*n += sizeof head + more;
	}
	free(state);
	return grown;
}

void machine_pack_companions(const struct machine *m, void **bytes, size_t *n)
{
	uint8_t *all = malloc(1);
	bool ok = all;
	*n = 0;
	for (unsigned i = 0; ok && i < m->companions; i++)
		if (m->companion[i].ops->pack)
			ok = pack_one(&m->companion[i], &all, n);
	if (!ok) {
		free(all);
		all = NULL;
		*n = 0;
	}
	*bytes = all;
}

bool machine_unpack_companions(struct machine *m, const void *bytes, size_t n, struct err *err)
{
	const uint8_t *at = bytes, *end = at + n;
	for (unsigned i = 0; i < m->companions; i++) {
		const struct companion *c = &m->companion[i];
		struct packed head;
		if (!c->ops->unpack)
			continue;
		if ((size_t)(end - at) < sizeof head)
			return err_set(err, "nothing is saved of: %s", c->ops->name);
		memcpy(&head, at, sizeof head);
		at += sizeof head;
		if (strncmp(head.name, c->ops->name, sizeof head.name - 1) != 0 || head.n > (size_t)(end - at))
			return err_set(err, "what is saved is not of: %s", c->ops->name);
		if (!c->ops->unpack(c->ctx, at, head.n, err))
			return false;
		at += head.n;
	}
	return at == end || err_set(err, "more is saved than there is beside the machine");
}

/* ---- in snapshots ---- */
static const void *state_in(const struct companion_states *s, int id)
{
	for (unsigned i = 0; s && i < s->count; i++)
		if (s->state[i].id == id)
			return s->state[i].state;
	return NULL;
}

bool companions_save(const struct machine *m, const struct companion_states *base, struct companion_states *out)
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
		void *state = c->ops->save(c->ctx, state_in(base, c->id));
		if (!state) {
			companions_free(&s);
			return false;
		}
		s.state[s.count++] = (struct companion_state){.id = c->id, .ops = c->ops, .state = state};
	}
	*out = s;
	return true;
}

void companions_restore(struct machine *m, const struct companion_states *s)
{
	for (unsigned i = 0; i < m->companions; i++) {
		const struct companion *c = &m->companion[i];
		c->ops->restore(c->ctx, state_in(s, c->id));
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

size_t companions_fresh_bytes(const struct machine *m)
{
	size_t bytes = 0;
	for (unsigned i = 0; i < m->companions; i++)
		bytes += m->companion[i].ops->fresh_bytes(m->companion[i].ctx);
	return bytes;
}

bool companions_served(const struct machine *m, const struct companion_states *s, uint64_t guest_cycle)
{
	for (unsigned i = 0; i < m->companions; i++)
		if (guest_cycle > m->companion[i].cycle && !state_in(s, m->companion[i].id))
			return false;
	return true;
}
