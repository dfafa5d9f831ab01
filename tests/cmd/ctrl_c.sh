#!/bin/bash
# One Ctrl-C at the prompt is enough, at any moment: tests/cmd/ctrl_c.py.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export CYCLOPS SHIM=$PWD/build/tests/tty/fails.so
cat >"$dir/turns.S" <<'END'
	.globl _start
_start: addi a1, a1, 1
	j _start
END
riscv64-linux-gnu-gcc -static -nostdlib -o "$dir/turns" "$dir/turns.S"
timeout 900 python3 tests/cmd/ctrl_c.py "$dir/turns" >"$dir/said" 2>"$dir/err"
grep -a '^FAIL' "$dir/said"
read -r p f < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$dir/said")
command="ctrl_c.py"
check "it ends, having tried something: ${p:-0}" [ "${p:-0}" -ge 20 ]
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
finish
