/* A load after a store whose address takes long: to the same word, and to another one. */
#include "scenario.h"

	begin _start
	la s0, cell
	la s3, ring
	li t0, 300
	begin same		/* cell = cell + 1, through an address that is late */
	mul t1, a0, zero
	mul t1, t1, t1
	add t2, s0, t1
	addi a0, a0, 1
	sd a0, 0(t2)
	ld a0, 0(s0)		/* the word that was just stored */
	addi t0, t0, -1
	bnez t0, same

	li t0, 300
	begin other
	mul t1, s3, zero
	mul t1, t1, t1
	add t2, s0, t1
	sd a0, 0(t2)
	ld s3, 0(s3)		/* another word, and the next iteration needs it */
	addi t0, t0, -1
	bnez t0, other
	leave

	.data
	.p2align 6
cell:	.dword 0
	.p2align 6
ring:	.dword ring
