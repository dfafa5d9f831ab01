# For lab 7: a list whose nodes are in no cache; then loads that have nothing to do with each other,
# each in a line of its own; then a store whose address comes late, with a load behind it.
	.option norvc
	.globl _start, serial, beside, late, over
_start:	la s0, space
	la s1, space + 0x8000
	li s3, 64
	li t0, 100
serial:	ld t1, 0(s0)            # 0, but the machine has to see
	add s0, s0, t1
	add s0, s0, s3
	addi t0, t0, -1
	bnez t0, serial

	li t0, 400
beside:	ld t1, 0(s1)
	add a0, a0, t1
	add s1, s1, s3
	addi t0, t0, -1
	bnez t0, beside

	la s2, cells
	li a1, 1000
	li a2, 10
	li a4, 0
	li t0, 200
late:	div t1, a1, a2          # 100, in twenty cycles
	andi t1, t1, 8          # 0
	add t1, t1, s2
	sd t0, 0(t1)            # the address is known late
	ld t3, 0(s2)            # the same one, known at once
	add a4, a4, t3
	addi t0, t0, -1
	bnez t0, late

over:	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
cells:	.dword 0, 0
	.p2align 12
space:	.zero 0x10000
