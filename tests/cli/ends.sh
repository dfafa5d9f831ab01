#!/bin/bash
# SIGTERM and SIGHUP at any moment of any mode: the process ends, by the signal or with its status,
# its children end with it, the terminal is restored, and no temporary file is left.
. tests/lib.sh
passes "modes end by signals" tests/cli/ends.py "$dir"
cat "$dir/said"
count=$(sed -n 's/^checks: //p' "$dir/said")
passed=$((${count:-0} + passed))
# A script that waits for its child ends in order, as soon as the child has ended.
for waits in 'os.execute("sleep 300")' 'io.popen("sleep 300"):read("a")'; do
	echo "print('waits') io.stdout:flush() $waits print('goes on')" >"$dir/waits.lua"
	: >"$dir/out"
	"$CYCLOPS" lua "$dir/waits.lua" >"$dir/out" 2>"$dir/err" &
	pid=$! command="SIGTERM while $waits"
	until [ -s "$dir/out" ]; do sleep 0.05; done
	kill -TERM $pid
	wait $pid
	says err waits.lua
done
finish
