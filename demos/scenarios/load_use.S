/* A load and its user: next to each other, two instructions apart, and a load whose user is the
 * same load an iteration later. */
#include "scenario.h"

	begin _start
	la s0, cell
	la s1, ring
	li t0, 300

	begin near
	ld a0, 0(s0)
	add a1, a1, a0		/* needs a0 at once */
	addi a2, a2, 1
	addi t0, t0, -1
	bnez t0, near

	li t0, 300
	begin far
	ld a0, 0(s0)
	addi a2, a2, 1
	addi t0, t0, -1
	add a1, a1, a0		/* the same, two instructions later */
	bnez t0, far

	li t0, 300
	begin chase
	ld s1, 0(s1)		/* its own address */
	addi t0, t0, -1
	bnez t0, chase
	leave

	.data
	.p2align 6
cell:	.dword 7
ring:	.dword ring
