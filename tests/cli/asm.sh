#!/bin/bash
# `cyclops asm` and `cyclops FILE.s` from outside: programs run, here and under qemu-riscv64; errors
# are reported by line and column; source lines, symbols and breakpoints are those of the text.
. tests/lib.sh

run 0 asm -o "$dir/hello" tests/asm/hello.s
silent out
silent err
check "an executable" [ -x "$dir/hello" ]
run 0 run "$dir/hello"
check "ten times" [ "$(grep -c '^hello$' "$dir/out")" = 10 ]
cp "$dir/out" "$dir/ours"
command="qemu-riscv64 hello"
check "qemu says the same" cmp -s "$dir/ours" <(qemu-riscv64 "$dir/hello")

# A text in place of a program, with arguments: main's status is twice their number.
run 6 run tests/asm/main.s a b
export XDG_CACHE_HOME=$dir/cache
mkdir "$dir/cache"
run 6 run tests/asm/main.s a b
check "it is kept in the cache" [ -n "$(ls "$dir/cache/cyclops")" ]
printf '%s\n' list 'break hello.s:13' continue 'x/2i $pc' bt >"$dir/commands"
run 0 --batch -x "$dir/commands" tests/asm/hello.s
says out "=>9	_start:	li s0, TIMES"
says out "Breakpoint 1 at _start+0xe (hello.s:13)"
says out "ecall"
says out "_start+0xe at hello.s:13"
run 125 asm tests/asm/hello.s
says err "no terminal is there for commands"

# Two runs, the same bytes; without compressed instructions, words only.
run 0 asm -o "$dir/again" tests/asm/hello.s
check "the same bytes again" cmp -s "$dir/hello" "$dir/again"
run 0 asm -w -o "$dir/words" tests/asm/hello.s
check "words only" \
	[ "$(riscv64-linux-gnu-objdump -d "$dir/words" | awk '/^ / && length($2) == 4' | wc -l)" \
	= 0 ]

# All errors are reported at their places, and no file is written.
run 125 asm -o "$dir/none" tests/asm/wrong.s
check "nothing is written" [ ! -e "$dir/none" ]
silent out
says err "wrong.s:2:19: an operand is missing; expected add RD,RS1,RS2"
says err "wrong.s:3:15: 5000 does not fit; expected -2048 to 2047"
says err "wrong.s:4:11: 't9' is no integer register; expected zero, ra,"
says err "wrong.s:5:2: no instruction is called 'adi'; did you mean 'addi'?"
says err "wrong.s:6:9: a number that is known here is needed; 'later' is an address, or not defined yet"
says err "wrong.s:8:19: 'a2' is no floating-point register"
says err "wrong.s:10:2: no directive is called '.algin'; did you mean '.align'?"
says err "wrong.s:20:7: la is 2 instructions, and a prefix is of one: write them out"
says err "wrong.s:12:1: 'x' is defined in line 11 already"
says err "wrong.s:13:11: there is no label 3 before this"
says err "wrong.s:17:16: the string has no end"
says err "wrong.s:7:2: 'nowhere' is undefined; there is no library here"
says err "wrong.s does not assemble: 18 errors"

# A symbol may have a register's name: compilers use the names of variables.
printf '.data\nfp: .dword 7\n.text\nmain: lla a5,fp\nld a0,0(a5)\nli a7,93\necall\n' >"$dir/one.s"
run 7 run "$dir/one.s"

# wrong TEXT MESSAGE
wrong() {
	printf '%b' "$1" >"$dir/one.s"
	run 125 asm -o "$dir/none" "$dir/one.s"
	says err "$2"
}
wrong 'j hree\nhere: nop\n' "one.s:1:1: 'hree' is undefined; did you mean 'here'"
wrong 'j nowhere\n' "'nowhere' is undefined; there is no library here"
wrong '.bss\nadd a0,a0,a0\n' "one.s:2:1: an instruction in .bss; expected .text before this"
wrong '.data\nword 4\n' "no instruction is called 'word'; this is data, whose directives begin with a dot"
wrong '.data\n.word 1\n' "there are no instructions"
wrong '/* no end\nnop\n' "one.s:1:1: the comment that begins here has no end"
wrong 'x: jal t9, x\n' "one.s:1:8: 't9' is no integer register"
wrong 'add a0, a1, a2, a3\n' "one.s:1:1: this is one operand too many; expected add RD,RS1,RS2"
wrong '.rept 100000000\n.endr\nnop\n' "more than 1048576 statements"
wrong 'nop\n.rept 3\nnop\n' ".rept without .endr"
wrong '.zero 1000000000000\n' "the program is larger than 64 MB"
wrong '.rept 100000000\nnop\n.endr\n' "more than 1048576 statements"
wrong 'a = b\nb = a\n.data\n.dword a\n.text\nnop\n' "is defined by itself"
wrong 'beqz a0, 1f\n.zero 10000000\n1: nop\n' "the target is more than 1 MB away"
wrong 'nop\0nop\n' "the text holds zeros"
wrong '.option norvc\nc.nop\n' "one.s:2:1: compressed instructions are not allowed here"
wrong 'lw a0, 3(a1\n' "expected OFFSET(REGISTER), as in 8(sp)"
wrong 'x: .rept 3\n' "1:4: .rept without .endr"
wrong 'x: .endr\n' "this ends no block; expected .rept, .irp or .macro before it"
wrong '.macro m x:req\nnop\n.endm\nm\n' "one.s:4:1: m needs x"
wrong '.macro m x\nnop\n.endm\nm 1,2\n' "one.s:4:5: m takes 1 argument"
wrong '.macro m\nm\n.endm\nm\n' "macros nested too deep; at most 64"
wrong '.macro m\n.rept 9\nm\nm\n.endr\n.endm\nm\n' "nested too deep"
wrong '.macro m\nfoo\n.endm\n\nm\n' "one.s:5:1: no instruction is called 'foo'"
wrong 'nop\n.if 1\nnop\n' "one.s:2:1: .if without .endif"
wrong '.else\n' ".else without .if"
wrong '.macro m\nnop\n' ".macro without .endm"
wrong '.error "not here"\n' "one.s:1:1: not here"
wrong 'nop\n.popsection\n' ".popsection without .pushsection"
wrong 'la.tls.ie a0, 4(a1)\n' "is too much here"
wrong '#define N 5\nli a0, N\n' "one.s:1:1: #define is a comment in a .s file"
wrong '.include "x"\n' "No such file or directory"
wrong 'nop\nnop\n. = 2\n' "2 has passed"
wrong '.rept 30\nadd a0\n.endr\n' "20 errors, and more after them"

# Profile instructions, as the disassembler prints them, with 2 bytes where possible.
printf '_start: pushpf 0\npi.3 addi a0,a0,1\nsetpf 2\npushpf all\npoppf all\nmark\npblen 8\nresetpf 2\nli a7,93\necall\n' >"$dir/profile.s"
run 0 asm -o "$dir/profile" "$dir/profile.s"
printf 'x/8i $pc\n' >"$dir/commands"
run 0 --batch -c vaswani2003 -x "$dir/commands" "$dir/profile"
for text in "pushpf 0" "pi.3" "setpf 2" "pushpf all" "poppf all" "mark" "pblen 8"; do
	says out "$text"
done

run 125 asm
says err "no file given"
run 125 asm -o "$dir/x" /nowhere.s
says err "/nowhere.s: No such file"
run 125 asm "$dir/hello"
says err "the name of an assembly file ends in .s"
run 125 asm -w tests/asm/hello.s
says err "-w goes with -o"
run 0 asm --help
says out "Assembles RISC-V assembly"
finish
