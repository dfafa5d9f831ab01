/* Jumps that are so far apart that they fall into the same set of the target buffer: 128 sets, an entry for each two bytes
 * of addresses, so 256 bytes, and every multiple of them. */
#include "scenario.h"

	begin _start
	li t0, 300
	begin apart		/* three jumps, in sets of their own */
	j 1f
	.zero 60
1:	j 1f
	.zero 60
1:	j 1f
	.zero 60
1:	addi t0, t0, -1
	bnez t0, apart

	li t0, 300
	.p2align 12
	begin alias		/* three jumps, 256 bytes apart: one set */
	j 1f
	.zero 252
1:	j 1f
	.zero 252
1:	j 1f
	.zero 60
1:	addi t0, t0, -1
	bnez t0, alias
	leave
