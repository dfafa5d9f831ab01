# For lab 5: the same 64 x 64 matrix of words is added up by rows, and by columns; then two arrays
# that lie 8 KB apart are read side by side.
	.option norvc
	.globl _start, rows, columns, apart, over, matrix
_start:	li a0, 0
rows:	la s0, matrix
	li t0, 4096
1:	lw t1, 0(s0)
	add a0, a0, t1
	addi s0, s0, 4
	addi t0, t0, -1
	bnez t0, 1b

columns:
	la s1, matrix
	li t2, 64
2:	mv s0, s1
	li t0, 64
3:	lw t1, 0(s0)
	add a0, a0, t1
	addi s0, s0, 256
	addi t0, t0, -1
	bnez t0, 3b
	addi s1, s1, 4
	addi t2, t2, -1
	bnez t2, 2b

apart:	la s0, matrix
	li t3, 8192
	add s1, s0, t3
	li t0, 256
4:	lw t1, 0(s0)
	lw t2, 0(s1)
	add a0, a0, t1
	add a0, a0, t2
	addi s0, s0, 4
	addi s1, s1, 4
	addi t0, t0, -1
	bnez t0, 4b

over:	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 12
matrix:	.zero 16384
