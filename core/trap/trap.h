/* Entering and leaving M-mode (RISC-V privileged architecture, 3.1 and 3.3), at a place between two
 * instructions.
 *
 * Two modes: U, where the program runs, and M, where firmware does. Only interrupts lead from U to
 * M: the program's faults and system calls never reach firmware. What M-mode reaches beyond U,
 * memory with PROT_M and devices, opens and closes here. The reservation of LR stays.
 */
#ifndef CYCLOPS_CORE_TRAP_TRAP_H
#define CYCLOPS_CORE_TRAP_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "core/isa/regs.h"

struct mem;

/* M-mode begins at `entry`, as after a reset, before the program has begun at h->pc: mepc is that,
 * and mret leads to it in U-mode. */
void trap_boot(struct hart *h, struct mem *mem, uint64_t entry);

/* Bits of the interrupts that are asked for and let through now, 0 if none may be taken. */
uint64_t trap_wanted(const struct hart *h, uint64_t pending);

/* Takes the interrupt of the lowest cause in `wanted` (not 0): h->pc, which is where the program
 * goes on, becomes the handler's first instruction. Returns the cause. */
unsigned trap_enter(struct hart *h, struct mem *mem, uint64_t wanted);

/* mret: back to the mode and place that mstatus.MPP and mepc say. */
void trap_return(struct hart *h, struct mem *mem);

/* Opens or closes what only M-mode reaches, as the hart's mode says: for who has restored a hart.
 */
void trap_open(const struct hart *h, struct mem *mem);

#endif
