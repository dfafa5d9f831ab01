/* Branches of four kinds: never taken, the same pattern of five again and again, the last one of the loop, and one that is the
 * exclusive or of the two before it. */
#include "scenario.h"

	begin _start
	li s1, 3000
	li s2, 0x2545F491	/* a random number to come */
	li s3, 0		/* counts to five */
	begin lap
	bltz s1, over		/* never */

	addi s3, s3, 1
	li t0, 5
	bne s3, t0, 1f		/* four times taken, then not */
	li s3, 0
1:
	slli t1, s2, 13
	xor s2, s2, t1
	srli t1, s2, 7
	xor s2, s2, t1
	slli t1, s2, 17
	xor s2, s2, t1
	srli t3, s2, 20
	andi t3, t3, 1
	srli t4, s2, 33
	andi t4, t4, 1
	xor t5, t3, t4
	.globl random1, random2, decided
random1:
	beqz t3, 1f		/* random */
	addi a1, a1, 1
1:
random2:
	beqz t4, 1f		/* random */
	addi a2, a2, 1
1:	fence.i			/* fetch begins anew, with all outcomes before it in the history */
decided:
	beqz t5, 1f		/* whether the two agree */
	addi a3, a3, 1
1:	addi s1, s1, -1
	bnez s1, lap
over:	leave
