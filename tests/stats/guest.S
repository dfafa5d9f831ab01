# A bit of everything that statistics count, for tests/stats/recount.c: a loop whose rounds have branches nobody can foresee, calls deeper than the
# return stack, jumps through a table, loads and stores of all sizes over lines and pages, code on many pages, atomics, floating point,
# system calls, profile instructions of all types, and traps of the load/store queue.
	.option norvc
	.macro hint s                    # Xprof, in four bytes
	.4byte 0x0000a013 | (\s) << 20
	.endm
	.macro pi k
	hint 8 + \k
	.endm
	.macro resetpf k
	hint 16 + \k
	.endm
	.macro setpf k
	hint 24 + \k
	.endm
	.macro pushpf k
	hint 32 + \k
	.endm
	.macro poppf k
	hint 40 + \k
	.endm
	.macro pblen bytes
	.4byte 0x00002013 | (\bytes) << 20
	.endm
	.macro block k, n                # n profile instructions that count
	.rept \n
	pi \k
	addi s10, s10, 1
	.endr
	.endm
	.macro random                    # the next word of s1
	slli t0, s1, 13
	xor s1, s1, t0
	srli t0, s1, 7
	xor s1, s1, t0
	slli t0, s1, 17
	xor s1, s1, t0
	.endm

	.text
	.globl _start
_start:
	li s1, 0x2545f4914f6cdd1d
	li s2, ROUNDS
	la s3, area
	li s4, 1
	fcvt.d.w fs0, s4
	la s5, table
round:
	random
# ---- branches, jumps, calls ----
	andi t1, s1, 1
	beqz t1, 1f
	addi s6, s6, 1
	ld t2, 0(s3)
1:	andi t1, s1, 24
	add t1, t1, s5
	ld t1, 0(t1)
	jr t1
	.irp c, 0, 1, 2, 3
case_\c:
	addi s6, s6, 2
	j joined
	.endr
joined:
	li a0, 12
	call deep
	call page_a
	call page_b
	call page_c
	call page_d
	call edge                        # the last line of a page: what is behind it is not translated
	divu t4, s1, s4                  # late: two ways to the same page, of which one is begun in vain
	andi t4, t4, 4
	beqz t4, 1f
	call far_one
	j 2f
1:	call far_two
2:
# ---- memory ----
	srli t1, s1, 20
	li t2, 0x3ffff
	and t1, t1, t2
	add t1, t1, s3                   # anywhere in 256 KB, of any alignment
	ld t2, 0(t1)
	sd t2, 3(t1)
	lw t3, 64(t1)
	sh t3, 129(t1)
	ld t4, 61(t1)
	sb s2, 0(s3)                     # narrower than the load behind it
	ld t2, 0(s3)
	sd s2, 8(s3)                     # forwarded
	ld t3, 8(s3)
	divu t4, s3, s4                  # late: the load goes past it
	sd s2, 16(t4)
	ld t2, 16(s3)
	add t2, t2, t2
	addi t5, s3, 1024                # lines that share all but one place in the cache
	li t6, 32768
	ld a1, 0(t5)
	add t5, t5, t6
	ld a2, 0(t5)
	add t5, t5, t6
	ld a3, 0(t5)
	add t5, t5, t6
	lw a4, 8(t5)
	lw a4, 16(t5)
	lw a4, 24(t5)
	slli t1, s2, 6
	add t1, t1, s3
	li t2, 65536
	add t1, t1, t2
	.irp line, 0, 1, 2, 3, 4, 5, 6, 7  # more stores than the write buffer has entries, each to its line
	sd s2, 64 * \line(t1)
	.endr
	fence.i
	rdcycle t1
	mv a5, sp                        # for a while there is no stack
	li sp, 0
	.rept 40
	addi t1, t1, 1
	.endr
	mv sp, a5
	slli t6, s2, 13
	add t6, t6, s3
	ld t1, -8(t6)                    # the end of a page
	amoadd.d t1, s4, (s3)
	addi t2, s3, 32
	lr.d t3, (t2)
	sc.d t3, s4, (t2)
# ---- a replayed load whose place is taken by another: see replays_again ----
	.irp delay, 0, 1, 2, 3, 4, 5, 6
#ifdef LATE                             // keeps the store in the queue until the branch has resolved
	divu t3, s1, s4
	divu t3, t3, s4
	divu t3, t3, s4
#endif
	divu t4, s1, s4
	.rept \delay
	addi t4, t4, 0
	.endr
	andi t4, t4, 2
	sb s2, 40(s3)
	addi t6, s3, 0
	.rept 10
	addi t6, t6, 0
	.endr
	beqz t4, 1f
	ld t5, 40(t6)                    # behind the branch: traps as long as the store is in the queue
	add t5, t5, t5
1:	ld t5, 40(s3)
	add t5, t5, t5
	.endr
# ---- units ----
	fdiv.d fs1, fs0, fs0
	fsqrt.d fs2, fs1
	fadd.d fs3, fs2, fs0
	fmul.d fs4, fs3, fs0
#ifdef UNITS
	.rept 20
	fadd.d fs5, fs3, fs0
	.endr
	.rept 20
	fmul.d fs6, fs3, fs0
	.endr
#endif
	fmadd.d fs5, fs4, fs0, fs1
	.rept 6
	divu t1, s1, s4
	.endr
	.rept 6
	mul t1, s1, s4
	.endr
# ---- system ----
	andi t1, s2, 7
	bnez t1, 1f
	li a7, 172                       # getpid
	ecall
	rdcycle t1
	csrr t1, fflags
1:
#ifdef XPROF
# ---- profile instructions ----
	andi t1, s2, 3
	beqz t1, 1f
	resetpf 0
	resetpf 4
	j 2f
1:	setpf 0
	setpf 4
2:	setpf 1
	block 0, 6
	nop
	block 1, 3
	nop
	block 2, 5
	nop
	pi 3
	beq x0, x0, 3f                   # taken where its flag is on
	nop
3:	pi 4
	j 4f
	nop
4:	pushpf 5
	setpf 5
	block 5, 2
	poppf 5
	block 5, 4
	block 6, 2
	block 7, 2
	setpf 6
	setpf 7
	block 6, 2
	block 7, 2
	setpf 3
	pi 3
	addi s10, s10, 1
	resetpf 3
	resetpf 6
	resetpf 7
	andi t1, s2, 15                  # pblen says another length now and then than the block has
	beqz t1, 5f
	pblen 8 * 5
	j 6f
5:	pblen 8 * 4
6:	block 2, 5
	resetpf 1
	block 1, 2
	setpf 2
	block 2, 2
	resetpf 2
#endif
	addi s2, s2, -1
	beqz s2, 1f
	j round
1:
#ifdef TRAPS
	ebreak
#endif
	li a0, 0
	li a7, 93
	ecall

# deep(n): n returns, more than the stack holds
deep:	beqz a0, 1f
	addi sp, sp, -16
	sd ra, 8(sp)
	addi a0, a0, -1
	call deep
	ld ra, 8(sp)
	addi sp, sp, 16
1:	ret

	.irp page, a, b, c, d
	.balign 8192
page_\page:
	.rept 24
	addi s7, s7, 1
	.endr
	ret
	.endr

	.balign 8192
	.skip 8192 - 32
edge:	ret
	.balign 8192
far_one:
	addi s7, s7, 1
	ret
	.balign 64
far_two:
	addi s7, s7, 2
	ret

	.data
	.balign 8
table:	.dword case_0, case_1, case_2, case_3
	.bss
	.balign 65536
area:	.skip 1 << 19
