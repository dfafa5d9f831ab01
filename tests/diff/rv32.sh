#!/bin/bash
# Programs of 32 bits, against qemu-riscv32: random ones, assembled here as GNU as does, and a C
# program built for several RV32s; without timing and in three pipelines. Their registers are shown
# with 32 bits, gdb debugs them, and missing features are refused with a reason.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
machines=('' '-c classic5' '-o pipe.rob_size=200 -o pipe.issue_width=8 -o lsq.speculate=true -o bpred.kind=gshare -o l1d.size=4096')

# compared NAME STATUS WORDS...: as under qemu, everywhere.
compared() {
	local name=$1 options
	qemu-riscv32 "$dir/$name" "${@:3}" >"$dir/right"
	check "$name: qemu's status" [ $? = "$2" ]
	run "$2" run --functional "$dir/$name" "${@:3}"
	check "$name without timing differs from qemu" cmp "$dir/right" "$dir/out"
	for options in "${machines[@]}"; do
		# shellcheck disable=SC2086
		run "$2" run $options "$dir/$name" "${@:3}"
		check "$name, $options, differs from qemu" cmp "$dir/right" "$dir/out"
	done
}

code() {
	riscv64-linux-gnu-objcopy -O binary -j .text "$1" "$2"
}

for seed in 1 2 3 4 5 6; do
	python3 tests/diff/rv32/generate.py $seed >"$dir/random.s"
	run 0 asm --isa rv32gc -o "$dir/random" "$dir/random.s"
	riscv64-linux-gnu-as -march=rv32gc -mabi=ilp32d -mno-relax -o "$dir/random.o" \
		"$dir/random.s"
	riscv64-linux-gnu-ld -melf32lriscv --no-relax -Ttext=0x10000 \
		-Tdata="0x$(riscv64-linux-gnu-nm "$dir/random" | sed -n 's/ . memory$//p')" \
		-o "$dir/linked" "$dir/random.o" 2>"$dir/err"
	code "$dir/linked" "$dir/linked.bin"
	code "$dir/random" "$dir/random.bin"
	check "random $seed: code as GNU as has it" cmp "$dir/linked.bin" "$dir/random.bin"
	compared random 7
done

for arch in 'rv32imac -mabi=ilp32' 'rv32ima -mabi=ilp32' 'rv32gc -mabi=ilp32d'; do
	for level in -O0 -O2; do
		# shellcheck disable=SC2086
		check "program, $arch $level: compiled" riscv64-linux-gnu-gcc -march=$arch $level \
			-g -nostdlib -static -ffreestanding -fno-pie -no-pie -o "$dir/program" \
			tests/diff/rv32/program.c
		compared program 7 word
	done
done

# Expressions: pointers, long and registers have 4 bytes.
cat >"$dir/list.c" <<'END'
struct node { struct node *next; long value; char *name; };
static struct node c = {0, 3, "c"}, b = {&c, 2, "b"}, a = {&b, -1, "a"};
struct node *head = &a;
int walk(struct node *n) { int s = 0; for (; n; n = n->next) s += n->value; return s; }
void _start(void)
{
	int r = walk(head);
	__asm__ volatile("mv a0,%0; li a7,93; ecall" :: "r"(r) : "a0","a7");
}
END
riscv64-linux-gnu-gcc -march=rv32gc -mabi=ilp32d -O0 -g -nostdlib -static -ffreestanding -fno-pie \
	-no-pie -Wl,--no-relax,--no-warn-rwx-segments -o "$dir/list" "$dir/list.c"
run 0 --batch -e 'break walk' -e continue -e 'print sizeof(long) * 100 + sizeof(struct node)' \
	-e 'print head->next->next->value' -e 'print/x head->value' -e 'print n == head' \
	-e 'print *(long *)head == (long)head->next' -e 'set $a0 = -1' -e 'print/x $a0' \
	-e 'print $a0' -e 'print/x a0' -e 'print head->next->name' "$dir/list"
for value in '$1 = 412' '$2 = 3' '$3 = 0xffffffff' '$4 = 1' '$5 = 1' '$6 = 0xffffffff' '$7 = -1' \
	'a0 = 0xffffffff' '$9 = 0x'; do
	says out "$value"
done
run 1 --batch -e 'set xprof.enable = true' "$dir/list"
says err "a 32-bit machine has no profiling hardware"

# Signals and their frames, threads, and calls that wait, by Linux's calls alone.
for level in -O0 -O2; do
	check "signals, $level: compiled" riscv64-linux-gnu-gcc -march=rv32gc -mabi=ilp32d $level \
		-nostdlib -static -ffreestanding -fno-pie -no-pie -Wl,--no-relax \
		-Wl,--no-warn-rwx-segments -o "$dir/signals" tests/diff/rv32/signals.c
	compared signals 3
