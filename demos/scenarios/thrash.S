/* Three arrays of 1 KB, read side by side, at three distances from each other. Each address waits for the value before it. */
#include "scenario.h"

	begin _start
	la s3, arrays

	li s4, 20		/* passes over the arrays, each way */
	begin same		/* 32 KB apart: one set of a 64 KB cache of two ways */
	li t2, 0x8000
	jal pass
	addi s4, s4, -1
	bnez s4, same

	li s4, 20
	begin line		/* a line of 32 bytes further */
	li t2, 0x8020
	jal pass
	addi s4, s4, -1
	bnez s4, line

	li s4, 20
	begin kilobyte		/* as much further as the arrays are long */
	li t2, 0x8400
	jal pass
	addi s4, s4, -1
	bnez s4, kilobyte
	leave

	begin pass		/* 128 words of each; all are 0, but the machine has to see */
	add s0, s3, a3
	add s1, s0, t2
	add s2, s1, t2
	li t0, 128
1:	ld a1, 0(s0)
	add s1, s1, a1
	ld a2, 0(s1)
	add s2, s2, a2
	ld a3, 0(s2)
	add s0, s0, a3
	addi s1, s1, 8
	addi s2, s2, 8
	addi s0, s0, 8
	addi t0, t0, -1
	bnez t0, 1b
	ret

	.bss
	.p2align 16
arrays:	.zero 0x20000
