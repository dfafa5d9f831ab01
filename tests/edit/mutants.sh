#!/bin/bash
# Programs with a false value in one field of a section header, a relocation or a symbol
# (mutants.py): if instrumented without a warning, they run as before. Five programs, a dozen
# mutants of each; with CYCLOPS_TEST_SCALE=long 600.
#
#   tests/edit/mutants.sh [SEED [COUNT]]
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
count=12
[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || count=4
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || count=600

for program in build/tests/edit-mutants/*; do
	[ -x "$program" ] || continue
	name=${program##*/}
	qemu-riscv64 "$program" >"$dir/right"
	status=$?
	check "$name says something" grep -q "^leave [0-9a-f]*$" "$dir/right"
	for kind in bb path; do
		check "$name, $kind: nothing is left alone" eval '"$CYCLOPS" instrument --kind $kind -o "$dir/new" "$program" 2>"$dir/err" && ! grep -q "bytes deny" "$dir/err"'
		qemu-riscv64 "$dir/new" >"$dir/out"
		check "$name, $kind: it ends with $status" [ $? = $status ]
		check "$name, $kind: it says the same" cmp -s "$dir/out" "$dir/right"
	done
	passes "$name, mutants" python3 tests/edit/mutants.py "$CYCLOPS" "$dir" "${1:-1}" \
		"${2:-$count}" "$program"
	echo "$name: $(cat "$dir/said")"
done

finish
