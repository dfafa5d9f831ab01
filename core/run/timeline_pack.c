/* The timeline in a checkpoint: the points of its width, each as differences from the previous
 * one. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/run/run_priv.h"

enum { VARINT_MOST = 10, POINT_MOST = VARINT_MOST * (TIMELINE_WORDS + 1) };

static uint8_t *timeline_pack_write_varint(uint8_t *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (uint8_t)(v | 0x80);
	*to++ = (uint8_t)v;
	return to;
}

void *timeline_pack(const struct timeline_record *t, uint64_t cycle, size_t *n)
{
	const uint64_t width = UINT64_C(1) << timeline_width_log2(cycle - t->first);
	const uint64_t points = t->count ? (cycle - t->first) / width + 1 : 0;
	struct timeline_point before = {0};
	uint8_t *bytes = alloc_bytes((points + 1) * POINT_MOST), *to = bytes;
	if (!bytes)
		return NULL;
	to = timeline_pack_write_varint(to, t->first);
	to = timeline_pack_write_varint(to, cycle);
	to = timeline_pack_write_varint(to, points);
	for (uint64_t i = 0; i < points; i++) {
		const size_t slot = timeline_slot(i * width);
		/* kept points end before, because of memory or length: save nothing */
		if (slot >= t->count) {
			to = timeline_pack_write_varint(
				timeline_pack_write_varint(
					timeline_pack_write_varint(bytes, t->first), cycle),
				0);
			break;
		}
		const struct timeline_point *p = &t->point[slot];
		to = timeline_pack_write_varint(to, p->pc);
		for (unsigned k = 0; k < TIMELINE_WORDS; k++)
			to = timeline_pack_write_varint(to, p->count[k] - before.count[k]);
		before = *p;
	}
	*n = (size_t)(to - bytes);
	return bytes;
}

struct reader {
	const uint8_t *at, *end;
	bool ok;
};

static uint64_t timeline_pack_read_varint(struct reader *in)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
		const uint8_t byte = *in->at++;
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	in->ok = false;
	return 0;
}

/* Reads points of `width` up to `cycle`; those between are never used. */
static bool timeline_pack_read_points(struct timeline_record *t, struct reader *in, uint64_t cycle,
                                      uint64_t points, uint64_t width)
{
	struct timeline_point before = {0};
	for (uint64_t i = 0; i < points; i++) {
		struct timeline_point p = {.cycle = t->first + i * width,
		                           .pc = timeline_pack_read_varint(in)};
		for (unsigned k = 0; k < TIMELINE_WORDS; k++)
			if (__builtin_add_overflow(before.count[k], timeline_pack_read_varint(in),
			                           &p.count[k]))
				return false;
		t->point[timeline_slot(i * width)] = before = p;
	}
	if (!in->ok || in->at != in->end)
		return false;
	t->count = timeline_slot((points - 1) * width) + 1;
	t->loaded = cycle;
	t->loaded_width = width;
	return t->fresh = true;
}

bool timeline_unpack(struct timeline_record *t, const void *bytes, size_t n, struct err *err)
{
	struct reader in = {bytes, (const uint8_t *)bytes + n, true};
	const uint64_t first = timeline_pack_read_varint(&in),
		       cycle = timeline_pack_read_varint(&in),
		       points = timeline_pack_read_varint(&in);
	if (!timeline_clear(t))
		return err_set(err, "out of memory");
	t->first = first;
	if (in.ok && !points && in.at == in.end)
		return true;
	if (in.ok && first <= cycle &&
	    cycle - first < (uint64_t)TIMELINE_BINS << TIMELINE_DOUBLINGS) {
		const uint64_t width = UINT64_C(1) << timeline_width_log2(cycle - first);
		if (points == (cycle - first) / width + 1 &&
		    timeline_pack_read_points(t, &in, cycle, points, width))
			return true;
	}
	timeline_clear(t);
	return err_set(err, "what is saved of the run so far is damaged");
}
