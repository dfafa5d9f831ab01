#!/bin/bash
# `cyclops run` from outside: exit statuses, streams, options, reports.
. tests/lib.sh
# The source stands beside the program, where a fault report finds it.
cp build/tests/cli/guest tests/cli/guest.c build/demos/matmul "$dir"
cd "$dir" || exit 1
GUEST=./guest

# Value of a statistic in stats.json.
stat() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" "${2:-stats.json}"; }

for mode in "" --functional; do
	run 0 run $mode "$GUEST"
	says out "hello from the guest"
	silent err
	run 7 run $mode "$GUEST" exit 7
	run 255 run $mode "$GUEST" exit 255
	run 0 run $mode "$GUEST" args -o --functional "two words"
	check "arguments arrive as given" [ "$(cat out)" \
		= "$(printf 'args\n-o\n--functional\ntwo words')" ]

	printf 'line one\nline two' >in
	stdin=in run 0 run $mode "$GUEST" cat
	check "stdin reaches stdout" cmp -s in out
	check "stderr is passed through" [ "$(cat err)" = "done" ]

	run 139 run $mode "$GUEST" segv
	says err SIGSEGV
	says err "load"
	says err break_here
	says err guest.c:13
	says err "the line a fault report must name"
	says err "lw a"
	says err "sp   0000"
	printf 'main: li a0,2\nla a1,t\nli a2,4\nli a7,64\necall\nlw a0,0(zero)\n.data\nt: .ascii "half"' \
		>half.s
	run 139 run $mode half.s
	check "the message begins a line" [ "$(head -n 1 err)" = half ]
	run 139 run $mode -o sim.stack=64K "$GUEST" deep 100000
	says err "the stack of 65536 bytes is full: -o sim.stack=BYTES"
	run 0 run $mode --instrument bb=0 -o xprof.enable=true -o sim.stack=64M "$GUEST" deep 600000
	run 132 run $mode "$GUEST" illegal
	says err SIGILL
	says err main+
	run 134 run $mode "$GUEST" abort
	says err "signal 6"
	run 125 run $mode "$GUEST" stuck
	says err "the program can make no progress: it waits for a signal"
	says err "pause+"
	says err "called from"
	says err " main+"

	run 124 run $mode --max-insts 20k "$GUEST" spin
	says err "stopped at the limit"
done

# Memory set by the user.
run 125 run -o sim.memory=2M "$GUEST"
says err "guest needs"
says err "and sim.memory is 2097152"
run 0 run -o sim.memory=16M "$GUEST"
# More is refused, with one message; memory counted at its first write ends in a fault. The limit is
# the same on every host; a host with less memory prints a note before the run, and stops.
run 0 run --functional -o sim.memory=64M "$GUEST" take
check "nearly all is had" awk '{ exit !($1 > 50 && $1 < 64) }' "$dir/out"
check "the refusal is said once" \
	[ "$(grep -c 'requests more than the 64 MiB of sim.memory' "$dir/err")" = 1 ]
run 0 run --functional -o sim.memory=64M "$GUEST" memfd 40
says out '0 '
silent err
run 0 run --functional -o sim.memory=64M "$GUEST" memfd 18 18 10 20
says out '0 0 0 -1 '
says err 'requests more than the 64 MiB of sim.memory: refused (ENOMEM); -o sim.memory=BYTES gives more'
run 139 run --functional -o sim.memory=64M "$GUEST" sparse
says err "has written all of sim.memory, 67108864 bytes"
run 0 run --functional -o sim.memory=16M "$GUEST" hello
silent err
if [[ ${BUILD:-} != *@(asan|breaks)* ]]; then
	command='cyclops run with a limit of 400 MB' got=0
	(ulimit -v 400000 && exec "$CYCLOPS" run --functional "$GUEST" take) >"$dir/out" \
		2>"$dir/err" || got=$?
	check "exit status $got, expected 125" [ "$got" = 125 ]
	says err "note: the program may take 1024 MiB, and the host has"
	says err "the host has no memory for the program's memory"
	command='the same, of 64 MiB' got=0
	(ulimit -v 400000 && exec "$CYCLOPS" run --functional -o sim.memory=64M "$GUEST" hello) \
		>"$dir/out" 2>"$dir/err" || got=$?
	check "exit status $got, expected 0" [ "$got" = 0 ]
	silent err
fi

# Text that the C library never wrote of a program that faults.
riscv64-linux-gnu-gcc -static -x c -o "$dir/lost" - <<'C'
#include <stdio.h>
int main(void)
{
	volatile long address = 16;
	printf("a\tb\nc\001\177");
	return *(const int *)address;
}
C
run 139 run --functional "$dir/lost"
says err "never written, in stdout's buffer (7 bytes): a\\tb\\nc\\001\\177"

# A report that this machine can't make is refused before the program runs, not afterwards.
run 125 run --report hints "$GUEST" env HOME
silent out
says err "this machine has no profileme: start with -o profileme.enable=true"

# The reference, into a folder.
run 0 help --markdown docs
silent out
silent err
check "the pages are those of the index" \
	[ "$(ls docs | sort)" \
	= "$( (echo index.md; sed -n 's/^| \[.*(\(.*\)).*/\1/p' docs/index.md) | sort)" ]
