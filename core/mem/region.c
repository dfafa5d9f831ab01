/* Regions: mapped ranges of the space and their protection; equal neighbours are merged. */
#include "core/mem/mem_priv.h"

#include <assert.h>
#include <stdlib.h>

#include "core/base/alloc.h"

size_t regions_bytes(const struct regions *t)
{
	return sizeof *t + t->room * sizeof *t->r;
}

struct regions *regions_new(struct memory_account *ledger)
{
	struct regions *t = alloc_zeroed(1, sizeof *t);
	if (!t)
		return NULL;
	t->refs = 1;
	t->ledger = ledger;
	memory_account_take(ledger, regions_bytes(t));
	return t;
}

void regions_release(struct regions *t)
{
	if (!t || --t->refs)
		return;
	memory_account_give(t->ledger, regions_bytes(t));
	free(t);
}

bool regions_reserve(struct space *s, size_t extra)
{
	struct regions *old = s->regions;
	size_t need = old->count + extra;
	if (need > REGIONS_MAX)
		return false;
	if (old->refs > 1 || need > old->room) {
		size_t room = need + need / 2;
		/* on failure the machine waits and tries again */
		struct regions *copy = alloc_try_bytes(sizeof *copy + room * sizeof *copy->r);
		if (!copy) {
			host_memory_refuse(s->pool->scarce, "the program's memory map");
			return false;
		}
		*copy = (struct regions){
			.refs = 1, .ledger = old->ledger, .count = old->count, .room = room};
		memory_account_take(copy->ledger, regions_bytes(copy));
		memcpy(copy->r, old->r, old->count * sizeof *copy->r);
		regions_release(old);
		s->regions = copy;
	}
	s->regions->digest_valid = false;
	return true;
}

size_t regions_find(const struct regions *t, uint64_t addr)
{
	size_t lo = 0, hi = t->count;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (t->r[mid].end > addr)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

/* Appends a piece to the up to three that replace old regions, or merges it into the last one. */
static size_t add_piece(struct mem_region *piece, size_t n, const struct mem_region *r)
{
	if (n) {
		struct mem_region *last = &piece[n - 1];
		if (last->end == r->start && last->prot == r->prot &&
		    !memcmp(last->name, r->name, sizeof r->name)) {
			last->end = r->end;
			return n;
		}
	}
	piece[n] = *r;
	return n + 1;
}

void regions_put(struct regions *t, uint64_t start, uint64_t end, unsigned prot, const char *name)
{
	assert(t->refs == 1 && start < end);
	struct mem_region piece[3];
	size_t n = 0, lo = regions_find(t, start), hi = lo;
	while (hi < t->count && t->r[hi].start < end)
		hi++;

	/* [lo, hi) overlap; a neighbour that only touches is taken in too, because it may merge. */
	struct mem_region left = { 0 }, right = { 0 };
	if (lo < hi && t->r[lo].start < start) {
		left = t->r[lo];
		left.end = start;
	} else if (lo > 0 && t->r[lo - 1].end == start) {
		left = t->r[--lo];
	}
	if (hi > lo && t->r[hi - 1].end > end) {
		right = t->r[hi - 1];
		right.start = end;
	} else if (hi < t->count && t->r[hi].start == end) {
		right = t->r[hi++];
	}

	if (left.end)
		n = add_piece(piece, n, &left);
	if (name) {
		struct mem_region r = { .start = start, .end = end, .prot = prot };
		strncpy(r.name, name, sizeof r.name - 1);
		n = add_piece(piece, n, &r);
	}
	if (right.end)
		n = add_piece(piece, n, &right);

	assert(t->count + n - (hi - lo) <= t->room);
	memmove(&t->r[lo + n], &t->r[hi], (t->count - hi) * sizeof *t->r);
	memcpy(&t->r[lo], piece, n * sizeof *piece);
	t->count = t->count + n - (hi - lo);
}

bool regions_allow(const struct regions *t, uint64_t start, uint64_t end, unsigned prot,
                   unsigned without)
{
	for (size_t i = regions_find(t, start); start < end; i++) {
		if (i == t->count || t->r[i].start > start ||
		    (t->r[i].prot & (prot | without)) != prot)
			return false;
		start = t->r[i].end;
	}
	return true;
}

bool mem_is_mapped(const struct mem *mem, uint64_t start, uint64_t length)
{
	return length <= UINT64_MAX - start &&
	       regions_allow(mem->space.regions, start, start + length, 0, 0);
}

unsigned mem_prot_at(const struct mem *mem, uint64_t addr)
{
	const struct regions *t = mem->space.regions;
	size_t i = regions_find(t, addr);
	return i < t->count && t->r[i].start <= addr ? t->r[i].prot : 0;
}

const struct mem_region *mem_regions(const struct mem *mem, size_t *count)
{
	*count = mem->space.regions->count;
	return mem->space.regions->r;
}

uint64_t mem_find_free(const struct mem *mem, uint64_t length, uint64_t below)
{
	const struct regions *t = mem->space.regions;
	const uint64_t in_page = PAGE_BYTES - 1;
	if (!length || length > MEM_TOP)
		return 0;
	length = (length + in_page) & ~in_page;
	uint64_t top = (below < MEM_TOP ? below : MEM_TOP) & ~in_page;
	/* Goes down from the last region that begins below top: each one bounds the gap above
	 * it. */
	size_t i = top ? regions_find(t, top - 1) : 0;
	if (i < t->count && t->r[i].start < top)
		i++;
	while (i-- > 0) {
		uint64_t floor = t->r[i].end > LOWEST_FREE ? t->r[i].end : LOWEST_FREE;
		if (floor < top && top - floor >= length)
			return top - length;
		if (t->r[i].start < top)
			top = t->r[i].start;
	}
	return top > LOWEST_FREE && top - LOWEST_FREE >= length ? top - length : 0;
}
