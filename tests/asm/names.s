# Names of other alphabets and in quotes, .insn, variants of directives, and .end before other text.
	.globl größe, "a name"
	.text
	.globl _start
_start:
	lla t0, größe
	lla t1, "a name"
	lw a0, 0(t0)
	.insn r OP, 0, 0, a0, a1, a2
	.insn r 0x33, 7, 1, t0, s1, x31
	.insn r4 MADD, 1, 2, fa0, fa1, fa2, fa3
	.insn i OP_IMM, 0, a0, a1, -7
	.insn i LOAD, 3, a0, 8(sp)
	.insn i 0x67, 0, ra, -4(a1)
	.insn s STORE, 3, a0, -16(sp)
	.insn u LUI, a0, 0xabcde
	.insn b BRANCH, 1, a0, a1, 4f
	.insn sb CUSTOM_3, 5, s1, t0, 4f
4:	.insn j JAL, ra, 4b
	.insn uj CUSTOM_0, x3, 4b
	.insn 0x13
	.insn 2, 0x0001
	.insn 4, 0x13
"another one":
	j "another one"
	.data
größe:	.word 5
"a name":
	.byte 1, 2
	.dc.b 3
	.dc.w 4
	.dc.l 5
	.dc.a 6
	.string8 "text"
	.title "nothing"
	.end
this is no assembly
