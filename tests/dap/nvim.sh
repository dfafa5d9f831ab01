#!/bin/bash
# cyclops dap with nvim-dap in Neovim: NVIM_DAP=FOLDER has the client, in a version that the
# installed Neovim supports (0.4.0 for 0.7). Without both nothing is tried.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
if ! command -v nvim >/dev/null || [ ! -d "${NVIM_DAP:-}/lua/dap" ]; then
	echo "no Neovim, or no nvim-dap in NVIM_DAP: nothing was tried"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
export NVIM_DAP CYCLOPS RESULTS=$dir/results SOURCE=$PWD/tests/gdb/guest.c
export PROGRAM=$PWD/build/tests/gdb/guest
LINE=$(grep -n 'mark: head changes' tests/gdb/guest.c | cut -d: -f1)
export LINE
command="nvim-dap"
timeout 100 nvim --headless -u NONE -n -S tests/dap/nvim.lua >"$dir/out" 2>"$dir/err" </dev/null
cat >"$dir/wanted" <<END
at list:$LINE
step_over list:$((LINE - 4))
step_into list:$((LINE - 3))
step_out list:$LINE
step_back list:$((LINE - 1))
reverse_continue list:$LINE
value 7
session over
END
grep -v '^stopped\|^terminated' "$dir/results" >"$dir/got"
passes "stops and values" diff "$dir/wanted" "$dir/got"
check "reasons of stops" [ "$(grep -c '^stopped breakpoint$' "$dir/results")" = 3 ]
finish
