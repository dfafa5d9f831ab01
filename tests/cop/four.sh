#!/bin/bash
# The microprograms of edges, calls, memory dependences and conflicts: against references, record by
# record, and against what is known.
. tests/lib.sh

for script in tests/cop/test_four.lua tests/cop/test_known.lua tests/cop/test_handlers.lua; do
	"$BUILD/tests/cop/record_host" "$script" >"$dir/out" 2>&1 </dev/null
	status=$?
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$dir/out")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	if [ "$status" != 0 ] || [ "${p:-0}" = 0 ]; then
		[ "${f:-0}" != 0 ] || failed=$((failed + 1))
		echo "FAIL: $script: status $status"
		head -n 40 "$dir/out"
	fi
done

for script in test_counts test_streams test_conflicts; do
	timeout 300 "$CYCLOPS" lua tests/cop/$script.lua >"$dir/out" 2>&1 </dev/null
	check "$script" grep -q "^[0-9]* passed, 0 failed" "$dir/out" || head -n 20 "$dir/out"
done
finish
