#!/bin/bash
# Walks at random with changes by hand and backwards (walks.py with BACK=1): variables and registers
# are set, functions called and left by return, and steps go back over all that, in the console and
# in gdb on our stub; with RECORD=1 also in gdb on a record of qemu's run (record.py), to which the
# stub must be equal. CHANGES=500 tries so many, SEED=N begins elsewhere.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export CYCLOPS BACK=1 WALK=1

walks=${CHANGES:-24} each=6
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] && walks=${CHANGES:-500}
[ "${CYCLOPS_TEST_SCALE:-full}" = small ] && walks=${CHANGES:-4} each=2
seed=${SEED:-101} total=0 answers=0

# ask_gdb STUB FILE: gdb's answers; a session in which gdb itself fails is left out.
ask_gdb() {
	for ((tries = 0; tries < each; tries++)); do
		STUB=$1 PROGRAM=$work/program FOLDER=$work timeout 1200 gdb-multiarch -batch -nx \
			-x tests/sessions/ask.gdb.py >"$dir/out" 2>"$dir/err" && break
		echo '{"sp": null, "answers": []}' >>"$work/$2"
	done
}

# compare_answers WHAT ALLOWED: prints those that differ, at most ALLOWED.
compare_answers() {
	python3 tests/sessions/compare.py "$work" "$1" >"$dir/out" 2>"$dir/err"
	check "it runs" grep -q ' differences$' "$dir/out"
	read -r asked differ < <(sed -nE \
		's/^[0-9]+ sessions, ([0-9]+) answers.* ([0-9]+) differences$/\1 \2/p' "$dir/out")
	[ "${differ:-0}" = 0 ] || echo "$command: $(cat "$dir/out")"
	check "$differ of $each differ" [ "${differ:-0}" -le "$2" ]
}

while [ $total -lt "$walks" ]; do
	for kind in c:gcc:-O0:1 cc:g++:-O0:1 c:gcc:-O2:3 cc:g++:-O2:3; do
		IFS=: read -r language compiler flags allowed <<<"$kind"
		work=$dir/$seed-$language$flags
		mkdir "$work"
		python3 tests/sessions/walks.py "$work" "$seed" "$language" $each
		riscv64-linux-gnu-$compiler -g "$flags" -w -static -march=rv64gc \
			-o "$work/program" "$work/program.$language" || continue
		command="program $seed of $language $flags, $each walks"
		ask_gdb cyclops stub
		if [ "${RECORD:-}" ]; then
			ask_gdb record theirs
			compare_answers stub 0
		else
			cp "$work/stub" "$work/theirs"
		fi
		python3 tests/sessions/compare.py "$work" prepare && "$CYCLOPS" lua \
			tests/sessions/ask.lua "$work/program" "$work" >"$dir/out" 2>"$dir/err"
		compare_answers compare "$allowed"
		total=$((total + each)) answers=$((answers + ${asked:-0}))
		rm -r "$work"
	done
	seed=$((seed + 1))
done
command="$total walks, $answers answers"
check "at least $((total * 8)) answers" [ $answers -ge $((total * 8)) ]

finish
