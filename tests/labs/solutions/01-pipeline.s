# name: Ada Solution
# answer bubble 1
# answer taken 2
# answer lap 11
	.option norvc
	.globl _start, loop, x, y, sum
	.equ N, 48
_start:	la s0, x
	la s1, y
	li t0, N
	li a0, 0
loop:	ld t1, 0(s0)
	ld t2, 0(s1)
	ld t3, 8(s0)
	ld t4, 8(s1)
	ld t5, 16(s0)
	ld t6, 16(s1)
	ld a2, 24(s0)
	ld a3, 24(s1)
	sub t1, t1, t2
	sub t3, t3, t4
	sub t5, t5, t6
	sub a2, a2, a3
	add a0, a0, t1
	add a0, a0, t3
	add a0, a0, t5
	add a0, a0, a2
	ld t1, 32(s0)
	ld t2, 32(s1)
	ld t3, 40(s0)
	ld t4, 40(s1)
	ld t5, 48(s0)
	ld t6, 48(s1)
	ld a2, 56(s0)
	ld a3, 56(s1)
	sub t1, t1, t2
	sub t3, t3, t4
	sub t5, t5, t6
	sub a2, a2, a3
	add a0, a0, t1
	add a0, a0, t3
	add a0, a0, t5
	add a0, a0, a2
	addi s0, s0, 64
	addi s1, s1, 64
	addi t0, t0, -8
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
