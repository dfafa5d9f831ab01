#!/bin/bash
# Calling context trees in guest memory equal those built from the committed instructions by
# definition, node by node and count by count (contexts.c): for demos and generated call graphs
# (callgraphs.py), with call sites apart and merged, with metrics and with paths. And instrumented
# programs print the same, under qemu-riscv64 as well.
#
#   tests/edit/contexts.sh [SEED...]    of call graphs
#
# At scale full, these have each demo's way of calling, and each kind is tried with one; at scale
# long, all with all.
cd "$(dirname "$0")/../.." || exit 1
within=build
. tests/lib.sh
. tests/edit/inputs.sh
BUILD=${BUILD:-build/release}
SCALE=${CYCLOPS_TEST_SCALE:-full}
case $#,$SCALE in
0,small) seeds=(1) ;;
0,full) seeds=(1 6) ;; # of 6 registers are saved by routines that prologues call
0,long) seeds=(1 2 3 4 5 6 7 8) ;;
*) seeds=("$@") ;;
esac
# is_right KIND PROGRAM [ARGS...]
is_right() { timeout 300 "$BUILD/tests/edit/contexts" "$@" >"$dir/out" 2>&1 </dev/null; }
merged() { MERGE_SITES=1 is_right "$@"; }
full() { HEAP_BYTES=$1 is_right "${@:2}"; }
typed() { TYPE=3 is_right "$@"; }
steady() { STEADY=1 typed "$@"; }

# of_demo KIND...: each of the demos.
of_demo() {
	local kind
	for kind in "$@"; do
		# shellcheck disable=SC2086
		check "$demo, $kind" is_right $kind build/tests/edit/$demo ${arguments[$demo]:-}
	done
}
thorough=()
case $SCALE in
small)
	demo=longjmp && of_demo cct
	demo=exceptions && of_demo callgraph
	;;
full)
	demo=regex && of_demo cct
	demo=lisp && of_demo cct
	demo=exceptions && of_demo cct+hw
	demo=longjmp && of_demo callgraph
	check "longjmp, cct+path as profile instructions" typed cct+path build/tests/edit/longjmp
	check "longjmp, cct+hw as profile instructions, kept by plain code" steady cct+hw \
		build/tests/edit/longjmp
	check "longjmp, a heap that is full" full 4096 cct build/tests/edit/longjmp
	;;
long)
	thorough=(longjmp linked exceptions)
	for demo in "${thorough[@]}" regex branchy lisp anagram chess json sort hash nbody; do
		of_demo cct callgraph
	done
	;;
esac
for demo in "${thorough[@]}"; do
	for kind in cct+hw cct+path; do
		# The unwinder's reads and paths depend on the size of the code.
		[ "$kind $demo" = "cct+path exceptions" ] || check "$demo, $kind" is_right $kind \
			build/tests/edit/$demo
		[ "$demo" = exceptions ] && continue
		check "$demo, $kind as profile instructions" typed $kind build/tests/edit/$demo
		check "$demo, $kind as profile instructions, kept by plain code" steady $kind \
			build/tests/edit/$demo
	done
	check "$demo, sites merged" merged cct build/tests/edit/$demo
	check "$demo, a heap that is full" full 4096 cct build/tests/edit/$demo
done
[ "$SCALE" = small ] || check "paths in a heap that is full" full 90000 cct+path \
	build/tests/edit/longjmp

says() {
	timeout 120 "$@" 2>&1 </dev/null
	echo "status $?"
}

