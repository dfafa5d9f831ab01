#include "loader/edit/frame_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"

void frame_put(struct buffer *b, const void *bytes, size_t n)
{
	if (n > b->room - b->n) {
		size_t room = 2 * (b->room + n);
		uint8_t *more = alloc_resize(b->bytes, room);
		if (!more) {
			b->failed = true;
			return;
		}
		b->bytes = more;
		b->room = room;
	}
	memcpy(b->bytes + b->n, bytes, n);
	b->n += n;
}

void frame_put_number(struct buffer *b, uint64_t value, unsigned n)
{
	frame_put(b, &value, n);
}

uint64_t frame_number(struct table *t, unsigned n)
{
	uint64_t value = 0;
	if (n > t->n - t->at) {
		t->damaged = true;
		t->at = t->n;
		return 0;
	}
	memcpy(&value, t->bytes + t->at, n);
	t->at += n;
	return value;
}

uint64_t frame_leb(struct table *t)
{
	uint64_t value = 0;
	for (unsigned shift = 0;; shift += 7) {
		uint64_t byte = frame_number(t, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (!(byte & 0x80) || t->damaged)
			return value;
	}
}

void frame_put_leb(struct buffer *b, uint64_t value)
{
	do {
		frame_put_number(b, (value & 0x7f) | (value > 0x7f ? 0x80 : 0), 1);
		value >>= 7;
	} while (value);
}

void frame_copy_from(struct table *t, size_t from)
{
	if (t->at < from)
		t->damaged = true;
	else
		frame_put(&t->out, t->bytes + from, t->at - from);
}
