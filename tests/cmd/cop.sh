#!/bin/bash
# A machine with a profiling co-processor, in sessions: loading programs into it, stepping and
# stopping on its microinstructions in both directions, questions about it, and answers to invalid
# input. shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
guest=$top/tests/golden/guest.elf
slots=$top/tests/cop/slots.mic
like() { check "$1 should match '$2'" grep -qE -- "$2" "$1"; }
unlike() { check "$1 should not match '$2'" bash -c "! grep -qE -- '$2' '$1'"; }

# cop STATUS COMMAND...: slots.mic is loaded before the first cycle
cop() {
	local want=$1 args=()
	shift
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --batch --cop "$slots" "${args[@]}" "$guest"
}
# bare STATUS COMMAND...: no program is loaded
bare() {
	local want=$1 args=()
	shift
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --batch -o cop.enable=true "${args[@]}" "$guest"
}
# A command's answer: the lines between it and the next echo of @.
part() { awk -v n="$1" '$0 == "@" { k++; next } k == n' out; }

# ---- loading ----
bare 0 cop "cop load $slots" cop
like out '^the co-processor is off: nothing has been loaded; `cop load FILE` does$'
like out '^Loaded slot-test: 24 microinstructions; samples load$'
like out '^slot-test, .*slots.mic: hits and misses of one value of each load$'
like out '^the co-processor waits for a record: no tagged instruction has committed yet$'
# Loading in the middle of a run works as at its beginning; the earlier past has no program, and
# going on repeats the load.
bare 0 'goto 2000' "cop load $slots" 'goto 12000' 'echo @' 'print cop.samples' 'view cop' 'echo @' \
	'goto 1999' cop 'echo @' 'goto 12000' 'print cop.samples' 'view cop'
part 1 | tr -d '*+ ' >first
part 3 | sed '/^cycle .* instructions/d; /^  [+-]/d' | tr -d '*+ ' >again
check 'records are worked on' grep -qE '^cop.samples=[1-9]' first
check 'the load is repeated from the journal' cmp -s first again
part 2 | grep -q '^the co-processor is off' || check 'nothing is loaded before' false
# Other values of its constants.
bare 0 "cop load $slots SLOTS=4 FAILED=0x10" 'print cop.samples'
bare 1 "cop load $slots SLOTS=lots"
like err ": 'SLOTS=lots' is not understood; expected values for its .equ after the file: NAME=NUMBER"
# Loading in the past cuts the record.
bare 0 'goto 2000' 'goto 1000' "cop load $slots"
like out '^Later cycles of the recording are dropped$'
# `run` begins with the program of --cop.
cop 0 'goto 9000' 'print cop.samples' run 'cop' 'print cop.samples'
run 0 run --cop "$slots" --stats stats.json "$guest" </dev/null
check 'run --cop samples' grep -qE '"cop.samples": [1-9]' stats.json
run 0 run -o cop.enable=true --stats without.json "$guest" </dev/null
check 'without a program nothing is sampled' grep -qE '"cop.samples": 0' without.json

# Names belong to the loaded program, in the past as well; and to firmware's program, if declared.
cat >one.mic <<'X'
.program one
.fields load: pc
.on load: alpha
.name loads = v0
alpha: sadd.32 loads, loads, 1 | done
X
sed 's/program one/program two/; s/alpha/beta/g; s/loads/seen/g; s/, 1 |/, 2 |/' one.mic >two.mic
bare 0 'goto 500' 'cop load one.mic' 'goto 1000' 'cop load two.mic' 'goto 9000' 'echo @' \
	'cop list' 'echo @' 'goto 1000' 'goto 999' 'echo @' 'cop list' 'echo @' 'goto 9000' \
	'print cop.seen > 0'
