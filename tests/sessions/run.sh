#!/bin/bash
# Sessions at random, of three programs as compilers leave them with and without optimising, here and in gdb on qemu's gdbstub: where each command
# stops, what values, types, memory and calls are. SESSIONS=2000 tries so many instead of a few; SEED=N begins elsewhere.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

count=${SESSIONS:-36}
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] && count=${SESSIONS:-2000}
[ "${CYCLOPS_TEST_SCALE:-full}" = small ] && count=${SESSIONS:-12}
each=$((count / 6))
total=0
for name in list numbers; do
	for flags in -O0 -O1 -O2; do
		work=$dir/$name$flags
		mkdir "$work"
		riscv64-linux-gnu-gcc -std=gnu17 -g "$flags" -static -march=rv64gc -o "$work/program" "tests/sessions/$name.c"
		python3 tests/sessions/generate.py "$name" "${SEED:-1}" "$each" >"$work/sessions"
		command="$name.c $flags, seed ${SEED:-1}, $each sessions"
		PROGRAM=$work/program FOLDER=$work timeout 1200 gdb-multiarch -batch -nx -x tests/sessions/ask.gdb.py >"$dir/out" 2>"$dir/err"
		python3 tests/sessions/compare.py "$work" prepare && "$CYCLOPS" lua tests/sessions/ask.lua "$work/program" "$work" >"$dir/out" 2>"$dir/err"
		python3 tests/sessions/compare.py "$work" compare >"$dir/out" 2>"$dir/err"
		check "as gdb has it" grep -q ' 0 differences$' "$dir/out"
		total=$((total + $(sed -nE 's/.* sessions, ([0-9]+) answers, .*/\1/p' "$dir/out")))
	done
done
command="all sessions"
check "at least $((count * 6)) answers, not $total" [ "$total" -ge $((count * 6)) ]

finish
