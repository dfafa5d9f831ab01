#!/bin/bash
# `cyclops sweep` from outside: numbers, resuming, failures, tables and plots, GNU parallel and
# Slurm for real.
set -u
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
here=$PWD/tests/sweep
passed=0 failed=0 skipped=0
top=$(mktemp -d)
. "$here/slurm_up.sh"
trap 'slurm_down; rm -rf "$top"' EXIT
# Names that shells take apart.
dir="$top/it's a \$HOME"
mkdir "$dir"
cp build/tests/cli/guest build/demos/hello build/demos/fib build/demos/branchy "$dir"
cp build/tests/cli/guest "$dir/a guest; exit 9"
cd "$dir" || exit 1
export LC_ALL=C.UTF-8 COLUMNS=160

# sweep STATUS ARGS...: its exit status; out and err have its output.
sweep() {
	local want=$1 got=0
	shift
	command="cyclops sweep $*"
	"$CYCLOPS" sweep "$@" >"$top/out" 2>"$top/err" </dev/null || got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
}

# check WHAT COMMAND...: the command must succeed.
check() {
	local what=$1
	shift
	if "$@" >"$top/said"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $command: $what"
		sed 's/^/  said: /' "$top/said" | head -n 5
		sed 's/^/  out: /' "$top/out" | head -n 12
		sed 's/^/  err: /' "$top/err" | head -n 12
	fi
}
has() {
	local text=
	IFS= read -r -d '' text <"$top/$1"
	[[ $text == *"$2"* ]]
}
says() { check "$1 should say '$2'" has "$1" "$2"; }
silent() { check "$1 should be empty" [ ! -s "$top/$1" ]; }
py() { check "check.py $*" python3 "$here/check.py" "$@"; }
# The number of executed jobs, by their lines.
ran() { check "$1 jobs should have been run" [ "$(grep -c '^\[' "$top/err")" = "$1" ]; }
# row COLUMN=VALUE... -- TEXT: one row of r/results.csv has these, and this text.
row() {
	local wanted=()
	while [ "$1" != -- ]; do wanted+=("$1"); shift; done
	check "the row ${wanted[*]} has '$2'" grep -qF -- "$2" <(python3 "$here/check.py" csv \
		r/results.csv "${wanted[@]}")
}

# ---- a sysroot, and folders ----
mkdir -p far/lib words
cp /usr/riscv64-linux-gnu/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6,libm.so.6} far/lib
cp "$OLDPWD/build/tests/dynamic/plain" .
echo here >words/one
cat >far.lua <<'END'
return {
	configs = { base = "default" },
	programs = { plain = { "plain", "one", "two", sysroot = "far", status = 7 },
	             cat = { "guest", "hello", dirs = { "/w=words", "/v=words:rw" } } },
	options = { max_insts = "20M" },
	out = "r",
}
END
sweep 0 far.lua --dry-run
says out "--sysroot=far"
says out "--dir=/w=words"
says out "--dir=/v=words:rw"
sweep 0 far.lua
sed -i 's/sysroot = "far"/sysroot = "near"/' far.lua
sweep 1 far.lua
says err "--sysroot near: no such folder"
sed -i 's/sysroot = "near"/sysroot = 3/' far.lua
sweep 125 far.lua
says err "sysroot"
sed -i 's/sysroot = 3/dirs = 3/' far.lua
sweep 125 far.lua
says err "dirs is a text, or a list of them"
rm -r r

# ---- numbers, tables, plots ----
cat >a.lua <<'END'
return {
	title = "A & B",
	configs = { z = "vaswani2003", a = { "classic5", lsq = { size = 16 } } }, -- z = first
	vary = { ["l1d.size"] = { "4K", 8192 } },
	programs = { fib = { "fib" }, cat = { "guest", "cat", stdin = "in put.txt", status = 0 } },
	options = { max_insts = 3e4 },
	stats = { "sim.cycles", "sim.ipc", "sim.insts" },
	out = "r",
	plot = {
		{ y = "sim.ipc", panels = "program", title = "I <P> C" },
		{ y = "sim.ipc", x = "program", series = "config", mean = "geometric", relative = "a", file = "bars.svg" },
	},
}
END
seq 200 >"in put.txt"
sweep 0 a.lua -j 3
ran 8
says out "8 done, 0 failed, 0 missing"
check "the first configuration of the file is the first row" grep -q '^z,4K,fib,limit,' \
	<(sed -n 2p r/results.csv)
