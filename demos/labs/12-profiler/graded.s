# What lab 12 is graded with: calls 128 functions as `order` says, again and again. An entry is a
# function, the number of its iterations, and a bit for each that says which way its branch goes. The
# grader fills it.
	.option norvc
	.globl _start, functions, order
_start:	la s0, order
next:	ld t0, 0(s0)
	beqz t0, _start
	ld t1, 8(s0)
	ld t2, 16(s0)
	addi s0, s0, 24
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
order:	.dword functions, 1, 0, 0
	.zero 12288
