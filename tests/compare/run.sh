#!/bin/bash
# `cyclops compare` from outside: its numbers are those of `cyclops run`, a failing machine does not
# affect the others, an interruption leaves no files.
. tests/lib.sh
demos=$PWD/build/demos
cp build/tests/cli/guest tests/compare/check.py "$dir"
cd "$dir" || exit 1
export COLUMNS=100 LC_ALL=C.UTF-8 TMPDIR=$dir/tmp
mkdir tmp
mkfifo hold
pause() { read -rt 0.02 <>hold; }

# compare STATUS ARGS...: out and err have its output; input comes from $stdin.
compare() {
	local want=$1 got=0
	shift
	command="cyclops compare $*"
	"$CYCLOPS" compare "$@" >out 2>err <"${stdin:-/dev/null}" || got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
	check "no temporary file stays" [ -z "$(ls tmp)" ]
}
lacks() { check "$1 should not say '$2'" [ "$(grep -cF -- "$2" "$1")" = 0 ]; }
# json PYTHON: of the parsed answer `d`, see check.py.
json() { check "$1" python3 check.py all.json "$1"; }
# single NAME OPTIONS...: the counts of `cyclops run`, as NAME.json.
single() { "$CYCLOPS" run --stats "$1.json" "${@:2}" >/dev/null 2>&1 </dev/null; }
widest() { wc -L <out; }

# ---- the numbers are those of each machine alone ----
echo 'return { pipe = { rob_size = 8 }, description = "mine" }' >mine.lua
compare 0 --json all.json --csv all.csv -o l1d.size=16K default classic5 \
	zilles2001,pipe.rob_size=32,bpred.kind=gshare ./mine.lua \
	default,l1d.size=32K -- "$demos/fib"
single A -c default -o l1d.size=16K "$demos/fib"
single B -c classic5 -o l1d.size=16K "$demos/fib"
single C -c zilles2001 -o l1d.size=16K -o pipe.rob_size=32 -o bpred.kind=gshare "$demos/fib"
single D -c ./mine.lua -o l1d.size=16K "$demos/fib"
single E -c default -o l1d.size=32K "$demos/fib"
json 'len(machines) == 5 and all(m["state"] == "ended" and m["exit_status"] == 0 for m in machines)'
for letter in A B C D E; do
	json "same_statistics('$letter') and stack_is_exact('$letter') and cpi_adds_up('$letter') and slots_add_up('$letter') and main_figures('$letter')"
done
json 'program == sys_program("fib") and d["arguments"] == []'
json 'ordered() and changes_are_largest()'
check "the CSV has the same numbers" python3 check.py all.json 'same_csv("all.csv")'
says out "pipe.rob_size=32"
says out "on 5 machines"
lacks out "fib("

# ---- the page ----
compare 0 --json bars.json default classic5 -- "$demos/fib"
check "bars are as long as they should be" python3 check.py bars.json 'bars("out")'
check "slots as percents, those that matter" python3 check.py bars.json 'slot_page("out")'
says out "20 of the"
says out "+7"
check "as wide as asked for" [ "$(widest)" -le 100 ]
lacks out "cpi."
check "a bar for the largest part is the longest" \
	awk '/^CPI stack/ { s = 1 } /^Slot stack/ { s = 0 } s && $1 != "total" { n = gsub(/█/, "") } n > m { m = n; c = $1 } END { exit c != "base" }' out
# base is 1/4 of a cycle on one, a whole one on the other.
compare 0 classic5 default -- "$demos/fib"
check "bars have one scale" awk '$1 == "base" && $2 == "1.000" && $4 == "0.250" { exit !(length($3) >= 4 * (length($5) - 3) && length($3) <= 4 * (length($5) + 3)) } END { if (!NR) exit 1 }' out
check "and there are both" grep -q '^base  *1.000 █*  *0.250 █' out
compare 0 --top 3 default classic5 -- "$demos/fib"
check "three statistics" [ "$(sed -n '/^Statistics/,/^$/p' out | wc -l)" = 6 ]
compare 0 --top 0 default classic5 -- "$demos/fib"
says out "all that differ"
compare 0 --all default classic5 -- "$demos/fib"
says out cpi.base
says out sim.syscalls
compare 0 --stat 'l1d.*' -s dir_rate default classic5 -- "$demos/fib"
says out l1d.writebacks
says out bpred.dir_rate
lacks out l1i.
for width in 40 60 80 120; do
	COLUMNS=$width compare 0 ammons1997 burrows2000 classic5 sastry2001 vaswani2003 zilles2001 \
		-- "$demos/hello"
	check "nothing is wider than $width cells: $(widest)" [ "$(widest)" -le $width ]
	for name in ammons1997 burrows2000 classic5 sastry2001 vaswani2003 zilles2001; do
		check "$name has a column of statistics and one of each stack" \
			[ "$(grep -c "^\(statistic\|cause\) .*$name" out)" = 3 ]
	done
