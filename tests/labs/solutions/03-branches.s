# name: Carl Solution
# answer squashed 1751
# answer penalty 952
# answer half 49
#
# Adds up those of 256 bytes that are 128 or more, and counts them, 8 times. Make it faster on the
# default machine; `sum` and `many` at the end stay the same, whatever the bytes are.
	.option norvc
	.globl _start, loop, bytes, sum, many
	.equ N, 256
_start:	li s4, 8                # rounds
	li a0, 0
	li a1, 0
	li t2, 128
round:	la s0, bytes
	li t0, N
loop:	lbu t1, 0(s0)
	sltu t3, t1, t2         # 1: too small
	addi t3, t3, -1         # 0, or all ones
	and t1, t1, t3
	add a0, a0, t1
	sub a1, a1, t3
	addi s0, s0, 1
	addi t0, t0, -1
	bnez t0, loop
	addi s4, s4, -1
	bnez s4, round

	la s1, sum
	sd a0, 0(s1)
	la s1, many
	sd a1, 0(s1)
	li a0, 0
	li a7, 93               # exit
	ecall

	.data
	.p2align 6
bytes:
	.byte 165, 77, 202, 24, 37, 48, 187, 29, 109, 19, 44, 222, 214, 35, 123, 46
	.byte 217, 30, 63, 114, 31, 203, 25, 113, 23, 68, 148, 214, 73, 60, 157, 92
	.byte 52, 96, 190, 49, 32, 30, 105, 254, 218, 160, 238, 232, 185, 153, 127, 92
	.byte 124, 41, 153, 253, 175, 229, 147, 37, 60, 214, 84, 175, 77, 250, 215, 20
	.byte 39, 160, 174, 179, 254, 233, 35, 47, 138, 242, 33, 31, 158, 228, 145, 197
	.byte 177, 11, 236, 181, 86, 59, 252, 30, 111, 147, 66, 126, 203, 200, 254, 41
	.byte 85, 229, 205, 142, 70, 220, 142, 212, 183, 194, 118, 77, 42, 90, 77, 118
	.byte 119, 6, 248, 93, 134, 144, 2, 74, 214, 189, 163, 64, 27, 233, 200, 203
	.byte 204, 201, 53, 246, 205, 31, 97, 34, 106, 225, 83, 56, 174, 26, 52, 0
	.byte 77, 51, 186, 13, 36, 106, 192, 76, 129, 177, 186, 242, 62, 59, 249, 238
	.byte 245, 247, 159, 43, 73, 52, 175, 135, 245, 82, 11, 105, 185, 75, 13, 152
	.byte 46, 133, 187, 85, 182, 114, 168, 114, 99, 122, 205, 116, 102, 252, 182, 14
	.byte 14, 143, 241, 132, 99, 176, 228, 178, 186, 41, 112, 52, 116, 240, 100, 172
	.byte 104, 247, 0, 245, 176, 43, 61, 198, 102, 244, 91, 222, 170, 44, 202, 237
	.byte 205, 43, 81, 87, 65, 14, 77, 238, 74, 242, 179, 79, 67, 10, 7, 52
	.byte 71, 222, 99, 108, 14, 128, 108, 149, 123, 166, 132, 214, 67, 31, 181, 234
	.p2align 6
sum:	.dword 0
many:	.dword 0