for seed in "${seeds[@]}"; do
	python3 tests/edit/callgraphs.py "$seed" "$dir/guest.c"
	read -r _ compiler flags <"$dir/guest.c"
	# shellcheck disable=SC2086
	"riscv64-linux-gnu-$compiler" $flags -o "$dir/guest" "$dir/guest.c" 2>"$dir/out" ||
		{ check "seed $seed" false; continue; }
	case $SCALE,$seed in
	small,*) kinds=(cct) ;;
	full,1) kinds=(cct+path callgraph) ;;
	full,6) kinds=(cct cct+hw) ;;
	*) kinds=(cct) && [ $((seed % 3)) != 0 ] || kinds=(cct cct+hw cct+path callgraph) ;;
	esac
	for kind in "${kinds[@]}"; do
		# The code that restores registers is entered before the return address is back
		# (loader/instrument/arcs.h).
		[ "$kind ${flags/*-msave-restore*/saves}" != "callgraph saves" ] || continue
		check "seed $seed, $kind" is_right $kind "$dir/guest"
	done
	[ "$SCALE" = full ] && [ $((seed % 2)) = 1 ] || check "seed $seed, sites merged" merged \
		cct "$dir/guest"
	kinds=(cct cct+path callgraph) # cct+hw reads registers that qemu lacks
	"$CYCLOPS" instrument -q --kind "${kinds[seed % 3]}" -o "$dir/new" "$dir/guest" 2>"$dir/out"
	right=$(says qemu-riscv64 "$dir/guest")
	check "seed $seed, under qemu" [ "$(says qemu-riscv64 "$dir/new")" = "$right" ]
done

[ "$SCALE" != small ] || { finish; exit; } # the rest tests guests

# A signal's handler makes calls at any interrupted place.
riscv64-linux-gnu-gcc -O2 -static -Wl,--emit-relocs -o "$dir/signals" tests/edit/signals.c \
	2>"$dir/out"
right=$(says qemu-riscv64 "$dir/signals")
check "a program with signals" grep -q interrupted <<<"$right"
kinds=(cct+path callgraph) # cct is below
[ "$SCALE" != long ] || kinds+=(cct)
for kind in "${kinds[@]}"; do
	"$CYCLOPS" instrument -q --kind "$kind" -o "$dir/new" "$dir/signals" 2>"$dir/out"
	check "signals, $kind" [ "$(says qemu-riscv64 "$dir/new")" = "$right" ]
done

# Each time it is a callee of the root, or of the owner of the list that it found: never another's
# record. A signal that comes while its list is changed may be lost.
"$CYCLOPS" instrument -q --kind cct --cct signals.cct -o "$dir/new" "$dir/signals" 2>"$dir/out"
times=$(cd "$dir" && qemu-riscv64 ./new x | sed -n 's/ times//p')
(cd "$dir" && "$CYCLOPS" --batch -e 'view cct all of signals.cct --json' ./new >rows.json 2>out \
	</dev/null)
handled=$(python3 -c "import json; print(sum(r['calls'] for r in json.load(open('$dir/rows.json'))['rows'] if 'handler' in r['context'].split()))")
handlers() { [ "$times" -ge 100 ] && [ "$handled" -le "$times" ] &&
	[ "$handled" -ge $((times * 9 / 10)) ]; }
check "handlers by their records: $handled, of ${times:-none}" handlers

# Deeper than the default stack: each activation still has its own record.
cat >"$dir/deep.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) static long leaf(long x) { return x * 3 + 1; }
__attribute__((noinline)) long deep(long n)
{
	volatile char room[64];
	room[n & 63] = (char)n;
	const long r = n ? deep(n - 1) + 1 : 0;
	return r + (leaf(r) & 1) + (n % 3 ? 0 : room[n & 63] & 1);
}
int main(int count, char **arguments) { printf("%ld\n", deep(count > 1 ? atol(arguments[1]) : 0)); return 0; }
C
riscv64-linux-gnu-gcc -O1 -static -Wl,--emit-relocs -o "$dir/deep" "$dir/deep.c" 2>"$dir/out"
right=$(qemu-riscv64 -s 134217728 "$dir/deep" 600000)
kinds=(cct+path)
[ "$SCALE" != long ] || kinds+=(cct path)
for kind in "${kinds[@]}"; do
	"$CYCLOPS" instrument -q --kind "$kind" -o "$dir/new" "$dir/deep" 2>"$dir/out"
	check "600,000 calls deep, $kind" [ "$(qemu-riscv64 -s 134217728 "$dir/new" 600000)" \
		= "$right" ]
	check "600,000 calls deep, $kind, here" \
		[ "$("$CYCLOPS" run --functional -o sim.stack=134217728 "$dir/new" 600000)" \
		= "$right" ]
done
check "it is deep: $right" [ "$right" -gt 600000 ]

