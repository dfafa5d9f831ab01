#!/bin/bash
# Perfect prediction: programs run as usual, only guesses, which are few, are wrong, and no other
# kind is faster.
set -u
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build/release}
CYCLOPS=${CYCLOPS:-$BUILD/cyclops}
limit=200000 seeds='11 12 13'
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || limit=30000 seeds=11
passed=0 failed=0
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT

check() {
	local name=$1
	shift
	if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)) &&
		echo "FAILED: $name"; fi
}

# run KIND PROGRAM ARGUMENT...: leaves stats and output in DIR/KIND and DIR/KIND.out.
run() {
	local kind=$1
	shift
	"$CYCLOPS" run -o bpred.kind="$kind" "${options[@]}" --stats "$dir/$kind" "$@" \
		>"$dir/$kind.out" 2>&1 </dev/null
}
stat() { awk -v name="$2" '$1 == name { print $2 }' "$dir/$1"; }

# compare NAME PROGRAM ARGUMENT...: with perfect prediction and others. Wrong paths bring in code
# that is needed later; without them a program that starts may take a hundredth more.
compare() {
	local name=$1 kind wrong calls
	shift
	run perfect "$@"
	check "$name: instructions commit" test "$(stat perfect sim.insts)" -gt 1000
	for kind in combined nottaken; do
		run $kind "$@"
		[ "$limited" ] || check "$name: the same output as with $kind" cmp \
			-s "$dir/perfect.out" "$dir/$kind.out"
		[ "$limited" ] || check "$name: as many instructions as with $kind" test \
			"$(stat perfect sim.insts)" = "$(stat $kind sim.insts)"
		check "$name: no slower than $kind" test $(($(stat perfect sim.cycles) * 100)) -le \
			$(($(stat $kind sim.cycles) * 101))
	done
	wrong=$(stat perfect bpred.mispredicts) calls=$(stat perfect sim.syscalls)
	check "$name: wrong $wrong times, $calls system calls" test "$wrong" -le $((2 * calls))
	check "$name: decode corrects nothing" test "$(stat perfect fetch.misfetches)" = 0
	check "$name: nothing is looked up" test "$(stat perfect btb.lookups)" = 0
}

# To the end, from the first instruction on: input and output, self-modifying code, calls and
# returns, jumps out of them.
options=() limited=
for program in hello selfmod longjmp; do
	compare $program build/demos/$program
done
compare fib build/demos/fib 12
# The middle of longer programs.
options=(--ff 300000 --max-insts "$limit") limited=1
compare branchy build/demos/branchy
compare sort build/demos/sort demos/programs/input/words.txt
compare lisp build/demos/lisp demos/programs/input/queens.lisp
compare chess build/demos/chess demos/programs/input/positions.txt
compare nbody build/demos/nbody demos/programs/input/planets.txt 60
limited=
# Loads that go past stores and are replayed bring wrong paths of their own.
options=(-o lsq.speculate=1 -o pipe.fetch_queue=256)
for seed in $seeds; do
	"$BUILD/tests/diff/random/gen" "$seed" 20 "$dir/random" || exit 1
	compare "random program $seed" "$dir/random"
done
# Certain predictions, and guesses.
read -r p f < <("$BUILD/tests/predict/perfect" | tee /dev/stderr | tail -n 1 | tr -cs '0-9\n' ' ')
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-1}))
echo "$passed passed, $failed failed"
[ $failed = 0 ]
