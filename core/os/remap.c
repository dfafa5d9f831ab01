/* mremap: mappings grow, shrink and move. */
#include <string.h>

#include "core/os/code_versions.h"
#include "core/os/os_priv.h"
#include "core/os/space.h"

/* The region that holds all of the range; false: none does. */
static bool remap_find_region(const struct mem *mem, uint64_t start, uint64_t length,
                              struct mem_region *r)
{
	return mem_next_region(mem, start, r) && r->start <= start && start + length <= r->end;
}

/* Grows [from, from + old) to `length` bytes at `to`, which may be the same place. */
static int64_t move_and_grow(struct call *c, const struct mem_region *r, uint64_t from,
                             uint64_t old, uint64_t to, uint64_t length)
{
	if (length > old && strcmp(r->name, MEM_SPARSE) != 0 &&
	    !space_may_have(c, to + old, length - old, r->prot))
		return -ENOMEM;
	if (length > old && !mem_map(c->mem, to + old, length - old, r->prot, r->name))
		return -ENOMEM;
	if (to != from && !mem_move(c->mem, from, to, old < length ? old : length)) {
		if (length > old)
			mem_unmap(c->mem, to + old, length - old);
		return -ENOMEM;
	}
	return (int64_t)to;
}

/* Moves the mapped parts of the range, holes and all, to a free range; with stays, empty pages
 * remain in its place. */
static int64_t move_all(struct call *c, uint64_t from, uint64_t to, uint64_t length, bool stays)
{
	const uint64_t end = from + length;
	if (stays && !space_may_have(c, to, length, PROT_R))
		return -ENOMEM;
	for (uint64_t at = from; at < end;) {
		struct mem_region here;
		if (!mem_next_region(c->mem, at, &here) || here.start >= end)
			break;
		const uint64_t start = here.start > at ? here.start : at;
		at = here.end < end ? here.end : end;
		if (!mem_move(c->mem, start, to + (start - from), at - start) ||
		    (stays && !mem_map(c->mem, start, at - start, here.prot, here.name)))
			return -ENOMEM;
	}
	return (int64_t)to;
}

/* Checks the arguments: 0 or -errno. */
static int64_t remap_check_arguments(const struct call *c)
{
	const uint64_t from = c->a[0], flags = c->a[3], to = c->a[4];
	const bool fixed = flags & LX_MREMAP_FIXED, stays = flags & LX_MREMAP_DONTUNMAP,
		   may_move = flags & LX_MREMAP_MAYMOVE;
	if ((flags & ~(uint64_t)(LX_MREMAP_MAYMOVE | LX_MREMAP_FIXED | LX_MREMAP_DONTUNMAP)) ||
	    ((fixed || stays) && !may_move) || (from & (PAGE_BYTES - 1)))
		return -EINVAL;
	const uint64_t old = page_up(c->a[1]), length = page_up(c->a[2]);
	if (length > MEM_TOP && may_move && !fixed)
		return -ENOMEM; /* no place has the room; EINVAL since Linux 6.17 */
	if (!length || length > MEM_TOP || (stays && old != length))
		return -EINVAL;
	if ((fixed || stays) && ((to & (PAGE_BYTES - 1)) || !space_holds(to, length) ||
	                         (to < from + old && from < to + length)))
		return -EINVAL;
	return 0;
}

/* Moves the range to c->a[4]. */
static int64_t move_there(struct call *c, uint64_t from, uint64_t old, uint64_t length)
{
	const uint64_t to = c->a[4];
	maps_gone(c->os, to, length);
	space_note_code(c, to, length, 0);
	if (length < old && !mem_unmap(c->mem, from + length, old - length))
		return -ENOMEM;
	if (!memfd_give_way(c, to, length) || !mem_unmap(c->mem, to, length))
		return -ENOMEM;
	if (old >= length)
		return move_all(c, from, to, length, c->a[3] & LX_MREMAP_DONTUNMAP);
	struct mem_region r;
	return remap_find_region(c->mem, from, old, &r)
	               ? move_and_grow(c, &r, from, old, to, length)
	               : -EFAULT;
}

/* Moves the range away, leaving empty pages: to the hint, if that is free. */
static int64_t move_away(struct call *c, uint64_t from, uint64_t length)
{
	const uint64_t hint = c->a[4];
	uint64_t to = mem_find_free(c->mem, length, c->st->mmap_below);
	if (hint && !(hint & (PAGE_BYTES - 1)) && space_holds(hint, length) &&
	    space_is_free(c->mem, hint, length))
		to = hint;
	return to ? move_all(c, from, to, length, true) : -ENOMEM;
}

/* Moves the range, or changes its length. */
static int64_t remap_range(struct call *c, const struct mem_region *r, uint64_t from, uint64_t old,
                           uint64_t length)
{
	const uint64_t flags = c->a[3];
	if (flags & LX_MREMAP_FIXED)
		return move_there(c, from, old, length);
	if (flags & LX_MREMAP_DONTUNMAP)
		return move_away(c, from, length);
	if (length <= old) {
		if (length < old && !mem_unmap(c->mem, from + length, old - length))
			return -ENOMEM;
		return (int64_t)from;
	}
	if (space_holds(from, length) && space_is_free(c->mem, from + old, length - old))
		return move_and_grow(c, r, from, old, from, length);
	if (!(flags & LX_MREMAP_MAYMOVE))
		return -ENOMEM;
	const uint64_t to = mem_find_free(c->mem, length, c->st->mmap_below);
	return to ? move_and_grow(c, r, from, old, to, length) : -ENOMEM;
}

int64_t sys_mremap(struct call *c)
{
	const uint64_t from = c->a[0], flags = c->a[3];
	const int64_t wrong = remap_check_arguments(c);
	if (wrong)
		return wrong;
	const uint64_t old = page_up(c->a[1]), length = page_up(c->a[2]);
	/* A range that keeps its size in place, or moves unchanged, may have holes and regions of
	 * several kinds after its beginning. */
	const bool moves = flags & (LX_MREMAP_FIXED | LX_MREMAP_DONTUNMAP);
	const uint64_t whole = length > old ? old : moves && length < old ? length : PAGE_BYTES;
	struct mem_region r;
	if (!remap_find_region(c->mem, from, old ? whole : PAGE_BYTES, &r))
		return -EFAULT;
	/* only shared memory has a copy of length 0; and no range ends past the address space */
	if (!old || (length < old && !space_holds(from, old)))
		return -EINVAL;
	if (!space_holds(from, old))
		return -EFAULT;
	if (memfd_within(c->st, from, old)) {
		os_warnf(c->os, "mremap: a shared mapping of a memfd can't move or change its "
		                "length: ENOMEM");
		return -ENOMEM;
	}
	if (!undo_begin(c, UNDO_ALWAYS))
		return 0;
	maps_gone(c->os, from, old); /* libraries are never moved */
	space_note_code(c, from, old, r.prot);
	const int64_t to = remap_range(c, &r, from, old, length);
	if (to < 0 || (uint64_t)to == from || !(r.prot & PROT_X) || call_repeats(c))
		return to;
	code_versions_go(c->os, from, from + old);
	return space_note_result(c, to, (uint64_t)to, length, r.prot);
}
