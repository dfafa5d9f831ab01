#!/bin/bash
# Value profiling with the co-processor: microprograms, handlers, and readers of their profiles.
. tests/lib.sh

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
counts "$BUILD/tests/cop/micro_host" tests/cop/test_value_programs.lua
counts "$CYCLOPS" lua tests/cop/test_values.lua
counts "$CYCLOPS" lua tests/cop/test_value_machine.lua
finish