run 125 help --markdown
says err "takes the folder"
run 125 help --markdown docs again
says err "takes the folder"
run 125 help --markdown docs/index.md
says err "docs/index.md/index.md: Not a directory"
run 125 help --markdown no/such/folder
says err "can't make the folder no/such/folder"
for word in $("$CYCLOPS" --help | sed -n 's/^  cyclops \[*\([a-z]*\).*/\1/p'); do
	run 0 help "$word"
done
for word in labs caches branches latencies buses coprocessors write_buffers 'basic blocks' demos; do
	run 0 help "$word"
	run 0 help apropos "$word"
done
run 0 help labs
says out 'lab: a page to read'
run 0 help wrong path
says out "wrong path: instructions after"
run 125 help rob lsq
says err "nothing is called 'rob lsq'"

# The environment is empty by default; files are confined.
HOME=/secret run 0 run "$GUEST" env HOME
says out "(unset)"
run 0 run --env HOME=/here "$GUEST" env HOME
says out /here
run 1 run "$GUEST" write new.txt
check "nothing is written without --rw" [ ! -e new.txt ]
run 0 run --rw "$GUEST" write new.txt
check "--rw lets files be written" [ "$(cat new.txt 2>/dev/null)" = written ]

# Statistics.
run 0 run --stats stats.json "$GUEST" work 5000
for name in sim.cycles sim.insts sim.ipc bpred.dir_rate l1i.miss_rate l1d.miss_rate l2.miss_rate; do
	check "$name is in the JSON" [ -n "$(stat $name)" ]
done
cycles=$(stat sim.cycles) insts=$(stat sim.insts)
check "cycles and instructions are counted" [ "$cycles" -gt 10000 ] &&
	check "" [ "$insts" -gt 25000 ]
check "ipc is insts / cycles" awk \
	"BEGIN { d = $(stat sim.ipc) - $insts / $cycles; exit !(d < 1e-9 && d > -1e-9) }"
run 0 run --stats again.json "$GUEST" work 5000
check "the same run gives the same statistics" cmp -s stats.json again.json
run 0 run --stats stats.txt "$GUEST" work 5000
says stats.txt "committed instructions per cycle"
run 0 run --stats stats.csv "$GUEST" work 5000
check 'CSV has a head, and the same figures' [ "$(head -n 1 stats.csv)" = name,value,unit ]
check 'a figure' [ "$(sed -n 's/^sim.cycles,\(.*\),cycles$/\1/p' stats.csv)" \
	= "$(stat sim.cycles again.json)" ]
check 'each row has three columns' [ "$(awk -F, 'NF != 3' stats.csv | wc -l)" = 0 ]
run 0 run --stats - "$GUEST" work 5000
says err "sim.cycles"
run 125 run --stats /no/such/folder/x.json "$GUEST"
says err "/no/such/folder/x.json"
if [ -w /dev/full ]; then
	for option in '--stats -' --summary; do
		command="cyclops run $option, whose standard error is full"
		# shellcheck disable=SC2086
		"$CYCLOPS" run $option "$GUEST" work 5000 >out 2>/dev/full </dev/null
		check "status 125" [ $? = 125 ]
	done
fi
run 0 run --summary "$GUEST" work 5000
says err "instructions per cycle"
says err "instructions/s"

# Configurations change the machine, not the program.
run 0 run -o pipe.fetch_queue=4 -o pipe.rob_size=8 --stats small.json "$GUEST" work 5000
check "a smaller window takes more cycles" [ "$(stat sim.cycles small.json)" -gt "$cycles" ]
check "and the same instructions" [ "$(stat sim.insts small.json)" = "$insts" ]
run 0 run --config classic5 --stats classic.json "$GUEST" work 5000
check "one-wide commits at most one a cycle" awk \
	"BEGIN { exit !($(stat sim.ipc classic.json) < 1) }"
check "and the same instructions" [ "$(stat sim.insts classic.json)" = "$insts" ]
echo 'return { pipe = { rob_size = 8, fetch_queue = 4 } }' >mine.lua
run 0 run --config ./mine.lua --stats mine.json "$GUEST" work 5000
check "a file sets what -o sets" cmp -s mine.json small.json

# Limits and fast-forwarding.
run 124 run --max-insts 10k --stats stats.json "$GUEST" spin
check "the instruction limit holds" [ "$(stat sim.insts)" -ge 10000 ] &&
	check "" [ "$(stat sim.insts)" -lt 10016 ]
run 124 run --max-cycles 5000 --stats stats.json "$GUEST" spin
check "the cycle limit holds" [ "$(stat sim.cycles)" = 5000 ]
run 0 run --ff 20k --stats ff.json "$GUEST" work 5000
check "instructions before --ff are executed without timing" \
	[ "$(stat sim.functional_insts ff.json)" = 20000 ]
