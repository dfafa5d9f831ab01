/* Regions: which ranges of the space are mapped, with what protection; neighbours that are alike
 * become one.
 *
 * They lie in a balanced tree (AVL) by address, whose nodes snapshots share as they share pages:
 * changed nodes are copied first, and a change takes as many steps as the tree is high. Each node
 * has the sums of its subtree, so that queries of a range need not visit every region. */
#include "core/mem/mem_priv.h"

#include <assert.h>
#include <limits.h>

/* ---- sums of a node ---- */
static struct mem_extent extent_of(const struct mem_region *r, uint64_t bytes)
{
	static const char sparse_name[sizeof r->name] = MEM_SPARSE, file[sizeof r->name] = MEM_FILE;
	const bool sparse = !memcmp(r->name, sparse_name, sizeof r->name);
	const bool counts = !memcmp(r->name, file, sizeof r->name) ||
	                    (!sparse && (r->prot & (PROT_R | PROT_W | PROT_X)));
	return (struct mem_extent){.bytes = bytes,
	                           .counted = counts ? bytes : 0,
	                           .dense = sparse ? 0 : bytes,
	                           .prot = r->prot,
	                           .common = r->prot};
}

static void extent_add(struct mem_extent *to, const struct mem_extent *more)
{
	to->bytes += more->bytes;
	to->counted += more->counted;
	to->dense += more->dense;
	to->prot |= more->prot;
	to->common &= more->common;
}

static unsigned region_height(const struct region *n)
{
	return n ? n->height : 0;
}

/* Updates a node's sums after its children or its successor have changed. */
static void region_sum_up(struct region *n)
{
	const struct region *low = n->side[0], *high = n->side[1];
	n->height = 1 + (region_height(low) > region_height(high) ? region_height(low)
	                                                          : region_height(high));
	n->count = 1;
	n->first = n->r.start;
	n->last = n->r.end;
	n->hole = 0;
	n->sum = extent_of(&n->r, n->r.end - n->r.start);
	for (unsigned i = 0; i < 2; i++) {
		const struct region *s = n->side[i];
		if (!s)
			continue;
		const uint64_t between = i ? s->first - n->r.end : n->r.start - s->last;
		n->count += s->count;
		n->hole = n->hole > between ? n->hole : between;
		n->hole = n->hole > s->hole ? n->hole : s->hole;
		extent_add(&n->sum, &s->sum);
	}
	n->first = low ? low->first : n->first;
	n->last = high ? high->last : n->last;
}

/* ---- nodes ---- */
size_t regions_count(const struct region *root)
{
	return root ? root->count : 0;
}

size_t regions_bytes(const struct region *root)
{
	return regions_count(root) * sizeof *root;
}

void regions_release(struct pool *pool, struct region *n)
{
	if (!n || --n->refs)
		return;
	regions_release(pool, n->side[0]);
	regions_release(pool, n->side[1]);
	pool_give(pool, POOL_REGIONS, n);
}

void regions_walk(const struct region *n, const struct ledger_walk *w)
{
	if (!n || !ledger_visit(w, n, sizeof *n))
		return;
	regions_walk(n->side[0], w);
	regions_walk(n->side[1], w);
}

bool regions_reserve(const struct space *s, size_t changes, size_t extra)
{
	/* A change descends the tree three times, and copies the nodes that it visits or rotates:
	 * each once, however many changes follow. */
	enum { COPIES = 12, NEW = 4 };
	const size_t count = regions_count(s->regions);
	size_t copies = changes * COPIES * (region_height(s->regions) + 2);
	copies = copies < count ? copies : count;
	return count + extra <= REGIONS_MAX &&
	       pool_ensure(s->pool, POOL_REGIONS, copies + NEW * changes);
}

static struct region *region_take(struct pool *pool)
{
	struct region *n = pool_take(pool, POOL_REGIONS);
	assert(n); /* regions_reserve() */
	return n;
}

static struct region *region_new(struct pool *pool, const struct mem_region *r)
{
	struct region *n = region_take(pool);
	*n = (struct region){.refs = 1, .r = *r};
	return n;
}

/* The node, owned: a copy if others refer to it, too. */
static struct region *region_own(struct pool *pool, struct region *n)
{
	if (n->refs == 1)
		return n;
	struct region *copy = region_take(pool);
	*copy = *n;
	copy->refs = 1;
	n->refs--;
	for (unsigned i = 0; i < 2; i++)
		if (copy->side[i])
			copy->side[i]->refs++;
	return copy;
}

