	.text
_start:	add a0, a1
	addi a0, a0, 5000
	ld a0, 8(t9)
	adi a0, a0, 1
	li a0, later
	j nowhere
	fadd.d fa0, fa1, a2
	.word 1 +
	.algin 3
x:	nop
x:	nop
	beqz a0, 3b
	lui a0, x
	csrr a0, cycl
	slli a0, a0, 64
	.ascii "no end
	fence rw, q
	la a0
	pi.1 la a0, x
later = 1
