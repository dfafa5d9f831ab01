#!/bin/bash
# The program in WebAssembly, under node: the same statistics and output as the native one. Skipped
# where `make web` has not built it. CYCLOPS_TEST_SCALE=long runs the demos whole.
cd "$(dirname "$0")/../.." || exit 1
if [ ! -e build/web/cyclops.js ] || ! command -v node >/dev/null; then
	echo "no program for browsers: make web, which takes half an hour"
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
part=demos
[ "${CYCLOPS_TEST_SCALE:-}" = long ] && part=whole
exec tests/web/equal.py $part
