# For lab 6: four multiplications an iteration in one chain, then in four chains; a load of a new
# line each iteration, among fifteen instructions that have nothing to do with it; and six
# instructions that share names of registers.
	.option norvc
	.globl _start, one, four, lines, six, over
_start:	li a0, 3
	li a1, 5
	li a2, 7
	li a3, 9
	li t1, 31
	li t0, 100
one:	mul a0, a0, t1
	mul a0, a0, t1
	mul a0, a0, t1
	mul a0, a0, t1
	addi t0, t0, -1
	bnez t0, one

	li t0, 100
four:	mul a0, a0, t1
	mul a1, a1, t1
	mul a2, a2, t1
	mul a3, a3, t1
	addi t0, t0, -1
	bnez t0, four

	la s0, space
	li t0, 200
lines:	ld t2, 0(s0)
	addi a1, a1, 1
	addi a2, a2, 1
	addi a3, a3, 1
	addi a4, a4, 1
	addi a1, a1, 1
	addi a2, a2, 1
	addi a3, a3, 1
	addi a4, a4, 1
	addi a1, a1, 1
	addi a2, a2, 1
	addi a3, a3, 1
	addi a4, a4, 1
	addi s0, s0, 64
	addi t0, t0, -1
	bnez t0, lines

	li a1, 1000
	li a2, 7
	li a5, 2
	li t0, 100
six:	div a0, a1, a2
	add a3, a0, a4
	addi a4, a5, 1          # a4 again (WAR)
	mul a0, a4, a5          # a0 again (WAW)
	add a6, a0, a5
	sub a7, a3, a0
	addi t0, t0, -1
	bnez t0, six

over:	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
space:	.zero 16384
