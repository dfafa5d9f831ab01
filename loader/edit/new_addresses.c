/* Where the parts of the old program are in the new one, from layout on. */
#include "loader/edit/edit_priv.h"

uint64_t edit_new_frame(const struct edit *e, uint32_t old)
{
	size_t lo = 0, hi = e->entry_count;
	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;
		if (e->entries[mid].old <= old)
			lo = mid;
		else
			hi = mid;
	}
	return e->frames + (e->entry_count ? e->entries[lo].now + (old - e->entries[lo].old) : 0);
}

uint64_t edit_new_address(const struct edit *e, uint64_t addr)
{
	uint32_t i = edit_inst_at(e, addr);
	if (i != EDIT_NONE)
		return e->items[e->start[i]].addr;
	const struct edit_section *s = edit_code_section(e, addr, false);
	if (e->frame_section &&
	    addr - e->frame_section->head.sh_addr < e->frame_section->head.sh_size)
		return edit_new_frame(e, (uint32_t)(addr - e->frame_section->head.sh_addr));
	if (!s || !s->count)
		return addr;
	return edit_new_address(e, addr - 1) + 1; /* inside an instruction */
}

uint64_t edit_new_end(const struct edit *e, uint64_t addr)
{
	const struct edit_section *s =
		edit_inst_at(e, addr) == EDIT_NONE ? edit_code_section(e, addr, true) : NULL;
	if (!s || !s->count || addr != s->head.sh_addr + s->head.sh_size)
		return edit_new_address(e, addr);
	const struct edit_item *last = &e->items[e->start[s->first + s->count] - 1];
	return last->addr + last->size;
}

uint64_t edit_place_of(const struct edit *e, const struct edit_item *item)
{
	if (item->to != EDIT_NONE)
		return e->items[item->to].addr;
	if (item->origin != EDIT_NONE && e->insts[item->origin].of_code)
		return edit_new_end(e, item->target);
	return item->ref == REF_NEAR ? item->target : edit_new_address(e, item->target);
}

bool edit_fits(int64_t offset, unsigned bits)
{
	return offset >= -(INT64_C(1) << (bits - 1)) && offset < INT64_C(1) << (bits - 1);
}
