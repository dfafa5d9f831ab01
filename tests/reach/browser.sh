#!/bin/bash
# A page in a real browser (chromium, headless) that sends to the ports of `cyclops gdb` and
# `cyclops dap` whatever pages can: tests/reach/browser.py.
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
for tool in chromium gdb-multiarch; do
	if ! command -v $tool >/dev/null; then
		echo "$tool is not there (make setup installs it): nothing was tried"
		echo "0 passed, 0 failed, 1 skipped"
		exit 0
	fi
done
exec timeout 600 python3 tests/reach/browser.py
