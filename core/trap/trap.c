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
	mem_guard(mem, h->tohost);
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

/* Saves the state that trap_unsave() restores; from: the mode to return to. */
static void trap_save(struct hart *h, uint64_t from, uint64_t cause, uint64_t value)
{
	const uint64_t was_enabled = h->mstatus & MSTATUS_MIE;
	h->mstatus = (was_enabled ? MSTATUS_MPIE : 0) | (from == MODE_M ? MSTATUS_MPP : 0);
	h->mepc = h->pc;
	h->mcause = cause;
	h->mtval = value;
}

/* Restores the state that trap_save() saved; returns the mode to return to. */
static uint64_t trap_unsave(struct hart *h)
{
	const uint64_t mode = h->mstatus & MSTATUS_MPP ? MODE_M : MODE_U;
	h->mstatus = MSTATUS_MPIE | (h->mstatus & MSTATUS_MPIE ? MSTATUS_MIE : 0);
	h->pc = h->mepc;
	return mode;
}

unsigned trap_enter(struct hart *h, struct mem *mem, uint64_t wanted)
{
	unsigned cause = (unsigned)__builtin_ctzll(wanted);
	trap_save(h, h->mode, MCAUSE_INTERRUPT | cause, 0);
	h->pc = (h->mtvec & ~UINT64_C(3)) + (h->mtvec & 1 ? 4 * cause : 0);
	set_mode(h, mem, MODE_M);
	return cause;
}

void trap_return(struct hart *h, struct mem *mem)
{
	set_mode(h, mem, trap_unsave(h));
}

void trap_raise(struct hart *h, unsigned cause, uint64_t value)
{
	trap_save(h, h->privilege, cause, value);
	h->pc = h->mtvec & ~UINT64_C(3);
	h->privilege = MODE_M;
}

void trap_resume(struct hart *h)
{
	h->privilege = trap_unsave(h);
}
