/* The program of the golden tests that profiles itself: blocks of two types, one with a call in it, flags saved around
 * calls, switched on in some rounds and off in most, and a call that ends as longjmp does. Kept as guest.elf is; it is
 * compiled by
 *
 *   riscv64-unknown-elf-gcc -march=rv64gc -mabi=lp64d -g -gdwarf-4 -nostdlib -static -ffile-prefix-map=$PWD=.
 *       -Wa,--debug-prefix-map=$PWD=. -Wl,--build-id=none -o tests/golden/profile.elf tests/golden/profile.S
 */
	.macro xhint s
	.2byte 0x0002 | ((\s) & 31) << 2 | ((\s) >> 5) << 12
	.endm
	.macro pi k
	xhint 8+\k
	.endm
	.macro resetpf k
	xhint 16+\k
	.endm
	.macro setpf k
	xhint 24+\k
	.endm
	.macro pushpf k
	xhint 32+\k
	.endm
	.macro poppf k
	xhint 40+\k
	.endm

	.text
	.globl _start
_start:
	la s3, counters
	li s2, 0
	li s1, 300
1:	andi a0, s1, 24              /* the caller's flag: on in a quarter of the rounds */
	setpf 0
	beqz a0, 3f
	resetpf 0
3:	andi a0, s1, 7
	call work
	call leave
	poppf 0                      /* restores it: leave saved the flag at this sp, and another further down */
	addi s1, s1, -1
	bnez s1, 1b
	ld a0, 0(s3)
	add a0, a0, s2
	andi a0, a0, 127
	li a7, 93
	ecall

/* Profiles one call in eight. */
	.type work, @function
work:
	pushpf 0
	setpf 0
	beqz a0, 2f
	resetpf 0
2:	li t0, 6
loop:
	pi 0
	ld t2, 0(s3)
	pi 0
	addi t2, t2, 1
	pi 0
	sd t2, 0(s3)
	pi 0
	jal t3, count
	pi 0
	addi s4, s4, 1
	add s2, s2, t0
	pi 1                         /* too short to be skipped */
	addi s5, s5, 1
	addi t0, t0, -1
	bnez t0, loop
	poppf 0
	mv t5, ra
	pi 0                         /* fetch may still expect the flag to be as in the loop */
	jal t3, count
	jr t5
	.size work, . - work

	.type count, @function
count:
	ld t4, 8(s3)
	addi t4, t4, 1
	sd t4, 8(s3)
	jr t3
	.size count, . - count

/* Saves its flag, and leaves without restoring it. */
	.type leave, @function
leave:
	pushpf 0
	addi sp, sp, -32
	pushpf 0
	addi sp, sp, 32
	ret
	.size leave, . - leave

	.bss
	.align 3
counters:
	.dword 0, 0
