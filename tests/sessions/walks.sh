#!/bin/bash
# Walks at random through programs at random (walks.py), of C and C++, at -O0 and -O2: where break,
# tbreak, next, step, finish, until, advance and continue end, and the calls with their arguments
# there, as in gdb on qemu's gdbstub. WALKS=2000 tries so many, SEED=N begins elsewhere. Of many
# walks a few may differ: gdb's steps from a place at which an inlined function begins depend on
# more than the place.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/sessions/walk.sh
. tests/sessions/walk.sh

walks=${WALKS:-24} each=6
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] && walks=${WALKS:-2000} each=12
[ "${CYCLOPS_TEST_SCALE:-full}" = small ] && walks=${WALKS:-8} each=2
seed=${SEED:-22} total=0 answers=0 differences=0
while [ $total -lt "$walks" ]; do
	for kind in c:gcc:-O0 c:gcc:-O2 cc:g++:-O0 cc:g++:-O2; do
		IFS=: read -r language compiler flags <<<"$kind"
		prepare "$language" "$compiler" "$flags" || continue
		ask_gdb qemu theirs
		ask_console
		compare_answers compare
		total=$((total + ${walked:-each})) answers=$((answers + ${asked:-0}))
		differences=$((differences + ${differ:-0}))
		rm -r "$work"
	done
	seed=$((seed + 1))
done
command="$total walks, $answers answers"
check "$differences differ from gdb's, which is too many" [ $differences -le $((total / 50)) ]
check "at least $((total * 8)) answers" [ $answers -ge $((total * 8)) ]

finish
