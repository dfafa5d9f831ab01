#!/bin/bash
# cyclops dap with a raw client: tests/dap/NAME.py, each of which says itself how many of its checks passed.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export CYCLOPS
for name in ${DAP_SCRIPTS:-requests peers}; do
	command="tests/dap/$name.py"
	timeout 900 python3 "tests/dap/$name.py" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	grep -a '^FAIL' "$dir/out"
	cat "$dir/err"
	read -r p f < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$dir/out")
	check "$name ends: $status" [ -n "$p" ]
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
done
finish
