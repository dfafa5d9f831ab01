#!/bin/bash
# Sessions in which one system call fails, a different call each time (strace injects the errors,
# faults.py selects them): failures are reported, nothing crashes, and a file to be replaced is
# completely old or completely new.
. tests/lib.sh
here=$PWD demos=$PWD/build/demos
case ${CYCLOPS_TEST_SCALE:-full} in
small) count=6 sweeps=2 kills=1 ;;
long) count=600 sweeps=200 kills=40 ;;
*) count=24 sweeps=3 kills=3 ;;
esac
# it can't be done under strace, and reports that where traces are read
export LSAN_OPTIONS=detect_leaks=0
cd "$dir" || exit 1
cp "$demos/hello" "$demos/fib" .
if ! strace -f -o log -e inject=getppid:error=EIO:when=1 true 2>err; then
	echo "SKIPPED: strace does not work here: $(head -n 1 err)"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

# The sessions, and their output files.
batch=(inspect --no-init --batch -e "trace konata files/k 0 1000" -e "step 2000" \
	-e "save files/point" hello)
batch_files="k point"
stats=(run --stats files/stats --save-every 5k --save-keep 1 --save-to files/saved hello)
stats_files="stats saved"
echo 'return { configs = { c = "vaswani2003" }, programs = { hello = "hello", fib = "fib" }, options = { max_insts = 2000 },
	out = "files", stats = { "sim.cycles" } }' >sweep.lua
sweep=(sweep -j 1 --force sweep.lua)
sweep_files="results.csv results.json"

afresh() {
	rm -rf files
	mkdir files
	local file
	for file in $1; do echo old >files/$file; done
}
# is_new NAME FILE: true if the file is the session's complete output. A sweep's has times and
# failures.
is_new() {
	[ "$1" = sweep ] || cmp -s "files/$2" "whole/$2" && return
	case $2 in
	# If one of the guest's calls fails on the host, the run ends, and the last checkpoint is
	# older.
	saved) "$CYCLOPS" run --restore "files/$2" hello >/dev/null 2>&1 </dev/null ;;
	stats) # all rows up to the program's end
		[ "$got" = 125 ] && grep -q "the host can't execute the program's" err &&
			cmp -s <(awk '{ print $1 }' "files/$2") <(awk '{ print $1 }' "whole/$2")
		;;
	*.json) python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "files/$2" \
		2>/dev/null ;;
	*) [ "$(wc -l <"files/$2")" = 3 ] && [ -z "$(tail -c 1 "files/$2")" ] ;;
	esac
}
# failing NAME COUNT HOW: the session, once for each of COUNT calls, which fails or ends the
# session.
failing() {
	local name=$1 file got how
	local -n words=$1 files=$1_files
	afresh "$files"
	strace -f -o log "$CYCLOPS" "${words[@]}" >out 2>err </dev/null
	command="cyclops ${words[*]}"
	check "$name: nothing fails" [ $? = 0 ]
	rm -rf whole
	mv files whole
	while read -r call n error; do
		afresh "$files"
		how=error=$error got=0
		[ "$3" != kill ] || how=signal=SIGKILL
		command="cyclops ${words[*]}, $call $n: ${how#*=}"
		{ bounded strace -f -o /dev/null -e "inject=$call:$how:when=$n" "$CYCLOPS" \
			"${words[@]}" >out 2>err </dev/null || got=$?; } 2>/dev/null
		if [ "$3" = kill ]; then
			check "exit status $got" [ $got = 137 ]
		else
			check "exit status $got is no crash" [ $got -lt 126 ]
			check "what fails is said" [ $got = 0 -o -s err ]
			[ "$name $call $n" != "stats fsync 1" ] ||
				check "that it is not on the disk is said" [ -s err ]
			[ $call = unlinkat ] ||
				check "nothing is left over: $(find files -name '.cyclops-*')" \
				[ -z "$(find files -name '.cyclops-*')" ]
		fi
		for file in $files; do
			is_new "$name" "$file" && continue
			check "$file: the old one is whole, if not the new one" \
				[ "$(cat "files/$file")" = old ]
			[ "$3" = kill ] || check "$file: that there is no new one is said" [ $got \
				!= 0 -o -s err ]
		done
	done < <(python3 "$here/tests/cli/faults.py" log $2 "${@:4}")
}
failing batch $((count / 2)) error
failing stats $((count / 2)) error
failing sweep $sweeps error
failing batch $kills kill linkat renameat fchmod fsync flock

# While a process has its file under the temporary name, no other takes the names.
mkdir between
echo old >between/stats
command="two sessions, one of which stands still before its file has the name"
strace -f -o /dev/null -e inject=renameat:delay_enter=2000000 "$CYCLOPS" run --stats between/stats \
	fib >out 2>err </dev/null &
session=$!
until [ -n "$(find between -name '.cyclops-*')" ] || ! kill -0 $session 2>/dev/null; do sleep \
	0.02; done
run 0 run --stats between/stats hello
wait $session
check "exit status of the first one" [ $? = 0 ]
check "nothing is left over" [ "$(ls -A between)" = stats ]

# The first call of all.
for error in EIO EINTR EMFILE; do
	command="cyclops --version without standard input, open: $error"
	n=$(strace -o log "$CYCLOPS" --version 2>&1 <&- >/dev/null; grep -n 'openat(' log |
		grep -n '/dev/null' | cut -d: -f1)
	got=0
	strace -o /dev/null -e inject=openat:error=$error:when=${n:-1} "$CYCLOPS" --version >out \
		2>err <&- || got=$?
	if [ $error = EINTR ]; then
		check "exit status $got: it is tried again" [ $got = 0 ]
	else
		check "exit status $got" [ $got = 125 ]
		says err "/dev/null: "
	fi
done
finish
