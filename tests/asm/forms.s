# Forms that GNU as treats in special ways; gnu.sh compares.
.globl _start
_start:
li a0, 0x100000000
li a0, 0x12345678
li a0, 0x123456789abcdef0
li t0, -1
li a0, 0x80000000
li a1, 2048
addi a0,a0,0
jalr ra,0(a0)
jalr a0
jalr zero,0(ra)
jal zero, x
x:
and a0,a0,3
sext.b a0,a1
zext.w a0,a0
zext.h a0,a0
zext.b a0,a0
sext.w a0,a0
fmv.d fa0,fa1
lw a0,(s0)
add a0,a1,a0
add a0,x0,a1
add a0,a1,x0
slli a0,a0,0
la a0, 5
lui a0,1
li a3, 'a'
unimp
ebreak
neg a0,a0
li a0,0xffffffff
li a0,0xfffff800
beq a0,x0,x
and a0,a1,a0
and a1,a0,a1
lr.w.aq a0,(a1)
fence rw,w
jr 4(a0)
jr a0,4
jalr a0,4
jalr a1,a0,4
csrr a0,0x123
csrw fcsr,3
rdcycle a0
addiw a0,zero,1
nop
li zero,5
mv a0,zero
mv zero,a0
addi sp,sp,-16
addi sp,sp,32
addi a0,sp,16
addi a0,sp,0
mv a0,sp
addi x0,x0,0
addi a0,a0,0
slli zero,a0,3
c.slli zero, 9
slti zero,ra,9
c.add a0,a1
c.addi4spn a0,sp,16
ld a0,8(sp)
fld fa0,8(sp)
fsd fa0,8(a0)
lui a0,0xfffff
lui a0,0x1f
lui a0,0x20
lui sp,1
beqz a0,x
srli a0,a0,0
sw zero,0(sp)
subw a0,a0,a1
addw a0,a1,a0
add a0,a0,x0
c.mv a0,a1
addiw a0,a0,0
j x
bnez t0,x
bne zero,a0,x
li a0,31
li a0,32
li t0,-32
la a0,x
call x
tail x
sd a0,x,t0
ld a0,x
lui a0,%hi(x)
addi a0,a0,%lo(x)
andi a0,a0,-1
and a0,a0,5
jr ra
ret
mv zero,zero
add zero,zero,a0
li zero,0
addi zero,zero,1
add a0,a0,0
add a0,a1,0
add a0,zero,5
addw a0,a0,0
add sp,sp,0
add sp,sp,16
add sp,sp,64
add a0,sp,0
addw a0,zero,5
	li zero, 0x12345000
	li zero, 0x123456789
	# At the ends of branches' ranges.
back:	nop
	.zero 252
	beqz a0, back
	beqz a0, ahead
	.zero 252
ahead:	beqz a0, ahead2
	.zero 254
ahead2:	nop
	.option push
	.option norvc
near:	.zero 4096
	bne t0, t1, near
near2:	.zero 4100
	bne t0, t1, near2
	blt t0, t1, far
	.zero 4088
far:	blt t0, t1, far2
	.zero 4092
far2:	nop
	.option pop
	bnez t0, far3
	.zero 4094
far3:	bnez a0, far4
	.zero 4096
far4:	j far5
	.zero 2044
far5:	j far6
	.zero 2046
far6:	nop
# A label in the line of a .rept.
again:	.rept 2
	.rept 1
	addi a0, a0, 1
	.endr
	.endr
	j again
.data
.dcb 2,0x1234
.dcb.b 3,7
.dcb.w 2,-1
.dcb.l 2,0x12345678
.dcb.s 2,1.5
.dcb.d 2,-2.25
.ds 3
.ds.b 1
.ds.w 2
.ds.l 1
.ds.s 1
.ds.d 2
.ds.p 1
.ds.x 1
.dc 1,2
.string16 "ab", "c\n"
.string32 "ab"
.string64 "a"
.rep 2
.byte 1
.endr
.irep v,1,2
.byte \v
.endr
.irepc v,34
.byte \v
.endr
.if 0
.byte 8
.elsec
.byte 9
.endc
.text
.nop
.balign 4
.data
.byte 1
. = . + 3
here: .byte 2
.equ .,.+4
.byte 3
.set ., here + 20
.nop
.byte 4
.float nan, -nan, 0x10
.double nan, -nan, 0x10, 0x1.8
.float16 nan, -nan
.text
. = . + 4
