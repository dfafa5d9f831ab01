/* Twelve functions, each called by the one before it. */
#include "scenario.h"

.macro level n, next
	.type f\n, @function
f\n:	addi sp, sp, -16
	sd ra, 0(sp)
	jal f\next
	ld ra, 0(sp)
	addi sp, sp, 16
	ret
.endm

	begin _start
	li s1, 100
	begin chain
	jal f1			/* f1 ... f12 */
	addi s1, s1, -1
	bnez s1, chain

	leave

	level 1, 2
	level 2, 3
	level 3, 4
	level 4, 5
	level 5, 6
	level 6, 7
	level 7, 8
	level 8, 9
	level 9, 10
	level 10, 11
	level 11, 12
	.type f12, @function
f12:	addi a1, a1, 1
	ret
