# name:
# answer bubble ?
# answer taken ?
# answer lap ?
#
# Adds up x[i] - y[i]. Make it faster on classic5; what stands in `sum` at the end stays the same,
# whatever the two lists hold. The lists keep their 48 elements.
	.option norvc
	.globl _start, loop, x, y, sum
	.equ N, 48
_start:	la s0, x
	la s1, y
	li t0, N
	li a0, 0
loop:	ld t1, 0(s0)
	ld t2, 0(s1)
	sub t3, t1, t2
	add a0, a0, t3
	addi s0, s0, 8
	addi s1, s1, 8
	addi t0, t0, -1
	bnez t0, loop

	la s2, sum
	sd a0, 0(s2)
	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 8
x:
	.rept 48
	.dword 5
	.endr
y:
	.rept 48
	.dword 3
	.endr
sum:	.dword 0
