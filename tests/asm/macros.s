# Macros, conditions and repetitions of GNU as.
	.macro	push reg, size=8
	addi	sp, sp, -\size
	sd	\reg, 0(sp)
	.endm
	.macro	all first:req, rest:vararg
	nop
	.ifnb	\rest
	all	\rest
	.endif
	.endm
	.macro	label name
\name\()_\@:
	j	\name\()_\@
	.endm
	.macro	leave n
	.if	\n > 2
	.exitm
	.endif
	addi	a0, a0, \n
	.endm
	.macro	say text
	.ascii	"\text"
	.endm
	.set	WIDE, 1
	.globl	_start
_start:
	push	a0
	push	ra, 16
	push	reg=s1, size=32
	all	1, 2, 3
	label	there
	label	there
	leave	1
	leave	3
	.irp	r, s2, s3, s4
	sd	\r, 0(sp)
	.endr
	.irpc	d, 159
	li	a0, \d
	.endr
	.rept	2
	.rept	3
	addi	a1, a1, 1
	.endr
	add	a1, a1, a1
	.endr
	.if	WIDE
	ld	a0, 0(a1)
	.else
	lw	a0, 0(a1)
	.endif
	.ifdef	NARROW
	unknown
	.elseif	WIDE == 1
	li	a2, 1
	.else
	unknown
	.endif
	.ifndef	NARROW
	li	a2, 2
	.endif
	.ifc	a, a
	li	a2, 3
	.endif
	.ifeq	WIDE - 1
	.if	0
	.rept	5
	unknown
	.endr
	.endif
	li	a2, 4
	.endif
	.purgem	leave
	li	a7, 93
	ecall
	.data
	say	"hello"
	say	"a b"
	.org	32
	.byte	1
	.equiv	LAST, 7
	.byte	LAST
	.float16 1.5, -0.1, 65504, 1e-8, 6e-8, 0.33325
	.uleb128 127
	.uleb128 300000
	.sleb128 -1
	.sleb128 64
	.sleb128 -65
	.sleb128 -300000
	.sleb128 300000
	.altmacro
	.macro	both first, last
	LOCAL	here, there
here:	.word	first, last, there - here
first&_of: .word 5
there:
	.endm
	.set	size, 4
	.set	one, 9
	both	one, <1 + 2>
	.set	two, 10
	both	two, %size * 3
	.noaltmacro
	.octa	0x112233445566778899aabbccddeeff00, -2, 7
	.text
	.reloc	., R_RISCV_NONE, one
	nop
	.data
	.macro	number
	.byte	\@
	.endm
	number
	.irp	x, 1, 2
	.byte	\@
	.endr
	number
