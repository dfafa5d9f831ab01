#!/bin/bash
# A machine with a value sampler, in sessions: stops on its handler's work, questions about it, in
# both directions, and answers to invalid input. shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
guest=$top/tests/golden/guest.elf
like() { check "$1 should match '$2'" grep -qE -- "$2" "$1"; }
quick=(-o vsample.enable=true -o vsample.interval_min=1000 -o vsample.interval_max=1100 \
	-o vsample.interrupt_cycles=20
	-o vsample.start_cycles=10 -o vsample.inst_cycles=6 -o vsample.tuple_cycles=4)

# sampled STATUS COMMAND...
sampled() {
	local want=$1 args=()
	shift
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --batch "${quick[@]}" "${args[@]}" "$guest"
}

# ---- stopping ----
sampled 0 'catch vsample if interprets' continue why 'delete 1' 'catch interpret' continue why \
	'delete 2' 'catch interpreted' continue 'why vsample'
like out '^Catchpoint 1, vsample, .*: interval 1,[0-9]{3}, interprets true, skip 0, second false, cycle '
like out "^nothing is in flight: the value sampler's interrupt holds the program before [a-z_]+.*, to interpret it from there, 20 cycles left \\(cycle "
like out '^Catchpoint 2, interpret #[0-9]+, .*: place 0, recorded true, lost false, cycles 6, cycle '
like out "^#[0-9]+ .* was interpreted by the value sampler's handler, from cycle [0-9,]+ to [0-9,]+$"
like out '^Catchpoint 3, interpreted, .*: stop length, count 4, recorded 4, cycles [0-9]+, cycle '
like out "^the value sampler's next interrupt comes after 1,[0-9]{3} more of 1,[0-9]{3} instructions; the one after it interprets$"

# Conditions by name; the fields of its instruction are words, too.
sampled 0 'catch interpret class load if place > 1 and level == "l1" and addr > 0' continue \
	'why vsample'
like out '^Catchpoint 1, interpret #[0-9]+, .*: place [23],'
like out "^the value sampler's handler records a tuple, "
sampled 0 'watch vsample.phase if vsample.phase == "data"' continue 'why' 'print vsample.pc == pc'
like out '^Watchpoint 1, vsample.phase: "interpret" -> "data"'
like out "^nothing is in flight: the value sampler's handler interprets .* l[dw] .*, and waits for its data: "
like out '= true$'

# ---- system calls end interpretations, also after going back ----
run 0 --batch "${quick[@]}" -o vsample.length=60000 -e 'catch interpreted if stop == "syscall"' \
	-e continue -e 'print vsample.stop' -e 'view vsample' \
	-e 'reverse-step' -e 'print vsample.stop == ""' -e continue \
	-e 'print vsample.stop_syscall' "$guest"
like out '^stopped .* syscall +before a system call$|^ +stopped .* syscall\*? +before a system call'
like out '^vsample.stop = "syscall"$'
like out '== "" = true$'
like out '^vsample.stop_syscall = 1$'
sampled 0 'catch interpret if place == 2' continue 'view vsample' 'reverse-continue' \
	'goto 1000000' 'goto 4000' 'view vsample'

# ---- values, and partners of replay traps: vreplay's answers beside the truth ----
eager=(-o vsample.interval_min=300 -o vsample.interval_max=400 -o vsample.service=1 \
	-o oracle.enable=true)
run 0 --batch --config burrows2000 --values vreplay -o vsample.length=128 -o vsample.every=4 \
	"${eager[@]}" -o oracle.replays=true \
	-e 'goto 2000000' -e 'view replay' -e 'view hotlist' \
	"$top/build/demos/scenarios/replay_traps"
like out '^ +[0-9,]+ .* synonym +stack\+0x4 +ld a1,0\(s2\) +stack +ld a0,0\(s1\) +(100.0|9[0-9].[0-9]) '
like out '^ +[0-9,]+ .* size +size\+0x4 +lw a1,0\(s0\) +size +sb s4,3\(s0\) +(100.0|9[0-9].[0-9]) '
like out '^ +size\+0x4 +lw a1,0\(s0\) +vreplay +[0-9]+ +size 0x[0-9a-f]+ '
run 0 --batch --config burrows2000 -e 'catch replay' -e continue -e 'view replay' -e why \
	"$top/build/demos/scenarios/replay_traps"
like out '^◆ +#[0-9]+ +cycle [0-9]+ '
like out '^#[0-9]+ .* was replayed in cycle [0-9,]+ \((order|size|synonym) trap\)'
run 0 --batch -e 'view replay' "$guest"
like out 'this machine takes none: --config burrows2000 does'

# ---- nonsense ----
run 1 --batch --values results "${eager[@]}" -e 'view hotlist nowhere' "$guest"
like err "no symbol 'nowhere'; .*; and it is no kind of values, such as 'results'"
run 1 --batch --values results "${eager[@]}" -e 'view hotlist main walk' "$guest"
like err "'walk' is one place too many"
run 0 --batch -o vsample.enable=true -e 'view hotlist' "$guest"
like out 'no module computes values: start with, for example, --values results'
run 0 --batch -e 'view hotlist' "$guest"
like out 'start with -o vsample.enable=true'
run 1 --batch -e 'view replay x' "$guest"
for c in 'catch interpretation' 'catch interpreted if stop == syscal' 'view vsample 3' \
	'print vsample.phse' 'why vsampel'; do
	sampled 1 "$c"
done
sampled 1 'catch interpretation'
like err "no event is called 'interpretation'; did you mean 'interpret(ed)?'\\?"
sampled 1 'print vsample.phse'
like err "no statistic or parameter 'vsample.phse'"
sampled 1 'view vsample 3'
like err "view vsample takes no arguments: '3' is one too many"

# ---- machines without a value sampler ----
run 0 --batch -e 'view vsample' "$guest"
like out 'this machine has no vsample: start with -o vsample.enable=true'
run 1 --batch -e 'why vsample' "$guest"
like err 'vsample.enable=true'
run 1 --batch -e 'print vsample.phase' "$guest"
like err 'this machine has no value sampler \(vsample.enable = false\)'
finish