check 'the second' [ "$(part 1 | head -n 1)" = beta: ]
check 'the first, before' [ "$(part 3 | head -n 1)" = alpha: ]
like out '^cop.seen > 0 = true$'
bare 1 'cop load one.mic' 'print cop.seen'
bare 0 'lua m.cop:write{{0x300 + 8 * 1, 0}}' 'cop names one.mic'
like out '^Known: one: 1 microinstruction; samples load$'
like out '^It differs from the microcode array now$'
# Other machines beside it, and continuing from a checkpoint.
run 0 compare --cop "$slots" -s cop.samples vaswani2003 vaswani2003,cop.divider=4 -- "$guest" \
	</dev/null
like out '^cop.samples +[1-9]'
run 124 run --cop "$slots" --max-cycles 9000 --save-to middle "$guest" </dev/null
run 0 run --cop "$slots" --restore middle --stats restored.json "$guest" </dev/null
check 'restored, it ends as the whole run' [ "$(grep -E '"cop\.' restored.json)" \
	= "$(grep -E '"cop\.' stats.json)" ]
run 0 run --cop "$slots" --config default --restore middle --stats restored.json "$guest" </dev/null
check 'and with a configuration' [ "$(grep -E '"cop\.' restored.json)" \
	= "$(grep -E '"cop\.' stats.json)" ]

# ---- stepping ----
cop 0 'cop step' 'cop step' 'cop step' 'cop step 3' 'cop reverse-step 3' 'cop reverse-step' 'cop s'
like out '^  load       match slot, pc \| sadd.32 samples, samples, one \| if miss goto new$'
like out '^             cam    match slot, pc: miss$'
like out '^             alu    sadd.32 samples, samples, one: samples = 1, nz$'
like out '^             branch if miss goto new: taken, mispredicted: two clocks lost$'
like out '^             data   read.16 total, counts\[victim\].1: word 256: 0, total = 0, cz$'
check 'forwards and back to the same places' \
	[ "$(grep -oE '^  [a-z][a-z+0-9]* ' out | tr -d ' \n')" = loadnewnew+1new+4new+1newnew+1 ]
cop 0 'cop step 5' 'echo @' 'view cop' 'echo @' 'cop step 9' 'cop reverse-step 9' 'echo @' \
	'view cop'
check 'the same state after going back' [ "$(part 1 | tr -d '*+ ')" = "$(part 3 | tr -d '*+ ')" ]
cop 0 'cop rs'
like out '^Beginning of history, cycle 0'
bare 1 'cop step'
like err ': nothing has been loaded into the co-processor; `cop load FILE` does$'
cop 0 'goto 3' 'cop step 100000'
like out '^The program exited with status '

# ---- breakpoints ----
cop 0 'cop break other' 'cop break new+2 if cop.v7 == 2' continue continue continue \
	reverse-continue 'info breakpoints' 'delete 1' 'disable 2' continue
like out '^Breakpoint 1 at microcode 8 \(other\)$'
like out '^Breakpoint 2 at microcode 17 \(new\+2\), if cop.v7 == 2$'
like out '^Breakpoint 2, microcode new\+2, cycle [0-9,]+$'
like out '^Breakpoint 1, microcode other, cycle [0-9,]+$'
# Stops 1, 2 and 3, and then 2 again.
grep -oE '^Breakpoint [12], microcode .* cycle [0-9,]+' out >stops
check 'back to the stop before' [ "$(sed -n 2p stops | grep -o 'cycle.*')" \
	= "$(sed -n 4p stops | grep -oE 'cycle [0-9,]+' | sed 's/,$//')" ]
like out '^2 +Breakpoint enabled +at microcode 17 \(new\+2\), if cop.v7 == 2, hit 1 time$'
cop 0 'cop break 8' 'cop list other' 'view breakpoints'
like out '^ +1  other +break at execute +on .* microcode 8$'
like out '^ \*   8  inc.8 misses, counts\[slot\].1 '
# A record of a class without a routine executes nothing.
bare 0 'cop load one.mic' 'lua m.cop:write(0x18, 0x3ff)' 'cop break alpha' \
	'catch micro if step == "skipped"' continue continue 'delete 2' continue
like out '^Catchpoint 2, micro, .* step skipped'
check 'the first stops are skipped records' [ "$(grep -cE '^Breakpoint 1, microcode alpha' out)" \
	= 1 ]