/* ---- balance ---- */
/* Rotates owned n: its child on that side becomes the root. */
static struct region *region_turn(struct pool *pool, struct region *n, unsigned side)
{
	struct region *up = region_own(pool, n->side[side]);
	n->side[side] = up->side[!side];
	region_sum_up(n);
	up->side[!side] = n;
	return up;
}

/* Balances an owned node whose subtrees are balanced, and differ in height by at most two. */
static struct region *region_balance(struct pool *pool, struct region *n)
{
	for (unsigned side = 0; side < 2; side++) {
		if (region_height(n->side[side]) <= region_height(n->side[!side]) + 1)
			continue;
		struct region *heavy = n->side[side] = region_own(pool, n->side[side]);
		if (region_height(heavy->side[!side]) > region_height(heavy->side[side]))
			n->side[side] = region_turn(pool, heavy, !side);
		region_sum_up(n->side[side]);
		n = region_turn(pool, n, side);
		break;
	}
	region_sum_up(n);
	return n;
}

/* Joins two trees and an owned node between them. */
static struct region *region_join(struct pool *pool, struct region *low, struct region *mid,
                                  struct region *high)
{
	if (region_height(low) > region_height(high) + 1) {
		low = region_own(pool, low);
		low->side[1] = region_join(pool, low->side[1], mid, high);
		return region_balance(pool, low);
	}
	if (region_height(high) > region_height(low) + 1) {
		high = region_own(pool, high);
		high->side[0] = region_join(pool, low, mid, high->side[0]);
		return region_balance(pool, high);
	}
	mid->side[0] = low;
	mid->side[1] = high;
	region_sum_up(mid);
	return mid;
}

/* Removes the outermost node on that side from the tree, and returns it: owned, without children.
 */
static struct region *region_pop(struct pool *pool, struct region **tree, unsigned side)
{
	struct region *n = region_own(pool, *tree);
	if (!n->side[side]) {
		*tree = n->side[!side];
		n->side[!side] = NULL;
		return n;
	}
	struct region *found = region_pop(pool, &n->side[side], side);
	*tree = region_balance(pool, n);
	return found;
}

/* Splits the tree into regions below addr and from there on; a region that lies on both sides is
 * cut in two. */
static void region_split(struct pool *pool, struct region *n, uint64_t addr, struct region **low,
                         struct region **high)
{
	*low = *high = NULL;
	if (!n)
		return;
	n = region_own(pool, n);
	struct region *below = n->side[0], *above = n->side[1], *rest = NULL;
	if (addr <= n->r.start) {
		region_split(pool, below, addr, low, &rest);
		*high = region_join(pool, rest, n, above);
	} else if (addr >= n->r.end) {
		region_split(pool, above, addr, &rest, high);
		*low = region_join(pool, below, n, rest);
	} else {
		struct region *second = region_new(pool, &n->r);
		second->r.start = n->r.end = addr;
		*low = region_join(pool, below, n, NULL);
		*high = region_join(pool, NULL, second, above);
	}
}

/* ---- changing ---- */
static bool region_can_join(const struct mem_region *a, const struct mem_region *b)
{
	return a->prot == b->prot && !memcmp(a->name, b->name, sizeof a->name);
}

/* Merges the tree's outermost region on that side into `r`, if the two are adjacent and alike. */
static void region_take_in(struct pool *pool, struct region **tree, unsigned side,
                           struct mem_region *r)
{
	const struct region *n = *tree;
	while (n && n->side[side])
		n = n->side[side];
	if (!n || !region_can_join(&n->r, r) ||
	    (side ? n->r.end != r->start : n->r.start != r->end))
		return;
	if (side)
		r->start = n->r.start;
	else
		r->end = n->r.end;
	regions_release(pool, region_pop(pool, tree, side));
}

void regions_put(struct space *s, uint64_t start, uint64_t end, unsigned prot, const char *name)
{
	struct region *low, *gone, *rest, *high;
	struct mem_region r = {.start = start, .end = end, .prot = prot};
	assert(start < end);
	region_split(s->pool, s->regions, start, &low, &rest);
	region_split(s->pool, rest, end, &gone, &high);
	regions_release(s->pool, gone);
	struct region *mid;
	if (name) {
		strncpy(r.name, name, sizeof r.name - 1);
		region_take_in(s->pool, &low, 1, &r);
		region_take_in(s->pool, &high, 0, &r);
		mid = region_new(s->pool, &r);
	} else if (low) {
		mid = region_pop(s->pool, &low, 1);
	} else {
		s->regions = high;
		return;
	}
	s->regions = region_join(s->pool, low, mid, high);
}

