#!/bin/bash
# cyclops gdb against peers that are not gdb: tests/gdb/peer.py; with a seed, that alone.
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
exec timeout 3000 python3 tests/gdb/peer.py "$@"