# Loops add up their costs in each iteration, so that functions that never return have costs.
cat >"$dir/ends.c" <<'C'
int main(void)
{
	register long status asm("a0") = 0, exit asm("a7") = 93;
	for (int i = 0; i < 1000; i++)
		asm volatile("nop\n nop");
	asm volatile("ecall" : : "r"(status), "r"(exit));
	return 0;
}
C
riscv64-linux-gnu-gcc -O1 -static -Wl,--emit-relocs -o "$dir/ends" "$dir/ends.c" 2>"$dir/out"
"$CYCLOPS" run --instrument cct+hw --metrics sim.insts --export folded="$dir/folded" "$dir/ends" \
	>"$dir/out" 2>&1 </dev/null
spent=$(sed -n 's/.*;main \([0-9]*\)$/\1/p' "$dir/folded")
check "a loop without an end: ${spent:-0}" [ "${spent:-0}" -ge 3900 ]

# Written by the program itself when it exits, here and elsewhere, and read back.
program=build/tests/edit/longjmp
top=$PWD
check "a program that writes its tree" "$CYCLOPS" instrument -q --kind cct --cct tree.cct \
	-o "$dir/writes" $program
(cd "$dir" && qemu-riscv64 ./writes >out 2>&1)
check "which it does under qemu" [ -s "$dir/tree.cct" ]
mv "$dir/tree.cct" "$dir/qemu.cct"
(cd "$dir" && "$CYCLOPS" run --functional --rw ./writes >out 2>&1)
check "and here" [ -s "$dir/tree.cct" ]
(cd "$dir" && "$CYCLOPS" run --functional --rw --report cct-stats=memory.json ./writes >out 2>&1 &&
	"$CYCLOPS" run --functional --report 'cct-stats of tree.cct=file.json' ./writes >>out 2>&1 \
		</dev/null) # which may not write
same_rows() { python3 -c "
import json, sys
a, b = (json.load(open('$dir/' + f))['rows'] for f in ('memory.json', 'file.json'))
for r in (*a, *b): r.pop('from')
sys.exit(0 if a == b and a[0]['nodes'] > 100 else print(a, b) or 1)" >"$dir/out" 2>&1; }
check "what is read back is what was in memory" same_rows
# Written before system calls: the writing code lies in the middle of paths.
riscv64-linux-gnu-gcc -static -Wl,--emit-relocs -o "$dir/tight" tests/edit/tight.s 2>"$dir/out"
paths() {
	(cd "$dir" && "$CYCLOPS" run --functional --rw --instrument "${@:2}" --report \
		"hot-paths all=$1.json" ./tight >out 2>&1 </dev/null &&
		python3 -c "
import json
print(*sorted((r['number'], r['count']) for r in json.load(open('$1.json'))['rows'] if r['function'] == 'tight'), sep='\n')" >"$1" 2>>out)
}
check "paths with system calls in them" paths plain path
check "they are some" [ "$(wc -l <"$dir/plain")" -ge 5 ]
check "the same in contexts" paths contexts cct+path --cct tight.cct
check "and as often" cmp "$dir/plain" "$dir/contexts"
refuses() {
	(cd "$dir" && "$CYCLOPS" --batch -e "view cct of $1" "${3:-./writes}" </dev/null >out 2>&1)
	grep -q "$2" "$dir/out"
}
head -c 3000 "$dir/tree.cct" >"$dir/cut.cct"
check "a file that is cut off" refuses cut.cct "cut off or damaged: it has 3000 bytes"
check "a file that is none" refuses writes "is no calling context tree"
check "a program that wrote none" refuses tree.cct "builds no calling context tree" "$top/$program"
"$CYCLOPS" instrument -q --kind cct --merge-sites -o "$dir/other" $program
check "another program's file" refuses tree.cct "written by another program" ./other
check "without --rw there is no file" eval '! "$CYCLOPS" run --instrument cct --cct x.cct $program >"$dir/out" 2>&1 && grep -q "use --rw" "$dir/out"'
check "without contexts there is no file" eval '! "$CYCLOPS" run --rw --instrument bb --cct x.cct $program >"$dir/out" 2>&1 && grep -q "bb builds no tree" "$dir/out"'

finish