cop 0 'catch micro if wrong' continue 'catch sample' continue 'catch cop_interrupt' 
like out '^Catchpoint 1, micro, .*: at 0, taken true, wrong true, step on, '

# ---- why ----
cop 0 'catch sample' continue why 'why cop' step 'step 6' 'why cop' 'step 2' 'why cop'
like out '^for the co-processor: tagged: a load that no table masks$'
like out '^the co-processor waits for a record: 1 on the way'
like out '^the co-processor has fetched load and decodes it next$|^the co-processor executes load next: match slot, pc'
cop 0 'catch commit class int' continue why
like out '^for the co-processor: not tagged: its class, int, is not sampled$'

# ---- interrupts and faults without firmware ----
cat >short.mic <<'X'
.program short
.fields load:
.on load: go
go: interrupt
X
bare 0 'cop load short.mic' 'catch cop_interrupt' continue 'why cop' 'cop resume' 'why cop' continue
like out '^the co-processor has halted after the interrupt at go; .*`cop resume` does$'
check 'it goes on' [ "$(grep -c '^Catchpoint 1, cop_interrupt' out)" = 2 ]
bare 1 'cop load short.mic' 'catch cop_interrupt' continue 'cop step'
like err ': the co-processor has halted by its interrupt, and there is no firmware that lets it go on; `cop resume` does$'
printf '.program wrong\n.fields load: pc\n.on load: go\n.base b0 = 60000\ngo: read v0, b0 | done\n' >wrong.mic
bare 0 'cop load wrong.mic' 'catch cop_interrupt' continue 'view cop' cop
like out 'Catchpoint 1, cop_interrupt, .* fault data array address out of range'
like out 'read v0, b0 \| done .*data array address out of range'
like out '^the co-processor has halted at go, data array address out of range; '
# A routine without an end.
printf '.program endless\n.fields load: pc\n.on load: go\ngo: nop\nagain: inc x0 | goto again\n' \
	>endless.mic
run 0 --batch --cop endless.mic -o cop.watchdog=4000 -e 'goto 3000' -e 'why cop' \
	-e 'catch cop_interrupt' -e continue -e 'why cop' -e 'print cop.x0' "$guest"
like out '^the co-processor executes again next: inc x0, x0 \| goto again; [0-9],[0-9]+ microinstructions have been executed for this record: does the routine end\?$'
like out 'Catchpoint 1, cop_interrupt, .* fault a routine without an end'
like out '^the co-processor has halted at again, a routine without an end, it seems: 4,000 microinstructions for one record \(cop.watchdog\); it goes on when '
like out '^cop.x0 = 3999 ' # all but the first

# ---- nonsense ----
printf '.program bad\n.on load: go\ngo: inc.8 v0, b0 | read v1, b1 | done\n' >bad.mic
bare 1 'cop load bad.mic'
like err ": bad.mic:3:20: both 'inc.8 v0, b0' \\(column 5\\) and 'read v1, b1' need the data array's port"
bare 1 'cop load nosuch.mic'
like err '[: ]nosuch.mic: No such file or directory$'
bare 1 'cop load'
like err ': no file given; expected cop load FILE'
bare 1 'cop laod x'
like err ": cop 'laod'\\? did you mean load$"
cop 1 'cop break othr'
like err ": slot-test has no label 'othr'; did you mean 'other'\\?$"
cop 1 'cop break 99999'
like err ': .*99999'
cop 1 'cop break 5000'
like err ': 5000 is beyond the microcode: its places are 0 to 255$'
cop 1 'cop break'
like err ': no place given; expected cop break LABEL'
cop 1 'cop resume'
like err ': the co-processor has not halted$'
run 1 --batch -e cop "$guest"
like err 'start with -o cop.enable=true'
run 125 run --cop nosuch.mic "$guest"
like err '[: ]nosuch.mic: No such file or directory$'
run 125 run -o cop.microcode=8 --cop "$slots" "$guest"
like err ': the program has 24 microinstructions, and the microcode array room for 8'
finish
