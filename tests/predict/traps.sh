#!/bin/bash
# Replay traps against a model that works them out from the stream of accesses: on programs that
# provoke each kind, on demo programs and on random ones.
set -u
: "${BUILD:=build/release}"
programs=(build/demos/linked build/demos/selfmod)
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] ||
	programs+=(build/demos/matmul build/demos/fib build/demos/branchy)
dir=$(mktemp -d) && trap 'rm -r "$dir"' EXIT
for seed in 70 80; do
	"$BUILD/tests/diff/random/gen" $seed 20 "$dir/random$seed" || exit 1
	programs+=("$dir/random$seed")
done
"$BUILD/tests/predict/traps" "${programs[@]}"
