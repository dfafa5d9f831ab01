/* Ranges of the guest's address space: which are free, and which the guest may have. */
#include "core/os/space.h"

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

void space_note_code(const struct call *c, uint64_t start, uint64_t length, unsigned prot)
{
	const unsigned all = prot | mem_extent(c->mem, start, start + length).prot;
	c->h->new_code |= (all & PROT_X) != 0;
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