done
check "robust mutexes: compiled" riscv64-linux-gnu-gcc -march=rv32gc -mabi=ilp32d -O2 -nostdlib \
	-static -ffreestanding -fno-pie -no-pie -Wl,--no-relax -Wl,--no-warn-rwx-segments \
	-o "$dir/robust" tests/diff/rv32/robust.c
run 0 run "$dir/robust"

# Containers of C++, whose nodes hold words: as in RV64.
mkdir -p "$dir/headers/gnu" && : >"$dir/headers/gnu/stubs-ilp32d.h"
for arch in 'rv32gc -mabi=ilp32d' rv64gc; do
	# shellcheck disable=SC2086
	check "containers, $arch: compiled" riscv64-linux-gnu-g++ -march=$arch -O0 -g \
		-I"$dir/headers" -w -fpermissive -ffreestanding -fno-exceptions -fno-rtti \
		-nostdlib -static -fno-pie -no-pie -Wl,--no-relax -Wl,--no-warn-rwx-segments \
		-o "$dir/containers" tests/diff/rv32/containers.cc
	run 0 --batch -e 'set print elements 300' -e 'break containers.cc:93' -e continue \
		-e 'p v' -e 'p bits' -e 'p s' -e 'p l' -e 'p d' -e 'p m' "$dir/containers"
	grep '^\$' "$dir/out" | sed 's/capacity [0-9]*//' >"$dir/shown-${arch%% *}"
done
check "the same containers" cmp "$dir/shown-rv32gc" "$dir/shown-rv64gc"
check "all of them" [ "$(grep -c 'std::\|own room' "$dir/shown-rv32gc")" = 6 ]

# The text that compilers write is for RV32 by its attribute.
riscv64-linux-gnu-gcc -march=rv32imac -mabi=ilp32 -O1 -ffreestanding -fno-pie -S \
	-o "$dir/written.s" tests/diff/rv32/program.c
sed -i 's/la gp,__global_pointer\$/nop/' "$dir/written.s"
run 7 run "$dir/written.s" word
qemu-riscv32 "$dir/program" word >"$dir/right"
check "gcc's text" cmp "$dir/right" "$dir/out"

printf 'main: addi sp,sp,-16\nsw ra,12(sp)\nli a0,-1\nli t0,0x80000000\njal f\nlw ra,12(sp)\naddi sp,sp,16\nli a0,0\nret\nf: addi sp,sp,-16\nsw ra,12(sp)\nli a1,5\nsrli a2,a0,4\nlw ra,12(sp)\naddi sp,sp,16\nret\n.globl main\n' \
	>"$dir/frames.s"
run 0 --batch -o isa=rv32gc -e 'break f' -e continue -e 'stepi 4' -e 'info registers a0 a2 t0' \
	-e backtrace -e 'reverse-stepi 4' -e 'x/1i $pc' -e 'view regs' "$dir/frames.s"
says out "a0    0xffffffff"
says out "a2    0x0fffffff"
says out "t0    0x80000000"
says out "main"
says out "addi sp,sp,-16"
run 0 run -o isa=rv32gc "$dir/frames.s"
run 0 run --functional -o isa=rv32gc "$dir/frames.s"

cat >"$dir/commands" <<END
set pagination off
set remotetimeout 60
target remote | $CYCLOPS gdb - $dir/program word
break insertion_sort
continue
print sizeof(long)
print/x \$cycleh
info auxv
backtrace
info registers sp
stepi
reverse-stepi
print n
END
riscv64-linux-gnu-gcc -march=rv32imac -mabi=ilp32 -O0 -g -nostdlib -static -ffreestanding -fno-pie \
	-no-pie -o "$dir/program" tests/diff/rv32/program.c
gdb-multiarch -nx -q -batch -x "$dir/commands" "$dir/program" >"$dir/out" 2>"$dir/err"
says out '$1 = 4'
says out '$2 = 0x0'
says out "Size of program header entry   32"
says out "in main (argc="
says out '$3 = 64'

printf '_start: ld a0,0(sp)\n slli a0,a0,40\n addiw a0,a0,1\n li a0,0x123456789\n sh1add a0,a0,a0\n setpf 1\n' >"$dir/wide.s"
run 125 asm --isa rv32gc -o "$dir/wide" "$dir/wide.s"
says err "ld is none of RV32GC's instructions"
says err "40 does not fit; expected 0 to 31"
says err "addiw is none of RV32GC's instructions"
says err "the number does not fit into 32 bits"
says err "sh1add is none of RV32GC's instructions"
says err "setpf is none of RV32GC's instructions"
printf '_start: .4byte 0x00003503\n' >"$dir/ld.s" # ld a0,0(zero)
run 132 run -o isa=rv32gc "$dir/ld.s"
says err "illegal instruction"
says err "an instruction of RV64 or of an extension, and this is RV32GC"

