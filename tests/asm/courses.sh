#!/bin/bash
# Programs for the simulators of courses, RARS, Ripes and Venus, which the text reveals: their
# services, directives and addresses; and texts that end without an exit.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh

# program TEXT: the file that `runs` runs
program() { printf '%b' "$1" >"$dir/p.s"; }
# runs STATUS TEXT INPUT OPTION...: with this output, exactly
runs() {
	local status=$1 text=$2
	printf '%b' "$3" >"$dir/input"
	shift 3
	stdin=$dir/input run "$status" run "$@" "$dir/p.s"
	printf '%b' "$text" >"$dir/expected"
	check "output should be '$text'" cmp -s "$dir/out" "$dir/expected"
}

# Every service of RARS that prints.
program '.data\nm: .asciz "text\\n"\nf: .float 1.5, 100000000, -0.1\nd: .double 3.141592653589793
.text
main: la a0, m\nli a7, 4\necall
li a0, -42\nli a7, 1\necall\nli a0, 10\nli a7, 11\necall
li a0, 0xfffffffe\nli a7, 36\necall\nli a0, 10\nli a7, 11\necall
li a0, 255\nli a7, 34\necall\nli a7, 35\nli a0, 5\necall\nli a0, 10\nli a7, 11\necall
la t0, f\nflw fa0, 0(t0)\nli a7, 2\necall\nli a0, 32\nli a7, 11\necall
flw fa0, 4(t0)\nli a7, 2\necall\nli a0, 32\nli a7, 11\necall
flw fa0, 8(t0)\nli a7, 2\necall\nli a0, 32\nli a7, 11\necall
la t0, d\nfld fa0, 0(t0)\nli a7, 3\necall
li a0, 7\nli a7, 93\necall\n'
runs 7 'text\n-42\n4294967294\n0x000000ff0b00000000000000000000000000000101\n1.5 1.0E8 -0.1 3.141592653589793' ''
says err "cyclops: a7=4 with a string: taken as RARS, on registers of 32 bits; to change: --abi linux, -o isa=all"
run 7 run --abi rars --functional "$dir/p.s"
check "without a guess, none is reported" [ "$(grep -c taken "$dir/err")" = 0 ]

# Input: a line at a time, invalid numbers, the end.
program '.data\nb: .space 20\n.text\nmain: li a7, 5\necall\nmv s0, a0\nli a7, 5\necall\nadd a0, a0, s0
li a7, 1\necall\nla a0, b\nli a1, 4\nli a7, 8\necall\nla a0, b\nli a7, 4\necall
li a7, 12\necall\nli a7, 11\necall\nli a7, 7\necall\nli a7, 3\necall\nli a7, 5\necall
li a7, 10\necall\n'
runs 0 '42abc!0.25' '40\n2\nabc!0.25\n'
says err "read_int: the input has ended: 0"
for line in x '' 2147483648 '1 2'; do
	runs 1 '' "$line\n2\nabc!2\n"
	says err "read_int: '$line' is no number; the program ends, as in RARS"
done
runs 1 '44abc!' '42\n2\nabc!x\n'
says err "read_double: 'x' is no number; the program ends, as in RARS"
runs 0 '2abc!2.0' 'x\n2\nabc!2\n' --abi ripes
says err "read_int: 'x' is no number"

# Memory, time, random numbers: equal in two runs.
program '.text\nmain: li a0, 16\nli a7, 9\necall\nsw a0, 0(a0)\nlw a1, 0(a0)\nsub a0, a0, a1\nli a7, 1\necall
li a7, 9\nli a0, 0\necall\nli a7, 34\necall
li a0, 0\nli a1, 100\nli a7, 42\necall\nli t0, 100\nbgeu a0, t0, 1f\nli a0, 5\nli a7, 1\necall\n1: li a7, 30\necall
li a7, 41\necall\nli a7, 1\necall\nli a7, 10\necall\n'
run 0 run "$dir/p.s"
check "0, the heap's address, 5" grep -q '^00x100400105' "$dir/out"
cp "$dir/out" "$dir/before"
run 0 run "$dir/p.s"
check "the same numbers again" cmp -s "$dir/out" "$dir/before"

