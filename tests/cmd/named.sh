#!/bin/bash
# Some test uses every command and every option; --cct-heap is tested here alone.
# shellcheck source=tests/lib.sh
. tests/lib.sh
told=$(python3 tests/cmd/named.py 2>&1) && ok=1 || ok=0
check "$told" [ "$ok" = 1 ]

run 0 run --instrument cct --cct-heap 1 --report cct-stats build/tests/cmd/contexts
says err 'replication'
run 125 run --instrument cct --cct-heap much build/tests/cmd/contexts
says err 'much'

finish
