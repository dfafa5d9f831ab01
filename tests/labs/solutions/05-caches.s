# name: Emil Solution
# answer rows 512
# answer columns 4096
# answer ways 64
#
# For each column of a 64 x 64 matrix of words, its sum: sums[k] is what stands in column k. Make it
# faster on the lab's machine; what stands in `sums` at the end stays the same, whatever the matrix
# holds.
	.option norvc
	.globl _start, matrix, sums
_start:	la s0, matrix
	li t2, 64               # rows
row:	la s2, sums
	li t0, 32
1:	lw t1, 0(s0)
	lw t3, 4(s0)
	ld t4, 0(s2)
	ld t5, 8(s2)
	add t4, t4, t1
	add t5, t5, t3
	sd t4, 0(s2)
	sd t5, 8(s2)
	addi s0, s0, 8
	addi s2, s2, 16
	addi t0, t0, -1
	bnez t0, 1b
	addi t2, t2, -1
	bnez t2, row

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
