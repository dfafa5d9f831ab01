#!/bin/bash
# The microprograms of edges, calls, memory dependences and conflicts: against references, record by
# record, and against known results.
. tests/lib.sh

for script in tests/cop/test_four.lua tests/cop/test_known.lua tests/cop/test_handlers.lua; do
	counts "$BUILD/tests/cop/record_host" "$script"
done

for script in test_counts test_streams test_conflicts test_stacks; do
	counts timeout 300 "$CYCLOPS" lua tests/cop/$script.lua
done
finish
