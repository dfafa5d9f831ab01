/* A loop of ten rounds inside a loop: its last branch goes elsewhere than all others. */
#include "scenario.h"

	begin _start
	li s1, 200
	la s2, words

	begin outer
	li t0, 10
	mv s0, s2
	begin inner
	ld a1, 0(s0)
	addi s0, s0, 8
	addi t0, t0, -1
	mul t1, t0, t0		/* makes the branch wait a little */
	bnez t1, inner		/* taken nine times, then not */
	add a2, a2, a1
	addi s1, s1, -1
	bnez s1, outer
	leave

	.data
	.p2align 6
words:	.zero 80		/* ten, all 0 */
	.fill 22, 8, 1		/* after them: the loop must not add these */
