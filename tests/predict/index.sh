#!/bin/bash
# bpred.index_shift=0: predictor and target buffer are indexed as the program's instructions need
# it. 128 jumps 8 bytes apart fill the 256 entries of the default machine (128 sets of 2) if all
# instructions are words, for every other set is theirs; where instructions may be compressed, it is
# every fourth, and no jump is found again.
. tests/lib.sh

write() {
	echo ".option $1"
	echo ".globl _start"
	echo "_start: li s0, 20"
	echo ".balign 1024"
	echo "loop:"
	for i in {1..128}; do
		echo "j 1f"
		echo "nop"
		echo "1:"
	done
	printf '%s\n' "addi s0, s0, -1" "bnez s0, loop" "li a0, 0" "li a7, 93" "ecall"
}

# Programs with equal code and different headers.
write norvc >"$dir/jumps.S"
for arch in rv64g rv64gc; do
	riscv64-linux-gnu-gcc -march=$arch -mabi=lp64d -nostdlib -static -Wl,--no-relax \
		-o "$dir/$arch" "$dir/jumps.S" || exit 2
done
same_text() {
	cmp -s <(riscv64-linux-gnu-objcopy -O binary -j .text "$dir/rv64g" /dev/stdout) \
		<(riscv64-linux-gnu-objcopy -O binary -j .text "$dir/rv64gc" /dev/stdout)
}
check "the programs differ" same_text

# misfetches PROGRAM LESS_THAN|MORE_THAN N OPTIONS...
misfetches() {
	local program=$1 how=$2 n=$3
	shift 3
	run 0 run --stats "$dir/stats.json" "$@" "$dir/$program"
	local got
	got=$(grep -o '"fetch.misfetches": *[0-9]*' "$dir/stats.json" | grep -o '[0-9]*$')
	check "$program $*: $got misfetches" [ "${got:-none}" "$how" "$n" ]
}
misfetches rv64g -lt 200
misfetches rv64gc -gt 2400
misfetches rv64g -lt 200 -c vaswani2003
misfetches rv64g -lt 200 -o bpred.index_shift=2
misfetches rv64gc -lt 200 -o bpred.index_shift=2
misfetches rv64g -gt 2400 -o bpred.index_shift=1

# It is part of a checkpoint, and moves with the program to another machine.
run 124 run --functional --max-insts 200 --save-to "$dir/point" "$dir/rv64g"
run 0 run --restore "$dir/point" --stats "$dir/stats.json" "$dir/rv64g"
for options in "" "-o pipe.rob_size=32" "-o bpred.index_shift=2"; do
	misfetches rv64g -lt 200 --restore "$dir/point" $options
done
misfetches rv64g -gt 2000 --restore "$dir/point" -o bpred.index_shift=1
finish
