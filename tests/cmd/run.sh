#!/bin/bash
# Sessions without a terminal: --batch, -e, -x, a pipe; their answers, diagnostics and exit
# statuses.
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh

# ---- the session that the README shows, on every demo that needs no input ----
for program in fib longjmp linked matmul hello branchy selfmod; do
	batch 0 "$demos/$program" 'break main' continue 'step 20' 'view pipe' 'reverse-step 7' \
		'view rob --json'
	silent err
	says out 'Breakpoint 1 at main'
	says out 'Breakpoint 1, main'
	says out '7 before the newest'
	sed -n '/^{"view"/,$p' out >json
	check "the view is JSON" "$json" <json
done

# ---- sources of commands, and ends of sessions ----
batch 0 "$demos/fib" 'echo one; echo two' 'echo three'
is out $'one\ntwo\nthree'
printf 'echo from a file\n\n# a comment\nstep 3\nquit\necho not reached\n' >commands
run 0 --batch -x commands "$demos/fib"
is out $'from a file\ncycle 3, _start, 0 instructions\n  +3 cycles, +0 instructions'
run 0 --batch -e 'echo first' -x commands -e 'echo never' "$demos/fib"
is out $'first\nfrom a file\ncycle 3, _start, 0 instructions\n  +3 cycles, +0 instructions'
printf 'echo piped\nstep' >in
stdin=in run 0 --batch "$demos/fib"
is out $'piped\ncycle 1, _start, 0 instructions\n  +1 cycle, +0 instructions'
stdin=in run 0 --batch -e 'echo before' -x - "$demos/fib"
is out $'before\npiped\ncycle 1, _start, 0 instructions\n  +1 cycle, +0 instructions'
# Else standard input is the program's.
stdin=in run 0 --batch -e 'echo only this' "$demos/fib"
is out 'only this'
printf 'Ada\n2\n' >answers
stdin=answers run 0 -e continue "$top/build/tests/tty/asks"
says out '2: Hello, Ada!'
stdin=in run 0 -x - "$demos/fib"
is out $'piped\ncycle 1, _start, 0 instructions\n  +1 cycle, +0 instructions'
stdin=in run 0 -e 'echo before' --stdin answers "$demos/fib"
is out $'before\npiped\ncycle 1, _start, 0 instructions\n  +1 cycle, +0 instructions'
stdin=in run 125 "$demos/fib"
is err "cyclops: standard input is the program's, and no terminal is there for commands; use --batch to read commands from standard input, or -e COMMAND, -x FILE"
silent out
run 0 --batch "$demos/fib"
silent out

# ---- memory before an address ----
batch 0 "$demos/fib" 'goto 2000' 'x/4xb sp' 'x/-4xb sp + 4' 'x/2i _start' 'x/-1i _start + 4'
check "the same bytes" [ "$(sed -n '/:\t0x/p' "$dir/out" | sort -u | wc -l)" = 1 ]
check "the same instructions" [ "$(grep -c '<_start>:' "$dir/out")" = 2 ]
batch 1 "$demos/fib" 'x/-2i _start + 4'
says err 'instructions of the function are before'

# ---- places that are never reached, and invalid numbers of steps ----
batch 1 "$demos/fib" 'goto 40000' 'goto main'
says out 'cycle 40,000, '
says err 'the program does not reach main again before it ends in cycle '
says err 'reverse-until main'
batch 0 "$demos/fib" 'goto 40000' 'reverse-until main'
says out ', main'
batch 1 "$demos/fib" continue 'goto main'
says err 'the program has ended, without reaching main again'
command='goto main without history'
"$CYCLOPS" --batch --no-history -e 'goto 40000' -e 'goto main' "$demos/fib" >out 2>err
check 'it fails' [ $? = 1 ]
says err 'the program ended before it reached main'
batch 1 "$demos/fib" 'step -1'
says err 'step -1: expected a count, not -1'
for words in 'next cycle' 'step cycle' 'stepi insts' 'continue cycle' 'reverse-next cycle' \
	'reverse-stepi cycle' 'reverse-step cycle'; do
	batch 1 "$demos/fib" 'goto 40000' "$words"
	says err " is the machine's position (cycle 40,000), not a number of "
	says err "\`step\` goes on a cycle"
