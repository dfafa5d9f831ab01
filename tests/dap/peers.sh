#!/bin/bash
# cyclops dap against editors that are none: tests/dap/peers.py, which repeats a seed alone if it is
# given one.
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
exec timeout 3000 python3 tests/dap/peers.py "$@"
