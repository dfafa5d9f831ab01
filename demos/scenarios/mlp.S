/* One, two, four and eight chains of loads side by side. Every load misses all caches, and its value is part of the next
 * address in its own chain. */
#include "scenario.h"

.macro link at
	ld t1, 0(\at)		/* 0, but the machine has to see */
	add \at, \at, t1
	add \at, \at, s1
.endm

.macro lap label
	addi t0, t0, -1
	bnez t0, \label
	li t0, 150
.endm

	begin _start
	li s1, 64		/* a line of L2 */
	li s2, 0x20000
	la a0, memory
	add a1, a0, s2
	add a2, a1, s2
	add a3, a2, s2
	add a4, a3, s2
	add a5, a4, s2
	add a6, a5, s2
	add a7, a6, s2
	li t0, 150

	begin chains1
	link a0
	lap chains1

	begin chains2
	link a0
	link a1
	lap chains2

	begin chains4
	link a0
	link a1
	link a2
	link a3
	lap chains4

	begin chains8
	link a0
	link a1
	link a2
	link a3
	link a4
	link a5
	link a6
	link a7
	lap chains8
	leave

	.bss
	.p2align 13
memory:	.zero 0x100000
