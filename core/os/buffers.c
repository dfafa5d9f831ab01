/* The buffers between which a system call moves data: the guest's, and one of the host's. */
#include "core/base/alloc.h"
#include "core/os/os_priv.h"

uint8_t *os_scratch(struct os *os, size_t n)
{
	if (n > os->scratch_cap) {
		/* on failure the machine waits and tries again */
		uint8_t *p = alloc_try_resize(os->scratch, n);
		if (!p) {
			host_memory_refuse(os->scarce, "what a system call moves");
			return NULL;
		}
		os->scratch = p;
		os->scratch_cap = n;
	}
	return os->scratch;
}

uint64_t guest_span(const struct mem *mem, uint64_t addr, uint64_t n, unsigned prot)
{
	uint64_t done = 0;
	while (done < n && addr + done < MEM_TOP && (mem_prot_at(mem, addr + done) & prot) == prot)
		done += PAGE_BYTES - ((addr + done) & (PAGE_BYTES - 1));
	return done < n ? done : n;
}

bool guest_word(const struct call *c, uint64_t at, uint64_t *v)
{
	uint32_t narrow = 0;
	if (c->h->isa != ISA_RV32GC)
		return mem_read(c->mem, at, v, sizeof *v);
	const bool ok = mem_read(c->mem, at, &narrow, sizeof narrow);
	*v = narrow;
	return ok;
}