# Its directives: words, macros with labels and strings of their own, no commas, addresses.
program '.eqv PRINT 1\n.eqv COUNT s0\n.macro show(%x)\nli a0 %x\nli a7 PRINT\necall\n.end_macro
.macro text %s\n.data\nt: .asciiz %s\n.text\nla a0, t\nli a7, 4\necall\n.end_macro
.data\nn: .word 3 5, 7\nz: .byte 1:4\nw: .half 9\n.text\n.globl main\nother: li a0, 1\nli a7, 93\necall
main: li COUNT 2\nloop: show(COUNT_IS)\ntext("-")\naddi COUNT COUNT -1\nbnez COUNT loop
la t0 n\nlw a0 4(t0)\nli a7 PRINT\necall\nlb a0 13(t0)\nli a7 1\necall\nlh a0 16(t0)\necall
lw t1 4 t0\nsw t1 0 t0\nandi t1 t1 0xfffffff0\nbnez t1 main
la a0 n\nli a7 34\necall\nmv a0 sp\necall\nmv a0 gp\necall\nret\n'
sed -i 's/COUNT_IS/6/' "$dir/p.s"
runs 0 '6-6-5190x100100000x7fffeff00x10008000' ''
says err "taken as RARS"

# Venus, whose number is in a0; Ripes, by name. 0xffffffff is -1.
program '.data\nm: .asciiz "hi "\n.text\nmain: la a1, m\naddi a0, x0, 4\necall\nli a0, 1\nli a1, 0xffffffff
bltz a1, 1f\nli a1, 0\n1: ecall\nli a0, 17\nli a1, 3\necall\n'
runs 3 'hi -1' ''
says err "a0=4 with a string: taken as Venus"
program 'main: la a0, m\nli a7, 4\necall\nli a7, 10\necall\n.data\nm: .string "LED"\n'
runs 0 'LED' '' --abi ripes
run 0 --batch --abi ripes -e 'p/x &m' -e 'info registers sp' "$dir/p.s"
says out "0x10000000"

# A float to print is in a0 in Ripes, which the text shows.
program 'li a0, 0x40490FDB\nli a7, 2\necall\nli a7, 10\necall\n'
runs 0 '3.14159' ''
says err "a7=2 at an ecall: taken as Ripes"

# Services that need a window, and unknown ones; RARS's getcwd leaves a0.
program 'main: li a0, 3\nli a7, 51\necall\nli a7, 1\necall\nli a7, 100\necall\nli a7, 1\necall\n'
runs 1 '3' ''
says err "service 51 of RARS, InputDialogInt, does nothing here: read_int (5) reads"
says err "rars has no service 100: the program ends, as in RARS"
runs 0 '33' '' --abi ripes
says err "ripes has no service 100: nothing happens"
program '.data\nb: .space 500\n.text\nmain: la a0, b\nli a1, 500\nli a7, 17\necall\nla t0, b
sub a0, a0, t0\nlb a1, 0(t0)\nadd a0, a0, a1\nli a7, 1\necall\nli a1, 1\nli a7, 17\necall\nli a7, 1\necall\nli a7, 10\necall\n'
runs 0 '47-1' ''

# Offsets that count instructions, a library alone, code in data, absolute addresses.
program '.globl main\nmain: la t0, f\njalr t0, t0, 8\nf: j f\nj f\nli a0, 0\nli a7, 93\necall\n'
run 124 run --max-insts 9 "$dir/p.s"
says err "p.s:3: 8 counts bytes, and instructions have 2 or 4 here; with .option norvc all have 4"
program '.globl put\nput: li a7, 93\necall\n'
run 0 run "$dir/p.s"
says err "no _start and no main: the program begins with its first instruction, at put"
program '.globl main\nmain: la t0, d\njr t0\n.data\nd: .word 0\n'
run 139 run "$dir/p.s"
says err "data is there, which is not executed unless"
program '.globl main\nmain: lw t0, 0x400(x0)\n'
run 139 run "$dir/p.s"
says err "an absolute address, and a program's memory is not at 0 here, as in QtRVSim"

