#!/bin/bash
# The instructions beyond RV64GC on boundary values: against qemu-riscv64, and against formulas of
# the manuals (tests/diff/ext/check.c), the only reference for those that qemu 7.2 lacks (Zicond,
# Zcb) or has wrong (ctzw). In the functional loop, watched and not, and in three pipelines.
set -u -o pipefail
. "$(dirname "$0")/../lib.sh"
: "${BUILD:=build/release}"
guest=build/tests/diff/ext/guest
count=10
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] && count=2000

qemu-riscv64 -cpu rv64,zbkb=true $guest qemu $count >"$dir/expected" || exit 1
run 0 run --functional $guest qemu $count
check "differs from qemu" cmp "$dir/expected" "$dir/out"
run 0 run --functional $guest ours $count
cp "$dir/out" "$dir/ours"
"$BUILD/tests/diff/ext/check" <"$dir/ours" >"$dir/checked"
head -n -1 "$dir/checked"
read -r ok _ wrong _ <<<"$(tail -n 1 "$dir/checked")"
passed=$((passed + ok)) failed=$((failed + wrong))
for options in '--functional -o oracle.enable=true' '' \
	'-o pipe.in_order=true -o pipe.issue_width=1 -o pipe.decode_width=1' \
	'-o pipe.rob_size=200 -o pipe.issue_width=8 -o fu.imuldiv=1 -o lsq.speculate=true -o bpred.kind=gshare'; do
	# shellcheck disable=SC2086
	run 0 run $options $guest ours $count
	check "differs from the functional loop" cmp "$dir/ours" "$dir/out"
done
# A machine of RV64GC alone refuses the first of them, and hints do nothing there.
run 132 run -o isa=rv64gc $guest ours 1
finish
