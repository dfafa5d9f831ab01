# Calls f, and falls, which continues into its neighbour, so many times: each check and each flag is
# known by the definition (flags.sh).
	.globl	_start, work, f, falls, neighbour
	.type	_start, @function
_start:
	.option push
	.option norelax
	la	gp, __global_pointer$
	.option pop
	call	work
	li	a0, 0
	li	a7, 93
	ecall
	.size	_start, .-_start
	.type	work, @function
work:
	addi	sp, sp, -16
	sd	ra, 8(sp)
	sd	s0, 0(sp)
	li	s0, 1003
again:
	call	f
	call	falls
	addi	s0, s0, -1
	bnez	s0, again
	ld	s0, 0(sp)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
	.size	work, .-work
	.type	f, @function
f:
	addi	a0, a0, 1
	ret
	.size	f, .-f
	.type	falls, @function
falls:
	addi	a0, a0, 2
	.size	falls, .-falls
	.type	neighbour, @function
neighbour:
	addi	a0, a0, 3
	ret
	.size	neighbour, .-neighbour
