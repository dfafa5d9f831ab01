#!/bin/bash
# Value profiling with the co-processor: microprograms, handlers, and what reads their profiles.
. tests/lib.sh

script() {
	"$@" >"$dir/out" 2>&1 </dev/null
	local status=$? p=0 f=0
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$dir/out")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	if [ "$status" != 0 ] || [ "${p:-0}" = 0 ]; then
		[ "${f:-0}" != 0 ] || failed=$((failed + 1))
		echo "FAIL: $*: status $status"
		head -n 40 "$dir/out"
	fi
}

# Loads of real programs, from which the models and the engine are fed.
record() {
	local name=$1
	shift
	timeout 120 "$CYCLOPS" lua tests/cop/record_loads.lua "$dir/$name" 12000 \
		"build/demos/$name" "$@" >"$dir/out" 2>"$dir/err" </dev/null
	check "loads of $name" [ -s "$dir/$name" ]
}
record lisp demos/programs/input/queens.lisp
record hash demos/programs/input/words.txt
record json demos/programs/input/timezones.json version countries.CI

export COP_LOADS=$dir
script "$BUILD/tests/cop/micro_host" tests/cop/test_value_programs.lua
script "$CYCLOPS" lua tests/cop/test_values.lua
script "$CYCLOPS" lua tests/cop/test_value_machine.lua
finish