# Set registers hold 32 bits, and pc.
printf '_start: li a1,-1\nbne a0,a1,no\nli a0,7\nj end\nno: li a0,9\nend: li a7,93\necall\n' >"$dir/set.s"
for set in 'set $a0 = 0xffffffff' 'set $a0 = -1' 'print $a0 = 0xffffffff' \
	'lua m.regs.a0 = 0xffffffff'; do
	run 0 --batch -o isa=rv32gc -e stepi -e "$set" -e continue "$dir/set.s"
	says out "exited with status 7"
done
run 1 --batch -o isa=rv32gc -e stepi -e 'set $a0 = 0x100000000' "$dir/set.s"
says err "a0 has 32 bits, and 0x100000000 does not fit"
run 1 --batch -o isa=rv32gc -e stepi -e 'set $pc = 0x100000000' "$dir/set.s"
says err "0x100000000: addresses have 32 bits"
for command in 'break *0x100000000' 'until *0x100000000' 'x/1x *0x100000000'; do
	run 1 --batch -o isa=rv32gc -e "$command" "$dir/set.s"
	says err "0x100000000: addresses have 32 bits"
done

# The text's attribute, as GNU as takes it.
for attribute in 'attribute arch,"rv32gc"' 'attribute 5, "rv32i2p0_m2p0"' \
	'attribute Tag_RISCV_arch , "rv32gc"'; do
	printf '\t.%s\n_start: li a0,-1\nsrli a0,a0,28\nli a7,93\necall\n' "$attribute" >"$dir/tag.s"
	run 15 run "$dir/tag.s"
done
printf '# .attribute arch,"rv32gc"\n_start: .attribute arch,"rv128i"\n.option arch, rv32gc\n' \
	>"$dir/tag.s"
run 125 run "$dir/tag.s"
says err "rv128i: expected an architecture of rv32 or rv64"
says err "rv32gc: the program is assembled for rv64"

run 0 asm --isa rv32gc -o "$dir/set32" "$dir/set.s"
# The default, profile flags on, turns off; requesting them is refused.
run 0 compare default,isa=rv32gc classic5,isa=rv32gc -- "$dir/frames.s"
run 0 --batch -e 'set isa rv32gc' -e run "$dir/set32"
says out "isa = rv32gc from the next"
says out "exited with status 9"
cat >"$dir/machine.lua" <<END
local m = cyclops.machine { program = "$dir/set.s", set = { isa = "rv32gc" } }
print(m:run().reason)
END
run 0 lua "$dir/machine.lua"
says out exit
run 125 run -o xprof.enable=true "$dir/program" word
says err "xprof.enable: a 32-bit machine has no profiling hardware"

for inst in mret wfi 'csrr a0,mhartid' 'csrw mstatus,a0' '.4byte 0x10200073'; do
	echo "_start: $inst" >"$dir/mode.s"
	for isa in all rv32gc; do
		run 132 run -o isa=$isa "$dir/mode.s"
		says err 'mode, and programs run in user mode; a bare-metal program with a variable `tohost` runs in M-mode: --abi htif'
	done
done

# A checkpoint, and a run that is timed in parts.
run 7 run --functional "$dir/program" word
cp "$dir/out" "$dir/whole"
run 124 run --max-insts 3000 --save-to "$dir/point" "$dir/program" word
run 7 run --restore "$dir/point" "$dir/program" word
run 7 run --ff 2000 "$dir/program" word
check "after a fast-forward" cmp "$dir/whole" "$dir/out"

run 125 run -o isa=rv64gc "$dir/program"
says err "is a 32-bit program, and isa=rv64gc runs 64-bit ones"
riscv64-linux-gnu-gcc -nostdlib -static -o "$dir/wide" -x assembler - \
	<<<'_start: .globl _start; li a7,93; ecall'
run 125 run -o isa=rv32gc "$dir/wide"
says err "is a 64-bit program, and isa=rv32gc runs 32-bit ones"
for device in sampler cop oracle vsample profileme firmware; do
	run 125 run -o $device.enable=true "$dir/program"
	says err "$device.enable: a 32-bit machine has no profiling hardware"
done
run 125 instrument --kind edge -o "$dir/new" "$dir/program"
says err "32-bit"
finish
