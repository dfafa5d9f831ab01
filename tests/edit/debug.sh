#!/bin/bash
# Debug information of programs that the editor has laid out again is that of the originals: lines,
# unwind tables, functions, at each instruction (debug.py). And gdb, step by step through inserted
# code, has line and way back at each of them (backtrace.gdb).
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
programs=build/tests/edit

# Sanitizers find nothing here: debuggers run.
if [ "${CYCLOPS_TEST_SCALE:-full}" = small ]; then
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
all=0
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || all=1
declare -A one=([exceptions]=edge [unwind]=bb [hash]=nothing)
for name in exceptions unwind hash; do
	kinds=(nothing bb edge)
	[ $all = 1 ] || kinds=("${one[$name]}")
	for kind in "${kinds[@]}"; do
		run 0 instrument -q --kind $kind -o "$dir/new" $programs/$name
		check "$name, $kind: lines, unwind tables and functions" eval \
			"python3 tests/edit/debug.py $programs/$name $dir/new >$dir/out"
	done
done

# A line with more than 64 KB of inserted code, and a unit of code after it.
awk 'BEGIN {
	print "\t.file 1 \"wide.c\"\n\t.text\n\t.globl wide\n\t.type wide, @function\nwide:\n\t.loc 1 1\n\tli a0, 0\n\t.loc 1 2"
	for (i = 0; i < 4000; i++)
		print "\tbnez a0, 1f\n\taddi a1, a1, 1\n1:"
	print "\t.loc 1 3\n\taddi a0, a0, 3\n\t.loc 1 4\n\tret\n\t.size wide, .-wide"
}' >"$dir/wide.s"
printf '%s\n' 'int wide(void);' 'int behind(int x) { x += wide();' 'x *= 3;' 'return x; }' \
	'int main(void) { return behind(4); }' >"$dir/behind.c"
riscv64-linux-gnu-gcc -g -O1 -static -Wl,--emit-relocs -o "$dir/wide" "$dir/wide.s" "$dir/behind.c"
kinds=(edge)
[ $all = 0 ] || kinds=(bb edge)
for kind in "${kinds[@]}"; do
	run 0 instrument -q --kind "$kind" -o "$dir/new" "$dir/wide"
	check "a wide line, $kind" eval "python3 tests/edit/debug.py $dir/wide $dir/new >$dir/out"
	read -r from to < <(riscv64-linux-gnu-readelf -wL "$dir/new" |
		awk '/^wide.c .* 0x/ { print $3 }' | sed -n 2,3p | tr '\n' ' ')
	check "it is wide: from $from to $to" [ $((to - from)) -gt 65536 ]
	check "readelf has no complaint" \
		[ -z "$(riscv64-linux-gnu-readelf -wL "$dir/new" 2>&1 >/dev/null)" ]
done

# steps FILE: gdb's output while it runs under qemu, which waits for gdb at a socket.
steps() {
	timeout 100 qemu-riscv64 -g "$dir/socket" "$1" >/dev/null 2>&1 &
	local guest=$!
	until [ -S "$dir/socket" ] || ! kill -0 $guest 2>/dev/null; do sleep 0.1; done
	timeout 100 gdb-multiarch -batch -nx -ex 'set sysroot /' -ex "target remote $dir/socket" \
		-x tests/edit/backtrace.gdb "$1" >"$dir/out" 2>"$dir/err"
	wait $guest
	rm -f "$dir/socket"
}
kinds=(edge)
[ $all = 0 ] || kinds=(nothing bb edge)
for kind in "${kinds[@]}"; do
	run 0 instrument -q --kind "$kind" -o "$dir/new" $programs/busy
	steps "$dir/new"
	check "busy, $kind: lines and ways back in gdb" grep -qE '^[0-9]{3,} steps, 0 wrong' \
		"$dir/out"
done

finish
