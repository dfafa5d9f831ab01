#!/bin/bash
# Programs with stacks of all kinds (stacks.c), instrumented by the editor, with flags off, on, and
# switched all the time: they print what the original program prints, in functional mode, with
# timing and under qemu-riscv64.
cd "$(dirname "$0")/../.." || exit 1
within=build
# shellcheck source=tests/lib.sh
. tests/lib.sh
SCALE=${CYCLOPS_TEST_SCALE:-full}

riscv64-linux-gnu-gcc -O2 -g -static -Wl,--emit-relocs -o "$dir/stacks" tests/xprof/stacks.c ||
	exit 1
# wants DEPTH: what it prints.
wants() { qemu-riscv64 -s $((1 << 28)) "$dir/stacks" "$1" >"$dir/right"; }
# same WHAT DEPTH OPTION...
same() {
	local what=$1 depth=$2
	shift 2
	timeout 120 "$CYCLOPS" run -o sim.stack=256M "$@" "$dir/stacks" "$depth" >"$dir/out" \
		2>"$dir/err"
	check "$what: status" [ $? = 0 ]
	check "$what: output" cmp -s "$dir/right" "$dir/out"
}

kinds=(bb=0 bb=0,on path=0,on edge=1,on,units=loops cct=2,on bb=1,path=2,units=blocks,checks=10:3)
[ "$SCALE" != small ] || kinds=(bb=0 path=0,on)
wants 1000
same "as it is" 1000
for kind in "${kinds[@]}"; do
	same "$kind, without timing" 1000 --functional --instrument "$kind"
	same "$kind" 1000 -o xprof.enable=true --instrument "$kind" --stats "$dir/stats.json"
	check "$kind: each flag is saved somewhere" grep -q '"xprof.unreached": 0,' \
		"$dir/stats.json"
done
# Flags without room on a flag stack.
wants 600000
same "a deep recursion, without timing" 600000 --functional --instrument bb=0
[ "$SCALE" = small ] || same "a deep recursion" 600000 -o xprof.enable=true --instrument bb=0
finish
