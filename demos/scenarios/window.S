/* A miss in each sixteen instructions, and none of them depends on another. */
#include "scenario.h"

	begin _start
	la a0, memory
	li t0, 400
	begin sixteen
	ld a1, 0(a0)		/* misses all caches */
	addi a0, a0, 64
	addi s1, s1, 1
	addi s2, s2, 1
	addi s3, s3, 1
	addi s4, s4, 1
	addi s5, s5, 1
	addi s6, s6, 1
	addi s1, s1, 1
	addi s2, s2, 1
	addi s3, s3, 1
	addi s4, s4, 1
	addi s5, s5, 1
	addi s6, s6, 1
	addi t0, t0, -1
	bnez t0, sixteen
	leave

	.bss
	.p2align 13
memory:	.zero 0x8000
