/* Twelve multiplications, two divisions, eight loads an iteration; none of them waits for
 * another. */
#include "scenario.h"

	begin _start
	la s0, word
	li s1, 1000
	li s2, 7
	li t0, 300
	begin multiply
	.rept 3
	mul a1, s1, s2
	mul a2, s1, s2
	mul a3, s1, s2
	mul a4, s1, s2
	.endr
	addi t0, t0, -1
	bnez t0, multiply

	li t0, 300
	begin divide
	div a1, s1, s2
	div a2, s1, s2
	addi t0, t0, -1
	bnez t0, divide

	li t0, 300
	begin load
	.rept 2
	ld a1, 0(s0)
	ld a2, 0(s0)
	ld a3, 0(s0)
	ld a4, 0(s0)
	.endr
	addi t0, t0, -1
	bnez t0, load
	leave

	.data
	.p2align 6
word:	.dword 3
