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
	c->st->code_changed |= (all & PROT_X) != 0;
}

/* Whether the guest may have so many bytes in the range, besides its memory elsewhere. */
static bool space_fits_limit(const struct call *c, uint64_t start, uint64_t length,
                             uint64_t bytes)
{
	const uint64_t elsewhere = mem_extent(c->mem, 0, MEM_TOP).counted -
	                           mem_extent(c->mem, start, start + length).counted;
	const bool ok = elsewhere <= c->os->memory && bytes <= c->os->memory - elsewhere;
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

bool space_may_protect(const struct call *c, uint64_t start, uint64_t length, unsigned prot)
{
	return !prot || space_fits_limit(c, start, length,
	                                     mem_extent(c->mem, start, start + length).dense);
}