done
LC_ALL=C compare 0 default classic5 -- "$demos/fib"
check "plain ASCII where the terminal has no more" [ "$(LC_ALL=C grep -c '[^ -~]' out)" = 0 ]
compare 0 --json - default classic5 -- "$demos/fib"
cp out all.json
json 'len(machines) == 2'
compare 0 --csv - default -- "$demos/fib"
says out 'name,default,change,unit,meaning'
compare 0 --all -o oracle.enable=true default,oracle.enable=false classic5 -- "$demos/fib"
says out oracle.insts

# ---- arguments, environment, input, limits, fast-forwarding ----
compare 0 --json all.json default classic5 -- ./guest work 5000
json 'd["arguments"] == ["work", "5000"]'
compare 0 --env HOME=/x default classic5 -- ./guest env HOME
seq 1 500 >numbers
compare_input() {
	json "insts('A') == insts('B') and insts('A') > 10000"
}
stdin=numbers compare 0 --json all.json default classic5 -- ./guest cat
compare_input
cp all.json file.json
mkfifo pipe
cat numbers >pipe &
stdin=pipe compare 0 --json all.json default classic5 -- ./guest cat
compare_input
compare 0 --json all.json --stdin numbers default classic5 -- ./guest cat
compare_input
# A file may follow a preset, and changes follow both.
printf 'return { pipe = { rob_size = 24 } }\n' >own.lua
compare 0 classic5,own.lua,l1d.latency=2 classic5,pipe.rob_size=24,l1d.latency=2 -- ./guest cat
says out 'none differs'
compare 125 classic5,pipe.rob_size=24,own.lua default -- ./guest cat
says err 'own.lua: expected a configuration before its changes'

# Words already in a pipe; descriptor 7 keeps it open after its writer has ended.
cat numbers >pipe &
exec 7<pipe
wait $!
compare 0 --json piped.json --stdin pipe default classic5 -- ./guest cat
exec 7<&-
check "a pipe that is read once is all machines' input" \
	python3 check.py piped.json \
	'd["statistics"]["rows"] == json.load(open("file.json"))["statistics"]["rows"]'
compare 0 --json all.json --stdin pipe default classic5 -- ./guest cat
json "insts('A') == insts('B') and insts('A') < 10000" # a pipe without a writer is empty
compare 125 --stdin . default -- ./guest cat
says err ". is a folder; standard input is a file or a pipe"
compare 0 --json all.json --stdin numbers default classic5 -- ./guest cat
check "a file is read the same however it comes" \
	python3 check.py all.json \
	'd["statistics"]["rows"] == json.load(open("file.json"))["statistics"]["rows"]'
compare 0 --json all.json --max-insts 20k default classic5 -- ./guest spin
json 'all(m["state"] == "limit" and 20000 <= m["insts"] < 20016 for m in machines)'
says out limit
compare 0 --json all.json --ff 50k --warmup --max-cycles 5k default classic5 -- "$demos/fib"
json 'all(m["cycles"] == 5000 for m in machines)'
"$CYCLOPS" run --functional --max-insts 60k --save-to point "$demos/fib" 2>/dev/null
compare 0 --json all.json --restore point default classic5 -- "$demos/fib"
single A --ff 60k "$demos/fib"
single B -c classic5 --ff 60k "$demos/fib"
for letter in A B; do json "same_statistics('$letter')"; done

# ---- a machine that fails ----
compare 125 --json all.json default nope default,pipe.rob_size=1 classic5 -- "$demos/fib"
says err "B, nope: no configuration is called 'nope'"
says err "C, default,pipe.rob_size=1: pipe.rob_size: 1 is out of range"
says out "2 failed"
says out "B: no configuration"
says out "+7"
json '[m["state"] for m in machines] == ["ended", "failed", "failed", "ended"]'
json 'all(row["nope"] is None for row in d["statistics"]["rows"])'
echo 'return { pipe = ' >broken.lua
compare 125 ./broken.lua classic5 -- "$demos/fib"
says err "broken.lua:2"
says out "1 failed"
"$CYCLOPS" run --max-insts 60k --save-to timed "$demos/fib" 2>/dev/null
compare 125 --restore timed default classic5 -- "$demos/fib"
says out "B: timed was saved with"
compare 125 classic5 default,oracle.enable=true,oracle.memory=4G -- ./guest stuck
says out "make no progress"
says out "2 failed"

# Faults and statuses are the program's, not failures.
compare 0 --json all.json default classic5 -- ./guest segv
says out "SIGSEGV"
says out "exit 139"
json 'all(m["state"] == "ended" and m["exit_status"] == 139 and m["cycles"] > 1000 for m in machines)'
compare 0 default classic5 -- ./guest exit 124
says out "exit 124"
lacks out "differs from"

