/* Reads a word of each of N pages, again and again: each read waits for the one before it. */
#include "scenario.h"

	begin _start
	la s0, memory
	li s1, 8192 + 64	/* a page, and a line further, so that they fall into different sets of the cache */
	la s3, pages
	begin pass
	ld t0, 0(s3)
	mv a0, s0
1:	ld a1, 0(a0)		/* 0, but the machine has to see */
	add a0, a0, a1
	add a0, a0, s1
	addi t0, t0, -1
	bnez t0, 1b
	add s0, s0, a1
	addi s2, s2, 1
	slti t1, s2, 30
	bnez t1, pass
	leave

	.data
	.globl pages
pages:	.dword 16

	.bss
	.p2align 14
memory:	.zero 0x90000
