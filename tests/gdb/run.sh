#!/bin/bash
# cyclops gdb with the real client: each script runs inside gdb-multiarch, and prints how many of
# its checks passed.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export CYCLOPS

# inside NAME [PROGRAM]: tests/gdb/NAME.py in gdb.
inside() {
	command="gdb-multiarch -x tests/gdb/$1.py"
	timeout 900 gdb-multiarch -nx -batch -x "tests/gdb/$1.py" ${2:+"$2"} >"$dir/out" \
		2>"$dir/err" </dev/null
	local status=$? p f
	grep -a '^FAIL' "$dir/out"
	read -r p f < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$dir/out")
	check "it ends, with status 0: $status" [ "$status" = 0 -a -n "$p" ]
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
}
for name in ${GDB_SCRIPTS:-forward reverse changes ours}; do
	inside $name build/tests/gdb/guest
done
inside signals build/tests/gdb/signals
inside dynamic
inside threads build/tests/threads/steps
inside firmware
finish
