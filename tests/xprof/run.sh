#!/bin/bash
# Profile instructions, profile flags and the block descriptor table: rule by rule, and against models at random.
set -u
export CMOCKA_MESSAGE_OUTPUT=TAP
BUILD=${BUILD:-build/release}
passed=0 failed=0
for test in "$BUILD"/tests/xprof/test_*; do
	[ -x "$test" ] || continue
	start=$SECONDS
	out=$("$test" 2>&1)
	status=$?
	p=$(grep -c '^ok ' <<<"$out") f=$(grep -c '^not ok ' <<<"$out")
	if [ $status != 0 ] && [ "$f" = 0 ]; then
		f=1
	fi
	passed=$((passed + p)) failed=$((failed + f))
	echo "$(basename "$test"): $p passed, $f failed, $((SECONDS - start)) s"
	if [ "$f" != 0 ] || [ $((p + f)) = 0 ]; then
		echo "$out"
	fi
done
[ $((passed + failed)) != 0 ] || failed=1
echo "$passed passed, $failed failed"
[ $failed = 0 ]
