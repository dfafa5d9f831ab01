#!/bin/bash
# Bare-metal programs: M-mode's registers and exceptions, exit and output through `tohost` (HTIF),
# without timing and in pipelines, forwards and backwards; and messages for missing parts.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
own=build/tests/bare

printf '%s\n' characters 'a call' 'ecall cause b value 0 M' 'illegal cause 2 value ffffffff M' \
	'load cause 5 value 1004 M' 'store cause 7 value 100c M' 'lr cause 4 value 12 M' \
	'amo cause 6 value 12 M' 'ebreak cause 3 value 0 M' 'csr cause 2 value c0001073 M' \
	'fetch cause 1 value 3000 M' 'mstatus cause 2 value 0 U' 'ecall cause 8 value 0 U' \
	>"$dir/exceptions"
misa64=800000000010112f misa32=4010112d
for bits in 64 32; do
	misa=misa$bits
	{ cat "$dir/exceptions" && echo "${!misa}"; } >"$dir/expected"
	for options in --functional '' '-c classic5' '-c wide6' '-c inorder2'; do
		# shellcheck disable=SC2086
		run 41 run $options $own/rv$bits
		check "rv$bits $options: output" diff "$dir/out" "$dir/expected"
		says err 'a symbol `tohost`: taken as bare metal (HTIF), in M-mode'
	done
done

# The past is the same, and its output is not printed twice.
run 0 --batch -e continue -e 'print sim.cycles' -e 'goto 700' -e continue -e 'print sim.cycles' \
	-e 'reverse-continue' -e 'print $mepc' -e 'print $pc' $own/rv64
check "once" [ "$(grep -c '^lr cause 4' "$dir/out")" = 1 ]
check "two ends in one cycle" [ "$(grep '^sim.cycles = ' "$dir/out" | sort | uniq -d | wc -l)" = 1 ]

# A text of the built-in assembler, by its label; a word is stored in two halves, in either order.
text() { printf '%b' "$1" >"$dir/p.s"; }
host='.data\n.balign 64\ntohost: .dword 0\nfromhost: .dword 0\n'
text ".attribute arch,\"rv32gc\"\n.globl _start\n_start: la s0,tohost\nli t1,0x01010000
li t0,'h'\nsw t0,0(s0)\nsw t1,4(s0)\nli t0,'i'\nsw t1,4(s0)\nsw t0,0(s0)
li t0,11\nsw zero,4(s0)\nsw t0,0(s0)\n1: j 1b\n$host"
for options in --functional ''; do
	# shellcheck disable=SC2086
	run 5 run $options "$dir/p.s"
	check "hi, in halves" [ "$(cat "$dir/out")" = hi ]
done
says err 'a label tohost: taken as bare metal (HTIF), on registers of 32 bits'

text ".globl _start\n_start: la s0,tohost\nli t0,7\n1: sw t0,0(s0)\nj 1b\n$host"
run 3 run "$dir/p.s"
# The low word alone, stored once.
for arch in rv32gc rv64gc; do
	text ".attribute arch,\"$arch\"\n.globl _start\n_start: la s0,tohost\nli t0,7\nsw t0,0(s0)\n1: j 1b\n$host"
	for options in --functional ''; do
		# shellcheck disable=SC2086
		run 3 run $options --max-insts 1000 "$dir/p.s"
	done
done
text ".globl _start\n_start: la s0,tohost\nli t0,0x201\nsd t0,0(s0)\n$host"
run 255 run "$dir/p.s"

# No handler; a handler that traps itself; waiting for an interrupt; a debugger's calls.
text ".globl _start\n_start: .word 0xffffffff\n$host"
run 132 run "$dir/p.s"
says err 'illegal instruction'
text ".globl _start\n_start: li a7,64\necall\n$host"
run 132 run "$dir/p.s"
says err 'of a bare-metal program, and mtvec names no handler; --abi linux'
text ".globl _start\n_start: la t0,h\ncsrw mtvec,t0\nld t1,0(zero)\n.balign 4\nh: .word 0xffffffff\n$host"
run 132 run "$dir/p.s"
text ".globl _start\n_start: wfi\n$host"
run 134 run "$dir/p.s"
says err 'wait for an interrupt that nothing can raise'
semihosting='.option norvc\nli a0,4\nslli x0,x0,31\nebreak\nsrai x0,x0,7\n'
text ".globl _start\n_start: $semihosting$host"
run 133 run "$dir/p.s"
says err 'a semihosting call (4 in a0), which a debugger would answer'
text ".globl _start\n_start: la t0,h\ncsrw mtvec,t0\n$semihosting.balign 4\nh: la s0,tohost\nli t0,1\nsd t0,0(s0)\n$host"
run 0 run "$dir/p.s"
says err 'semihosting call 4 in a0: no debugger answers it'
text ".globl _start\n_start: $semihosting"
run 133 run "$dir/p.s"
says err 'a semihosting call (4 in a0)'

# Unknown services of HTIF, and the needs of bare metal.
text ".globl _start\n_start: la s0,tohost\nli t0,0x0200000000000005\nsd t0,0(s0)\nli t0,1\nsd t0,0(s0)\n$host"
run 0 run "$dir/p.s"
says err 'device 2, command 0 is not served'
# Registers and devices that other machines have: mtvec's handler counts them.
text ".globl _start\n_start: la t0,h\ncsrw mtvec,t0\nli s1,0\ncsrw 0x7a0,zero\ncsrr a0,0x3b1\nli t1,0x10000000
.option norvc\nsb a0,0(t1)\nla s0,tohost\nli t0,0x0100000000000000\nsd t0,0(s0)
slli s1,s1,1\nori s1,s1,1\nsd s1,0(s0)\n.balign 4\nh: addi s1,s1,1\ncsrr t0,mepc\naddi t0,t0,4\ncsrw mepc,t0\nmret\n$host"
run 3 run "$dir/p.s"
says err 'register 0x7a0, accessed at 0x'
says err 'this machine has no debug triggers; mtvec'
says err 'no protection of memory (PMP) beyond pmpcfg0 and pmpaddr0, which are 0'
says err '0x10000000 is the serial port of boards'
says err 'a character of input (device 1, command 0) is not served'
text '.globl _start\n_start: li t0,0x10000000\nsb zero,0(t0)\n'
run 139 run "$dir/p.s"
says err 'boards have a timer (CLINT) or a serial port there'
text '.globl _start\n_start: csrr a0,mhartid\nli a7,93\necall\n'
run 132 run "$dir/p.s"
says err 'a bare-metal program with a variable `tohost` runs in M-mode: --abi htif'
run 125 run --abi htif "$dir/p.s"
says err 'needs the symbol `tohost`, of 8 bytes at a multiple of 8, to print and to end; there is none'
run 125 run --firmware build/demos/firmware/tick.elf $own/rv64
says err 'a bare-metal program has M-mode itself'
run 132 run --abi linux $own/rv64
run 0 --batch -e 'print $mtvec' -e 'info registers mcause' $own/rv64

# A checkpoint keeps mode and handler.
run 0 --batch -e 'break print_exception' -e continue -e "save $dir/point" $own/rv64
run 41 run --restore "$dir/point" $own/rv64
check "the rest of the output" [ "$(head -n 1 "$dir/out")" = 'ecall cause b value 0 M' ]
finish