# An unknown service, and the end of the text.
program 'main: li a0, 3\nli a7, 31\necall\nli a7, 1\necall\n'
runs 0 '3' ''
says err "service 31 of RARS, MidiOut, does nothing here: there is no sound here"
says err "the program ran past its last instruction, at main (p.s:5); it needs exit: li a7,10; ecall"
program 'main: li t0, 5\nloop: addi t0, t0, -1\nbnez t0, loop\n'
run 132 run "$dir/p.s"
says err "cyclops: the program ran past its last instruction, at loop (p.s:3); it needs exit: li a7,93; ecall (SIGILL)"
program '_start: li t0, 5\nloop: addi t0, t0, -1\nbnez t0, loop\n'
run 132 run "$dir/p.s"
says err "cyclops: the program ran past its last instruction, at loop (p.s:3); it needs exit: li a7,93; ecall (SIGILL)"

run 0 --batch -e continue -e 'info program' -e why "$dir/p.s"
says out "The program ran past its last instruction, at loop (p.s:3); it needs exit: li a7,93; ecall (SIGILL), cycle"
says out "faulted: ran past its last instruction, at loop"
says out "illegal instruction: the program ran past its last instruction, at loop"

# A .S file is assembled here if it is a simulator's, or nothing could call it.
takes() # why text: a file p.S is assembled here, for this reason
{
	printf '%b' "$2" >"$dir/p.S"
	run 0 run "$dir/p.S"
	says err "p.S: $1: assembled by Cyclops; --cc"
}
takes '#pragma qtrvsim' '#pragma qtrvsim show registers\n_start: li a0, -1\nsrli a0, a0, 31\naddi a0, a0, -1\nbnez a0, x\nli a7, 93\necall\n.org 0x40\nx: j x\n'
says err "#pragma qtrvsim, and no instruction of 64 bits: taken as RV32"
takes 'a7=1 with a number' 'main: li a0, 3\nli a7, 1\necall\nli a7, 10\necall\n'
takes 'neither main nor _start' 'f: li a0, 0\nli a7, 93\necall\n'
printf '%b' '#define EXIT 93\n.globl _start\n_start: li a0, 0xfffff800\nli a0, 0\nli a7, EXIT\necall\n' >"$dir/p.S"
run 0 run "$dir/p.S"
says err "p.S: 0xfffff800, and no instruction of 64 bits: compiled for RV64; for RV32: --cc"

# Exception handlers of RARS, and its order of operands: csrw REGISTER,CSR.
program 'main: li t0, 5\ncsrw t0, fflags\ncsrr a0, fflags\nli a7, 1\necall\nli a7, 10\necall\n'
runs 0 '5' ''
for line in 'csrw t0, utvec' 'csrrsi zero, ustatus, 1' 'csrrw zero, 65, t0' uret; do
	program "main: $line\\nli a7, 10\\necall\\n"
	run 132 run "$dir/p.s"
	says err "user-mode traps (extension N), which RARS has and this machine has not"
	run 132 run -o isa=all "$dir/p.s"
	says err "user-mode traps (extension N)"
	check "no advice that does not help" [ "$(grep -c march "$dir/err")" = 0 ]
done

# Linux programs are recognised as such.
program '.data\nm: .ascii "ok\\n"\n.text\n_start: li a0, 1\nla a1, m\nli a2, 3\nli a7, 64\necall\nli a0, 0\nli a7, 93\necall\n'
runs 0 'ok\n' ''
silent err
run 125 run --abi mips "$dir/p.s"
says err "--abi mips: expected linux, htif, rars, ripes or venus"

