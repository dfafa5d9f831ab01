# Common parts of walks.sh and changes.sh. To be sourced at the top of the tree, after lib.sh.
export CYCLOPS WALK=1

# prepare LANGUAGE COMPILER FLAGS: a program and $each walks of $seed, in the folder $work.
prepare() {
	work=$dir/$seed-$1$3
	command="program $seed of $1 $3, $each walks"
	mkdir "$work"
	python3 tests/sessions/walks.py "$work" "$seed" "$1" "$each"
	riscv64-linux-gnu-$2 -g "$3" -w -static -march=rv64gc -o "$work/program" "$work/program.$1"
}

# ask_gdb STUB FILE: gdb's answers; a session in which gdb itself fails is left out.
ask_gdb() {
	for ((tries = 0; tries < each; tries++)); do
		STUB=$1 PROGRAM=$work/program FOLDER=$work timeout 1200 gdb-multiarch -batch -nx \
			-x tests/sessions/ask.gdb.py >"$dir/out" 2>"$dir/err" && break
		echo '{"sp": null, "answers": []}' >>"$work/$2"
	done
}

# The console's answers to the sessions that gdb has answered.
ask_console() {
	python3 tests/sessions/compare.py "$work" prepare && "$CYCLOPS" lua \
		tests/sessions/ask.lua "$work/program" "$work" >"$dir/out" 2>"$dir/err"
}

# compare_answers WHAT: prints those that differ, and sets their numbers.
compare_answers() {
	python3 tests/sessions/compare.py "$work" "$1" >"$dir/out" 2>"$dir/err"
	check "it runs" grep -q ' differences$' "$dir/out"
	read -r walked asked differ < <(sed -nE \
		's/^([0-9]+) sessions, ([0-9]+) answers.* ([0-9]+) differences$/\1 \2 \3/p' "$dir/out")
	[ "${differ:-0}" = 0 ] || echo "$command: $(cat "$dir/out")"
}
