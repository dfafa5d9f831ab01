# Two loops that do the same, for lab 1: in `near` a load's value is used by the next instruction, in
# `far` two instructions later.
	.option norvc
	.globl _start, near, far
_start:	la s0, cell
	li t0, 40
near:	ld a0, 0(s0)
	add a1, a1, a0          # needs a0 at once
	addi a2, a2, 1
	addi t0, t0, -1
	bnez t0, near

	li t0, 40
far:	ld a0, 0(s0)
	addi a2, a2, 1
	addi t0, t0, -1
	add a1, a1, a0          # the same, two instructions later
	bnez t0, far

	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 3
cell:	.dword 7
