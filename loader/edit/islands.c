/* Islands: jumps for jumps that don't reach their target. Where all registers must be kept, jal, 1
 * MB, is the longest. Islands stand after jumps of the old code, or after an added one that leads
 * over them. */
#include <stdlib.h>

#include "core/base/alloc.h"
#include "loader/edit/edit_priv.h"

/* Bytes: less than a jump's reach, because code grows by islands; the least distance worth one. */
enum { ISLAND_REACH = 900 << 10, ISLAND_STEP = 4 << 10 };

/* Whether the item is a jump that must keep all registers and does not reach its target. */
static bool is_stranded(const struct edit *e, const struct edit_item *item)
{
	if (item->ref != REF_NEAR || !item->via)
		return false;
	const bool branch = inst_flags(&item->in) & OPF_BRANCH;
	const int64_t offset = (int64_t)(edit_place_of(e, item) - item->addr) -
	                       (branch && item->size == 8 ? 4 : 0);
	return item->size == 8 && !edit_fits(offset, 21) && (branch || item->in.rd == REG_SINK);
}

/* The farthest instruction within reach after which an island may stand, preferably a jump;
 * EDIT_NONE. *over: it is no jump. */
static uint32_t find_shore(const struct edit *e, const struct edit_item *item, bool forwards,
                           bool *over)
{
	uint32_t best = EDIT_NONE, other = EDIT_NONE;
	for (uint32_t k = (uint32_t)(item - e->items); k < e->item_count; forwards ? k++ : k--) {
		const struct edit_item *at = &e->items[k];
		const uint64_t far = forwards ? at->addr - item->addr : item->addr - at->addr;
		if (far > ISLAND_REACH)
			break;
		if (far <= ISLAND_STEP || at->origin == EDIT_NONE)
			continue;
		if (edit_never_goes_on(&e->insts[at->origin]))
			best = at->origin;
		else if (edit_may_be_parted(e, at->origin))
			other = at->origin;
	}
	*over = best == EDIT_NONE;
	return *over ? other : best;
}

/* An island within reach to the same target, nearer to it than the jump: index + 1; 0 if none. */
static uint32_t find_island(const struct edit *e, const struct edit_item *item, bool forwards)
{
	for (uint32_t i = 0; i < e->island_count; i++) {
		const struct edit_island *island = &e->islands[i];
		if (island->item == EDIT_NONE || island->target != item->target ||
		    island->stub != item->stub || island->function != item->function)
			continue;
		const int64_t far = (int64_t)(e->items[island->item].addr - item->addr);
		if ((forwards ? far : -far) > ISLAND_STEP &&
		    (forwards ? far : -far) <= ISLAND_REACH)
			return i + 1;
	}
	return 0;
}

static uint32_t make_island(struct edit *e, const struct edit_item *item, bool forwards,
                            struct err *err)
{
	bool over;
	uint32_t shore = find_shore(e, item, forwards, &over);
	if (shore == EDIT_NONE) {
		edit_cant(e, item,
		          "leads more than 1 MB away, and no place for a jump lies between", err);
		return 0;
	}
	if (e->island_count == e->island_room) {
		uint32_t room = 2 * e->island_room + 64;
		struct edit_island *more = alloc_resize(e->islands, room * sizeof *more);
		if (!more) {
			err_format(err, "out of memory for the new code of %s", e->p->path);
			return 0;
		}
		for (uint32_t k = 0; k < e->item_count; k++) /* islands' own keep theirs */
			e->items[k].via = NULL;
		e->islands = more;
		e->island_room = room;
	}
	e->islands[e->island_count] = (struct edit_island){
		.behind = shore,
		.next = e->places[shore].island,
		.target = item->target,
		.stub = item->stub,
		.function = item->function,
		.item = EDIT_NONE,
		.over = over,
	};
	e->places[shore].island = ++e->island_count;
	return e->island_count;
}

bool edit_bridge(struct edit *e, bool *moved, struct err *err)
{
	*moved = false;
	for (uint32_t k = 0; k < e->item_count; k++) {
		struct edit_item *item = &e->items[k];
		if (!is_stranded(e, item))
			continue;
		const bool forwards = edit_place_of(e, item) > item->addr;
		uint32_t *via = item->via;
		uint32_t island = find_island(e, item, forwards);
		*moved = true;
		if (!island && !(island = make_island(e, item, forwards, err)))
			return false;
		if (!item->via)
			return true; /* the islands have moved: lay out again */
		*via = island;
	}
	return true;
}
