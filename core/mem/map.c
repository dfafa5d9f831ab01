/* Mapping, unmapping, protecting and moving ranges of the space.
 *
 * Each call first makes sure that it can't run out of memory, then changes regions and pages. */
#include "core/mem/mem_priv.h"

static bool range_ok(uint64_t start, uint64_t length)
{
	return !((start | length) & (PAGE_BYTES - 1)) && length && start < MEM_END &&
	       length <= MEM_END - start;
}

/* 1 if a change that begins or ends at addr splits a region, else 0. */
static size_t mem_map_splits_region(const struct mem *mem, uint64_t addr)
{
	const struct mem_region *r = regions_find(mem->space.regions, addr);
	return r && r->start < addr;
}

/* Maps (name NULL: unmaps) the range and drops its old pages. */
static bool mem_map_replace_range(struct mem *mem, uint64_t start, uint64_t length, unsigned prot,
                                  const char *name)
{
	uint64_t first = start >> PAGE_LOG2, last = (start + length) >> PAGE_LOG2;
	if (!range_ok(start, length))
		return false;
	size_t more = mem_map_splits_region(mem, start) +
	              mem_map_splits_region(mem, start + length) + (name != NULL);
	if (!regions_reserve(&mem->space, 1, more) || !tree_prepare_clear(&mem->space, first, last))
		return false;
	code_leave(mem, first, last);
	tree_clear(&mem->space, first, last);
	regions_put(&mem->space, start, start + length, prot, name);
	mem_flush(mem);
	return true;
}

bool mem_map(struct mem *mem, uint64_t start, uint64_t length, unsigned prot, const char *name)
{
	return mem_map_replace_range(mem, start, length, prot, name ? name : "");
}

bool mem_unmap(struct mem *mem, uint64_t start, uint64_t length)
{
	return mem_map_replace_range(mem, start, length, 0, NULL);
}

bool mem_discard(struct mem *mem, uint64_t start, uint64_t length)
{
	const uint64_t first = start >> PAGE_LOG2, last = (start + length) >> PAGE_LOG2;
	if (!range_ok(start, length) ||
	    !tree_discard(&mem->space, first, last, code_leave_page, mem))
		return false;
	mem_flush(mem);
	return true;
}

/* Copies the regions of a wholly mapped range to `to`. */
static void put_like(struct space *s, uint64_t start, uint64_t length, uint64_t to)
{
	for (uint64_t done = 0; done < length;) {
		const struct mem_region r = *regions_find(s->regions, start + done);
		uint64_t part = (r.end < start + length ? r.end : start + length) - (start + done);
		regions_put(s, to + done, to + done + part, r.prot, r.name);
		done += part;
	}
}

/* Number of regions that overlap a wholly mapped range. */
static size_t map_count_pieces(const struct space *s, uint64_t start, uint64_t length)
{
	size_t n = 0;
	for (uint64_t at = start; at < start + length; n++)
		at = regions_find(s->regions, at)->end;
	return n;
}

/* Takes steps only for regions with another protection, however many there are in the range. */
bool mem_protect(struct mem *mem, uint64_t start, uint64_t length, unsigned prot)
{
	struct space *s = &mem->space;
	const uint64_t end = start + length;
	const struct mem_region *r;
	size_t others = 0;
	if (!range_ok(start, length) || !mem_is_mapped(mem, start, length))
		return false;
	for (uint64_t at = start; (r = regions_next_other(s->regions, at, end, prot)); at = r->end)
		others++;
	if (!regions_reserve(s, others,
	                     mem_map_splits_region(mem, start) + mem_map_splits_region(mem, end)))
		return false;
	for (uint64_t at = start; (r = regions_next_other(s->regions, at, end, prot));) {
		const struct mem_region other = *r;
		at = other.start > at ? other.start : at;
		const uint64_t to = other.end < end ? other.end : end;
		regions_put(s, at, to, prot, other.name);
		at = to;
	}
	mem_flush(mem);
	return true;
}

bool mem_move(struct mem *mem, uint64_t from, uint64_t to, uint64_t length)
{
	if (!range_ok(from, length) || !range_ok(to, length) ||
	    (from < to + length && to < from + length) || !mem_is_mapped(mem, from, length))
		return false;
	const size_t moved = map_count_pieces(&mem->space, from, length);
	if (!regions_reserve(&mem->space, moved + 1, moved + 3))
		return false;

	/* Own the leaves of each moved page's old and new place, and of the pages that it replaces.
	 */
	struct space *s = &mem->space;
	uint64_t src = from >> PAGE_LOG2, dst = to >> PAGE_LOG2, count = length >> PAGE_LOG2;
	for (uint64_t pn = tree_next(s, src); pn < src + count; pn = tree_next(s, pn + 1))
		if (!tree_own_slot(s, pn) || !tree_own_slot(s, pn - src + dst))
			return false;
	for (uint64_t pn = tree_next(s, dst); pn < dst + count; pn = tree_next(s, pn + 1))
		if (!tree_own_slot(s, pn))
			return false;

	code_leave(mem, src, src + count);
	code_leave(mem, dst, dst + count);
	for (uint64_t pn = tree_next(s, dst); pn < dst + count; pn = tree_next(s, pn + 1)) {
		struct page **slot = tree_own_slot(s, pn);
		tree_release_page(s, *slot);
		*slot = NULL;
	}
	for (uint64_t pn = tree_next(s, src); pn < src + count; pn = tree_next(s, pn + 1)) {
		struct page **slot = tree_own_slot(s, pn);
		*tree_own_slot(s, pn - src + dst) = *slot;
		if ((*slot)->anonymous)
			tree_note_anonymous(s, pn - src + dst);
		*slot = NULL;
	}
	put_like(s, from, length, to);
	regions_put(s, from, from + length, 0, NULL);
	mem_flush(mem);
	return true;
}
