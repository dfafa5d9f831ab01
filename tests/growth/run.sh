#!/bin/bash
# The cost of commands grows as growth.txt states: at scale `long` for all, in some five minutes,
# else for commands that once grew faster with calls and stop points. Keys are measured by hand:
# growth.py --only keys.
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
