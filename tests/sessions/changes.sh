#!/bin/bash
# Walks at random with changes by hand and backwards (walks.py with BACK=1): variables and registers
# are set, functions called and left by return, and steps go back over all that, in the console and
# in gdb on our stub; with RECORD=1 also in gdb on a record of qemu's run (record.py), to which the
# stub must be equal. CHANGES=500 tries so many, SEED=N begins elsewhere.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
# shellcheck source=tests/sessions/walk.sh
. tests/sessions/walk.sh
export BACK=1

walks=${CHANGES:-24} each=6
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] && walks=${CHANGES:-500}
[ "${CYCLOPS_TEST_SCALE:-full}" = small ] && walks=${CHANGES:-4} each=2
seed=${SEED:-101} total=0 answers=0

# compare_at_most ALLOWED WHAT: at most so many differ.
compare_at_most() {
	compare_answers "$2"
	check "$differ of $each differ" [ "${differ:-0}" -le "$1" ]
}

# walk_both LANGUAGE COMPILER FLAGS ALLOWED: the walks of $seed.
walk_both() {
	prepare "$1" "$2" "$3" || return 0
	ask_gdb cyclops stub
	if [ "${RECORD:-}" ]; then
		ask_gdb record theirs
		compare_at_most 0 stub
	else
		cp "$work/stub" "$work/theirs"
	fi
	ask_console
	compare_at_most "$4" compare
	total=$((total + each)) answers=$((answers + ${asked:-0}))
	rm -r "$work"
}

while [ $total -lt "$walks" ]; do
	walk_both c gcc -O0 1
	walk_both cc g++ -O0 1
	walk_both c gcc -O2 1
	walk_both cc g++ -O2 1
	seed=$((seed + 1))
done
# Back over rows of one instruction, and after a call that ends a row; to a breakpoint at which the
# return of a call by an expression leads; back into a function called on the last line of another.
each=6
seed=112 walk_both cc g++ -O0 0
seed=115 walk_both c gcc -O0 0
seed=121 walk_both cc g++ -O0 0
# Back over rows whose ends depend on the way there; out of a function that an inlined one calls.
seed=132 walk_both c gcc -O2 0
seed=133 walk_both cc g++ -O2 0
command="$total walks, $answers answers"
check "at least $((total * 8)) answers" [ $answers -ge $((total * 8)) ]

finish
