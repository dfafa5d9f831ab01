/* Entry of M-mode and return from it, at boot and at an interrupt. Between the two, mscratch holds
 * the top of firmware's stack. Saves only the registers that a C function may change; gp and tp are
 * the program's, and code linked with firmware.ld uses neither. */
#include "firmware.h"

#define FRAME 128

	.macro SAVE
	addi sp, sp, -FRAME
	.cfi_def_cfa sp, FRAME
	sd ra, 0(sp)
	sd t0, 8(sp)
	sd t1, 16(sp)
	sd t2, 24(sp)
	sd a0, 32(sp)
	sd a1, 40(sp)
	sd a2, 48(sp)
	sd a3, 56(sp)
	sd a4, 64(sp)
	sd a5, 72(sp)
	sd a6, 80(sp)
	sd a7, 88(sp)
	sd t3, 96(sp)
	sd t4, 104(sp)
	sd t5, 112(sp)
	sd t6, 120(sp)
	.endm

	.macro RESTORE
	ld ra, 0(sp)
	ld t0, 8(sp)
	ld t1, 16(sp)
	ld t2, 24(sp)
	ld a0, 32(sp)
	ld a1, 40(sp)
	ld a2, 48(sp)
	ld a3, 56(sp)
	ld a4, 64(sp)
	ld a5, 72(sp)
	ld a6, 80(sp)
	ld a7, 88(sp)
	ld t3, 96(sp)
	ld t4, 104(sp)
	ld t5, 112(sp)
	ld t6, 120(sp)
	addi sp, sp, FRAME
	.cfi_def_cfa sp, 0
	.endm

	.section .text.start, "ax"

	/* The program's first instruction is in mepc, its registers are where they will be. */
	.globl firmware_start
	.type firmware_start, @function
firmware_start:
	.cfi_startproc
	.cfi_undefined ra
	csrw mscratch, sp
	la sp, firmware_stack_top
	SAVE
	la t0, firmware_trap
	csrw mtvec, t0
	call firmware_init
	RESTORE
	csrrw sp, mscratch, sp
	mret
	.cfi_endproc
	.size firmware_start, . - firmware_start

	.balign 4
	.globl firmware_trap
	.type firmware_trap, @function
firmware_trap:
	.cfi_startproc
	.cfi_undefined ra
	csrrw sp, mscratch, sp
	SAVE
	csrr a0, mcause
	slli a0, a0, 1
	srli a0, a0, 1
	call firmware_interrupt
	RESTORE
	csrrw sp, mscratch, sp
	mret
	.cfi_endproc
	.size firmware_trap, . - firmware_trap
