# For lab 9: a loop over 200 numbers, with an arm that multiples of four pass by. What is behind
# pi.0 counts iterations and entries of the arm, while profile flag 0 is on: first it is off, then on.
	.option norvc
	.globl _start, off, on, over, numbers, laps, odds
_start:	resetpf 0
off:	jal ra, walk
	setpf 0
on:	jal ra, walk
over:	li a0, 0
	li a7, 93               # exit
	ecall

walk:	la s0, laps
	la s1, odds
	li t0, 200
	li t1, 7
1:	pi.0 ld t3, 0(s0)
	pi.0 addi t3, t3, 1
	pi.0 sd t3, 0(s0)
	addi t1, t1, 13
	andi t2, t1, 3
	beqz t2, 2f
	pi.0 ld t3, 0(s1)
	pi.0 addi t3, t3, 1
	pi.0 sd t3, 0(s1)
	add a1, a1, t1
2:	addi t0, t0, -1
	bnez t0, 1b
	ret

	.data
	.p2align 3
laps:	.dword 0
odds:	.dword 0