# Several files are one program; each sees its own labels, and .globl labels of the others.
cat >"$dir/one.s" <<'END'
	.globl main, shared
main:	addi sp, sp, -16
	sd ra, 8(sp)
	la a0, table
	call twice
1:	bnez zero, 1b
loop:	ld ra, 8(sp)
	addi sp, sp, 16
	ret
	.data
table:	.word 3
shared:	.word 30
END
cat >"$dir/two.s" <<'END'
	.globl twice
	.data
table:	.word 100
	.text
twice:	lw a0, 0(a0)
1:	add a0, a0, a0
loop:	bnez zero, loop
	la t0, shared
	lw t1, 0(t0)
	add a0, a0, t1
	ret
END
run 36 run "$dir/one.s" "$dir/two.s"
run 36 run "$dir/two.s" "$dir/one.s" argument
echo 'local m = cyclops.machine{ program = arg[1], args = { arg[2], "x" } } m:run() print(m.exit_status)' \
	>"$dir/two.lua"
run 0 lua "$dir/two.lua" "$dir/one.s" "$dir/two.s"
says out 36
run 0 asm -o "$dir/both" "$dir/one.s" "$dir/two.s"
command="qemu-riscv64 of both files"
check "qemu ends it with 36, too" sh -c "qemu-riscv64 $dir/both; [ \$? = 36 ]"
run 0 --batch -e 'break twice' -e continue -e bt "$dir/one.s" "$dir/two.s"
says out "twice at two.s:5"
says out "main+0x"
says out "at one.s:5"
echo 'main: call nowhere' >"$dir/three.s"
run 125 run "$dir/one.s" "$dir/three.s"
says err "three.s:1:7: 'nowhere' is undefined"
says err "one.s:5:2: 'twice' is undefined"
run 125 asm -o "$dir/none" "$dir/one.s" "$dir/one.s"
says err "one.s:2:1: 'main' is defined in $dir/one.s, line 2, already"
run 125 compare default classic5 -- "$dir/one.s" "$dir/two.s"
says err "makes one program of several"
# A global definition takes the place of weak and common ones, in their own text, too.
printf '.globl main\n.weak f\nf: li a0,1\nret\nmain: mv s0,ra\ncall f\nla t0,n\nlw t1,0(t0)\nadd a0,a0,t1\nla t0,m\nlw t1,4(t0)\nadd a0,a0,t1\njr s0\n.comm n,4,4\n.comm m,4,4\n' \
	>"$dir/weak.s"
printf '.globl f,n\nf: li a0,2\nla t0,m\nli t1,16\nsw t1,4(t0)\nret\n.comm m,8,4\n.data\nn: .word 40\n' \
	>"$dir/strong.s"
run 58 run "$dir/weak.s" "$dir/strong.s"
run 58 run "$dir/strong.s" "$dir/weak.s"
run 0 asm -o "$dir/both" "$dir/weak.s" "$dir/strong.s"
command="qemu-riscv64 of both files"
check "qemu ends it with 58, too" sh -c "qemu-riscv64 $dir/both; [ \$? = 58 ]"
echo 'twice: ret' >"$dir/local.s"
run 125 run "$dir/one.s" "$dir/local.s"
says err "'twice' is undefined here: it is local to $dir/local.s; expected .globl twice there"

# Back and forth over input and output.
program 'main: li a7, 5\necall\nmv s0, a0\nli a7, 1\necall\nli a7, 5\necall\nadd a0, a0, s0\nli a7, 1\necall\nli a7, 10\necall\n'
printf '30\n12\n' >"$dir/input"
run 0 --batch --stdin "$dir/input" -e continue -e 'reverse-step 200' -e continue -e 'goto 0' \
	-e continue -e 'view output' "$dir/p.s"
says out "3042"
check "and no more" [ "$(grep -c 304230 "$dir/out")" = 0 ]

