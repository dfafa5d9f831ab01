#!/bin/bash
# What debuggers are told of programs that the editor has laid out again is what they were told before: lines, unwind tables, functions, at each
# instruction (debug.py). And gdb, step by step through code that was put in, knows line and way back at each of them (backtrace.gdb).
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
programs=build/tests/edit

for name in exceptions unwind hash; do
	for kind in nothing bb edge; do
		run 0 instrument -q --kind $kind -o "$dir/new" $programs/$name
		check "$name, $kind: lines, unwind tables and functions" eval "python3 tests/edit/debug.py $programs/$name $dir/new >$dir/out"
	done
done

# steps FILE: what gdb says of it while it runs under qemu, which waits for gdb at a socket.
steps() {
	timeout 100 qemu-riscv64 -g "$dir/socket" "$1" >/dev/null 2>&1 &
	local guest=$!
	until [ -S "$dir/socket" ] || ! kill -0 $guest 2>/dev/null; do sleep 0.1; done
	timeout 100 gdb-multiarch -batch -nx -ex 'set sysroot /' -ex "target remote $dir/socket" -x tests/edit/backtrace.gdb "$1" >"$dir/out" 2>"$dir/err"
	wait $guest
	rm -f "$dir/socket"
}
for kind in nothing bb edge; do
	run 0 instrument -q --kind $kind -o "$dir/new" $programs/busy
	steps "$dir/new"
	check "busy, $kind: lines and ways back in gdb" grep -qE '^[0-9]{3,} steps, 0 wrong' "$dir/out"
done

finish
