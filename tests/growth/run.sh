#!/bin/bash
# The cost of commands grows as growth.txt states. At scale `long` all of them, in some five minutes;
# else commands that once grew faster, where there are more calls and stop points. Keys are measured
# by hand: growth.py --only keys.
within=build/tests
. tests/lib.sh
if [[ ${BUILD:-} == *@(asan|breaks)* ]] || ! command -v valgrind >/dev/null; then
	finish # sanitized programs do not run there
	exit
fi
if [ "${CYCLOPS_TEST_SCALE:-full}" = long ]; then
	counts python3 tests/growth/growth.py --only commands "$CYCLOPS" "$dir" \
		functions symbols cycles stops threads maps frames
else
	counts python3 tests/growth/growth.py --only commands \
		--match '^(backtrace|print|disassemble|list|handle|info locals)' "$CYCLOPS" "$dir" stops frames
fi
finish