# Additions of editors and other simulators to a text, and their devices.
program '\xef\xbb\xbf_start: la t0, x\nlw a0 (t0)\nb end\nli a0, 1\nend: li a7, 93\necall\n.data\nx: .word 7\n'
run 7 run "$dir/p.s"
cp "$dir/p.s" "$dir/p.asm"
run 7 run "$dir/p.asm"
printf '.globl _start\n_start:\n#define SEVEN 7\nli a0, SEVEN\nli a7, 93\necall\n' >"$dir/p.S"
XDG_CACHE_HOME=$dir run 7 run "$dir/p.S"
# A defined word as a macro's argument, and words in its body.
program '.eqv FOUR 4\n.eqv N s0\n.eqv EXIT 93\n.macro leave(%v)\nli N, FOUR\nadd a0, N, %v\nli a7, EXIT\necall\n.end_macro
.text\nmain: leave(N)\n'
run 8 run "$dir/p.s"
program '.text\n_start: ld a0, 0(sp)\nli a0, 1\nli a7, 1\necall\nli a7, 10\necall\n'
run 0 run "$dir/p.s"
says err 'taken as RARS, on registers of 64 bits; to change: --abi linux, -o isa=rv32gc'
# A sum that exceeds 32 bits, and its carry.
program '.text\nmain: li a0, -1\nli a1, 1\nadd a2, a0, a1\nsltu a0, a2, a1\nli t0, 0x7fffffff\nadd t0, t0, t0\nsrai t0, t0, 31\nadd a0, a0, t0\nli a7, 1\necall\nli a7, 10\necall\n'
runs 0 '0' ''
runs 0 '2' '' -o isa=all
(
	cd "$dir" || exit
	mkdir -p in/low && printf abcdef >in/low/bytes && printf x >outside && cd in || exit
	ln -s ../outside link
	printf '.globl _start\n_start: la a1,b\nli a0,1\nli a2,5\nli a7,64\necall\nli a0,0\nli a7,93\necall\n.data\nb: .incbin "low/bytes",2,3\n.incbin "low/bytes",4\n' >i.s
	run 0 run i.s
	check "the bytes" [ "$(cat "$dir/out")" = cdeef ]
	for rest in ,7 ,3,4; do
		printf '_start: nop\n.incbin "low/bytes"%s\n' "$rest" >i.s
		run 125 run i.s
		says err 'i.s:2:9: expected SKIP and COUNT within 6 bytes'
	done
	for name in ../outside link "$dir/outside"; do
		printf '_start: nop\n.incbin "%s"\n' "$name" >i.s
		run 125 run i.s
		says err 'lies outside of the present folder'
	done
	echo "$passed $failed" >"$dir/counts"
)
read -r passed failed <"$dir/counts"
# .include: macros, words, labels and services of the file are this text's; messages and lines name
# the file, which is looked up beside the including one.
mkdir -p "$dir/a/low"
printf '.include "defs.s"\n.globl main\nmain: show ANSWER\ncall helper\nli a7, 10\necall\n.include "low/more.s"\n' >"$dir/a/m.s"
printf '.eqv ANSWER 42\n.macro show(%%x)\nli a0, %%x\nli a7, 1\necall\n.end_macro\n' >"$dir/a/defs.s"
printf '.include "deep.s"\nhelper: li a7, 11\nla t0, text\nlb a0, 0(t0)\necall\nret\n' >"$dir/a/low/more.s"
printf '.data\ntext: .asciz "!"\n.text\n' >"$dir/a/low/deep.s"
run 0 run "$dir/a/m.s"
check "both files' code" [ "$(cat "$dir/out")" = '42!' ]
says err 'taken as RARS'
run 0 --batch -e 'break helper' -e continue "$dir/a/m.s"
says out 'helper at more.s:2'
printf 'main: nop\n.include "bad.s"\n.include "../out"\n.include "none.s"\n.include x\n' >"$dir/a/m.s"
printf 'x: adi a0, a0, 1\ncall nowhere\n' >"$dir/a/bad.s"
run 125 run "$dir/a/m.s"
says err "a/bad.s:1:4: no instruction is called 'adi'"
says err "m.s:3:10: $dir/a/../out lies outside of the present folder and of the including file's"
says err "m.s:4:10: $dir/a/none.s: No such file"
says err 'm.s:5:1: expected .include "FILE"'
echo '.include "m.s"' >"$dir/a/m.s"
run 125 run "$dir/a/m.s"
says err "m.s:1:10: files include each other 16 deep: m.s includes itself"
program '.text\nmain: li $v0, 10\nsyscall\n'
run 125 run "$dir/p.s"
says err "p.s:2:1: this is assembly of MIPS"
says err "does not assemble: 1 error"
program '.text\nmain: li t0, 0xffff0000\nlw t1, 0(t0)\nli a7, 10\necall\n'
run 139 run --abi rars "$dir/p.s"
says err "simulators of courses have devices there (RARS: keyboard, display, timer)"
program '.text\nmain: .insn b BRANCH, 1, a0, a1, 8\nli a7, 10\necall\n.insn r OP, 0, 128, a0, a1, a2\n.insn i OP_IMM, 0, a0\n'
run 125 run "$dir/p.s"
says err "p.s:5:"
says err "expected a number of 7 bits"
says err "the format 'i' has other operands"
# Instructions of simulators have 4 bytes: jalr over two of them.
program '.globl main\n.text\nmain: la t0, f\njalr t0, t0, 8\nf: j bad\nj bad\nli a0, 5\nli a7, 1\necall
li a7, 10\necall\nbad: li a7, 10\necall\n'
runs 0 5 ''

