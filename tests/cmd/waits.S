# Waits that only some machines have: classic5's load-use stall, an earlier write of the same
# register, a store whose data holds the execute stage; with one write port, results that want it
# together.
	.globl _start
_start:
	la s0, word
	li s1, 40
loop:	ld a0, 0(s0)
	addi a1, a0, 1		# its operand is loaded: one stall
	fmul.d fa0, fa1, fa2
	fld fa0, 0(s0)		# would write first
	fadd.d fa3, fa4, fa5
	fsd fa3, 8(s0)		# waits for its data in X
	addi a2, a2, 1		# behind it
	mul a3, a4, a5
	nop
	nop
	addi a6, a6, 1		# with one port, in the product's cycle
	addi s1, s1, -1
	bnez s1, loop
	li a0, 0
	li a7, 93
	ecall
	.bss
	.balign 64
word:	.zero 64
