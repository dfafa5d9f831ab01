#!/bin/bash
# Compares core/isa/fp.h with qemu-riscv64, instruction by instruction: results and fflags, in every
# rounding mode. SEED picks the operands (default: a fixed one).
set -u -o pipefail

: "${BUILD:=build/release}" "${SEED:=20}"
case ${CYCLOPS_TEST_SCALE:-full} in
small) count=200 ;;
*) count=4000 ;;
esac
dir=$BUILD/tests/diff/fp
if ! qemu-riscv64 "$dir/guest" "$SEED" "$count" | "$dir/check"; then
	echo "To replay: qemu-riscv64 $dir/guest $SEED $count | $dir/check" >&2
	exit 1
fi
