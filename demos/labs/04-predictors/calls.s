# A recursion as that of fib: f(n) = f(n - a) + f(n - b), and 1 where n is small, with an a and a b for
# each n from a table. The grader of lab 4 fills it with others.
	.option norvc
	.globl _start, f, steps
_start:	la s0, steps
	li a0, 63
	jal ra, f
	li a0, 0
	li a7, 93               # exit
	ecall

f:	slti t0, a0, 4
	bnez t0, leaf           # the branch
	addi sp, sp, -32
	sd ra, 0(sp)
	sd a0, 8(sp)
	sd s1, 16(sp)
	slli t1, a0, 4
	add t1, t1, s0
	ld t2, 0(t1)
	sub a0, a0, t2
	jal ra, f
	mv s1, a0
	ld a0, 8(sp)
	slli t1, a0, 4
	add t1, t1, s0
	ld t2, 8(t1)
	sub a0, a0, t2
	jal ra, f
	add a0, a0, s1
	ld ra, 0(sp)
	ld s1, 16(sp)
	addi sp, sp, 32
	ret
leaf:	li a0, 1
	ret

	.data
	.p2align 6
steps:
	.rept 64
	.dword 1, 2             # fib's
	.endr
