/* A value that goes through memory and back at once: whole, by half, and through a register alone. */
#include "scenario.h"

	begin _start
	la s0, cell
	li t0, 300

	begin whole
	sd a0, 0(s0)
	ld a0, 0(s0)		/* all of it is in the store above */
	addi a0, a0, 1
	addi t0, t0, -1
	bnez t0, whole

	li t0, 300
	begin half
	sw a0, 0(s0)
	ld a0, 0(s0)		/* half of it is in the store, half in the cache */
	addi a0, a0, 1
	addi t0, t0, -1
	bnez t0, half

	li t0, 300
	begin register
	addi a0, a0, 1
	addi a0, a0, 1
	addi a0, a0, 1
	addi t0, t0, -1
	bnez t0, register
	leave

	.data
	.p2align 6
cell:	.dword 0
