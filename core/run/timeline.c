/* The timeline of a run of any length: chooses the points kept, and when the next is due. */
#include "core/run/timeline.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/defs/stats_fields.h"
#include "core/machine/machine.h"
#include "core/prof/common/attachment.h"
#include "core/run/run_priv.h"

/* ---- counters ---- */
#define WORD(field) offsetof(struct stats, field) / sizeof(uint64_t)

/* Offsets of the counters, in words of struct stats, in a point's order. */
static struct {
	unsigned cpi;
	const struct stat_row *row[TIMELINE_CPI_MOST];
	size_t word[TIMELINE_WORDS];
} counted = {
	.word = {
#define X(field, name, what) WORD(field),
		TIMELINE_COUNTS(X)
#undef X
	},
};

unsigned timeline_cpi_rows(void)
{
	if (counted.cpi)
		return counted.cpi;
	for (size_t i = 0; i < stat_row_count; i++) {
		if (strncmp(stat_rows[i].name, "cpi.", 4) != 0 || counted.cpi == TIMELINE_CPI_MOST)
			continue;
		counted.word[TIMELINE_CPI + counted.cpi] = stat_rows[i].offset / sizeof(uint64_t);
		counted.row[counted.cpi++] = &stat_rows[i];
	}
	return counted.cpi;
}

const struct stat_row *timeline_cpi_row(unsigned i)
{
	return i < timeline_cpi_rows() ? counted.row[i] : NULL;
}

void timeline_look(const struct machine *m, struct timeline_point *out)
{
	const char *stats = (const char *)machine_stats(m);
	const unsigned words = TIMELINE_CPI + timeline_cpi_rows();
	out->cycle = machine_cycle(m);
	out->pc = machine_pc(m);
	for (unsigned i = 0; i < words; i++)
		memcpy(&out->count[i], stats + counted.word[i] * sizeof(uint64_t),
		       sizeof out->count[i]);
	for (unsigned i = words; i < TIMELINE_WORDS; i++)
		out->count[i] = 0;
}

/* ---- placement of points ---- */
/* Logarithm of the width for a run of `cycles` cycles. */
static unsigned timeline_width_log2(uint64_t cycles)
{
	return cycles <= TIMELINE_BINS
	               ? 0
	               : 64 - (unsigned)__builtin_clzll((cycles - 1) / TIMELINE_BINS);
}

/* Cycles from the first point to the i-th. */
static uint64_t timeline_point_offset(size_t i)
{
	if (i < TIMELINE_FINE)
		return i;
	return (uint64_t)(TIMELINE_HALF + 1 + (i - TIMELINE_FINE) % TIMELINE_HALF)
	       << (1 + (i - TIMELINE_FINE) / TIMELINE_HALF);
}

size_t timeline_slot(uint64_t cycles)
{
	const unsigned w = timeline_width_log2(cycles);
	if (!w)
		return cycles;
	if (w > TIMELINE_DOUBLINGS || cycles & ((UINT64_C(1) << w) - 1))
		return TIMELINE_SLOTS;
	return TIMELINE_FINE + (size_t)(w - 1) * TIMELINE_HALF + (cycles >> w) - TIMELINE_HALF - 1;
}

/* Cycles from the first point to the first one more than `cycles` after it. */
static uint64_t place_behind(uint64_t cycles)
{
	const unsigned w = timeline_width_log2(cycles + 1);
	return ((cycles >> w) + 1) << w;
}

/* ---- as an attachment: for checkpoints, and history's account ---- */
static size_t timeline_point_bytes(const struct timeline_record *t)
{
	return t->count * sizeof *t->point;
}

/* The timeline belongs to the whole run, not to a cycle: snapshots hold none of it. */
static char no_state;

static void *timeline_save_state(void *ctx)
{
	(void)ctx;
	return &no_state;
}

static void timeline_restore_state(void *ctx, const void *state)
{
	(void)ctx;
	(void)state;
}

static void timeline_release_state(void *state)
{
	(void)state;
}

static size_t timeline_state_bytes(const void *state)
{
	(void)state;
	return 0;
}

static size_t timeline_shared_bytes(const void *ctx)
{
	return timeline_point_bytes(&((const struct run *)ctx)->timeline);
}

static void timeline_walk_ledger(const void *ctx, const void *state, const struct ledger_walk *w)
{
	const struct timeline_record *t = &((const struct run *)ctx)->timeline;
	if (state && t->count)
		ledger_visit(w, t->point, timeline_point_bytes(t));
}

static uint64_t timeline_hash_state(const void *ctx)
{
	(void)ctx;
	return 0;
}

static void *timeline_pack_state(const void *ctx, size_t *n)
{
	const struct run *r = ctx;
	return timeline_pack(&r->timeline, machine_cycle(r->m), n);
}

static bool timeline_unpack_state(void *ctx, const void *from, size_t n, struct err *err)
{
	return timeline_unpack(&((struct run *)ctx)->timeline, from, n, err);
}

static const struct attachment_ops ops = {
	.name = "the timeline",
	.save = timeline_save_state,
	.restore = timeline_restore_state,
	.free = timeline_release_state,
	.bytes = timeline_state_bytes,
	.shared_bytes = timeline_shared_bytes,
	.walk = timeline_walk_ledger,
	.hash = timeline_hash_state,
	.pack = timeline_pack_state,
	.unpack = timeline_unpack_state,
};

/* ---- lifetime ---- */
/* Drops all points. False if there is no memory to keep any. */
static bool timeline_clear(struct timeline_record *t)
{
	t->count = 0;
	t->loaded = t->loaded_width = 0;
	t->fresh = false;
	if (!t->point)
		t->point = alloc_zeroed(TIMELINE_SLOTS, sizeof *t->point);
	return t->point;
}

/* Whether a checkpoint's timeline can be this machine's: it ends here, and counts no more than the
 * machine. */
static bool timeline_matches_machine(const struct timeline_record *t, const struct machine *m)
{
	struct timeline_point now;
	timeline_look(m, &now);
	if (!t->fresh || t->loaded != now.cycle)
		return false;
	const struct timeline_point *last = &t->point[t->count - 1];
	for (unsigned i = 0; i < TIMELINE_WORDS; i++)
		if (last->count[i] > now.count[i])
			return false;
	return true;
}

void timeline_begin(struct run *r)
{
	struct timeline_record *t = &r->timeline;
	struct err none;
	if (!t->attachment || !machine_attachment_key(r->m, t->attachment))
		t->attachment = machine_attach(r->m, &ops, r, NULL, &none);
	if (!timeline_matches_machine(t, r->m)) {
		timeline_clear(t);
		t->first = machine_cycle(r->m);
	}
	t->fresh = false;
	timeline_pass(r);
	timeline_look(r->m, &t->newest);
}

void timeline_free(struct run *r)
{
	machine_detach(r->m, r->timeline.attachment);
	free(r->timeline.point);
}

void timeline_pass(struct run *r)
{
	struct timeline_record *t = &r->timeline;
	const uint64_t now = machine_cycle(r->m), cycles = now - t->first;
	t->next = t->first + place_behind(cycles);
	if (t->point && t->count < TIMELINE_SLOTS && cycles == timeline_point_offset(t->count))
		timeline_look(r->m, &t->point[t->count++]);
}

void timeline_cut(struct run *r, uint64_t cycle)
{
	struct timeline_record *t = &r->timeline;
	while (t->count && t->point[t->count - 1].cycle >= cycle)
		t->count--;
	if (machine_cycle(r->m) == cycle)
		timeline_look(r->m, &t->newest);
	timeline_pass(r);
}

void timeline_rest(struct run *r)
{
	if (machine_cycle(r->m) >= r->hist.newest)
		timeline_look(r->m, &r->timeline.newest);
}

/* ---- queries ---- */
void run_timeline(const struct run *r, struct timeline_span *out)
{
	const struct timeline_record *t = &r->timeline;
	*out = (struct timeline_span){t->first, r->hist.newest,
	                              UINT64_C(1)
	                                      << timeline_width_log2(r->hist.newest - t->first)};
}

bool run_timeline_at(const struct run *r, uint64_t cycle, struct timeline_point *out)
{
	const struct timeline_record *t = &r->timeline;
	if (cycle == machine_cycle(r->m)) {
		timeline_look(r->m, out);
		return true;
	}
	if (cycle == t->newest.cycle && cycle == r->hist.newest) {
		*out = t->newest;
		return true;
	}
	if (cycle < t->first || (cycle < t->loaded && (cycle - t->first) & (t->loaded_width - 1)))
		return false;
	const size_t i = timeline_slot(cycle - t->first);
	if (i >= t->count)
		return false;
	*out = t->point[i];
	return true;
}

/* ---- in a checkpoint: the points of its width, each as differences from the previous one ---- */

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
