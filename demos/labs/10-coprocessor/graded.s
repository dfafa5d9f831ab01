# What lab 10 is graded with: twenty branches, of which each round executes those that `order` names,
# with a bit of a word for each round that says whether the branch is taken. The grader fills it.
	.option norvc
	.globl _start, rounds, order, sites, turn
_start:	la s0, rounds
	ld s1, 0(s0)
	li s2, 0
	li s7, 1000
round:	la s3, order
next:	ld t1, 0(s3)
	ld t2, 8(s3)
	addi s3, s3, 16
	jr t1
sites:
	.rept 20
	srl t0, t2, s2
	andi t0, t0, 1
	bnez t0, 1f
	addi a0, a0, 1
1:	div s8, s7, s1          # a while for the co-processor
	j next
	.endr
last:	addi s2, s2, 1
turn:	bne s2, s1, round
	.rept 100
	div s8, s7, s1          # until the co-processor has had all records
	.endr
	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
rounds:	.dword 1
order:	.dword sites, 1, last, 0
	.zero 256
