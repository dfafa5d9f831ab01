# What lab 12 is graded with: 128 functions are called, each time the one of an entry of `order` that
# comes by chance. An entry is a function, the number of its iterations, and a bit for each that says
# which way its branch goes. The grader fills it, and `chance`.
	.option norvc
	.globl _start, functions, order, chance
_start:	la s0, order
	la s1, chance
	ld s1, 0(s1)
	li s2, 24
next:	slli t0, s1, 13
	xor s1, s1, t0
	srli t0, s1, 7
	xor s1, s1, t0
	slli t0, s1, 17
	xor s1, s1, t0
	srli t0, s1, 20
	andi t0, t0, 511
	mul t0, t0, s2
	add t0, t0, s0
	ld t1, 8(t0)
	ld t2, 16(t0)
	ld t0, 0(t0)
	jalr ra, t0
	j next
functions:
	.rept 128
1:	andi t3, t2, 1
	srli t2, t2, 1
	beqz t3, 2f
	addi a0, a0, 1
2:	addi t1, t1, -1
	bnez t1, 1b
	ret
	.endr

	.data
	.p2align 6
chance:	.dword 1
order:
	.rept 512
	.dword functions, 1, 0
	.endr
