# Prints hello ten times; has the assembler's basic forms: labels, la, li, a loop, data.
	.equ TIMES, 10
	.data
hello:	.ascii "hello\n"
len = . - hello

	.text
	.globl _start
_start:	li s0, TIMES
1:	li a0, 1
	la a1, hello
	li a2, len
	li a7, 64               # write
	ecall
	addi s0, s0, -1
	bnez s0, 1b
	li a0, 0
	li a7, 93               # exit
	ecall
