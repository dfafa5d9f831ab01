# tight() has no register free but t0 and t1, one of which holds its path's number, and calls the system in the middle of a path: there another
# kind's code needs two (contexts.sh).
	.text
	.globl	tight
	.type	tight, @function
tight:
	li	t2, 40
	li	t3, 0
	li	t4, 3
	li	t5, 5
	li	t6, 7
	li	a1, 1
	li	a2, 2
	li	a3, 3
	li	a4, 4
	li	a5, 5
	li	a6, 6
1:	andi	a0, t2, 1
	beqz	a0, 2f
	addi	t3, t3, 2
	add	t3, t3, t4
2:	li	a7, 172
	ecall
	andi	a0, t2, 2
	beqz	a0, 3f
	add	t3, t3, t5
	add	t3, t3, t6
	add	a1, a1, a2
	add	a1, a1, a3
3:	add	a1, a1, a4
	add	a1, a1, a5
	add	a1, a1, a6
	addi	t2, t2, -1
	bnez	t2, 1b
	add	a0, t3, a1
	ret
	.size	tight, .-tight

	.globl	main
	.type	main, @function
main:
	addi	sp, sp, -16
	sd	ra, 8(sp)
	call	tight
	li	t0, 0
	li	t1, 0
	ld	ra, 8(sp)
	addi	sp, sp, 16
	li	a0, 0
	ret
	.size	main, .-main