done

# ---- help on the screen, and on words in users' spelling ----
while IFS='|' read -r word text; do
	run 0 help "$word"
	says out "$text"
done <<'END'
tour|guided tours
mouse|double click shows why
layout|layout [N | NAME
theme|choose colours
animate|step by itself
bind|bind KEY
search|find a row
screen|search-next
OoO|out of order
branch predictor|branch prediction
CCT|calling context
Tomasulo|rename
throughput|instructions per cycle
END
run 0 help search
says out 'On the screen: /'
run 0 help step
says out 'On the screen: s  Right'
batch 0 "$demos/fib" 'lua cyclops.command{ name = "ipc", usage = "ipc [N]", run = print }' 'help ipc'
check "a command goes before a word of the field" [ "$(sed -n '1s/ .*//p; /^IPC/p' out | cut -c1-8 | tr '\n' ' ')" = 'ipc IPC: ins ' ]
batch 1 "$demos/fib" 'layout 3'
says err "'layout' controls the screen, and none is open here"
batch 0 "$demos/fib" 'pr 7'
is out '$1 = 7'

# ---- gdb's commands ----
batch 0 "$demos/fib" 'tbreak main' continue 'ni 15' 'print func()'
says out '(fib.c:39)' # a call is one instruction
says out '"main"'
batch 0 "$demos/fib" show 'set args 7 "a b"' 'set echo on' 'show args' 'show echo' 'show width' \
	'show version' 'show pipe.rob_size' 'show sp == sp' 'set config classic5' 'show config'
says out "args = 7 'a b'"
says out 'echo = on'
says out 'pipe.rob_size '
says out 'sp == sp = true'
says out 'config = default; from the next run classic5'
check 'the version' grep -q '^cyclops [0-9]' out
batch 1 "$demos/fib" 'show nonsense'
says err "there is no setting 'nonsense'"
batch 1 "$demos/fib" 'tui enable'
says err "'tui' controls the screen"

# Before main, in start-up code without lines, a line number is one of main's file.
batch 0 "$demos/sort" 'break 297'
says out '(sort.c:310), commit'

batch 1 "$demos/fib" 'echo a' 'brek main' 'echo b'
is out a
says err "did you mean 'break'"
says err "brek main"
printf 'echo a\nstep\nview robb\necho b\n' >in
stdin=in run 1 --batch "$demos/fib"
says err "input:3: "
says err "did you mean 'rob'"
is out $'a\ncycle 1, _start, 0 instructions\n  +1 cycle, +0 instructions'
printf 'echo a\nprint nonsense\n' >commands
run 1 --batch -x commands "$demos/fib"
says err "commands:2: "
run 1 --batch -x missing "$demos/fib"
says err "missing: No such file"
run 125 --batch -e step
says err "no program given"
run 125 --batch -e step nowhere
says err "nowhere: No such file"
run 125 --bach -e step "$demos/fib"
says err "did you mean '--batch'"
run 125 --stdin nowhere "$demos/fib"
says err "--stdin nowhere: No such file"
run 125 --stdin . "$demos/fib"
says err "--stdin . is a folder; standard input is a file or a pipe"
# Opened without a writer.
mkdir piped
mkfifo pipe piped/lab.cyc
run 0 --batch -e step --stdin pipe "$demos/fib"
says out 'cycle 1'
# No command waits for a writer.
refused() { run "$@" && says err 'a pipe, not a file'; }
refused 1 -n --batch -x pipe "$demos/fib"
refused 1 -n --batch -e 'source pipe' "$demos/fib"
refused 125 microcode pipe
refused 125 tour ./pipe
refused 125 lab ./piped
run 0 -n --batch -x <(echo 'echo of a pipe of the shell') "$demos/fib"
says out 'of a pipe of the shell'

command="cyclops >/dev/full"
"$CYCLOPS" --batch -e 'echo lost' "$demos/fib" >/dev/full 2>err
check "answers that can't be written are an error" [ $? = 125 ]
says err "standard output"

# ---- the startup file ----
mkdir -p .config/cyclops
echo 'alias no_such_command = echo from the startup file' >.config/cyclops/init
batch 0 "$demos/fib" no_such_command
is out 'from the startup file'
run 1 --batch --no-init -e no_such_command "$demos/fib"
printf '# mine\n\nnonsense\n' >.config/cyclops/init
batch 0 "$demos/fib" 'echo goes on'
is out 'goes on'
says err "$HOME/.config/cyclops/init:3: no command is called 'nonsense'"
rm -r .config

# ---- help, without a program and in a session the same ----
asked=()
for word in step rob forwarding fdiv.d squash sim.ipc pipe.rob_size expressions options views; do
	run 0 help "$word"
	silent err
	cat out >&8
	asked+=("help $word")
done 8>alone
batch 0 "$demos/fib" "${asked[@]}"
check "help is the same in a session" cmp -s <(sed '/ now/{ /, [^,]* now;/!d }; s/, [^,]* now;/;/' \
	alone) <(sed '/^now/d; s/, [^,]* now;/;/' out)
run 0 help
for word in reverse-continue watch catch view trace restore; do says out "$word"; done
# Latencies are those of the machine.
run 0 --batch --no-init -o lat.fdiv=41 -o occ.fdiv=17 -o fu.fmuldiv=3 -e 'help fdiv.d' "$demos/fib"
is out 'instruction fdiv.d: rd = rs1 / rs2, double precision
class fdiv: floating point division
unit: 1 of 3 fmuldiv (fu.fmuldiv), held for 17 cycles (occ.fdiv)
latency: 41 cycles (lat.fdiv)'
run 125 help robb
says err "did you mean 'rob'"

# ---- the program's output and end ----
batch 0 "$demos/fib" continue
is out $'fib(18) = 2584\n'"$(grep -A1 exited out)"
says out 'exited with status 0, cycle '
batch 0 "$demos/fib" continue 'reverse-step 100' continue 'goto start' continue
check "output appears once" [ "$(grep -c 'fib(18)' out)" = 1 ]
run 0 --batch -e continue -e 'info program' "$demos/fib" 7
says out 'fib(7) = 13'
batch 0 "$demos/fib" 'set args 9' run
says out 'fib(9) = 34'
batch 0 "$demos/fib" continue run
check "run prints again" [ "$(grep -c 'fib(18)' out)" = 2 ]

# ---- moving by lines and calls over real code ----
batch 0 "$demos/longjmp" 'tbreak descend if a0 == 35' continue finish 'backtrace' 'reverse-finish'
says out 'descend was left without returning: __longjmp jumped to main+0x'
check 'and the place is in the program' grep -qE '^  #0 .* main\+0x.* at longjmp.c:' out
batch 0 "$demos/fib" 'tbreak main' continue next next next 'reverse-next'
says out 'fib.c'
batch 0 "$demos/fib" 'tbreak fib if a0 == 5' continue 'print a0' 'backtrace' 'until fib.c:38'
says out 'a0 = 5'
batch 0 "$demos/fib" 'watch sim.syscalls' 'continue 3' 'reverse-continue' 'info breakpoints'
says out '-> 2, '
# The story of an instruction, in flight or long gone, within history.
batch 0 "$demos/fib" 'catch mispredict in fib' continue why
tells 'cost: .*; dispatch has not gone on yet'
branch=$(sed -n 's/^Catchpoint 1, squash \(#[0-9]*\), .*/\1/p' out)
batch 0 "$demos/fib" 'catch leave if not retired and entered' 'goto main' continue why 'delete' \
	'goto 60000' "why $branch"
tells 'squashed by: #[0-9]* .*, which was mispredicted'
tells "$branch .* committed in cycle"
tells 'predicted: .* (cycle [0-9][0-9,]*): .*two-level counter [0-3], .* for history [Tn]*'
tells 'outcome: taken, to fib.*: mispredicted'
tells 'cost: [0-9]* instructions squashed, .*; dispatch went on [0-9]* cycles later'
batch 0 "$demos/fib" 'catch misfetch' continue why
tells 'decode: sent fetch to .* instead (cycle [0-9][0-9,]*); it dropped [0-9]* instructions* in the fetch queue'
batch 0 "$demos/linked" "catch mem if level == 'forward'" continue why
tells 'data: forwarded from #[0-9]* s.*: requested in cycle [0-9][0-9,]*, there after 1'
batch 1 "$demos/fib" 'why #100'
says err 'instruction 100 has not been fetched yet'
batch 1 "$demos/fib" 'goto 20000' 'why #0'
says err 'why #0: instructions are numbered from 1'
batch 1 "$demos/fib" 'goto 20000' 'select #0'
says err 'select #0: instructions are numbered from 1'
run 0 inspect -n --json -e 'goto 20000' -e 'why #1500' "$demos/fib"
cat >waits.py <<'END'
import json
last = json.loads(open("out").read().splitlines()[-1])
waits, end = last["instruction"]["waits"], 0
assert last["text"][1].startswith("waited: ") and len(waits) >= last["text"][1].count(",") + 1, last
for wait in waits:
    assert end <= wait["cycle"] and wait["cycles"] >= 1 and wait["reason"], wait
    assert wait["other"] != 1500, wait
    end = wait["cycle"] + wait["cycles"]
assert end <= last["cycle"], last
END
passes "why's waits are in its JSON" python3 waits.py

# If the oldest waits for nothing, the first waiting instruction is printed last: the first row of
# the reorder buffer that is not done.
asked=()
for ((i = 50000; i < 50080; i++)); do asked+=("goto $i" why 'view rob --json'); done
batch 0 "$demos/fib" "${asked[@]}"
cat >behind.py <<'END'
import json, re, sys
told, wrong = 0, []
for part in re.split(r"^cycle (?=[0-9,]+, )", open("out").read(), flags=re.M)[1:]:
    why, json_at = part[:part.index("{")], part.index("{")
    rows = json.JSONDecoder().raw_decode(part[json_at:])[0]["rows"]
    waiting = next((i for i, r in enumerate(rows) if r["state"] != "done"), 0)
    said = re.search(r"^after it: #(\d+) ", why, re.M)
    told += bool(said)
    if (int(said[1]) if said else None) != (rows[waiting]["seq"] if waiting else None):
        wrong.append(part[:300])
print(told, *wrong)
sys.exit(bool(wrong) or told < 5)
END
passes 'the first waiting one is reported' python3 behind.py

batch 0 "$demos/fib" 'catch squash in fib' continue 'why' 'stats bpred'
says out 'Catchpoint 1, squash #'
says out ': count '

# ---- parameters ----
batch 0 "$demos/fib" 'set pipe.rob_size = 8' 'config rob_size' run \
	'print pipe.rob_size; print sim.cycles > 97171'
says out 'pipe.rob_size = 8'
run 0 --batch -o pipe.rob_size=16 -e 'print pipe.rob_size' "$demos/fib"
is out 'pipe.rob_size = 16 (0x10)'
run 0 --batch --config classic5 -e 'step 50; view rob' "$demos/fib"

# ---- history off ----
run 1 --batch --no-history -e 'step 10' -e 'reverse-step' "$demos/fib"
says err history

# ---- checkpoints ----
batch 0 "$demos/fib" 'goto 50k' 'save point' continue 'print sim.cycles'
tail -n 1 out >straight
batch 0 "$demos/fib" 'restore point' continue 'print sim.cycles'
check "the restored run ends at the same cycle" [ "$(tail -n 1 out)" = "$(cat straight)" ]
says out 'fib(18) = 2584'
batch 1 "$demos/longjmp" 'restore point'
says err 'another program'
python3 -c '
point = open("point", "rb").read()
for at in 0, 5, 20, 30, 100, len(point) // 2, len(point) - 1:
    open(f"damaged-{at}", "wb").write(point[:at] + b"\xa5" + point[at + 1:])
    open(f"damaged-cut-{at}", "wb").write(point[:at])'
# each COMMAND...: runs the commands in order, and prints the success and output of each.
each="lua function each(...) for _, line in ipairs{...} do print(pcall(m.cmd, m, line)) end end"
refused=() damaged=(damaged-*)
for file in "${damaged[@]}"; do refused+=("lua each 'restore $file'"); done
batch 0 "$demos/fib" 'step 7' "$each" "${refused[@]}"
check "14 damaged checkpoints are refused, and said to be" \
	[ "$(grep -c '^false	lua:1: damaged-' out)" = 14 ]
batch 1 "$demos/fib" 'step 7' "restore ${damaged[0]}"
says err "${damaged[0]}"
echo 'not a checkpoint at all, only text, but longer than a header might be: a b c d e f g h i j k l m n o p' >text
batch 1 "$demos/fib" 'restore text'
says err 'no checkpoint'
batch 1 "$demos/fib" 'save nowhere/point'
says err 'nowhere/point'
batch 0 "$demos/fib" 'save same' 'set bpred.kind = bimodal' run 'restore same'
says out 'bpred.kind = '
batch 0 "$demos/fib" 'goto 50k' 'set t6 = 5' 'step 10' 'set t6 = 6' 'info history' 'save changed' \
	continue 'print sim.cycles'
says out '2 changes by hand, 0 of them ahead'
tail -n 1 out >straight
batch 0 "$demos/fib" 'restore changed' 'print t6' 'set t6 = 7' 'step 4' 'reverse-step 4' 'step 4' \
	'reverse-step 5' 'info history' \
	'restore changed' continue 'print sim.cycles'
says out '3 changes by hand, 0 of them ahead'
check "it goes on from what was changed" [ "$(tail -n 1 out)" = "$(cat straight)" ]

# Changes are those since the view was last shown, over any number of motions.
batch 0 "$demos/fib" 'goto 5000' 'view regs' 'step 300' step 'view regs'
cp out once
batch 0 "$demos/fib" 'goto 5000' 'view regs' 'step 301' 'view regs'
check "as over one motion" \
	[ "$(grep -c '^a1 .*\*' once)" = 1 -a "$(tail -n 30 once)" = "$(tail -n 30 out)" ]

# ---- other output ----
batch 0 "$demos/fib" 'step 100' 'stats --json'
tail -n +3 out >json
check "statistics are JSON" "$json" <json
views=$("$CYCLOPS" help views | awk '{print $1}')
asked=()
for view in $views; do asked+=("view $view --json"); done
batch 0 "$demos/fib" 'goto 29000' "${asked[@]}"
# Each view's JSON begins a line with its name, and no other line does.
tail -n +3 out | awk '/^\{"view"/ { if (n++) print "," } { print }' | { echo '['; cat; echo ']'; } \
	>json
check "each view is JSON" "$json" <json
check "and all are there" [ "$(grep -c '^{"view"' out)" = "$(wc -w <<<"$views")" ]

# ---- regions ----
like() { check "$1 has a line like '$2'" grep -Eq -- "$2" "$1"; }
# For each counter: its end value minus its initial value.
differs() {
	awk -F'": ' '/^ *"[a-z0-9_]+\.[a-z0-9_]+": -?[0-9]+,?$/ { sub(/,$/, "", $2); v[FNR, ++n[FILENAME]] = 0; name = $1; at[FILENAME, name] = $2; all[name] = 1 }
		END { for (k in all) { rows++; if (at[ARGV[2], k] - at[ARGV[1], k] != at[ARGV[3], k]) { print k; bad = 1 } }
			exit !(bad || rows < 50) }' "$@"
}
batch 0 "$demos/fib" 'goto 29000' 'stats --json'
tail -n +3 out >at29k
batch 0 "$demos/fib" 'goto 60000' 'stats --json'
tail -n +3 out >at60k
batch 0 "$demos/fib" 'goto 70k' 'stats 29000 60000 --json' 'stats sim.cycles'
sed '1,2d; $d' out >between
check "a region's counters are differences" eval '! differs at29k at60k between'
like out '^sim.cycles +70,000 '
batch 0 "$demos/fib" 'goto 29000' 'mark here' 'goto 50000' 'goto here' 'print cycle'
says out 'cycle = 29,000'
batch 0 "$demos/fib" 'goto 29000' 'mark here' mark 'goto 60000' 'stats since here --json'
sed '1,6d' out >between
says out 'Mark here at cycle 29,000'
says out '  +31,000 cycles, +'
check "since a mark they are the same" eval '! differs at29k at60k between'
batch 0 "$demos/fib" 'goto 29000' 'set pc = pc' 'goto 60000' 'stats since last sim.cycles' \
	'reverse-step 10' 'mark before' 'step 4' \
	'stats since last sim.cycles' 'view cpi since before' 'view stats since 59000 sim.cycles'
like out '^sim.cycles +31,000 '
like out '^  -10 cycles, -[0-9]+ instructions?'
like out '^sim.cycles +4 '
like out 'since before, cycles 59,990 to 59,994: IPC [0-9.]+, 4 cycles'
like out '^sim.cycles +994 '
# A store waits for a full write buffer until the first of its lines arrives: `why` names that line
# and its source. On classic5, which has no write buffer, no instruction waits for it.
run 0 inspect -n --batch --config classic5 -e 'goto 2000' -e 'view rob' "$demos/fib"
says out 'In flight  '
check 'and not its size' [ "$(grep -c 'Reorder\|/64' out)" = 0 ]
batch 0 "$demos/matmul" 'goto 40150' why 'view mshr'
awk '/the write buffer is full/ { match($0, /lines [^,]+, from [^,]+/); split(substr($0, RSTART + 6, RLENGTH - 6), said, ", "); next }
	$1 == "miss" { from[$3] = $4 " " $5 }
	$1 == "write" { due = $(NF); if (first == "" || due < first) first = due; at[$4] = due }
	END { exit !(said[1] && at[said[1]] == first && from[said[1]] == said[2]) }' out
check 'why names the line that frees the write buffer' [ $? = 0 ]
# Present values also fall: at a misprediction's end.
batch 0 "$demos/fib" 'goto 20000' 'catch mispredict' continue 'stats since -1 dispatch.unresolved' \
	'view stats since -1 dispatch.unresolved'
check 'a count that falls has a sign' [ "$(grep -cE '^dispatch.unresolved +-[0-9]+ ' out)" = 2 ]
# %d is an int, %ld is not. A comma between a function's arguments is not watch's own.
batch 0 "$demos/fib" start 'printf "%d|%ld|%x\n", 4294967297, 4294967297, 4294967297' \
	'watch $_memeq(sp, sp, 4)'
says out '1|4294967297|1'
says out 'Watchpoint 2 on the value of $_memeq(sp, sp, 4), each cycle'
# A temporary breakpoint at several places is one.
batch 0 "$demos/linked" 'tbreak linked.c:37' continue 'info breakpoints'
check 'there were two places' grep -q '^Temporary breakpoint 2 at' out
says out 'No breakpoints'
batch 0 "$demos/fib" 'goto 60000' 'view cpi since -10' 'view cpi -10' 'help view slots'
check 'a region of the newest cycles, with and without since' [ "$(grep -cE \
	'since -10, cycles 59,990 to 60,000: IPC [0-9.]+, 10 cycles' out)" = 2 ]
says out 'Use of dispatch slots (top-down)'
batch 1 "$demos/fib" 'goto 60' 'stats since -61'
says err 'cycles back 61 is out of range: 0 to 60'
batch 0 "$demos/fib" start 'stats sim.cycles' mark continue 'stats since main sim.cycles' \
	'view cpi since main --json'
main=$(awk '$1 == "sim.cycles" { gsub(",", "", $2); print $2; exit }' out)
all=$(sed -n 's/.*status 0, cycle //p' out | tr -d ,)
check "start marks main" grep -q "^main  *cycle $(sed -n 's/^Temporary.* cycle //p' out)" out
check "since main is the rest" \
	[ "$(awk '$1 == "sim.cycles" { gsub(",", "", $2); n = $2 } END { print n }' out)" \
	= $((all - main)) ]
batch 1 "$demos/fib" 'disassemble main main+8'
says err 'a range has a comma: disassemble main,main+8'
# Without a mark, the place is main's beginning.
batch 0 "$demos/fib" continue 'stats since main sim.cycles'
check "main needs no mark" [ "$(awk '$1 == "sim.cycles" { gsub(",", "", $2); print $2 }' out)" \
	= $((all - main)) ]
run 0 --batch --no-history -e 'step 1000' -e 'mark a' -e 'step 500' -e 'stats since a sim.cycles' \
	"$demos/fib"
like out '^sim.cycles +500 '
batch 1 "$demos/fib" 'step 50' 'stats since'
says err 'no start given; expected since main'
batch 0 "$demos/fib" 'step 50' "$each" "lua each('stats since', 'stats since nowhere', 'stats since main', 'stats since 60', 'stats 50 60', 'stats 30 20',
	'view cpi 30', 'mark last', 'mark 12')"
