/* Bursts of stores to lines that are nowhere near, and time to breathe between them. */
#include "scenario.h"

	begin _start
	la s0, memory
	li s1, 200
	begin burst
	sd s1, 0(s0)		/* eight lines of L1 */
	sd s1, 64(s0)
	sd s1, 128(s0)
	sd s1, 192(s0)
	sd s1, 256(s0)
	sd s1, 320(s0)
	sd s1, 384(s0)
	sd s1, 448(s0)
	addi s0, s0, 512
	li t0, 300
1:	addi t0, t0, -1		/* 300 cycles in which nothing is stored */
	bnez t0, 1b
	addi s1, s1, -1
	bnez s1, burst
	leave

	.bss
	.p2align 13
memory:	.zero 0x20000
