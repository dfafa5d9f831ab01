/* Reads a word of each line of an array in order, then of lines here and there. Each address waits for the value before it. */
#include "scenario.h"

	begin _start
	la s0, memory
	li t0, 400
	begin stream
	ld a1, 0(s0)		/* 0, but the machine has to see */
	add s0, s0, a1
	addi s0, s0, 64
	addi t0, t0, -1
	bnez t0, stream

	la s0, memory
	li s1, 1664525
	li s2, 0xfffc0		/* a line of the megabyte */
	li t0, 400
	begin scattered
	mul s3, s3, s1
	addi s3, s3, 1013
	srli a2, s3, 7
	and a2, a2, s2
	add a2, a2, s0
	add a2, a2, a1
	ld a1, 0(a2)
	addi t0, t0, -1
	bnez t0, scattered
	leave

	.bss
	.p2align 13
memory:	.zero 0x100000
