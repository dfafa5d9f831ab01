#!/bin/bash
# Debugs one thread while others run: breakpoints of a thread, steps that end in their own thread,
# registers, variables and calls of waiting threads; and the thread of each instruction.
within=build/tests
. tests/lib.sh
cp build/tests/threads/{steps,basic} "$dir"
cd "$dir" || exit 1
short=(--batch -o os.slice=2000 -o os.switch=100)

# A breakpoint of thread 3 is passed by 2, which gets there first; a temporary one, too.
run 0 "${short[@]}" -e 'break add thread 3' -e continue -e 'info threads' -e 'info breakpoints' \
	-e 'save breakpoints stops' -e 'view breakpoints' steps
says out 'There is no thread 3 now'
says out 'Breakpoint 1, add (n=0, who=11) at steps.c:7, thread 3, cycle'
says out '* 3 '
says out 'at add (steps.c:7), commit, of thread 3'
says out 'on, thread 3'
says stops 'break add thread 3'
run 0 "${short[@]}" -e 'tbreak add thread 4 if n == 5' -e continue -e continue steps
says out 'add (n=5, who=12) at steps.c:7, thread 4, cycle'
says out 'exited with status 0'
run 1 "${short[@]}" -e 'break add thread 0' steps
says err "'0' is no thread's number"

# Steps of thread 3 end there, all the way round its loop, over slices and locks.
steps=()
for _ in {1..30}; do steps+=(-e next); done
run 0 "${short[@]}" -e 'break add thread 3' -e continue -e delete "${steps[@]}" steps
check 'thirty steps end in their own thread' [ "$(grep -c '^thread 3, cycle' out)" = 30 ]
check 'slices were over meanwhile' \
	[ "$(awk '/^thread 3/ { gsub(",", "", $4); at = $4 } END { print at }' out)" -gt 46000 ]
says out 'steps.c:17'
run 0 "${short[@]}" -e 'break add thread 3' -e continue -e delete -e finish -e 'advance add' \
	-e 'until steps.c:9' -e 'reverse-finish' -e 'reverse-next' -e 'thread' steps
check 'finish, until and advance end in it as well, backwards too' \
	[ "$(grep -c '^thread 3, cycle' out)" = 5 ]
says out 'Returned from add'
says out 'Thread 3 runs'
# add: others get there first
check 'advance passes others at its target' [ "$(grep -c 'who=10\|who=12' out)" = 0 ]
run 0 "${short[@]}" -o os.slice=1000 -e 'break work thread 4' -e continue -e delete -e finish \
	-e nexti -e next steps
says out 'Returned from work, a0 = 12'
# after its last line it is gone: the step ends with it
run 0 "${short[@]}" -e 'break work thread 2' -e continue -e delete -e finish -e next -e next steps
says out 'Thread 2 has ended'

# A waiting call is stepped over, to its thread's next instruction.
run 0 "${short[@]}" -e 'break pthread_join' -e continue -e delete -e finish -e 'print t' steps
says out 'thread 1, cycle'
check 'it went on when the others had' [ "$(grep -c 'thread [234], cycle' out)" = 0 ]

# Contents of a thread that does not run.
run 0 "${short[@]}" -e 'break add thread 3' -e continue -e 'thread 2' -e 'info symbol $pc' \
	-e 'info line *$pc' steps
says out 'is work+0x'
says out '<work+0x'
run 0 "${short[@]}" -e 'break add thread 3' -e continue -e 'thread 2' -e 'print who' \
	-e 'print $sp' -e 'info registers pc s3' -e bt -e 'frame 1' -e 'frame 0' \
	-e 'info threads' -e 'view regs' -e delete -e 'next' -e 'thread apply all bt' \
	-e 'thread apply 2 4 print $pc' steps
says out 'Thread 2 is ready, in work'
says out '$1 = 10'
says out 's3    0x000000000000000a'
says out '#1  0x'
says out 'start_thread'
says out '* 2 '
says out 'Registers  thread 2, goes on at: work'
says out 'thread 2, cycle'
says out 'Thread 1 '
says out 'main+0x'
says out 'Thread 4 is ready'
check 'in each of all threads' [ "$(grep -c '^Thread [1234] ' out)" = 7 ]
run 0 "${short[@]}" -e 'break add thread 3' -e continue -e 'thread 2' -e 'set $s11 = 4660' \
	-e 'print $s11' -e 'print $s10 = 4661' -e 'thread 3' -e 'print $s11' -e 'step 1000' \
	-e 'thread 2' -e 'print $s11' -e 'print $s10' steps
check 'registers of a thread that does not run are set, and its alone' \
	[ "$(grep -c '= 4660' out) $(grep -c '= 4661' out)" = '2 2' ]
# Functions are also called in a thread that waits; then it waits again.
run 0 "${short[@]}" -e 'break add thread 3 if n == 20' -e continue -e delete -e 'thread 1' \
	-e 'print add(3, 4)' -e thread -e 'thread 2' -e 'call add(5, 6)' -e bt -e continue steps
says out 'Thread 1 runs'
says out 'work+0x'
says out '2348'
says out 'exited with status 0'
# A thread that waits is before its call again, which it repeats.
run 0 "${short[@]}" -e 'break add thread 3 if n == 20' -e continue -e 'thread 1' \
	-e 'set $a0 = $a0' -e 'thread' -e delete -e continue steps
says out 'Thread 1 is ready'
says out 'exited with status 0'
run 1 "${short[@]}" -e 'break add thread 3' -e continue -e 'thread 2' -e 'set hpmselect3 = 1' \
	steps
says err 'thread 2 does not run now: of its control registers only fcsr, fflags and frm can be set'
run 1 "${short[@]}" -e 'thread 7' steps
says err 'there is no thread 7; there is 1'
run 1 "${short[@]}" -e 'thread two' steps
says err "'two' is no thread's number"
run 1 "${short[@]}" -e 'thread apply all' steps
says err 'thread apply all backtrace'
run 1 "${short[@]}" -e 'break add thread 3' -e continue -e 'thread apply all step' steps
says err "'step' moves the program"
# A motion drops it, even one that returns to the cycle.
run 0 "${short[@]}" -e 'break add thread 3' -e continue -e 'thread 2' -e step -e reverse-step \
	-e 'thread' steps
says out 'Thread 3 runs'

# The thread of each instruction.
run 0 "${short[@]}" -e 'view rob' -e 'view pipe' -e 'break add thread 3' -e continue -e 'view rob' \
	-e 'view pipe' -e 'step 40' -e 'view pipe' steps
check 'without others there is no column' [ "$(sed '/^Breakpoint/,$d' out | grep -c ' thr ')" = 0 ]
check 'with them there is' [ "$(grep -c ' thr ' out)" -ge 3 ]
run 0 "${short[@]}" -o os.switch=0 -e 'catch commit if thread == 2' -e continue \
	-e 'catch commit if thread == 3' -e delete\ 1 -e continue -e 'view pipe' steps
check 'a diagram over a switch has both' awk '$1 ~ /^#/ { n[$2]++ } END { exit !(n[2] && n[3]) }' \
	out

# In Lua, too.
cat >whose.lua <<'X'
local m <close> = cyclops.machine{ program = arg[1], config = { ["os.slice"] = 1500, ["os.switch"] = 0 } }
local of = {}
for _ = 1, 60000 do
	m:step()
	for i = 1, m.rob.count do
		of[m.rob[i].thread] = true
	end
end
for n = 1, 4 do
	assert(of[n], "thread " .. n .. " was never in the window")
end
print("all four")
X
run 0 lua whose.lua steps
says out 'all four'
finish
