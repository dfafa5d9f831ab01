/* Attachments in checkpoints: name, length and bytes of each. Those of devices come first and must
 * exist in the machine; others may be attached later, and then find their saved state. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "core/machine/machine_priv.h"

struct packed {
	char name[24]; /* zero-padded */
	uint64_t n;
};

static bool attachment_append_bytes(uint8_t **bytes, size_t *n, const void *more, size_t length)
{
	uint8_t *grown = alloc_resize(*bytes, *n + length + 1);
	if (!grown)
		return false;
	memcpy(grown + *n, more, length);
	*bytes = grown;
	*n += length;
	return true;
}

static bool pack_one(const struct attachment *c, uint8_t **bytes, size_t *n)
{
	struct packed head = {0};
	size_t more;
	void *state = c->ops->pack(c->ctx, &more);
	strncpy(head.name, c->ops->name, sizeof head.name - 1);
	head.n = more;
	bool ok = state && attachment_append_bytes(bytes, n, &head, sizeof head) &&
	          attachment_append_bytes(bytes, n, state, more);
	free(state);
	return ok;
}

void machine_pack_attachments(const struct machine *m, void **bytes, size_t *n)
{
	uint8_t *all = alloc_bytes(1);
	bool ok = all;
	*n = 0;
	for (unsigned i = 0; ok && i < m->attachments; i++)
		if (m->attachment[i].ops->pack)
			ok = pack_one(&m->attachment[i], &all, n);
	if (ok && m->saved.n)
		ok = attachment_append_bytes(&all, n, m->saved.bytes, m->saved.n);
	if (!ok) {
		free(all);
		all = NULL;
		*n = 0;
	}
	*bytes = all;
}

static bool attachment_header_matches(const struct packed *head, const struct attachment_ops *ops)
{
	return strncmp(head->name, ops->name, sizeof head->name - 1) == 0;
}

/* Reads the next header at *at, and moves to its bytes. False if it is cut off. */
static bool attachment_read_header(const uint8_t **at, const uint8_t *end, struct packed *head)
{
	if ((size_t)(end - *at) < sizeof *head)
		return false;
	memcpy(head, *at, sizeof *head);
	*at += sizeof *head;
	return head->n <= (size_t)(end - *at);
}

bool machine_unpack_attachments(struct machine *m, const void *bytes, size_t n, struct err *err)
{
	const uint8_t *at = bytes, *end = at + n;
	struct packed head;
	for (unsigned i = 0; i < m->attachments; i++) {
		const struct attachment *c = &m->attachment[i];
		if (!c->ops->unpack)
			continue;
		if (at == end)
			return err_set(err, "the checkpoint lacks a part of this machine: %s",
			               c->ops->name);
		if (!attachment_read_header(&at, end, &head) ||
		    !attachment_header_matches(&head, c->ops))
			return err_set(
				err, "the checkpoint has something else where there should be: %s",
				c->ops->name);
		if (!c->ops->unpack(c->ctx, at, head.n, err))
			return false;
		at += head.n;
	}
	const uint8_t *rest = at;
	while (at < end) {
		if (!attachment_read_header(&at, end, &head))
			return err_set(
				err, "the checkpoint ends within what it keeps beside the machine");
		at += head.n;
	}
	struct attachment_bytes kept = {0};
	if (rest < end &&
	    !attachment_append_bytes(&kept.bytes, &kept.n, rest, (size_t)(end - rest)))
		return err_set(err, "out of memory for what is saved beside the machine");
	free(m->saved.bytes);
	m->saved = kept;
	return true;
}

void attachment_claim(struct machine *m, struct attachment *c)
{
	struct attachment_bytes *s = &m->saved;
	if (!s->n)
		return;
	uint8_t *at = s->bytes, *end = at + s->n;
	struct packed head;
	struct err err;
	while (c->ops->unpack && at < end) {
		uint8_t *from = at;
		memcpy(&head, at, sizeof head);
		at += sizeof head + head.n;
		if (!attachment_header_matches(&head, c->ops))
			continue;
		if (!c->ops->unpack(c->ctx, from + sizeof head, head.n, &err))
			os_warnf(m->os, "%s begins anew: %s", c->ops->name, err.msg);
		else if (!(c->begin = c->ops->save(c->ctx))) {
			os_warnf(m->os, "%s begins anew: out of memory for what was saved of it",
			         c->ops->name);
			c->ops->restore(c->ctx, NULL);
		}
		memmove(from, at, (size_t)(end - at));
		s->n -= (size_t)(at - from);
		return;
	}
}
