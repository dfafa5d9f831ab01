/* Common parts of the scenarios' programs. Instructions have four bytes, so that a reader counts
 * addresses easily. */
.option norvc
.option norelax

/* A function's beginning, also of a loop that is measured; at the beginning of a cache line. */
.macro begin name
	.globl \name
	.p2align 6
	.type \name, @function
\name:
.endm

/* Ends the program with status 0. */
.macro leave
	li a0, 0
	li a7, 93
	ecall
.endm
