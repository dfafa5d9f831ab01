#!/bin/bash
# One table of expressions in every engine that computes them: tests/cvars/engines.py.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export CYCLOPS
riscv64-linux-gnu-gcc -std=gnu17 -g -O0 -static -march=rv64gc -o "$dir/engines" \
	tests/cvars/engines.c
line=$(sed -n '/the table is evaluated here/=' tests/cvars/engines.c | tail -n 1)
timeout 900 python3 tests/cvars/engines.py "$dir/engines" "$line" "$dir" >"$dir/said" 2>"$dir/err"
status=$?
grep -a '^FAIL' "$dir/said"
read -r p f < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$dir/said")
command="engines.py"
check "it ends, with at least 500 answers: $status, ${p:-0}" [ -n "$p" -a "${p:-0}" -ge 500 ]
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
finish
