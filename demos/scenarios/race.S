/* Two threads count to 400 together, each 200 rounds, by a load, an addition and a store; if the
 * program has an argument, by an atomic addition. */
#include "scenario.h"

	begin _start
	ld s5, 0(sp)		/* 1: no argument */
	la s0, counter
	li a0, 0x250f00		/* clone: a thread that reports in `busy` when it ends */
	la a1, stack_end
	li a2, 0
	li a3, 0
	la a4, busy
	li a7, 220
	ecall
	bnez a0, 1f
	jal count
	leave
1:	jal count
	la s2, busy
2:	lw a2, 0(s2)		/* the other one's end */
	beqz a2, 3f
	mv a0, s2
	li a1, 0
	li a3, 0
	li a7, 98
	ecall
	j 2b
	begin both
3:	leave

	begin count
	mv s4, ra
	li s1, 200
	li t2, 1
	li t3, 2
	blt t2, s5, atomic
	begin take		/* another thread's addition before `put` is lost */
	lw t0, 0(s0)
	addi t0, t0, 1
	begin put
	sw t0, 0(s0)
	jal work
	addi s1, s1, -1
	bnez s1, take
	mv ra, s4
	ret

	begin atomic
	amoadd.w zero, t2, (s0)
	jal work
	addi s1, s1, -1
	bnez s1, atomic
	mv ra, s4
	ret

	begin work		/* the round's other work */
	li t4, 60
1:	mul t3, t3, t3
	addi t4, t4, -1
	bnez t4, 1b
	ret

	.data
	.p2align 6
counter: .word 0
	.p2align 6
busy:	.word 1
	.bss
	.p2align 4
	.zero 4096
stack_end:
