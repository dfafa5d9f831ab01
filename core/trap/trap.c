#include "core/trap/trap.h"

#include "core/isa/csr.h"
#include "core/mem/mem.h"

static void set_mode(struct hart *h, struct mem *mem, uint64_t mode)
{
	h->mode = mode;
	trap_open(h, mem);
}

void trap_open(const struct hart *h, struct mem *mem)
{
	mem_set_machine_mode(mem, h->mode == MODE_M);
}

void trap_boot(struct hart *h, struct mem *mem, uint64_t entry)
{
	h->mepc = h->pc;
	h->pc = entry;
	h->mstatus = 0;
	set_mode(h, mem, MODE_M);
}

uint64_t trap_wanted(const struct hart *h, uint64_t pending)
{
	bool open = h->mode == MODE_U || (h->mstatus & MSTATUS_MIE);
	return open ? pending & h->mie : 0;
}

unsigned trap_enter(struct hart *h, struct mem *mem, uint64_t wanted)
{
	unsigned cause = (unsigned)__builtin_ctzll(wanted);
	uint64_t was_enabled = h->mstatus & MSTATUS_MIE;
	h->mstatus = (was_enabled ? MSTATUS_MPIE : 0) | (h->mode == MODE_M ? MSTATUS_MPP : 0);
	h->mepc = h->pc;
	h->mcause = MCAUSE_INTERRUPT | cause;
	h->mtval = 0;
	h->pc = (h->mtvec & ~UINT64_C(3)) + (h->mtvec & 1 ? 4 * cause : 0);
	set_mode(h, mem, MODE_M);
	return cause;
}

void trap_return(struct hart *h, struct mem *mem)
{
	uint64_t mode = h->mstatus & MSTATUS_MPP ? MODE_M : MODE_U;
	h->mstatus = MSTATUS_MPIE | (h->mstatus & MSTATUS_MPIE ? MSTATUS_MIE : 0);
	h->pc = h->mepc;
	set_mode(h, mem, mode);
}
