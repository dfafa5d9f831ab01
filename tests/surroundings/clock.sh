#!/bin/bash
# The host's clock of the day jumps by hours while Cyclops runs (jumps.c, preloaded): programs see
# and do the same, nothing times out, and awaited events come.
. tests/lib.sh
jumps=$PWD/build/tests/surroundings/jumps.so
demos=$PWD/build/demos guest=$PWD/build/tests/surroundings/guest
jumping() { LD_PRELOAD=$jumps "$@"; }

command="a clock that jumps"
hours=$((($(jumping date +%s) - $(date +%s)) / 3600))
check "it does: by $hours hours" [ $hours != 0 ]
cp "$guest" "$demos/fib" "$demos/hello" build/tests/gdb/guest-O2 "$dir"
cd "$dir" || exit 1
# A program's view of time, and all statistics.
for words in ./guest ./fib; do
	run 124 run --max-insts 100k --stats plain.json $words
	cp out plain
	command="with jumps: $words"
	jumping "$CYCLOPS" run --max-insts 100k --stats jumped.json $words >out 2>err </dev/null
	check "same status" [ $? = 124 ]
	check "same output" cmp plain out
	check "same statistics" cmp plain.json jumped.json
done
# Sessions: back and forth, checkpoints.
cat >lines <<'END'
goto 3000
save here
continue
reverse-step 100
info history
restore here
view rob
END
"$CYCLOPS" -n --batch -x lines ./fib >plain 2>plain.err
jumping "$CYCLOPS" -n --batch -x lines ./fib >out 2>err
command="a session"
check "same answers" cmp plain out
# Time limits of jobs, and a sweep's report of its time.
cat >plan.lua <<'END'
return { configs = { a = "classic5", b = "wide6" }, programs = { fib = "fib", hello = "hello" },
	options = { max_insts = "200k" }, out = "swept", stats = { "sim.cycles" } }
END
command="a sweep with time limits"
jumping "$CYCLOPS" sweep --timeout 100 plan.lua >out 2>err </dev/null
check "status $?" [ $? = 0 ]
says out "4 done, 0 failed, 0 missing"
check "no time is absurd" python3 - <<'END'
import glob, json
times = [json.load(open(f))["host_seconds"] for f in glob.glob("swept/jobs/*.json")]
raise SystemExit(not (len(times) == 4 and all(0 <= t < 100 for t in times)))
END
# A grader's limits.
command="lab check"
HOME=$dir jumping "$CYCLOPS" lab check 1 >out 2>err
check "status $?" [ $? = 0 ]
check "is graded to its end" bash -c '! grep -q "not graded" out'
# A caller that sends half a packet is not given up at once.
command="cyclops gdb"
(cd / && LD_PRELOAD=$jumps exec "$CYCLOPS" gdb --listen "unix:$dir/socket" "$dir/guest-O2") \
	>out 2>err </dev/null &
server=$!
passes "a peer is served" python3 - <<'END'
import socket, time
while True:
    try:
        s = socket.socket(socket.AF_UNIX)
        s.connect("socket")
        break
    except OSError:
        time.sleep(0.05)
s.sendall(b"+$qSuppo")
time.sleep(0.5)
s.sendall(b"rted:x+#14")
s.settimeout(60)
assert s.recv(1) == b"+"
END
kill -INT $server
wait $server
check "it ends" [ $? = 0 ]
finish
