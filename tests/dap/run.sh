#!/bin/bash
# cyclops dap with a raw client: tests/dap/requests.py, which tries the parts that it is given, or
# all.
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
exec timeout 900 python3 tests/dap/requests.py "$@"
