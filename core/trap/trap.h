/* Enters and leaves M-mode (RISC-V privileged architecture, 3.1 and 3.3), between two instructions.
 *
 * Two modes: U for the program, M for firmware. Only interrupts lead from U to M: the program's
 * faults and system calls never reach firmware. Memory with PROT_M and devices, which only M-mode
 * reaches, are opened and closed here. The reservation of LR stays.
 *
 * A bare-metal program runs in mode U of the machine, too, so that it is observed as any other; its
 * own mode is hart.privilege, the only mode that its exceptions change. */
#ifndef CYCLOPS_CORE_TRAP_TRAP_H
#define CYCLOPS_CORE_TRAP_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/isa/regs.h"

struct mem;

/* Enters M-mode at `entry`, as after a reset. mepc becomes h->pc, the program's first instruction,
 * so that mret starts it in U-mode. */
void trap_boot(struct hart *h, struct mem *mem, uint64_t entry);

/* Bits of the interrupts that are pending, enabled and may be taken now; 0 if none. */
uint64_t trap_wanted(const struct hart *h, uint64_t pending);

/* Takes the interrupt of the lowest cause in `wanted` (not 0): saves h->pc, where the program
 * resumes, in mepc and sets it to the handler's first instruction. Returns the cause. */
unsigned trap_enter(struct hart *h, struct mem *mem, uint64_t wanted);

/* Executes mret: returns to the mode in mstatus.MPP and the address in mepc. */
void trap_return(struct hart *h, struct mem *mem);

/* An exception of a bare-metal program leads from h->pc to its handler, in its M-mode; value: of
 * mtval. Returning is its mret. */
void trap_raise(struct hart *h, unsigned cause, uint64_t value);
void trap_resume(struct hart *h);

/* Opens or closes memory of M-mode, and guards `tohost`, according to the hart. Call after
 * restoring one. */
void trap_open(const struct hart *h, struct mem *mem);

#endif
