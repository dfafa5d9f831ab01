# A branch that is not taken, and a call, each behind a prefix pi.0: where they lead to and come back to is behind both.
	.option norelax
	.globl _start
	.text
_start:
	.hword 0x0002 | (24 & 31) << 2 | (24 >> 5) << 12
	li s0, 100
1:	.hword 0x0002 | (8 & 31) << 2
	.option push
	.option norvc
	beq s0, x0, 2f
	.hword 0x0002 | (8 & 31) << 2
	jal ra, f
	addi s0, s0, -1
	.option pop
	bnez s0, 1b
2:	li a7, 93
	li a0, 0
	ecall
f:	addi a1, a1, 1
	ret
