# Flags of inexact results, which a browser does not compute: tests/web/equal.py looks at s0 to s9.
	.text
	.globl _start
_start:
	li t0, 3
	fcvt.d.l ft0, t0
	li t0, 1
	fcvt.d.l ft1, t0
	csrwi fflags, 0
	fadd.d ft2, ft0, ft1
	csrr s0, fflags
	csrwi fflags, 0
	fdiv.d ft2, ft1, ft0
	csrr s1, fflags
	csrwi fflags, 0
	fsqrt.d ft3, ft0
	csrr s2, fflags
	csrwi fflags, 0
	fmadd.d ft4, ft2, ft3, ft2
	csrr s3, fflags
	csrwi fflags, 0
	fcvt.s.d ft5, ft2
	csrr s4, fflags
	csrwi fflags, 0
	fcvt.w.d t1, ft2, rtz
	csrr s5, fflags
	fmv.x.d s6, ft2
	fmv.x.d s7, ft3
	fmv.x.d s8, ft4
	fmv.x.d s9, ft5
	li a7, 93
	li a0, 0
	ecall
