# name: Bea Solution
# answer whole 2
# answer half 5
# answer slower 4
#
# A checksum of numbers that came as two halves each: c = (c ^ number) + k. In each of 16 rounds, 64
# lower halves meet upper ones that are one place further on than in the round before. To put a
# number together, it writes both halves to memory and reads the whole. Make it faster; what stands
# in `sum` at the end stays the same, whatever the lists hold.
	.option norvc
	.globl _start, loop, low, high, sum
	.equ N, 64
_start:	la s2, pair
	li s4, 16               # rounds
	li a0, 0
	la s5, high
	li s6, 0x9e3779b97f4a7c15      # k
round:	la s0, low
	mv s1, s5
	li t0, N
loop:	lwu t1, 0(s0)
	lwu t2, 0(s1)
	slli t2, t2, 32
	or t3, t1, t2
	xor a0, a0, t3
	add a0, a0, s6
	addi s0, s0, 4
	addi s1, s1, 4
	addi t0, t0, -1
	bnez t0, loop
	addi s5, s5, 4
	addi s4, s4, -1
	bnez s4, round

	la s3, sum
	sd a0, 0(s3)
	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
low:
	.rept 64
	.word 5
	.endr
high:
	.rept 79
	.word 1
	.endr
	.p2align 6
pair:	.dword 0
	.p2align 6
sum:	.dword 0
