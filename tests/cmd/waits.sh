#!/bin/bash
# Reasons of waits are those of the cycles themselves, also when the instruction has long left.
. tests/lib.sh
waits=build/tests/cmd/waits

# In classic5: an operand, an earlier write, and a store that holds the execute stage.
run 0 inspect -n --batch -c classic5 -e 'goto 500' -e 'view pipe 499 28' $waits
says out ' a0 #274, 1 cycle '
says out ' same destination #276, 6 cycles '
says out ' executing, 7 cycles '
says out ' decode taken #277, 6 cycles '
says out ' execute stage taken #279, 3 cycles '
# It has neither a reorder buffer nor an issue queue that an instruction waits for.
run 0 inspect -n --batch -c classic5 -e 'goto 500' -e 'why all' -e 'view fetchq' \
	-e 'view slots' $waits
says out 'waits for decode, which is held by #'
lacking='reorder buffer|issue queue|window|in the BTB|pipe.commit_delay'
check "classic5 should not name queues and parts that it does not have" \
	[ "$(grep -cE "$lacking" "$dir/out")" = 0 ]
# Nor does a mispredicted branch wait, after which decode and fetch continue.
run 0 inspect -n --batch -c classic5 -e 'goto 500' -e 'why #271' -e 'what-if 200 500' \
	-e 'view what-if all' -e 'why slow' $waits
says out '1 instruction squashed, and 1 in fetch (cycle '
says out '; decode went on '
check "no instruction of classic5 waits for a window" \
	grep -q '^window .* nothing: this machine has no such limit' "$dir/out"
check "classic5 should not name a fetch queue or dispatch" \
	[ "$(grep -cE 'in the fetch queue|dispatch went' "$dir/out")" = 0 ]
# Each cycle of a stall that is drawn is counted, as each X.
run 0 inspect -n --batch -c classic5_nofwd -e 'goto 500' -e 'view pipe 470 28' -e 'why #211' \
	-e 'why #206' $waits
check "two cycles of a stall" grep -qE 'FDDDXMW +s1 written #210, 2 cycles ' "$dir/out"
says out 'waited: s1 written #210 2 (executing 1), executing 1'
check "seven of execution" grep -qE 'FDXXXXXXXMW +executing, 7 cycles ' "$dir/out"
says out 'waited: executing 7'
# Before the first fetch both explain fetch.
run 0 inspect -n --batch -e why -e 'why all' $waits
check "why all should explain fetch if nothing is in flight" \
	[ "$(grep -c '^nothing is in flight: ' "$dir/out")" = 2 ]
# The chain of an instruction that has left is found in history, equal forwards and backwards.
run 0 inspect -n --batch -c classic5 -e 'goto 800' -e 'why #275' -e 'why #277' -e 'why #280' \
	-e 'goto 600' -e 'why #277' $waits
says out 'waited: a0 #274 1 (L1D 1), executing 1'
says out 'waited: same destination #276 6 (executing 7), executing 1, L1D 1'
says out 'waited: execute stage taken #279 3 (fa3 #278 3)'
check "the same from another cycle" [ "$(grep -c 'same destination #276 6' "$dir/out")" = 2 ]
# A short wait for a write port beside a long wait for room.
run 0 inspect -n --batch -o pipe.int_writes=1 -e 'goto 500' -e 'why #123' $waits
says out ', no write port 2, turn '
# Without history, no chain is invented.
run 0 inspect -n --no-history --batch -c classic5 -e 'goto 500' -e 'view pipe 499 28' $waits
check "no reason without history" [ "$(grep -c 'same destination #276' "$dir/out")" = 0 ]
finish
