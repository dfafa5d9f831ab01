#!/bin/bash
# Stream compressors and profiles of tuples: every tests/sampler/test_*.lua.
. tests/lib.sh

for script in tests/sampler/test_*.lua; do
	"$CYCLOPS" lua "$script" >"$dir/out" 2>&1 </dev/null
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
