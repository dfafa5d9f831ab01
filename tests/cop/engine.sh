#!/bin/bash
# The co-processor's engine against its reference, and its words: the scripts of
# BUILD/tests/cop/micro_host.
. tests/lib.sh

for script in tests/cop/test_engine.lua tests/cop/test_words.lua; do
	"$BUILD/tests/cop/micro_host" "$script" >"$dir/out" 2>&1 </dev/null
	status=$?
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$dir/out")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	if [ "$status" != 0 ] || [ "${p:-0}" = 0 ]; then
		[ "${f:-0}" != 0 ] || failed=$((failed + 1))
		echo "FAIL: $script: status $status"
		head -n 40 "$dir/out"
	fi
done
finish
