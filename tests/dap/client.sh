#!/bin/bash
# cyclops dap with the test kit of debug adapters, from npm: tests/dap/client.js.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export CYCLOPS
kit=@vscode/debugadapter-testsupport@1.68.0 modules=$PWD/build/tests/dap/npm
skip() {
	echo "$1: nothing was tried"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
}
if [ ! -d "$modules/node_modules/${kit%@*}" ]; then
	command -v npm >/dev/null || skip "npm is not there (make setup installs it)"
	mkdir -p "$modules"
	timeout 120 npm install --prefix "$modules" --no-audit --no-fund --ignore-scripts "$kit" \
		>"$dir/npm" 2>&1 ||
		skip "npm does not give $kit"
fi
command="tests/dap/client.js"
NODE_PATH=$modules/node_modules timeout 600 node tests/dap/client.js >"$dir/out" 2>"$dir/err" \
	</dev/null
status=$?
grep -a '^FAIL' -A6 "$dir/out"
cat "$dir/err"
read -r p f < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$dir/out")
check "it ends: $status" [ -n "$p" ]
passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
finish
