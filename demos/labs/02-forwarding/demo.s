# Three loops for lab 2. A value goes through memory and back at once: `whole` loads what one store
# has written, `half` what half of it is in the store and half in the cache; `register` never leaves
# the registers.
	.option norvc
	.globl _start, whole, half, register
_start:	la s0, cell
	li t0, 200
whole:	sd a0, 0(s0)
	ld a0, 0(s0)
	addi a0, a0, 1
	addi t0, t0, -1
	bnez t0, whole

	li t0, 200
half:	sw a0, 0(s0)
	ld a0, 0(s0)
	addi a0, a0, 1
	addi t0, t0, -1
	bnez t0, half

	li t0, 200
register:
	mv a1, a0
	mv a0, a1
	addi a0, a0, 1
	addi t0, t0, -1
	bnez t0, register

	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
cell:	.dword 0
