/* Each reason for which the editor leaves a function alone, for atomics.sh: `why_NAME` has it, and
 * `not_NAME` differs in that alone. Both return a0 + 2, by calling `by_one` twice. */
	.text
	.globl _start
#define FUNCTION(name) .type name, @function; name:
#define END(name) .size name, . - name

FUNCTION(by_one) /* it calls, and so needs a place of its own */
	addi	sp, sp, -16
	sd	ra, 8(sp)
	call	add_one
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(by_one)

FUNCTION(add_one)
	addi	a0, a0, 1
	ret
END(add_one)

/* It calls before it lowers the stack pointer: its callee would use its own place. */
FUNCTION(why_early)
	mv	s2, ra
	call	by_one
	call	by_one
	jr	s2
END(why_early)

FUNCTION(not_early)
	mv	s2, ra
	addi	sp, sp, -16
	call	by_one
	call	by_one
	addi	sp, sp, 16
	mv	ra, s2
	ret
END(not_early)

/* Its early calls never come back: one at its end, one before other code, as clang's to abort(). It
 * jumps to an illegal instruction, as Rust's code does where it must not come. */
FUNCTION(not_last)
	bltz	a0, 1f
	bltz	s1, 2f
	beqz	sp, 3f
	mv	s2, ra
	addi	sp, sp, -16
	call	by_one
	call	by_one
	addi	sp, sp, 16
	jr	s2
1:	call	stop
2:	.option push
	.option norelax
	call	stop
	.option pop
	unimp
3:	unimp
	call	stop
END(not_last)

FUNCTION(stop)
	addi	sp, sp, -16
	call	add_one
	li	a7, 93
1:	ecall
	j	1b
END(stop)

/* It lowers the stack pointer by a distance known only at run time, and no register keeps the old
 * value. */
FUNCTION(why_stack)
	mv	s2, ra
	andi	t0, a0, 16
	addi	t0, t0, 16
	mv	s3, t0
	sub	sp, sp, t0
	call	by_one
	call	by_one
	add	sp, sp, s3
	jr	s2
END(why_stack)

FUNCTION(not_stack)
	mv	s2, ra
	andi	t0, a0, 16
	addi	t0, t0, 16
	addi	sp, sp, -16
	addi	s0, sp, 16
	sub	sp, sp, t0
	call	by_one
	call	by_one
	addi	sp, s0, -16
	addi	sp, sp, 16
	jr	s2
END(not_stack)

/* Its first call uses a register that predictors and unwinders take for no link register. */
FUNCTION(why_link)
	addi	sp, sp, -16
	sd	ra, 8(sp)
	jal	a4, by_a4
	call	by_one
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(why_link)

FUNCTION(by_a4)
	addi	a0, a0, 1
	jr	a4
END(by_a4)

FUNCTION(not_link)
	addi	sp, sp, -16
	sd	ra, 8(sp)
	jal	t0, by_t0
	call	by_one
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(not_link)

FUNCTION(by_t0)
	addi	a0, a0, 1
	jr	t0
END(by_t0)

/* Its system call also returns on another stack. */
FUNCTION(why_clone)
	addi	sp, sp, -16
	sd	ra, 8(sp)
	call	by_one
	beqz	zero, 1f
	li	a1, 4096
	li	a7, 220
	ecall
1:	call	by_one
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(why_clone)

FUNCTION(not_clone)
	addi	sp, sp, -16
	sd	ra, 8(sp)
	call	by_one
	beqz	zero, 1f
	li	a1, 0
	li	a7, 220
	ecall
1:	call	by_one
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(not_clone)

FUNCTION(_start)
	la	sp, top
	addi	sp, sp, -16
	li	s1, 50
	li	a0, 0
1:	call	why_early
	call	not_early
	call	not_last
	call	why_stack
	call	not_stack
	call	why_link
	call	not_link
	call	why_clone
	call	not_clone
	addi	s1, s1, -1
	bnez	s1, 1b
	andi	a0, a0, 127
	li	a7, 93
	ecall
END(_start)
	.bss
	.balign 16
	.space	4096
top:
