# For lab 8: three functions take turns, each for as long every time, so that an iteration takes as many
# cycles as the one before. `turns` says how often each goes round: a grader changes it.
	.option norvc
	.globl _start, lap, parse, sort, print, turns
_start:	la s0, turns
	ld s1, 0(s0)
	ld s2, 8(s0)
	ld s3, 16(s0)
	ld s4, 24(s0)
lap:	jal ra, parse
	jal ra, sort
	jal ra, print
	addi s4, s4, -1
	nop
	bnez s4, lap
	li a0, 0
	li a7, 93               # exit
	ecall

	.type parse, @function
parse:	mv t0, s1
1:	addi a1, a1, 1
	addi t0, t0, -1
	bnez t0, 1b
	ret
	.size parse, . - parse

	.type sort, @function
sort:	mv t0, s2
1:	addi a2, a2, 1
	addi t0, t0, -1
	bnez t0, 1b
	ret
	.size sort, . - sort

	.type print, @function
print:	mv t0, s3
1:	addi t0, t0, -1
	bnez t0, 1b
	ret
	.size print, . - print

	.data
	.p2align 3
turns:	.dword 10, 5, 2, 1200
