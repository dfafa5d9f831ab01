# What compilers write seldom, and an instrumenter must still get right. Everything returns in a0; main prints the sum of it.
	.file	"fragments.s"
	.option	pic
	.attribute arch, "rv64i2p0_m2p0_a2p0_f2p0_d2p0_c2p0"
	.text

# Registers that a caller knows this to leave alone, and keeps values in (gcc: -fipa-ra).
	.align	1
	.type	modest, @function
modest:
	lla	a5, counter
	ld	a4, 0(a5)
	andi	a3, a0, 1
	beq	a3, zero, .L1
	addi	a4, a4, 3
.L1:
	addi	a4, a4, 1
	sd	a4, 0(a5)
	ret
	.size	modest, .-modest

	.type	keeper, @function
keeper:
	addi	sp, sp, -16
	sd	ra, 8(sp)
	li	t0, 1
	li	t1, 20
	li	t2, 300
	li	t3, 4000
	li	t4, 50000
	li	t5, 600000
	li	t6, 7000000
	call	modest
	add	a0, t0, t1
	add	a0, a0, t2
	add	a0, a0, t3
	li	a5, 9
	bne	a0, a5, .L2
	addi	a0, a0, 77
.L2:
	add	a0, a0, t4
	add	a0, a0, t5
	add	a0, a0, t6
	ld	ra, 8(sp)
	addi	sp, sp, 16
	jr	ra
	.size	keeper, .-keeper

# A part of it lies elsewhere, and comes back; another part never does.
	.type	parted, @function
parted:
.LFB3:
	.cfi_startproc
	li	a5, 3
	bgt	a0, a5, .L4
.L3:
	slli	a0, a0, 1
	ret
	.cfi_endproc
	.section	.text.unlikely,"ax",@progbits
	.cfi_startproc
	.type	parted.cold, @function
parted.cold:
.L4:
	li	a5, 100
	bgt	a0, a5, .L5
	addi	a0, a0, 1000
	j	.L3
.L5:
	addi	a0, a0, 7
	ret
	.cfi_endproc
.LFE3:
	.text
	.size	parted, .-parted
	.section	.text.unlikely
	.size	parted.cold, .-parted.cold
	.text

# A block begins at a label that another instruction's %pcrel_lo is about; 32-bit instructions alone; several in a line.
	.globl	mixed
	.type	mixed, @function
mixed:
	li	a4, 5 ; mv a3, zero	# two
.L6:
.LA0:
	auipc	a5, %pcrel_hi(counter)
	addi	a5, a5, %pcrel_lo(.LA0)
	ld	a5, 0(a5)
	add	a3, a3, a5
	.option push
	.option norvc
	addi	a4, a4, -1
	bnez	a4, .L6
	andi	a5, a0, 1
	beqz	a5, .L7
	addi	a3, a3, 2
.L7:
	.option pop
	mv	a0, a3
	jalr	zero, 0(ra)
	.size	mixed, .-mixed

# The loop is the function: its entry is not one of the loop's rounds. Then another is called at the end, from where a0 says.
	.type	rounds, @function
rounds:
.L8:
	addi	a0, a0, -1
	bgtz	a0, .L8
	lla	a5, places
	slli	a4, a1, 3
	add	a5, a5, a4
	ld	a5, 0(a5)
	li	a0, 10
	jr	a5
	.size	rounds, .-rounds

# A jump table, and a call at the end through the same register.
	.type	tabled, @function
tabled:
	mv	a6, a1
	li	a5, 3
	bgtu	a0, a5, .L14
	lla	a4, .L9
	slli	a0, a0, 2
	add	a0, a0, a4
	lw	a5, 0(a0)
	add	a5, a5, a4
	jr	a5
	.section	.rodata
	.align	2
.L9:
	.word	.L10-.L9
	.word	.L11-.L9
	.word	.L12-.L9
	.word	.L10-.L9
	.text
.L10:
	li	a0, 5
	mv	a5, a6
	jr	a5
.L11:
	li	a0, 6
	lla	a5, places
	ld	a5, 8(a5)
	jr	a5
.L12:
	li	a0, 7
.L14:
	ret
	.size	tabled, .-tabled

# An inline assembly may need what it doesn't name: here t6 and t5, as operands that are written out (add a0, a0, t6).
	.type	assembled, @function
assembled:
	li	t6, 40
	li	t5, 2
	beqz	a0, .L17
	addi	a0, a0, 1
.L17:
#APP
	.4byte	0x01f50533
	.4byte	0x01e50533
#NO_APP
	ret
	.size	assembled, .-assembled

# Left alone: its argument decides whether it jumps to one of its labels or to another function.
	.type	unclear, @function
unclear:
	lla	a5, .L15
	beqz	a0, .L16
	mv	a5, a0
.L16:
	lla	a4, kept_label
	sd	a5, 0(a4)
	ld	a5, 0(a1)
	jr	a5
.L15:
	li	a0, 3
	ret
	.size	unclear, .-unclear

# Left alone: its branch is another function's.
	.type	leaves_by_branch, @function
leaves_by_branch:
	beqz	a0, modest
	ret
	.size	leaves_by_branch, .-leaves_by_branch

	.section	.text.startup,"ax",@progbits
	.globl	main
	.type	main, @function
main:
	addi	sp, sp, -32
	sd	ra, 24(sp)
	sd	s0, 16(sp)
	sd	s1, 8(sp)
	call	keeper
	mv	s0, a0
	li	s1, 6
.L20:
	li	a5, 33
	mul	a0, s1, a5
	call	parted
	add	s0, s0, a0
	mv	a0, s1
	call	parted
	add	s0, s0, a0
	mv	a0, s1
	call	mixed
	add	s0, s0, a0
	mv	a0, s1
	andi	a1, s1, 1
	call	rounds
	add	s0, s0, a0
	addi	a0, s1, -3
	lla	a1, parted
	call	tabled
	add	s0, s0, a0
	mv	a0, s1
	lla	a1, places
	call	unclear
	add	s0, s0, a0
	mv	a0, s1
	call	assembled
	add	s0, s0, a0
	mv	a0, s1
	call	leaves_by_branch
	add	s0, s0, a0
	addi	s1, s1, -1
	bgez	s1, .L20
	mv	a1, s0
	lla	a0, .LC0
	call	printf
	li	a0, 5
	ld	ra, 24(sp)
	ld	s0, 16(sp)
	ld	s1, 8(sp)
	addi	sp, sp, 32
	jr	ra
	.size	main, .-main

	.section	.rodata.str1.8,"aMS",@progbits,1
.LC0:
	.string	"# %lx; %%\n"
	.section	.data.rel.ro.local,"aw"
	.align	3
	.type	places, @object
	.size	places, 16
places:
	.dword	parted, modest
	.data
	.align	3
counter:
	.dword	2
	.bss
	.align	3
kept_label:
	.zero	8
	.section	.note.GNU-stack,"",@progbits
