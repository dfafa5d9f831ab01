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

script "$CYCLOPS" lua tests/cop/test_values.lua
finish
