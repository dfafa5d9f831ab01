/* Start-up of a bare-metal program: registers, the trap handler, main, the exit. */
#if __riscv_xlen == 64
#define STORE sd
#define LOAD ld
#define WORD 8
#else
#define STORE sw
#define LOAD lw
#define WORD 4
#endif
	.section .text.init, "ax"
	.globl _start
_start:
	csrr	t0, mhartid
	bnez	t0, _start
	/* registers that a machine may lack: as in riscv-tests, the handler continues */
	la	t0, 1f
	csrw	mtvec, t0
	csrwi	0x744, 8
	csrwi	medeleg, 0
	csrwi	satp, 0
	.align	2
1:	la	t0, trapped
	csrw	mtvec, t0
	la	sp, stack_top
	csrw	mscratch, sp
	call	main
	.globl	leave
leave:
	slli	a0, a0, 1
	ori	a0, a0, 1
	la	t0, tohost
	sw	a0, 0(t0)
	sw	zero, 4(t0)
2:	j	2b

	/* trap(mcause, mepc, mtval) returns where to resume */
	.align	2
trapped:
	csrrw	sp, mscratch, sp
	addi	sp, sp, -20 * WORD
	.irp	r, 1, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
	STORE	x\r, (\r % 19) * WORD(sp)
	.endr
	csrr	a0, mcause
	csrr	a1, mepc
	csrr	a2, mtval
	call	trap
	csrw	mepc, a0
	.irp	r, 1, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16, 17, 28, 29, 30, 31
	LOAD	x\r, (\r % 19) * WORD(sp)
	.endr
	addi	sp, sp, 20 * WORD
	csrrw	sp, mscratch, sp
	mret

	.bss
	.align	4
	.space	4096
handler_stack:
	.space	16384
stack_top:
	.section .tohost, "aw"
	.align	6
	.globl	tohost, fromhost
tohost:	.dword	0
	.align	6
fromhost: .dword 0
