# For lab 10: twelve branches, each executed and taken as often as `rounds` and its own rule say.
	.option norvc
	.globl _start, rounds, over
_start:	la s0, rounds
	ld s1, 0(s0)
	li s2, 0
	li s7, 1000
round:	div s8, s7, s1          # a while for the co-processor
	andi t0, s2, 1
	beqz t0, 1f             # each second one
	addi a0, a0, 1
1:	andi t0, s2, 3
	beqz t0, 2f             # each fourth
	addi a1, a1, 1
2:	div s8, s7, s1
	andi t0, s2, 7
	bnez t0, 3f             # seven of eight
	addi a2, a2, 1
3:	slti t0, s2, 20
	bnez t0, 4f             # the first twenty
	addi a3, a3, 1
4:	div s8, s7, s1
	andi t0, s2, 15
	beqz t0, 5f
	addi a4, a4, 1
5:	andi t0, s2, 5
	beqz t0, 6f
	addi a5, a5, 1
6:	div s8, s7, s1
	andi t0, s2, 9
	bnez t0, 7f
	addi a6, a6, 1
7:	blt s2, s1, 8f          # always
	addi a7, a7, 1
8:	div s8, s7, s1
	bge s2, s1, 9f          # never
	andi t0, s2, 6
	beqz t0, 9f
	addi s3, s3, 1
9:	andi t0, s2, 10
	bnez t0, 10f
	addi s4, s4, 1
10:	addi s2, s2, 1
	bne s2, s1, round
over:	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 3
rounds:	.dword 100
