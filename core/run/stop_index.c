/* Stop points by address: a motion's events find theirs in logarithmic time, and most events find
 * by one bit that there is none. */
#include <stdlib.h>
#include <string.h>

#include "core/base/alloc.h"
#include "core/base/sort.h"
#include "core/run/run_priv.h"

/* Bits of the filter; one stands for GRANULE bytes. */
enum { GRANULE_PC = 2, GRANULE_MEMORY = 8 };

static uint64_t stop_index_granule(enum stop_index_kind kind)
{
	return kind == STOPS_BY_MEMORY ? GRANULE_MEMORY : GRANULE_PC;
}

static void stop_index_set_bits(struct stop_index *x, uint64_t granule, uint64_t lo, uint64_t last)
{
	uint64_t n = last / granule - lo / granule + 1;
	if (n > STOP_INDEX_BITS)
		n = STOP_INDEX_BITS;
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t bit = (lo / granule + i) % STOP_INDEX_BITS;
		x->filter[bit / 64] |= UINT64_C(1) << bit % 64;
	}
}

/* The addresses by which this index has the stop point, [*lo, *last]; false: none. edge: 0 or 1. */
static bool stop_index_bounds(enum stop_index_kind kind, const struct stop_point *sp, unsigned edge,
                              uint64_t *lo, uint64_t *last)
{
	switch (kind) {
	case STOPS_BY_PC:
		*lo = *last = sp->addr;
		return !edge && sp->kind == STOP_POINT_PC;
	case STOPS_BY_EDGE:
		*lo = *last = sp->edge[edge];
		return sp->edges;
	case STOPS_BY_MEMORY:
		*lo = sp->addr;
		*last = sp->addr + sp->size - 1;
		/* the end of the address space bounds it */
		*last = *last < *lo ? UINT64_MAX : *last;
		return !edge && sp->kind == STOP_POINT_MEMORY && sp->size;
	case STOPS_BY_EVENT:
		*lo = *last = 0;
		return !edge && sp->kind == STOP_POINT_EVENT;
	case STOP_INDEXES:
		break;
	}
	return false;
}

static int stop_index_compare(const void *pa, const void *pb)
{
	const struct stop_span *a = pa, *b = pb;
	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return a->entry < b->entry ? -1 : a->entry > b->entry;
}

static bool stop_index_fill(struct run *r, enum stop_index_kind kind)
{
	struct stop_index *x = &r->index[kind];
	uint64_t reach = 0;
	x->count = 0;
	memset(x->filter, 0, sizeof x->filter);
	if (x->room < 2 * r->stop_count) {
		const size_t room = 2 * r->stop_count;
		struct stop_span *grown = alloc_resize_array(x->all, room, sizeof *grown);
		if (!grown)
			return false;
		x->all = grown;
		x->room = room;
	}
	for (size_t i = 0; i < r->stop_count; i++)
		for (unsigned edge = 0; edge < 2; edge++) {
			struct stop_span s = {.entry = i, .edge = edge};
			if (r->stop[i]->loose ||
			    !stop_index_bounds(kind, &r->stop[i]->sp, edge, &s.lo, &s.last))
				continue;
			stop_index_set_bits(x, stop_index_granule(kind), s.lo, s.last);
			x->all[x->count++] = s;
		}
	if (x->count)
		sort_stable(x->all, x->count, sizeof *x->all, stop_index_compare);
	for (size_t i = 0; i < x->count; i++) {
		reach = x->all[i].last > reach ? x->all[i].last : reach;
		x->all[i].reach = reach;
	}
	return true;
}

bool stop_index_build(struct run *r)
{
	r->loose_stops = false;
	r->indexed_stops = r->stop_count;
	for (size_t i = 0; i < r->stop_count; i++)
		r->loose_stops |= r->stop[i]->loose = r->stop[i]->sp.pending;
	for (unsigned kind = 0; kind < STOP_INDEXES; kind++)
		if (!stop_index_fill(r, kind))
			return false;
	return true;
}

void stop_index_free(struct run *r)
{
	for (unsigned kind = 0; kind < STOP_INDEXES; kind++) {
		free(r->index[kind].all);
		r->index[kind] = (struct stop_index){0};
	}
}

bool stop_index_may_hold(const struct run *r, enum stop_index_kind kind, uint64_t lo, uint64_t last)
{
	const struct stop_index *x = &r->index[kind];
	const uint64_t granule = stop_index_granule(kind);
	for (uint64_t at = lo / granule; at <= last / granule; at++)
		if (x->filter[at % STOP_INDEX_BITS / 64] >> at % 64 & 1)
			return true;
	return r->loose_stops || r->stop_count > r->indexed_stops;
}

/* The number of spans that begin at or before `last`. */
static size_t stop_index_upper_bound(const struct stop_index *x, uint64_t last)
{
	size_t lo = 0, hi = x->count;
	while (lo < hi) {
		const size_t mid = lo + (hi - lo) / 2;
		if (x->all[mid].lo <= last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void stop_index_each(struct run *r, enum stop_index_kind kind, const struct machine *m,
                     const struct event *ev, uint64_t lo, uint64_t last, stop_index_fn *fn)
{
	const struct stop_index *x = &r->index[kind];
	for (size_t i = stop_index_upper_bound(x, last); i-- > 0 && x->all[i].reach >= lo;)
		if (x->all[i].last >= lo)
			fn(r, r->stop[x->all[i].entry], x->all[i].edge, m, ev);
	/* Stop points whose address the index does not have. */
	for (size_t i = r->loose_stops ? 0 : r->indexed_stops; i < r->stop_count; i++)
		for (unsigned edge = 0; edge < 2; edge++) {
			uint64_t own_lo, own_last;
			if ((i >= r->indexed_stops || r->stop[i]->loose) &&
			    stop_index_bounds(kind, &r->stop[i]->sp, edge, &own_lo, &own_last) &&
			    own_lo <= last && own_last >= lo)
				fn(r, r->stop[i], edge, m, ev);
		}
}
