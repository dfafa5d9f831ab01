#!/bin/bash
# cyclops dap against peers that are no editors: tests/dap/peers.py; with a seed, that alone.
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
exec timeout 3000 python3 tests/dap/peers.py "$@"
