#!/bin/bash
# Compares core/isa/fp.h with qemu-riscv64, instruction by instruction: results and fflags, in every
# rounding mode; and the same program's output in the functional loop, watched and not. SEED picks
# the operands (default: a fixed one).
set -u -o pipefail

: "${BUILD:=build/release}" "${CYCLOPS:=build/cyclops}" "${SEED:=20}"
case ${CYCLOPS_TEST_SCALE:-full} in
long) count=4000 ;;
*) count=400 ;;
esac
dir=$BUILD/tests/diff/fp
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
qemu-riscv64 -cpu rv64,Zfh=true,zbkb=true "$dir/guest" "$SEED" "$count" >"$work/expected" || exit 1
"$dir/check" <"$work/expected" >"$work/checked"
failed=$?
cat "$work/checked" | head -n -1
read -r passed _ wrong _ <<<"$(tail -n 1 "$work/checked")"
[ "$failed" -eq 0 ] ||
	echo "To replay: qemu-riscv64 -cpu rv64,Zfh=true,zbkb=true $dir/guest $SEED $count | $dir/check" >&2

# With the oracle, which has a loop of its own.
for option in oracle.enable=false oracle.enable=true; do
	if "$CYCLOPS" run --functional -o $option "$dir/guest" "$SEED" "$count" |
		cmp "$work/expected" -; then
		passed=$((passed + 1))
	else
		echo "FAILED: cyclops run --functional -o $option $dir/guest $SEED $count"
		wrong=$((wrong + 1))
	fi
done
echo "$passed passed, $wrong failed"
[ "$wrong" -eq 0 ]
