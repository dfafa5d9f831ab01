/* Loads that are replayed, each for another reason, and loads that could be but are not. */
#include "scenario.h"

	.equ LAPS, 400
	.equ ARRAY, 131072
	.equ INDEX, 32768

	begin _start
	la s0, cell
	li s4, LAPS
	begin order		/* the store's address is late, the load's is not */
	mul t1, s4, zero
	mul t1, t1, t1
	add t2, s0, t1
	sd s4, 0(t2)
	ld a0, 0(s0)
	addi s4, s4, -1
	bnez s4, order

	li s4, LAPS
	begin size		/* a byte, and the word around it */
	sb s4, 3(s0)
	lw a1, 0(s0)
	addi s4, s4, -1
	bnez s4, size

	/* The paper's: a global variable and one on the stack, whose lines have the same place in the cache. */
	la s1, global
	li t0, ARRAY + INDEX
	sub sp, sp, t0
	li t0, -INDEX
	and sp, sp, t0		/* as global is */
	li s4, LAPS
	mv s2, sp
	begin stack
	ld a0, 0(s1)
	ld a1, 0(s2)
	add a2, a0, a1
	addi s1, s1, 64
	addi s2, s2, 64
	addi s4, s4, -1
	bnez s4, stack

	/* The same places, but the second address is computed from what the first load brings: no trap. */
	la s1, further
	li s4, LAPS
	begin chain
	ld a0, 0(s1)		/* 0 */
	add t1, s2, a0
	ld a1, 0(t1)
	addi s1, s1, 64
	addi s2, s2, 64
	addi s4, s4, -1
	bnez s4, chain

	/* A store and a load of its bytes, whose addresses are there at once: no trap. */
	li s4, LAPS
	begin forward
	sd s4, 8(s0)
	ld a1, 8(s0)
	addi s4, s4, -1
	bnez s4, forward
	leave

	.data
	.p2align 6
cell:	.dword 0, 0
	.bss
	.p2align 15
global:	.space 2 * INDEX + 64 * LAPS
further:	.space ARRAY