program=fib
for config in "z --config=vaswani2003" "a --config=classic5 -o lsq.size=16"; do
	for size in 4K 8192; do
		"$CYCLOPS" run ${config#* } -o l1d.size=$size --max-insts 30k --stats alone.json \
			$program >/dev/null 2>&1 <"in put.txt"
		py same alone.json r/results.json "${config%% *}" "${program#guest }" l1d.size=$size
		[ "$program" = fib ] && program="guest cat" || program=fib
	done
done
py agree r/results.csv r/results.json
py svg r/plot.svg 0 10 0
py svg r/bars.svg 6 0 0 # two stand in the legend
check "titles are escaped" grep -qF 'I &lt;P&gt; C' r/plot.svg
check "units are named" grep -qF 'sim.ipc, instructions/cycle' r/plot.svg
cp -r r once
command="what is left behind"
check "no file of a run is" [ -z "$(find r -name '*partial*')" ]

# ---- texts vary, commas and all ----
cat >t.lua <<'END'
return {
	configs = { z = { "vaswani2003", sim = { hostname = "all, of = it" } } },
	vary = { ["sim.hostname"] = { "H(P(256), 2048), A(16)", "a \"b\" = 'c'", "cyclops" } },
	programs = { fib = "fib" },
	options = { max_insts = 1000 },
	stats = { "sim.insts" },
	out = "t",
}
END
sweep 0 t.lua
check "a text is one cell" grep -qF 'z,"H(P(256), 2048), A(16)",fib,' t/results.csv
check "quotes are doubled" grep -qF $'z,"a ""b"" = \'c\'",fib,' t/results.csv
check "another text is another run" [ "$(find t/jobs -name '*.json' | wc -l)" = 3 ]
sed 's/"cyclops"/7/' t.lua >bad.lua
sweep 125 bad.lua
says err "bad.lua:3: sim.hostname: expected a string, not 7"
sed 's/"all, of = it"/7/' t.lua >bad.lua
sweep 125 bad.lua
says err "bad.lua:2: sim.hostname: expected a string, not 7"

# ---- finished jobs are not run again ----
sweep 0 a.lua
ran 0
check "the same table" cmp r/results.csv once/results.csv
sweep 0 a.lua --status
says out "8 done"
check "--dry-run has nothing to do" [ -z "$("$CYCLOPS" sweep --dry-run a.lua)" ]
py tty 30 "$CYCLOPS" sweep --force a.lua
for file in results.csv plot.svg bars.svg; do check "$file is the same again" cmp r/$file \
	once/$file; done
echo more >>"in put.txt"
sweep 0 a.lua
ran 4 # what reads it
echo 'return { lsq = { size = 16 } }' >lsq.lua
sed -i 's/{ "classic5", lsq = { size = 16 } }/{ "classic5", "lsq.lua" }/' a.lua
sweep 0 a.lua
ran 0 # the same machine by another name
echo 'return { lsq = { size = 8 } }' >lsq.lua
sweep 0 a.lua
ran 4
cp fib fib.old && printf x >>fib
sweep 0 a.lua
ran 4
cp fib.old fib
sed -i 's/"build": "[0-9a-f]*"/"build": "0"/' r/jobs/*.json
sweep 0 --any-build a.lua
ran 0
says out "8 of these results are another build's"
sweep 0 a.lua
ran 8
echo '{"key": ' >"$(ls r/jobs/*.json | head -n 1)" # files that no sweep leaves
sweep 0 a.lua
check "at most the spoilt one is run" [ "$(grep -c '^\[' "$top/err")" -le 1 ]

# Equal jobs are run once.
cat >twins.lua <<'END'
return { configs = { one = "vaswani2003", two = { "vaswani2003", ["pipe.rob_size"] = 64 } }, programs = { a = "hello", b = "hello" },
         out = "twins", stats = { "sim.cycles" } }
END
sweep 0 twins.lua
ran 1
says out "4 done"

# A build that replaces this one meanwhile is not used.
cat >placed.lua <<'END'
return { configs = { m = "lsq.lua" }, programs = { spin = { "guest", "spin", timeout = 1 }, hello = "hello" }, out = "placed",
         stats = { "sim.cycles" } }
END
cp "$CYCLOPS" "$top/cyclops"
command="a sweep whose program is replaced"
"$top/cyclops" sweep -j 1 placed.lua >"$top/out" 2>"$top/err" </dev/null &
for ((i = 0; i < 1200; i++)); do
	[ -n "$(ls placed/logs/*.log 2>/dev/null)" ] && break
	sleep 0.05
done
rm "$top/cyclops"
printf '#!/bin/sh\nexit 77\n' >"$top/cyclops"
chmod +x "$top/cyclops"
wait $! # 1: spin ran out of time
says out "1 done, 1 failed"

# ---- failures are rows ----
cat >bad.lua <<'END'
return {
	configs = { good = "vaswani2003", odd = { "vaswani2003", ["l1d.size"] = "16K", ["l1d.ways"] = 3 } },
	programs = {
		hello = "hello", segv = { "guest", "segv" }, three = { "guest", "exit", 3 }, fine = { "guest", "exit", 3, status = 3 },
		spin = { "guest", "spin", timeout = 0.3 }, text = { "in put.txt" },
	},
	stats = { "sim.cycles" }, out = "r", plot = { y = "sim.cycles" },
}
END
rm -r r
sweep 1 bad.lua
ran 12
says out FAILED
says out "2 done, 10 failed, 0 missing"
row config=good program=hello -- '"status": "ok"'
row config=good program=fine -- '"status": "ok"'
row config=good program=segv -- 'SIGSEGV'
row config=good program=segv -- '"sim.cycles": ""'
row config=good program=three -- 'exit status 3'
row config=good program=spin -- 'took over 0.3 s'
row config=good program=text -- 'ELF'
row config=odd program=hello -- 'l1d'
py agree r/results.csv r/results.json
py svg r/plot.svg 4 0 10
sweep 1 bad.lua
ran 1 # jobs that ran out of time get it now
sweep 1 bad.lua --retry --timeout 0.6
ran 10
row config=good program=spin -- 'took over 0.6 s'
command="the log of a job that failed"
check "has the whole report" grep -rq 'break_here' r/logs

# ---- interrupted, and on ----
cat >long.lua <<'END'
return {
	configs = { a = "vaswani2003", b = "classic5" },
	programs = { hello = "hello", fib = "fib", spin = { "guest", "spin", max_insts = "LIMIT" } },
	options = { max_insts = "20k" }, stats = { "sim.cycles" }, out = "OUT",
}
END
sed 's/LIMIT/30k/; s/OUT/whole/' long.lua >whole.lua
sed 's/LIMIT/30k/; s/OUT/part/' long.lua >part.lua
sed 's/LIMIT/900G/; s/OUT/part/' long.lua >endless.lua
sweep 0 whole.lua
for signal in INT TERM KILL; do
	rm -rf part
	command="cyclops sweep, then SIG$signal"
	# Not in the background of this shell, which would ignore interrupts.
	python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$CYCLOPS" sweep -j 1 endless.lua >"$top/out" 2>"$top/err" \
	</dev/null &
	pid=$!
	child=
	for ((i = 0; i < 1200; i++)); do
		[ "$(ls part/logs/*.log 2>/dev/null | wc -l)" = 3 ] &&
			child=$(cat /proc/$pid/task/$pid/children) && [ -n "$child" ] && break
		sleep 0.05
	done
	check "it runs one process" [ -n "$child" ]
	kill -$signal $pid
	wait $pid 2>/dev/null
	got=$?
	check "exit status $got" [ $got = $((128 + $(kill -l $signal))) ]
	for ((i = 0; i < 1200; i++)); do
		kill -0 $child 2>/dev/null || break
		sleep 0.05
	done
	check "its process has ended" [ $i -lt 1200 ]
	[ $signal = KILL ] || says err "interrupted; 2 of 6 jobs are done"
	check "nothing half is taken for a result" [ "$(ls part/jobs/*.json | grep -vc partial)" \
		= 2 ]
	sweep 1 part.lua --status
	says out "2 done, 0 failed, 4 missing"
	sweep 0 part.lua
	ran 4
	check "the table is that of a sweep in one go" cmp part/results.csv whole/results.csv
done
exec 9>part/lock
flock 9
sweep 125 part.lua
says err "another sweep is at work in part"
exec 9>&-

# ---- words ----
cat >words.lua <<'END'
return {
	configs = { ["the default; ls"] = "vaswani2003" },
	programs = { ["it's"] = { "a guest; exit 9", "args", "two words", "it's", "$HOME `ls` \\", "line\nend\ttab", "*", "-x", "", "\xff",
	                          env = { A = "b c" } } },
	out = "o u t", stats = { "sim.cycles" },
}
END
printf 'args\ntwo words\nit'"'"'s\n$HOME `ls` \\\nline\nend\ttab\n*\n-x\n\n\xff\n' >expected
sweep 0 words.lua
check "a byte that is no text doesn't hinder JSON" grep -qF '"?"' "o u t/results.json"
check "arguments arrive as given" cmp expected <(sed '$a\' "o u t"/logs/*.out)
rm -r "o u t"
command="what --dry-run prints"
cyclops() { "$CYCLOPS" "$@"; }
eval "$("$CYCLOPS" sweep --dry-run words.lua)" >"$top/out" 2>"$top/err"
check "runs the same" cmp expected <(sed '$a\' "$top/out")

# ---- mistakes ----
# wrong TEXT...: that mistake.lua is refused with these words, and its name.
wrong() {
	sweep 125 mistake.lua
	says err "mistake.lua"
	for text; do says err "$text"; done
}
# mistake SED-SCRIPT TEXT...: a.lua with a mistake.
mistake() {
	sed "$1" a.lua >mistake.lua
	shift
	wrong "$@"
}
mistake 's/configs =/confgis =/' ":3:" "did you mean 'configs'"
mistake 's/"vaswani2003"/"vaswani"/' ":3:" "did you mean 'vaswani2003'"
mistake 's/l1d.size/l1d.sise/' ":4:" "did you mean 'l1d.size'"
mistake 's/8192/"8Q"/' ":4:" "8Q"
mistake 's/8192/{}/' ":4:" "a list in a list"
mistake 's/"fib"/"nowhere"/' ":5:" "nowhere"
mistake 's/stdin = "[^"]*"/stdin = "nowhere"/' ":5:" "nowhere"
mkfifo pipe
mistake 's/stdin = "[^"]*"/stdin = "pipe"/' ":5:" "a pipe, not a file"
mistake 's/stdin =/stdni =/' ":5:" "did you mean 'stdin'"
mistake 's/max_insts/max_inst/' ":6:" "did you mean 'max_insts'"
mistake 's/3e4/"lots"/' ":6:" "'lots' is not a count"
mistake 's/"sim.ipc", "sim.insts"/"sim.icp"/' ":7:" "did you mean 'sim.ipc'"
mistake 's/out = "r",//' "no folder for results"
mistake 's/panels = "program"/panels = "porgram"/' "did you mean 'program'"
mistake 's/panels = "program", //' "leaves program open"
mistake 's/relative = "a"/relative = "q"/' "there is no 'q'"
mistake 's/bars.svg/..\/bars.svg/' "a name in the folder of results"
mistake 's/A & B/\\xff/' "title is one line of UTF-8"
mistake 's/"bars.svg"/"bars.svg", kind = "pie"/' "kind = 'pie'; expected bars, lines"
mistake 's/{ z =/{ ["\\n"] =/' ":3:" "a name is one line of UTF-8"
mistake 's/^return/retrun/' "mistake.lua:"
echo 'while true do end' >mistake.lua
wrong "too long"
echo 'return { configs = io.open("x") }' >mistake.lua
wrong "mistake.lua:1:" "io"
echo 'local t = {} t.t = t return { configs = t }' >mistake.lua
wrong "nested too deeply"
echo 'return 3' >mistake.lua
wrong "returns a table"
sweep 125 nowhere%d%s.lua
says err "nowhere%d%s.lua"
sweep 125
says err "no sweep given"
sweep 125 --dry%drun a.lua
says err "did you mean '--dry-run'"
says err "dry%drun"
sweep 125 -j 0 a.lua
sweep 125 --timeout soon a.lua
sweep 125 --emit paralel x a.lua
says err "did you mean 'parallel'"
sweep 125 --emit slurm
says err "FOLDER"
sweep 125 --one nowhere%d%s -- run fib
says err "--one nowhere%d%s: expected"
sweep 125 --status --collect a.lua
sweep 0 --help
says out "--emit"

# ---- GNU parallel ----
# emitted: checks that all.lua's results, computed by emitted jobs, equal those of a local sweep.
emitted() {
	sweep 0 --collect all.lua
	ran 0
	says out "6 done, 0 failed, 0 missing"
	check "the table is that of a sweep here" cmp "e mit/results.csv" local/results.csv
	py agree "e mit/results.csv" "e mit/results.json"
}
cat >all.lua <<'END'
return {
	configs = { b = "classic5", c = { "vaswani2003", ["pipe.rob_size"] = 16 } },
	programs = { fib = "fib", ["it's"] = { "a guest; exit 9", "args", "$A `b`\n" },
	             cat = { "guest", "cat", stdin = "in put.txt", status = 0, timeout = 600 } },
	options = { max_insts = "20k" }, out = "e mit", stats = { "sim.cycles", "sim.ipc" },
}
END
sweep 0 all.lua --out local
sweep 1 --collect all.lua
says out "6 missing"
if command -v parallel >/dev/null && command -v rsync >/dev/null; then
	sweep 0 --emit parallel "par allel" all.lua
	says out "6 of 6 jobs"
	cd /
	command="run.sh"
	"$dir/par allel/run.sh" -j 2 >"$top/out" 2>"$top/err" </dev/null
	check "GNU parallel runs all" [ $? = 0 ]
	cd "$dir" || exit 1
	emitted
	check "GNU parallel ran six" [ "$(tail -n +2 "par allel/joblog" | wc -l)" = 6 ]
	sweep 0 --emit parallel "par allel" all.lua
	says out "0 of 6 jobs"

	# Two hosts, each with a disk of its own; only ssh is simulated.
	rm -r "e mit"
	for host in one two; do
		mkdir -p "$top/hosts/$host/work"
		cp fib guest "a guest; exit 9" "in put.txt" "$top/hosts/$host/work"
	done
	cat >"$top/ssh" <<-END
		#!/bin/bash
		while [[ \$1 == -* ]]; do case \$1 in -l | -p | -o | -i) shift 2 ;; *) shift ;; esac; done
		host=\$1
		shift
		[ "\$1" = -- ] && shift
		export HOME=$top/hosts/\$host
		cd "\$HOME" && exec bash -c "\$*"
	END
	chmod +x "$top/ssh"
	printf '1/one\n1/two\n' >"$top/hosts/list"
	sweep 0 --emit parallel "par allel" all.lua
	command="run.sh --fetch --sshloginfile"
	"./par allel/run.sh" --fetch --workdir work --ssh "$top/ssh" --sshloginfile \
		"$top/hosts/list" >"$top/out" 2>"$top/err" </dev/null
	check "GNU parallel runs all on two hosts" [ $? = 0 ]
	for host in one two; do
		check "$host had jobs" grep -q "	$host	\|^[0-9]*	$host	" \
			"par allel/joblog"
		check "$host has results of its own" \
			[ -n "$(ls "$top/hosts/$host/work/e mit/jobs")" ]
	done
	emitted
	check "logs are copied back" [ "$(ls "e mit/logs/"*.log | wc -l)" = 6 ]
else
	echo "SKIPPED: GNU parallel or rsync is not installed"
	skipped=$((skipped + 1))
fi
sed 's/"fib",/{ "guest", "segv" },/' all.lua >fails.lua
rm -rf "e mit"
sweep 0 --emit parallel "par allel" fails.lua
command="a job that fails"
eval "$(head -n 1 "par allel/jobs")" >"$top/out" 2>"$top/err"
check "is one of parallel's failed jobs" [ $? = 1 ]
says err SIGSEGV
sed 's/"fib",/{ "guest", "spin", timeout = 0.5 },/; s/max_insts = "20k"//' all.lua >fails.lua
rm -rf "e mit"
sweep 0 --emit parallel "par allel" fails.lua
command="a job that takes too long"
eval "$(head -n 1 "par allel/jobs")" >"$top/out" 2>"$top/err"
check "ends with status 1" [ $? = 1 ]
says err "took over 0.5 s"

# ---- Slurm ----
rm -rf "e mit"
sweep 0 --emit slurm "sl urm" all.lua
command="sweep.sbatch"
check "is a script" bash -n "sl urm/sweep.sbatch"
if slurm_up "$top/slurm"; then
	echo "Slurm runs here: one node, one array"
	( cd / && sbatch --wait --parsable "$dir/sl urm/sweep.sbatch" ) >"$top/out" 2>"$top/err" \
		</dev/null
	check "Slurm runs all: $(tail -n 2 "$top/slurm/slurmd.log")" [ $? = 0 ]
	check "each task has a log" [ "$(ls "sl urm"/slurm-*.out | wc -l)" = 6 ]
	slurm_down
else
	echo "Slurm does not run here ($slurm_why): its tasks are run by hand"
	skipped=$((skipped + 1))
	for task in {1..6}; do
		SLURM_ARRAY_TASK_ID=$task "sl urm/sweep.sbatch" >>"$top/out" 2>>"$top/err" \
			</dev/null
		check "task $task" [ $? = 0 ]
	done
fi
emitted

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed = 0 ]