# A message reports that the program depends on the machine.
compare 0 default default,sim.epoch=2000000000 -- "$demos/hello"
lacks out "differs from"
says out "none differs"
compare 0 default classic5 default,sim.clock_hz=1000000 -- ./guest clock
says out "The program's output differs from A's on B, C"
says out "Its exit status differs from A's on B"

# ---- a text with commas in it ----
compare 0 --json all.json 'default,sim.hostname=H(P(256), 2048), A=16,pipe.rob_size=8' \
	'default,sim.hostname=a,' -- "$demos/hello"
single A -o pipe.rob_size=8 "$demos/hello"
json 'len(machines) == 2'
json "same_statistics('A')"
compare 125 'default,sim.hostname=a,pipe.rob_sise=8' classic5 -- "$demos/hello"
says err "no parameter 'pipe.rob_sise'"
compare 125 'default,sim.hostname=,x' 'default,sim.hostname=,pipe.rob_size=8' -- "$demos/hello"
says err "B, default,sim.hostname=,pipe.rob_size=8: sim.hostname: a name of 0 characters"
lacks err "A, "

# ---- killed from outside ----
command="a comparison with a killed machine"
"$CYCLOPS" compare --json all.json default classic5 -- ./guest spin >out 2>err </dev/null &
pid=$!
children() { cat "/proc/$pid/task/$pid/children" 2>/dev/null; }
until [ "$(children | wc -w)" = 2 ] || ! kill -0 $pid; do pause; done
read -r -a child < <(children)
kill -9 "${child[0]}"
until [ "$(children | wc -w)" = 1 ] || ! kill -0 $pid; do pause; done
kill -9 "${child[1]}"
wait $pid
check "status 125" [ $? = 125 ]
says out "A: killed by SIGKILL"
says out "B: killed by SIGKILL"
check "no temporary file stays" [ -z "$(ls tmp)" ]

# ---- interrupted ----
# Processes that a shell starts in the background ignore Ctrl-C.
heeding='import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])'
mkfifo never
for signal in INT TERM HUP; do
	command="a comparison that waits for its input ($signal)"
	python3 -c "$heeding" "$CYCLOPS" compare default classic5 -- ./guest spin >out 2>err \
		<>never &
	pid=$!
	until [ -n "$(ls tmp)" ] || ! kill -0 $pid; do pause; done
	kill -$signal $pid
	wait $pid
	check "status 128 + signal" [ $? = $((128 + $(kill -l $signal))) ]
	check "no temporary file stays" [ -z "$(ls tmp)" ]
	command="a comparison that is interrupted ($signal)"
	python3 -c "$heeding" "$CYCLOPS" compare default classic5 -- ./guest spin >out 2>err \
		</dev/null &
	pid=$!
	until [ "$(children | wc -w)" = 2 ] || ! kill -0 $pid; do pause; done
	read -r -a child < <(children)
	kill -$signal $pid
	wait $pid
	check "status 128 + signal" [ $? = $((128 + $(kill -l $signal))) ]
	says err interrupted
	check "nothing is shown" [ ! -s out ]
	check "its children ended" [ ! -e "/proc/${child[0]}" ] &&
		check "" [ ! -e "/proc/${child[1]}" ]
	check "no temporary file stays" [ -z "$(ls tmp)" ]
done

# ---- nonsense ----
compare 125
says err "no machines given"
compare 125 default
says err "given after --"
compare 125 default --
says err "given after --"
compare 125 -- "$demos/fib"
says err "no machines given"
compare 125 classic5 -- no/such
says err "no/such: No such file"
compare 125 classic5 -- check.py
says err "check.py"
compare 125 classic5 classic5 -- "$demos/fib"
says err "classic5 is given twice"
compare 125 a b -- "$demos/fib"
says err "no machine to run on"
compare 125 --stat sim.cycle5 classic5 -- "$demos/fib"
says err "did you mean 'sim.cycles'"
compare 125 --functional classic5 -- "$demos/fib"
says err "not an option of this command"
compare 125 --json no/such/x.json classic5 -- "$demos/fib"
says err "--json no/such/x.json: No such file"
compare 125 --json - --csv - classic5 -- "$demos/fib"
says err "only one of them"
compare 125 -j 0 classic5 -- "$demos/fib"
says err "--jobs 0"
compare 125 --top many classic5 -- "$demos/fib"
says err "not a count"
compare 125 $(for i in $(seq 2 28); do echo "default,pipe.rob_size=$i"; done) -- "$demos/fib"
says err "at most 26"
compare 125 --stdin no/input classic5 -- "$demos/fib"
says err "no/input: No such file"
compare 0 --help
says out "CONFIG... -- PROGRAM"
says out "--stat PATTERN"
TMPDIR=$dir/none compare 125 classic5 -- "$demos/fib"
says err "no temporary folder"

finish