/* ---- asking ---- */
bool region_is_anonymous(const struct mem_region *r)
{
	return strcmp(r->name, "mmap") == 0 || strcmp(r->name, "heap") == 0 ||
	       strcmp(r->name, "stack") == 0 || strcmp(r->name, MEM_SPARSE) == 0;
}

const struct mem_region *regions_find(const struct region *n, uint64_t addr)
{
	const struct mem_region *found = NULL;
	while (n) {
		const bool ends_above = n->r.end > addr;
		found = ends_above ? &n->r : found;
		n = n->side[!ends_above];
	}
	return found;
}

const struct mem_region *regions_next_other(const struct region *n, uint64_t addr, uint64_t end,
                                            unsigned prot)
{
	if (!n || n->last <= addr || n->first >= end ||
	    (n->sum.prot == prot && n->sum.common == prot))
		return NULL;
	const struct mem_region *r = regions_next_other(n->side[0], addr, end, prot);
	if (!r && n->r.end > addr && n->r.start < end && n->r.prot != prot)
		r = &n->r;
	return r ? r : regions_next_other(n->side[1], addr, end, prot);
}

bool regions_allow(const struct region *root, uint64_t start, uint64_t end, unsigned prot,
                   unsigned without)
{
	while (start < end) {
		const struct mem_region *r = regions_find(root, start);
		if (!r || r->start > start || (r->prot & (prot | without)) != prot)
			return false;
		start = r->end;
	}
	return true;
}

static void region_extent(const struct region *n, uint64_t start, uint64_t end,
                          struct mem_extent *sum)
{
	if (!n || n->first >= end || n->last <= start)
		return;
	if (start <= n->first && n->last <= end) {
		extent_add(sum, &n->sum);
		return;
	}
	const uint64_t from = n->r.start > start ? n->r.start : start,
		       to = n->r.end < end ? n->r.end : end;
	region_extent(n->side[0], start, end, sum);
	if (from < to) {
		const struct mem_extent own = extent_of(&n->r, to - from);
		extent_add(sum, &own);
	}
	region_extent(n->side[1], start, end, sum);
}

struct mem_extent mem_extent(const struct mem *mem, uint64_t start, uint64_t end)
{
	struct mem_extent sum = {.common = UINT_MAX};
	region_extent(mem->space.regions, start, end, &sum);
	return sum;
}

bool mem_is_mapped(const struct mem *mem, uint64_t start, uint64_t length)
{
	return length <= UINT64_MAX - start &&
	       mem_extent(mem, start, start + length).bytes == length;
}

unsigned mem_prot_at(const struct mem *mem, uint64_t addr)
{
	const struct mem_region *r = regions_find(mem->space.regions, addr);
	return r && r->start <= addr ? r->prot : 0;
}

bool mem_next_region(const struct mem *mem, uint64_t addr, struct mem_region *out)
{
	const struct mem_region *r = regions_find(mem->space.regions, addr);
	if (r)
		*out = *r;
	return r;
}

size_t mem_region_count(const struct mem *mem)
{
	return regions_count(mem->space.regions);
}

/* Finds the highest hole of that length above a region of n and at or below *top. True: *top is the
 * hole's end. False: *top is lowered to the start of n's first region. */
static bool hole_below(const struct region *n, uint64_t length, uint64_t *top)
{
	if (!n || n->first >= *top)
		return false;
	if (n->last <= *top && *top - n->last < length && n->hole < length) {
		*top = n->first;
		return false;
	}
	if (hole_below(n->side[1], length, top))
		return true;
	const uint64_t floor = n->r.end > LOWEST_FREE ? n->r.end : LOWEST_FREE;
	if (floor < *top && *top - floor >= length)
		return true;
	if (n->r.start < *top)
		*top = n->r.start;
	return hole_below(n->side[0], length, top);
}

uint64_t mem_find_free(const struct mem *mem, uint64_t length, uint64_t below)
{
	const uint64_t in_page = PAGE_BYTES - 1;
	if (!length || length > MEM_TOP)
		return 0;
	length = (length + in_page) & ~in_page;
	uint64_t top = (below < MEM_TOP ? below : MEM_TOP) & ~in_page;
	if (hole_below(mem->space.regions, length, &top))
		return top - length;
	return top > LOWEST_FREE && top - LOWEST_FREE >= length ? top - length : 0;
}
