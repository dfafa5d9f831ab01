# A program whose code firmware changes: it loops until a0 is no longer 0x111, and exits with a0.
# With an argument its loop is the one whose instruction lies across two pages.
	.option norvc
	.text
	.globl _start
_start:
	ld t0, 0(sp)
	addi t0, t0, -1
	li t1, 0x111
	bnez t0, 2f
1:	li a0, 0x111
	beq a0, t1, 1b
	li a7, 93
	ecall
2:	j across
	.balign 4096
	.space 4096 - 64 - 2
	.option rvc
	.rept 32
	c.nop
	.endr
	.option norvc
across:	li a0, 0x111
	beq a0, t1, across
	li a7, 93
	ecall
