#!/bin/bash
# Random programs, run by qemu-riscv64 and by cyclops in functional and detailed mode: registers, fcsr and memory must
# come out the same.
#
#   tests/diff/run.sh [--mode functional|detailed] [FIRST COUNT]
#
# Without FIRST and COUNT the standard seeds are run, in batches of one program each. A seed that differs is named with
# the command that replays it alone; its program and outputs stay in $BUILD/tests/diff/random. If alone it
# passes, replay its batch, which is named too.
set -u
cd "$(dirname "$0")/../.." || exit 1

: "${BUILD:=build/release}" "${CYCLOPS:=build/cyclops}"
modes='functional detailed'
if [ "${1:-}" = --mode ]; then
	modes=$2
	shift 2
fi
first=${1:-1}
batch=250
case $#,${CYCLOPS_TEST_SCALE:-full} in
0,small) count=100 ;;
0,*) count=4000 ;;
*) count=${2:-1} ;;
esac
dir=$BUILD/tests/diff/random
work=$dir/batch-$first
passed=0 failed=0
mkdir -p "$work"

for ((at = first; at < first + count; at += batch)); do
	n=$((first + count - at < batch ? first + count - at : batch))
	"$dir/gen" $at $n "$work/program" || exit 1
	qemu-riscv64 "$work/program" >"$work/qemu" </dev/null || echo "qemu-riscv64: exit status $?"
	for mode in $modes; do
		option=
		[ "$mode" = functional ] && option=--functional
		# shellcheck disable=SC2086
		"$CYCLOPS" run $option "$work/program" >"$work/$mode" 2>"$work/$mode.err" </dev/null ||
			echo "cyclops ($mode): exit status $?: $(head -n 3 "$work/$mode.err")"
		if ! answer=$("$dir/compare" "$work/qemu" "$work/$mode" $at $n "tests/diff/run.sh --mode $mode"); then
			echo "$mode: ${answer%$'\n'*}"
			echo "the batch: tests/diff/run.sh --mode $mode $at $n"
		fi
		read -r p _ f _ <<<"${answer##*$'\n'}"
		passed=$((passed + p)) failed=$((failed + f))
	done
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ] && rm -r "$work" && [ "$passed" -gt 0 ]
