#!/bin/bash
# Sessions at random, of programs of C and C++ as compilers leave them with and without optimising,
# here and in gdb on qemu's gdbstub: where each command stops, what values, types, memory and calls
# are. Also where a breakpoint on each of their lines is. SESSIONS=2000 tries so many instead of a
# few; SEED=N begins elsewhere.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

count=${SESSIONS:-50}
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] && count=${SESSIONS:-2000}
[ "${CYCLOPS_TEST_SCALE:-full}" = small ] && count=${SESSIONS:-20}
each=$((count / 12))
total=0 several=0
for kind in list.c:-O0 list.c:-O1 list.c:-O2 numbers.c:-O0 numbers.c:-O1 numbers.c:-O2 \
	shapes.cc:-O0 shapes.cc:-O1 \
	"shapes.cc:-O1 -fno-inline" boxes.cc:-O0 boxes.cc:-O1 "boxes.cc:-O1 -fno-inline"; do
	source=${kind%:*} flags=${kind#*:}
	name=${source%.*}
	work=$dir/$name${flags// /}
	mkdir "$work"
	compiler=riscv64-linux-gnu-gcc standard=gnu17
	[ "${source##*.}" = c ] || compiler=riscv64-linux-gnu-g++ standard=gnu++17
	# shellcheck disable=SC2086
	"$compiler" -std=$standard -g $flags -static -march=rv64gc -o "$work/program" \
		"tests/sessions/$source"
	python3 tests/sessions/generate.py "$name" "${SEED:-1}" "$each" >"$work/sessions"
	command="$source $flags, seed ${SEED:-1}, $each sessions"
	# gdb 13 has internal errors of its own at constants of classes: such a session is left out.
	for ((tries = 0; tries <= each / 10 + 1; tries++)); do
		PROGRAM=$work/program FOLDER=$work timeout 1200 gdb-multiarch -batch -nx \
			-x tests/sessions/ask.gdb.py >"$dir/out" 2>"$dir/err" && break
		echo '{"sp": null, "answers": []}' >>"$work/theirs"
	done
	python3 tests/sessions/compare.py "$work" prepare && "$CYCLOPS" lua tests/sessions/ask.lua \
		"$work/program" "$work" >"$dir/out" 2>"$dir/err"
	python3 tests/sessions/compare.py "$work" compare >"$dir/out" 2>"$dir/err"
	check "as gdb has it" grep -q ' 0 differences$' "$dir/out"
	command="breakpoints on lines of $source $flags"
	PROGRAM=$work/program SOURCE=tests/sessions/$source FOLDER=$work gdb-multiarch -batch -nx \
		-x tests/sessions/lines.gdb.py >"$dir/err" 2>&1
	"$CYCLOPS" lua tests/sessions/lines.lua "$work/program" "tests/sessions/$source" "$work" \
		>>"$dir/err" 2>&1
	sessions=$(cat "$dir/out")
	python3 tests/sessions/lines.py "$work" >"$dir/out" 2>>"$dir/err"
	check "as gdb has them" grep -q ' 0 differences$' "$dir/out"
	several=$((several + $(sed -nE 's/.* ([0-9]+) of several places.*/\1/p' "$dir/out")))
	total=$((total + $(sed -nE 's/.* sessions, ([0-9]+) answers, .*/\1/p' <<<"$sessions")))
done
command="all lines"
check "at least 100 with several places, not $several" [ "$several" -ge 100 ]
command="all sessions"
check "at least $((count * 6)) answers, not $total" [ "$total" -ge $((count * 6)) ]

finish
