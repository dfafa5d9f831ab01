/* The call graph, counted by hand (Vaswani, figure 4): each function calls _mcount, which makes of the two most recent return
 * addresses an arc from caller to callee.
 *
 * Expect: as in blocks.c, complete counts under qemu-riscv64, and in Cyclops none until the flags are switched on.
 *
 *     qemu-riscv64 build/demos/xprof/calls
 *     build/cyclops build/demos/xprof/calls         break even, continue, step: the call of _mcount is struck out
 *     build/cyclops lua demos/xprof/on.lua build/demos/xprof/calls */
#include "../include/xprof.inc"

	.text
# Profile instructions are dropped or executed one by one: the way back lies in t1 meanwhile, which nobody needs here.
	.macro call_graph
	pushpf 0                # sp is the caller's, here and at the poppf: no other call that is at work saves there
	resetpf 0               # the runtime knows this address
	pi 0
	mv	t1, ra
	pi 0
	jal	_mcount
	pi 0
	mv	ra, t1
	.endm

# long hanoi(long n): moves of a tower of n discs.
	.globl hanoi
	.type hanoi, @function
hanoi:
	call_graph
	addi	sp, sp, -32
	sd	ra, 24(sp)
	sd	s0, 16(sp)
	sd	s1, 8(sp)
	mv	s0, a0
	li	s1, 0
	beqz	a0, 1f
	addi	a0, s0, -1
	call	hanoi
	mv	s1, a0
	call	move
	add	s1, s1, a0
	addi	a0, s0, -1
	call	hanoi
	add	s1, s1, a0
1:	mv	a0, s1
	ld	ra, 24(sp)
	ld	s0, 16(sp)
	ld	s1, 8(sp)
	addi	sp, sp, 32
	poppf 0
	ret
	.size hanoi, . - hanoi

# long move(void): a disc. It calls nobody and has no frame.
	.globl move
	.type move, @function
move:
	call_graph
	li	a0, 1
	poppf 0
	ret
	.size move, . - move

# long even(long n), long odd(long n): whether n is, by asking each other about n - 1.
	.globl even
	.type even, @function
even:
	call_graph
	addi	sp, sp, -16
	sd	ra, 8(sp)
	mv	a1, a0
	li	a0, 1
	beqz	a1, 1f
	addi	a0, a1, -1
	call	odd
1:	ld	ra, 8(sp)
	addi	sp, sp, 16
	poppf 0
	ret
	.size even, . - even

	.globl odd
	.type odd, @function
odd:
	call_graph
	addi	sp, sp, -16
	sd	ra, 8(sp)
	mv	a1, a0
	li	a0, 0
	beqz	a1, 1f
	addi	a0, a1, -1
	call	even
1:	ld	ra, 8(sp)
	addi	sp, sp, 16
	poppf 0
	ret
	.size odd, . - odd

# _mcount: t1 is where the caller of the function goes on, ra lies in the function itself. It looks for their arc, or a free
# row, and adds one; it changes t2 to t6 and nothing else.
	.globl _mcount
	.type _mcount, @function
_mcount:
	lla	t2, arcs
1:	ld	t3, 0(t2)       # from
	ld	t4, 8(t2)       # to
	beqz	t4, 2f
	addi	t2, t2, 24
	bne	t3, t1, 1b
	bne	t4, ra, 1b
	addi	t2, t2, -24
2:	sd	t1, 0(t2)
	sd	ra, 8(t2)
	ld	t5, 16(t2)
	addi	t5, t5, 1
	sd	t5, 16(t2)
	ret
	.size _mcount, . - _mcount

	.bss
	.globl arcs
	.type arcs, @object
	.size arcs, 24 * 32
	.balign 8
arcs:	.zero	24 * 32         # {from, to, count}; the last row stays free: there are fewer arcs here
	.section .note.GNU-stack, "", @progbits
