# name:
# answer chain ?
# answer chains ?
# answer window ?
# answer names ?
#
# A hash of 128 words in 8 rounds, each of which has a factor of its own: h = factor h + word, modulo
# 2 to the 64. Make it faster on the default machine; `hash` at the end stays the same, whatever the
# words and the odd factors are.
	.option norvc
	.globl _start, loop, words, factors, hash
	.equ N, 128
_start:	li s4, 8                # rounds
	li a0, 0
	la s5, factors
round:	ld t2, 0(s5)
	addi s5, s5, 8
	la s0, words
	li t0, N
loop:	ld t1, 0(s0)
	mul a0, a0, t2
	add a0, a0, t1
	addi s0, s0, 8
	addi t0, t0, -1
	bnez t0, loop
	addi s4, s4, -1
	bnez s4, round

	la s1, hash
	sd a0, 0(s1)
	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
words:
	.rept 128
	.dword 12345
	.endr
factors:
	.dword 31, 33, 37, 65599, 1000003, 16777619, 2654435761, 1099511628211
hash:	.dword 0
