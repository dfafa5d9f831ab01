# name:
# answer rows ?
# answer columns ?
# answer ways ?
#
# For each column of a 64 x 64 matrix of words, its sum: sums[k] is what stands in column k. Make it
# faster on the lab's machine; what stands in `sums` at the end stays the same, whatever the matrix
# holds.
	.option norvc
	.globl _start, matrix, sums
_start:	la s1, matrix
	la s2, sums
	li t2, 64               # columns
column:	mv s0, s1
	li a0, 0
	li t0, 64               # rows
1:	lw t1, 0(s0)
	add a0, a0, t1
	addi s0, s0, 256
	addi t0, t0, -1
	bnez t0, 1b
	sd a0, 0(s2)
	addi s1, s1, 4
	addi s2, s2, 8
	addi t2, t2, -1
	bnez t2, column

	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 12
matrix:
	.rept 4096
	.word 1
	.endr
sums:	.zero 512
