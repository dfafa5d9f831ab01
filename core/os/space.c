/* Ranges of the guest's address space: which are free, and which the guest may have. */
#include "core/os/space.h"

#include "core/os/code_versions.h"

uint64_t page_up(uint64_t v)
{
	return (v + PAGE_BYTES - 1) & ~(uint64_t)(PAGE_BYTES - 1);
}

bool space_holds(uint64_t start, uint64_t length)
{
	return length <= MEM_TOP && start <= MEM_TOP - length;
}

bool space_is_free(const struct mem *mem, uint64_t start, uint64_t length)
{
	return !mem_extent(mem, start, start + length).bytes;
}

static void space_code_goes(const struct call *c, uint64_t start, uint64_t end)
{
	if (!(mem_extent(c->mem, start, end).prot & PROT_X))
		return;
	for (struct mem_region r = {.end = start};
	     mem_next_region(c->mem, r.end, &r) && r.start < end;)
		if (r.prot & PROT_X)
			code_versions_go(c->os, r.start > start ? r.start : start,
			                 r.end < end ? r.end : end);
}

void space_note_code(const struct call *c, uint64_t start, uint64_t length, unsigned prot)
{
	const unsigned all = prot | mem_extent(c->mem, start, start + length).prot;
	c->h->new_code |= (all & PROT_X) != 0;
	if (!(prot & PROT_X))
		space_code_goes(c, start, start + length);
}

void space_note_mapping(const struct call *c, uint64_t start, uint64_t length, unsigned prot)
{
	space_note_code(c, start, length, prot);
	space_code_goes(c, start, start + length);
}

int64_t space_note_result(const struct call *c, int64_t result, uint64_t start, uint64_t length,
                          unsigned prot)
{
	if ((prot & PROT_X) && result >= 0 && !call_repeats(c))
		code_versions_come(c->os, start, start + length);
	return result;
}

/* Bytes that the guest may have in the range, besides its memory elsewhere. */
static uint64_t space_left(const struct call *c, uint64_t start, uint64_t length)
{
	const uint64_t elsewhere = mem_extent(c->mem, 0, MEM_TOP).counted -
	                           mem_extent(c->mem, start, start + length).counted;
	return elsewhere <= c->os->memory ? c->os->memory - elsewhere : 0;
}

/* Whether the guest may have `bytes` bytes in the range, besides its memory elsewhere; else warns.
 */
static bool space_fits_limit(const struct call *c, uint64_t start, uint64_t length,
                             uint64_t bytes)
{
	const bool ok = bytes <= space_left(c, start, length);
	if (!ok)
		os_warnf(c->os,
		         "the program requests more than the %llu MiB of sim.memory: refused "
		         "(ENOMEM); -o sim.memory=BYTES gives more",
		         (unsigned long long)(c->os->memory >> 20));
	return ok;
}

bool space_may_have(const struct call *c, uint64_t start, uint64_t length, unsigned prot)
{
	return !prot || space_fits_limit(c, start, length, length);
}

uint64_t space_may_grow(const struct call *c, uint64_t least, uint64_t best)
{
	if (best <= space_left(c, 0, 0))
		return best;
	return space_fits_limit(c, 0, 0, least) ? least : 0;
}

bool space_may_protect(const struct call *c, uint64_t start, uint64_t length, unsigned prot)
{
	return !prot || space_fits_limit(c, start, length,
	                                     mem_extent(c->mem, start, start + length).dense);
}
