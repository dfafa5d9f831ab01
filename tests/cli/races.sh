#!/bin/bash
# Files that Cyclops writes while others change the same folder: swapped links lead no file out of
# the folder, and of two sessions that write one file, one result stays, whole.
within=build/tests/cli
mkdir -p $within
. tests/lib.sh
here=$PWD demos=$PWD/build/demos
case ${CYCLOPS_TEST_SCALE:-full} in
small) runs=3 saves=20 rounds=3 ;;
long) runs=200 saves=2000 rounds=200 ;;
*) runs=15 saves=200 rounds=10 ;;
esac
cd "$dir" || exit 1

other=
trap '[ -z "$other" ] || kill "$other"; rm -rf "$dir"' EXIT
beside() { # WORDS of races.py: runs until `alone`
	python3 "$here/tests/cli/races.py" "$@" 2>beside.err &
	other=$!
}
alone() {
	check "the other one was at work: $(cat beside.err)" kill -0 "$other"
	kill "$other"
	wait "$other" 2>/dev/null
	other=
}
afresh() {
	rm -rf outside sub sub.other
	mkdir -p outside/folder sub
	echo whole >outside/target
	echo whole >outside/folder/target
}
untouched() {
	[ "$(cat outside/target outside/folder/target)" = $'whole\nwhole' ] &&
		[ "$(ls -AR outside)" = $'outside:\nfolder\ntarget\n\noutside/folder:\ntarget' ]
}
nothing_over() { [ -z "$(find . -name '.cyclops-*')" ]; }

# Its name is alternately a link to another file.
afresh
beside file sub/target outside/target
for ((i = 0; i < runs; i++)); do
	run 0 run --functional --stats sub/target "$demos/hello"
done
cat >save.lua <<'E2'
local rw, path, times = ...
local m = cyclops.machine{ program = "hello", rw = rw == "rw" }
m:cmd "break main"
for i = 1, tonumber(times) do
	-- Few bytes, and now and then many. What can't be saved is said.
	if i % 10 == 0 then pcall(m.save, m, path) else pcall(m.cmd, m, "save breakpoints " .. path) end
end
E2
cp "$demos/hello" .
run 0 lua save.lua ro sub/target $saves
alone
command="files whose name is swapped"
check "the person's file is untouched" untouched
check "nothing is left over" nothing_over

# Its folder is alternately a link, possibly a guest's.
afresh
beside folder sub outside/folder
run 0 lua save.lua rw sub/target $saves
alone
command="files whose folder is swapped"
check "the person's folder is untouched" untouched
check "nothing is left over" nothing_over
# A folder opened before the guest ran stays the same.
afresh
mkfifo in
command="a folder that is swapped during a run"
"$CYCLOPS" run --functional --rw --stats sub/target "$here/build/tests/cli/guest" cat <in >out \
	2>err &
session=$!
exec 7<>in
until [ -n "$(ls -l "/proc/$session/fd" 2>/dev/null | grep "/sub$")" ]; do read -r -t 0.02 -u 7 ||
	:; done
mv sub away
ln -s outside/folder sub
exec 7>&-
wait $session
check "exit status" [ $? = 0 ]
check "it is in the folder" grep -q sim.cycles away/target
check "the person's folder is untouched" untouched

# Two sessions save to one name, from which a third one loads.
cat >two.lua <<'E2'
local cycles, times, path = ...
local m = cyclops.machine{ program = "hello" }
m:step(tonumber(cycles))
for i = 1, tonumber(times) do m:save(path) end
E2
cat >loads.lua <<'E2'
local times, path = ...
local m = cyclops.machine{ program = "hello" }
for i = 1, tonumber(times) do
	m:step(1 + i * 37 % 500)
	m:load(path)
	assert(m.cycle == 1000 or m.cycle == 3000, m.cycle)
