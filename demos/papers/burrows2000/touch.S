/* Table 1: touches BLOCKS blocks of a cache, STRIDE bytes from each other, with a separate load for
 * each, repeatedly. The loads follow each other in memory order from `loads` on, so that a report
 * of loads by address is one of blocks. */
.option norvc
.option norelax
#ifndef BLOCKS
#define BLOCKS 1024
#define STRIDE 64
#endif

	.text
	.globl _start, pass, loads
_start:
	li s1, STRIDE
pass:
	lla s0, blocks
loads:
	.rept BLOCKS
	ld a1, 0(s0)
	add s0, s0, s1
	.endr
	j pass

	.bss
	.p2align 16
blocks:	.zero BLOCKS * STRIDE
