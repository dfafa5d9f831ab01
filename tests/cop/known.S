# A program whose edges, contexts, dependences and conflicts are known from this text, for tests/cop/test_known.lua. Divisions make it slow, so
# that no record is dropped.
	.option norvc
	.macro slowly rounds
	li t6, \rounds
9:	div t5, s9, s10
	div t5, t5, s10
	addi t6, t6, -1
	bnez t6, 9b
	.endm

	.macro straight                  # without a branch: no wrong path comes to a load before its time
	.rept 12
	div t5, s9, s10
	div s9, t5, s10
	.endr
	.endm

	.text
	.globl _start
_start:
	li s9, -1
	li s10, 1
	la s0, area

# ---- dependences: 50 rounds ----
	li s1, 50
round:
store_a: sd s1, 0(s0)
store_b: sw s1, 8(s0)
store_c: sd s1, 16(s0)
store_d: sd s2, 16(s0)           # the last one there
load_a: ld t1, 0(s0)
load_ab: lw t1, 4(s0)            # the same 8 bytes
load_b: lbu t1, 9(s0)
load_c: ld t1, 16(s0)
load_none: ld t1, 24(s0)         # never stored to
	slowly 3
	addi s1, s1, -1
round_ends: bnez s1, round

# 64 stores to other places, and the first is forgotten
store_old: sd s1, 40(s0)
	li t2, 64
	addi t1, s0, 256
store_many: sd s1, 0(t1)
	addi t1, t1, 8
	slowly 1
	addi t2, t2, -1
many_ends: bnez t2, store_many
load_old: ld t1, 40(s0)
	slowly 2

# two pairs of store and load that are one entry: loads 0x40000 apart, stores 4
	li s1, 8
clashes: la t1, near_load
	jalr s11, t1, 0
	la t1, far_load
	jalr s11, t1, 0
	slowly 4
	addi s1, s1, -1
	bnez s1, clashes
	j conflicts
	.balign 8
stores:
store_1: sd s1, 48(s0)
store_2: sd s1, 56(s0)
	jr s8

# ---- conflicts: three blocks for two ways, 40 rounds; another set next to it ----
conflicts:
	li s1, 40
	la t1, blocks
	li t2, 0x8000
	add t3, t1, t2
	add t4, t3, t2
load_x: ld zero, 0(t1)
	straight
load_y: ld zero, 8(t3)
	straight
load_z: ld zero, 16(t4)
	straight
load_other: ld zero, 40(t1)
	straight
	addi s1, s1, -1
	bnez s1, load_x

# ---- contexts: a branch that is always taken from one call, taken at random from the other, 200 rounds ----
	li s1, 200
	li s3, 88172645
calls:	li a0, 1
call_easy: jal ra, work
	slli t1, s3, 13
	xor s3, s3, t1
	srli t1, s3, 7
	xor s3, s3, t1
	slli t1, s3, 17
	xor s3, s3, t1
	srli a0, s3, 9
	andi a0, a0, 1
call_hard: jal t0, work_t0
	slowly 4
	addi s1, s1, -1
	bnez s1, calls

# 100 procedures deep
	li a0, 100
call_deep: jal ra, deep
	slowly 8

# two contexts that are one entry: calls 0x40000 apart, procedures 4
	li s1, 40
contexts:
	slli t1, s3, 13
	xor s3, s3, t1
	srli t1, s3, 7
	xor s3, s3, t1
	slli t1, s3, 17
	xor s3, s3, t1
	srli a0, s3, 9
	andi a0, a0, 1
	la t1, near_call
	jalr s11, t1, 0
	la t1, far_call
	srli a0, s3, 21
	andi a0, a0, 1
	jalr s11, t1, 0
	slowly 4
	addi s1, s1, -1
	bnez s1, contexts
	straight                         # until all records are done with
	li a0, 0
	li a7, 93
	ecall

work:
	slowly 3
work_branch: bnez a0, work_done
	addi s4, s4, 1
work_done: ret
work_t0:
	slowly 3
hard_branch: bnez a0, hard_done
	addi s4, s4, 1
hard_done: jr t0
deep:
	addi sp, sp, -16
store_ra: sd ra, 0(sp)
	addi a0, a0, -1
	slowly 2
	beqz a0, deep_enough
call_deeper: jal ra, deep
deep_enough:
	slowly 2
load_ra: ld ra, 0(sp)
	addi sp, sp, 16
	ret
	.balign 8
procedure_1: nop
procedure_2: slowly 2
	bnez a0, procedure_done
	addi s4, s4, 1
procedure_done: ret

	.section .near, "ax"
near_load:
	la s8, 1f
	j stores
1:
load_1: ld t1, 48(s0)
	jr s11
near_call: 
call_1: jal ra, procedure_1
	jr s11

	.section .far, "ax"
far_load:
	la s8, 1f
	j stores
1:
load_2: ld t1, 56(s0)
	jr s11
far_call:
call_2: jal ra, procedure_2
	jr s11

	.bss
	.balign 0x20000
blocks:	.skip 0x18000
area:	.skip 4096