# RV32 by a number that is negative in 32 bits only, as an immediate too; 64 bits by an instruction.
program '.text\nmain: li x1, 0xffffffff\naddi x1, x1, 0xfffff801\nli x2, 0xfffff800\nli a0, 1
beq x1, x2, 1f\nli a0, 2\n1: li a7, 93\necall\n'
run 1 run --functional "$dir/p.s"
says err "cyclops: 0xffffffff, and no instruction of 64 bits: taken as RV32; to change: -o isa=all"
run 125 run --functional -o isa=all "$dir/p.s"
says err "does not fit"
program '.text\nmain: li x1, 0xffffffff\nsd x1, -8(sp)\nsrai a0, x1, 31\nli a7, 93\necall # 0xffffffff\n'
run 1 run --functional "$dir/p.s"
check "64 bits without a word" [ "$(grep -c taken "$dir/err")" = 0 ]
program '.text\nmain: li a0, 0x7fffffff # 0x80000000\nli a7, 93\necall\n.data\n.word 0x80000000\n'
run 255 run --functional "$dir/p.s"
check "data and comments are no reason" [ "$(grep -c taken "$dir/err")" = 0 ]

# Code points of RARS, devices by name and by address, interrupts of user mode.
program '.data\ns: .string "\\u0041\\u00e9\\u2605"\n.text\nmain: la a0, s\nli a7, 4\necall\nli a7, 10\necall\n'
runs 0 'A\0303\0251\0342\0230\0205' ''
program '.data\ns: .string "\\u26g5"\n'
run 125 run "$dir/p.s"
says err 'expected four hexadecimal digits after \u'
program '.text\nmain: li a0, LED_MATRIX_0_BASE\n'
run 125 run "$dir/p.s"
says err "'LED_MATRIX_0_BASE' is a device of Ripes (LEDs, switches, buttons); this machine has none"
program '.text\nmain: li a0, 0xffffc008\nlw a1, 0(a0)\n'
run 139 run --functional "$dir/p.s"
says err "QtRVSim: serial port, LEDs, display"
program '.text\nmain: csrw 5, t0\n'
run 132 run --functional "$dir/p.s"
says err "user-mode traps (extension N), which RARS has and this machine has not"
finish