check "the rest is timed" [ $(($(stat sim.insts ff.json) + 20000)) = "$insts" ]
run 0 run --ff 20k --warmup --stats warm.json "$GUEST" work 5000
check "warming up saves misses" [ "$(stat l1i.misses warm.json)" -lt "$(stat l1i.misses ff.json)" ]
for warmup in "" --warmup; do
	# shellcheck disable=SC2086
	run 0 run --ff 60k $warmup --stats "loops$warmup.json" ./matmul 12
done
check "and mispredictions" [ "$(stat bpred.mispredicts loops--warmup.json)" -lt \
	"$(stat bpred.mispredicts loops.json)" ]
check "those of returns, too" [ "$(stat ras.hits warm.json)" -gt "$(stat ras.hits ff.json)" ]
run 0 run --history --stats history.json "$GUEST" work 5000
check "keeping history changes no number" cmp -s history.json again.json
run 124 run --history --max-cycles 5000 --stats stats.json "$GUEST" spin
check "the cycle limit holds with history" [ "$(stat sim.cycles)" = 5000 ]
run 0 run --functional --stats func.json "$GUEST" work 5000
check "both modes execute the same" [ "$(stat sim.functional_insts func.json)" = "$insts" ]

# Mistakes.
run 125 run
says err "no program given"
run 125 run ./missing
says err "./missing"
run 125 run "$0"
silent out
run 125 run -o pipe.rob_sise=4 "$GUEST"
says err "pipe.rob_size"
run 125 run -o pipe.rob_size=0 "$GUEST"
says err "2 to 1024"
run 125 run -o l1d.size=48K "$GUEST"
says err "l1d.size"
run 125 run --config l1d.size=4K "$GUEST"
says err '-o l1d.size=4K sets a parameter'
run 125 run --config clasic5 "$GUEST"
says err "did you mean 'classic5'"
run 125 run --sttas x "$GUEST"
says err "did you mean '--stats'"
run 125 rnu "$GUEST"
says err "did you mean 'run'"
run 125 qwertz
says err "no program and no command 'qwertz'; \`cyclops --help\` lists the commands"
silent out
run 0 --version
says out "cyclops "
# Presets: `help NAME` explains each, and the page lists all.
run 0 help presets
cp out presets
for file in "${CYCLOPS%/build/*}"/demos/configs/*.lua; do
	name=$(basename "$file" .lua)
	check "help presets has $name" grep -q "^  $name  *[^ ]" presets
	run 0 help "$name"
	says out "preset $name: "
	says out "--config $name "
done
run 0 help inorder2
says out '  pipe.fetch_width         2, not 4'
check "parameters with the default machine's values are not listed" [ "$(grep -c '^  .*, not ' out)" = 18 ]
run 0 help default
says out 'It is the machine that runs without --config.'
run 125 help clasic5
says err "did you mean 'classic5'"
run 0 help programs
says out "RISC-V Linux programs run"
says out "Not supported yet"
tree=${CYCLOPS%/build/*}
says out "$(sed -n 's/^#define INST_BEYOND "\(.*\)"/\1/p' "$tree/core/isa/inst.h") may be added"
# Each page of text is shown unchanged.
for page in "$tree"/ui/help/pages/*.txt; do
	run 0 help "$(basename "$page" .txt)"
	check "the page is part of it" grep -qF "$(cat "$page")" out
	check "$page: lines of 90 columns at most" [ "$(wc -L <"$page")" -le 90 ]
done

# A program that waits for ever stops the session, which can go back.
run 0 --batch -e continue -e "info program" -e reverse-step -e "info program" "$GUEST" stuck
says out "The program can make no progress: it waits for a signal"
says out "stuck: it waits for a signal"
says out "1 before the newest"
says out "running, in "

run 0 run --help
says out "--max-insts"

# Interrupted, the machine stops between two cycles, and its counts are written. Job control,
# because the shell starts background processes with SIGINT ignored otherwise.
set -m
for signal in INT:130 TERM:143 "INT:130 --history"; do
	history=${signal#* }
	[ "$history" = --history ] || history=
	signal=${signal% *}
	command="cyclops run $history guest spin, then SIG${signal%:*}"
	rm -f int.json out
	"$CYCLOPS" run ${history:+"$history"} --stats int.json "$GUEST" spin >out 2>err &
	pid=$!
	until grep -qs spinning out; do
		kill -0 $pid 2>/dev/null || break
		read -rt 0.05 <> <(:)
	done
	kill -"${signal%:*}" $pid
	wait $pid
	status=$?
	check "exit status $status, expected ${signal#*:}" [ $status = "${signal#*:}" ]
	says err interrupted
	check "statistics are there" [ -n "$(stat sim.cycles int.json)" ]
done

# A guest that waits for input can be interrupted, too.
command="cyclops run guest ask, then SIGINT"
rm -f out
mkfifo pipe
"$CYCLOPS" run "$GUEST" ask <pipe >out 2>err &
pid=$!
exec 3>pipe
until grep -qs "name?" out; do
	kill -0 $pid 2>/dev/null || break
	read -rt 0.05 <> <(:)
done
kill -INT $pid
wait $pid
status=$?
exec 3>&-
check "exit status $status, expected 130" [ $status = 130 ]
says err interrupted

finish
