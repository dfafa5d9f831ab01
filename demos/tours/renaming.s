# For the tour renaming: a0 is written twice (WAW), and a4 is written before it has been read (WAR).
	.option norvc
	.globl _start, six, over
	.p2align 5
	.zero 16                # so that the six are in one line of the instruction cache
_start:	li a1, 1000
	li a2, 7
	li a4, 40
	li a5, 2
six:	div a0, a1, a2          # 1: takes long
	add a3, a0, a4          # 2: needs 1; reads a4
	addi a4, a5, 1          # 3: writes a4, which 2 reads (WAR)
	mul a0, a4, a5          # 4: writes a0, as 1 does (WAW)
	add a6, a0, a5          # 5: needs 4
	sub a7, a3, a0          # 6: needs 2 and 4
	nop                     # to the end of the line
	nop
over:	li a0, 0
	li a7, 93               # exit
	ecall