for text in 'no start given; expected since main' "no mark and no function is called 'nowhere'" \
	'main was not executed in the recorded cycles 0 to 50' \
	'name both, 50 60' 'cycle 60 is not recorded' 'the region 30 to 20 ends before it begins' \
	'alone is no region' "'last' can't name a mark" \
	"'12' can't name a mark"; do
	says out "$text"
done
check "all are refused" [ "$(grep -c '^false	' out)" = 9 ]
batch 1 "$demos/fib" starti 'stats since last' 'mark a' starti 'stats since a'
says err 'no mark and no function'

# ---- reports ----
batch 0 "$demos/fib" report
says out 'The calling context tree (not in this machine)'
batch 1 "$demos/fib" 'report oracle'
says err 'oracle.enable=true'
batch 0 "$demos/fib" 'view oracle'
says out 'no oracle: start with -o oracle.enable=true'
batch 0 "$demos/fib" 'set oracle.enable = true' 'set oracle.contexts = true' run 'report oracle 3' \
	'report oracle contexts 200'
says out 'Instructions  3 of '
says out '8,361          fib '
says out ', over 128,'
batch 0 "$demos/fib" 'set oracle.enable = true' run 'report oracle --json'
sed -n '/^{/,$p' out >json
check "a report is JSON" "$json" <json
batch 0 "$demos/fib" 'set sim.hostname = c(d, e = f' run "print config['sim.hostname']" \
	'set sim.hostname x=y' run 'print sim.hostname'
says out "\"c(d, e = f\""
says out 'sim.hostname = "x=y"'
batch 1 "$demos/fib" 'report orcale'
says err "did you mean 'oracle'"
batch 0 "$demos/fib" 'help reports' 'help params' 'help oracle blocks'
says out 'How often each basic block was entered, of device oracle'
says out 'device oracle (-o oracle.enable=true)'
says out 'report oracle blocks [ROWS|all]: '

# A driver sends each command after the answer to the last one.
command='a driver that waits for answers'
coproc DRIVER { timeout 60 "$CYCLOPS" --batch "$demos/fib" 2>&1; }
exec 8<&"${DRIVER[0]}" 9>&"${DRIVER[1]}"
driver=$DRIVER_PID
for word in 40+2 6*9; do
	echo "print $word" >&9
	answer=
	IFS= read -r -t 30 answer <&8
	check "the answer to $word comes at once, not '$answer'" grep -qE "^\\\$[12] = $((word))\$" <<<"$answer"
done
echo quit >&9
wait "$driver"
exec 8<&- 9>&-

finish
