/* Load-reserved/store-conditional sequences as compilers and people write them, for atomics.sh:
 * with a way out, repeated from before the load, tried once, with a way around; one that is entered
 * in its middle, whose function is left alone, and one that calls, which is no sequence. */
	.text
	.globl maximum, add_if_even, try_once, mask, entered, calls
#define FUNCTION(name) .type name, @function; name:
#define END(name) .size name, . - name

FUNCTION(maximum) /* (long *p, long v) -> old */
1:	lr.d	a2, (a0)
	bge	a2, a1, 2f
	sc.d	a3, a1, (a0)
	bnez	a3, 1b
2:	mv	a0, a2
	ret
END(maximum)

FUNCTION(add_if_even) /* (int *p, int v) -> 1 if it did; repeated from before the load */
	li	a5, 0
1:	andi	a4, a1, -1
	lr.w.aqrl a2, (a0)
	andi	a3, a2, 1
	bnez	a3, 2f
	add	a3, a2, a4
	sc.w.rl	a3, a3, (a0)
	sext.w	a3, a3
	bnez	a3, 1b
	li	a5, 1
2:	mv	a0, a5
	ret
END(add_if_even)

FUNCTION(try_once) /* (int *p, int v) -> 0 if stored */
	lr.w	a2, (a0)
	add	a2, a2, a1
	sc.w	a0, a2, (a0)
	ret
END(try_once)

FUNCTION(mask) /* (int *p, int v) -> old; a branch within the sequence */
1:	lr.w	a2, (a0)
	mv	a4, a2
	bltz	a1, 3f
	or	a4, a4, a1
3:	sc.w	a3, a4, (a0)
	bnez	a3, 1b
	mv	a0, a2
	ret
END(mask)

FUNCTION(entered) /* (int *p, int v) -> v; the second time it enters the middle */
	li	a4, 2
	lr.w	a2, (a0)
1:	add	a2, a2, a1
	sc.w	a3, a2, (a0)
	addi	a4, a4, -1
	lw	a2, 0(a0)
	bnez	a4, 1b
	mv	a0, a2
	ret
END(entered)

FUNCTION(calls) /* (int *p, int v) -> old */
	addi	sp, sp, -16
	sd	ra, 8(sp)
1:	lr.w	s2, (a0)
	call	nothing
	add	s2, s2, a1
	sc.w	a3, s2, (a0)
	bnez	a3, 1b
	lw	a0, 0(a0)
	ld	ra, 8(sp)
	addi	sp, sp, 16
	ret
END(calls)

FUNCTION(nothing)
	ret
END(nothing)

	.globl _start
FUNCTION(_start)
	la	s0, word
	li	s1, 100
	li	s4, 0
1:	mv	a0, s0
	andi	a1, s1, 63
	call	maximum
	addi	a0, s0, 8
	slli	a1, s1, 1
	call	add_if_even
	add	s4, s4, a0
	addi	a0, s0, 12
	mv	a1, s1
	call	try_once
	add	s4, s4, a0
	addi	a0, s0, 16
	addi	a1, s1, -50
	call	mask
	add	s4, s4, a0
	addi	a0, s0, 20
	li	a1, 3
	call	entered
	add	s4, s4, a0
	addi	a0, s0, 24
	li	a1, 1
	call	calls
	add	s4, s4, a0
	addi	s1, s1, -1
	bnez	s1, 1b
	ld	a0, 0(s0)
	add	a0, a0, s4
	andi	a0, a0, 127
	li	a7, 93
	ecall
END(_start)
	.data
	.balign 16
word:	.dword 0
	.word 0, 0, 0, 0, 0
