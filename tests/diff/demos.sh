#!/bin/bash
# Every demo program of demos/programs/list.txt, on its real input: standard output and exit status
# must be the kept ones, first under qemu-riscv64 (the reference, which checks the kept ones for
# this compiler), then under cyclops; small programs also with a value sampler that interprets most
# of them, by one of its methods in turn.
#
#   tests/diff/demos.sh [NAME...]
#
# MODE=functional, detailed or both selects how cyclops runs; the default is functional for all and
# detailed for programs of demos/programs/small, both for all with CYCLOPS_TEST_SCALE=long.
# UPDATE=1 writes qemu-riscv64's output to demos/programs/expected instead of comparing anything.
set -u
cd "$(dirname "$0")/../.." || exit 1

CYCLOPS=${CYCLOPS:-build/cyclops}
MODE=${MODE:-}
SCALE=${CYCLOPS_TEST_SCALE:-full}
expected=demos/programs/expected
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0

# The value sampler's handler interprets most of the program.
sampled=(-o vsample.enable=true -o vsample.interval_min=1 -o vsample.interval_max=19 \
	-o vsample.every=1 -o vsample.length=30
	-o vsample.interrupt_cycles=2 -o vsample.upcall_cycles=1 -o vsample.return_cycles=1 \
		-o vsample.start_cycles=1 -o vsample.inst_cycles=1 -o vsample.tuple_cycles=0)

# check NAME LABEL COMMAND...: runs it on $input and compares.
check() {
	local name=$1 label=$2 status=0
	shift 2
	"$@" <"$input" >"$work/out" 2>"$work/err" || status=$?
	if [ $status = 0 ] && cmp -s "$work/out" "$expected/$name.out"; then
		passed=$((passed + 1))
		return
	fi
	failed=$((failed + 1))
	echo "FAILED $name ($label), exit status $status: $* <$input"
	diff "$expected/$name.out" "$work/out" | head -n 10
	head -n 5 "$work/err"
}

# Each small program has one of the methods in turn, at scale long all of them.
turn=0
methods() {
	local all=(handler upcall bounce)
	[ "$SCALE" = long ] && echo "${all[@]}" || echo "${all[turn % 3]}"
}

while IFS='|' read -r name args input _; do
	case $name in '' | '#'*) continue ;; esac
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	[ "$input" != - ] || input=/dev/null
	read -ra words <<<"$args"
	command=("build/demos/$name" "${words[@]}")
	if [ ! -x "${command[0]}" ]; then
		echo "FAILED $name: not compiled; make demos does it"
		failed=$((failed + 1))
		continue
	fi
	if [ -n "${UPDATE:-}" ]; then
		qemu-riscv64 "${command[@]}" <"$input" >"$expected/$name.out" || exit 1
		continue
	fi
	mode=${MODE:-both}
	if [ -z "$MODE" ] && [ "$SCALE" != long ] && [ ! -e "demos/programs/small/$name.c" ]; then
		mode=functional
	fi
	check "$name" reference qemu-riscv64 "${command[@]}"
	[ "$mode" = detailed ] || check "$name" functional "$CYCLOPS" run --functional \
		"${command[@]}"
	[ "$mode" = functional ] || check "$name" detailed "$CYCLOPS" run "${command[@]}"
	[ "$mode" = functional ] || [ ! -e "demos/programs/small/$name.c" ] ||
		for method in $(methods); do
		check "$name" "sampled, $method" "$CYCLOPS" run "${sampled[@]}" \
			-o vsample.method=$method "${command[@]}"
		turn=$((turn + 1))
	done
done <demos/programs/list.txt

echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $((passed + ${UPDATE:-0})) -gt 0 ]
