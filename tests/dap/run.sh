#!/bin/bash
# cyclops dap with a raw client: tests/dap/requests.py; with names of parts, those alone.
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
exec timeout 900 python3 tests/dap/requests.py "$@"