end
E2
afresh
run 0 lua two.lua 1000 1 one
run 0 lua two.lua 3000 1 two
cp one point
check "they differ" [ "$(cksum <one)" != "$(cksum <two)" ]
left_over=.cyclops-$(python3 - <<'E2'
h = 0xcbf29ce484222325
for b in b"point": h = (h ^ b) * 0x100000001b3 % 2**64
print("%016x" % h)
E2
)
beside watch point one two
for ((i = 0; i < rounds; i++)); do
	command="two sessions that save to one name"
	touch "$left_over" # of a killed session
	"$CYCLOPS" lua two.lua 1000 2 point >out 2>err &
	first=$!
	"$CYCLOPS" lua loads.lua 20 point >loads 2>&1 &
	third=$!
	"$CYCLOPS" lua two.lua 3000 2 point >>out 2>>err
	check "the second one's exit status" [ $? = 0 ]
	wait $third
	check "a third one's, which loads it meanwhile: $(cat loads)" [ $? = 0 ]
	wait $first
	check "the first one's exit status" [ $? = 0 ]
	check "it is one of the two" [ "$(cmp -s one point && echo 1; cmp -s two point && echo 2)" ]
done
alone
check "it never was anything else" [ ! -e point.torn ]
check "nothing is left over" nothing_over

# Two sessions of one user share labs' progress and the history of commands.
mkdir home
own=$PWD/home/.local/share/cyclops/labs
whole_progress() { # of a lab: each line is whole, and all three exist
	[ "$(grep -cE '^(beat [0-9]+|(points|hand-in) [0-9]+ [0-9]+|answer .*)$' "$1")" = \
		"$(wc -l <"$1")" ] && [ "$(grep -cE '^(beat|points|hand-in)' "$1")" = 3 ]
}
for ((i = 0; i < (rounds + 2) / 3; i++)); do
	command="sessions that grade hand-ins of one user at once"
	sessions=()
	for lab in 1 1 2; do
		HOME=$PWD/home XDG_DATA_HOME='' "$CYCLOPS" lab check $lab >"said.$lab" 2>&1 &
		sessions+=($!)
	done
	for session in "${sessions[@]}"; do
		wait "$session"
		check "exit status" [ $? = 0 ]
	done
	for progress in "$own"/*/progress; do
		check "$progress is whole" whole_progress "$progress"
	done
done
check "of both labs" [ "$(ls "$own")" = $'01-pipeline\n02-forwarding' ]

# Two sweeps in one folder: one reports it; jobs of emitted scripts that run twice at once leave one
# record.
cp "$here/build/demos/fib" .
cat >plan.lua <<'E2'
return { configs = { a = "classic5", b = "wide6" }, programs = { fib = "fib" }, options = { max_insts = "100k" },
	out = "swept", stats = { "sim.cycles" } }
E2
for ((i = 0; i < (rounds + 2) / 3; i++)); do
	command="two sweeps in one folder"
	rm -rf swept
	"$CYCLOPS" sweep plan.lua >first.out 2>first.err &
	first=$!
	"$CYCLOPS" sweep plan.lua >out 2>err
	second=$?
	wait $first
	statuses="$? $second"
	check "one runs, and the other did or says why: $statuses $(cat first.err err)" \
		grep -qE '^(0 0|0 125|125 0)$' <<<"$statuses"
	run 0 sweep --collect plan.lua
	says out "2 done, 0 failed, 0 missing"
	[ -e alone.csv ] || cp swept/results.csv alone.csv
	check "results are those of one" cmp -s swept/results.csv alone.csv
done
run 0 sweep --emit parallel emitted --force plan.lua
for ((i = 0; i < (rounds + 2) / 3; i++)); do
	command="jobs of a script that run twice at once"
	sessions=()
	while IFS= read -r job; do
		for twice in 1 2; do
			eval "$job" >>said 2>&1 </dev/null &
			sessions+=($!)
		done
	done <emitted/jobs
	for session in "${sessions[@]}"; do
		wait "$session"
		check "exit status" [ $? = 0 ]
	done
	run 0 sweep --collect plan.lua
	says out "2 done, 0 failed, 0 missing"
	check "results are those of one" cmp -s swept/results.csv alone.csv
	check "nothing half is left" [ -z "$(find swept -name '*partial*')" ]
done
check "nothing is left over" nothing_over
finish
