/* Two threads pass over 2 KB each, 300 times: the same code, data of their own. With a word after
 * the program's name the second thread's data lie in the same sets of a direct-mapped cache of 4 KB
 * as the first one's, else beside them. A branch goes one way in the first, the other in the
 * second. */
#include "scenario.h"

	begin _start
	ld s5, 0(sp)
	la s0, first
	li s6, 0
	la s7, beside
	li t0, 1
	beq s5, t0, 1f
	la s7, same
1:	li a0, 0x250f00		/* clone */
	la a1, stack_end
	li a2, 0
	li a3, 0
	la a4, busy
	li a7, 220
	ecall
	bnez a0, 1f
	mv s0, s7
	li s6, 1
	jal passes
	leave
1:	jal passes
	la s2, busy
2:	lw a2, 0(s2)
	beqz a2, 3f
	mv a0, s2
	li a1, 0
	li a3, 0
	li a7, 98
	ecall
	j 2b
3:	leave

	begin passes
	li s1, 300
	begin pass
	mv t1, s0
	li t0, 32
1:	ld t2, 0(t1)		/* 0, but each address waits for the value before it */
	add t1, t1, t2
	ld t2, 32(t1)
	add t1, t1, t2
	begin way
	bnez s6, 2f		/* never in the first thread, always in the second */
	addi t3, t3, 1
2:	addi t1, t1, 64
	addi t0, t0, -1
	bnez t0, 1b
	addi s1, s1, -1
	bnez s1, pass
	ret

	.data
	.p2align 6
busy:	.word 1
	.bss
	.p2align 12
first:	.zero 2048
beside:	.zero 2048
same:	.zero 2048
	.p2align 12
	.zero 2048
	.zero 4096
stack_end:
