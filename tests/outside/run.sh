#!/bin/bash
# Programs of others, built unchanged (make/outside.sh, `make outside`), end as under qemu-riscv64:
# interpreters, tools and a data base with the libraries that the compiler gave them, and the C
# library's own tests of signals and threads. Skipped if they were not fetched.
within=build/tests
. tests/lib.sh
outside=${OUTSIDE:-$PWD/build/outside}
case $outside in /*) ;; *) outside=$PWD/$outside ;; esac
if [ ! -e "$outside/complete" ]; then
	echo "nothing was fetched: make outside, which takes some minutes and 50 MB"
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
here=$PWD/tests/outside
scale=${CYCLOPS_TEST_SCALE:-full}
root=/usr/riscv64-linux-gnu
cd "$dir" || exit 1
cp "$outside"/bin/* . 2>/dev/null
skipped=0
mkdir tmp

# as_qemu PROGRAM ARGS...: with the input `input`.
as_qemu() {
	local want=0 how hows=(--functional '' '--config classic5' '--config wide6')
	if [ ! -e "$1" ]; then
		skipped=$((skipped + 1))
		return
	fi
	[ "$scale" != small ] || hows=(--functional)
	: >>input
	qemu-riscv64 -L $root "./$1" "${@:2}" >want 2>want_err <input || want=$?
	for how in "${hows[@]}"; do
		stdin=$dir/input
		# shellcheck disable=SC2086
		run "$want" run --rw $how "$@"
		passes "$how $* gives what qemu gives" diff want out
	done
}

for i in $(seq 60); do echo "$((i * 7919 % 1000)) line $i $((i % 7))"; done >lines
printf 'local t = {}\nfor i = 1, 300 do t[i] = (i * 7919) %% 1009 end\ntable.sort(t)\nprint(#t, t[1], t[300], ("x"):rep(5))\nlocal co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i) end end)\nprint(co(), co(), co())\nprint(pcall(error, {1}), string.format("%%.3f %%q", math.pi, "a\\nb"))\nfor l in io.lines("lines") do n = (n or 0) + #l end print(n)\n' >a.lua
as_qemu lua a.lua
printf 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }\nvar a = []; for (var i = 0; i < 50; ++i) a.push(i * 37 %% 101);\na.sort(function(x, y) { return x - y });\nprint(fib(12), a.join(","), JSON.stringify({a: [1, 2, {b: null}]}), "x-y-z".replace(/-/g, "+"));\ntry { null.x } catch (e) { print(e) }\n' >a.js
as_qemu mujs a.js
cp lines input
as_qemu mawk '{ n[$4] += $1; s = s substr($2, 1, 1) } END { for (i = 0; i < 7; i++) printf "%d %.2f\n", i, n[i] / 3; print length(s), sin(1), toupper(s) }'
printf 'create table t (a integer primary key, b text, c real);\nwith recursive n(i) as (select 1 union all select i + 1 from n where i < 60) insert into t select i, "row " || i, i / 7.0 from n;\ncreate index u on t (b);\nselect count(*), sum(c), max(b) from t where b like "row 1%%";\nselect a, b from t order by b desc limit 3;\nbegin; delete from t where a %% 2; rollback; select count(*) from t;\n' >input
as_qemu sqlite3 -batch :memory:
rm -f base
as_qemu sqlite3 -batch base 'create table if not exists k (v); delete from k; insert into k values (1), (2); select sum(v) from k;'
for tool in 'sort -n -k1 lines' 'wc lines' 'sha256sum lines' 'head -c 100 lines' 'tac lines' \
	'cut -d . -f 1 lines' 'uniq -c lines' 'seq -w 1 3 20' 'factor 1234567890123' \
	'expr 6 * 7' 'od -A d -t x1 lines' 'tr a-z A-Z' 'base64 lines' 'comm lines lines' \
	'nl lines' 'printf %05.1f\n 3.14159' 'ls' 'stat -c %s lines' 'shuf -i 1-1' \
	'numfmt --to=iec 123456789'; do
	cp lines input
	# shellcheck disable=SC2086
	set -f && as_qemu coreutils --coreutils-prog=$tool && set +f
done
set +f

# musl's loader and library, found by the program's names of them.
if [ -e "$outside/musl-root/lib/libc.so" ]; then
	mkdir -p musl/lib
	cp "$outside/musl-root/lib/libc.so" musl/lib/ld-musl-riscv64.so.1
	ln -sf ld-musl-riscv64.so.1 musl/lib/libc.so
	printf '#include <stdio.h>\n#include <stdlib.h>\n#include <pthread.h>\n#include <signal.h>\nstatic int less(const void *a, const void *b) { return *(int *)a - *(int *)b; }\nstatic void *work(void *p) { *(int *)p += 5; return p; }\nstatic void on(int s) { printf("signal %%d\\n", s); }\nint main(void) { int v[] = {3, 1, 2}; pthread_t t; qsort(v, 3, sizeof *v, less); pthread_create(&t, 0, work, v); pthread_join(t, 0); signal(SIGUSR1, on); raise(SIGUSR1); printf("%%d %%d %%d\\n", v[0], v[1], v[2]); return 4; }\n' >m.c
	riscv64-linux-gnu-gcc -O1 -w -nostdinc -isystem "$outside/musl-root/include" -isystem \
		"$(riscv64-linux-gnu-gcc -print-file-name=include)" -fno-stack-protector -c m.c &&
		riscv64-linux-gnu-gcc -nostdlib -no-pie \
		-Wl,-dynamic-linker,/lib/ld-musl-riscv64.so.1 -o with_musl \
		"$outside"/musl-root/lib/{crt1,crti}.o m.o musl/lib/libc.so \
		"$outside/musl-root/lib/crtn.o"
	qemu-riscv64 -L musl ./with_musl >want
	for how in --functional '' '--config classic5' '--config wide6'; do
		# shellcheck disable=SC2086
		run 4 run --sysroot musl $how with_musl
		passes "$how with musl's library" diff want out
	done
else
	skipped=$((skipped + 1))
fi

# glibc's own. Those whose names end in `timed` in the list compare status alone.
while read -r name; do
	test=$(basename "$name")
	if [ ! -e "$outside/glibc-tests/$test" ]; then
		skipped=$((skipped + 1))
		continue
	fi
	cp "$outside/glibc-tests/$test" .
	want=0
	timeout 60 qemu-riscv64 "./$test" >want 2>want_err </dev/null || want=$?
	stdin=/dev/null
	for how in --functional ''; do
		[ -z "$how" ] && [ "$scale" = small ] && continue
		# shellcheck disable=SC2086
		run "$want" run --rw $how "$test"
		passes "$how $test says what it says under qemu" diff want out
	done
	rm -f "$test"
done <"$here/glibc_tests.txt"
[ "$failed" = 0 ]
status=$?
echo "$passed passed, $failed failed, $skipped skipped"
exit $status
