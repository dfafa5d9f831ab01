# name: Ida Solution
# answer dropped 1061
# answer executed 1069
#
# How long are the sequences n, n/2 or 3n+1, ... that begin with each of 40 numbers? `steps` has the
# sum of their lengths. Put profile instructions of type 0 in that count how often each arm is taken:
# into `evens` and `odds`. While flag 0 is off they stay 0, and the program is nearly as fast as it
# is now.
	.option norvc
	.globl _start, begins, steps, evens, odds
	.equ N, 40
_start:	la s0, begins
	li s1, N
	li a0, 0
	pi.0 li s5, 0
	pi.0 li s6, 0
number:	ld t1, 0(s0)
	li t3, 1
next:	beq t1, t3, done
	addi a0, a0, 1
	andi t2, t1, 1
	bnez t2, odd
	pi.0 addi s5, s5, 1     # in a register: one instruction an arm
	srli t1, t1, 1
	j next
odd:	pi.0 addi s6, s6, 1
	slli t2, t1, 1
	add t1, t1, t2
	addi t1, t1, 1
	j next
done:	addi s0, s0, 8
	addi s1, s1, -1
	bnez s1, number

	la s2, steps
	sd a0, 0(s2)
	pi.0 sd s5, 8(s2)
	pi.0 sd s6, 16(s2)
	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
begins:
	.rept 40
	.dword 27
	.endr
steps:	.dword 0
evens:	.dword 0
odds:	.dword 0
