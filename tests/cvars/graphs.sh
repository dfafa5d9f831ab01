#!/bin/bash
# Debug information that is well formed and senseless (graphs.py): questions about its variables and
# types get an answer soon.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

case ${CYCLOPS_TEST_SCALE:-full} in
long) seeds=$(seq "${GRAPHS:-400}") others=$seeds ;;
small) seeds=$(seq 6) others=$(seq 2) ;;
*) seeds=$(seq 12) others=$(seq 2 6) ;;
esac
# shellcheck disable=SC2001
others="$(sed 's/^/p/' <<<"$others") $(sed 's/^/l/' <<<"$others")"
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:exitcode=99
# Each is a separate question; an error is an answer.
{
	printf '%s\n' 'stepi' 'info locals' 'info args' 'view locals' 'backtrace'
	for i in 0 1 2 3; do
		printf '%s\n' "print v$i" "print &v$i" "print *v$i" "print v$i[1]" "print v$i.m1" \
			"ptype v$i" "whatis v$i" "print sizeof v$i" \
			"x/4xb &v$i" "set v$i = 1" "display v$i" "watch v$i" "print v$i + 1" \
			"ptype struct n$i"
	done
	printf '%s\n' 'up' 'stepi' 'info variables' 'info line 3' 'info source' 'list' 'list 1' \
		'list a.c:3' 'break a.c:5' 'break 7' 'next' 'step' 'view source' 'finish' \
		'view locals' 'info locals' 'backtrace'
} | sed 's/.*/lua print(pcall(m.cmd, m, [=[&]=]))/' >"$dir/asks"
echo 'echo the very end' >>"$dir/asks"
for what in own two through enumeration within chain pointers $seeds $others; do
	python3 tests/cvars/graphs.py "$what" >"$dir/g.S"
	riscv64-linux-gnu-gcc -nostdlib -static -Wl,--no-relax -o "$dir/g" "$dir/g.S" 2>"$dir/err" \
		|| { check "$what is built" false; continue; }
	status=0
	command="graph $what"
	(ulimit -t 20; [[ ${BUILD:-} == *@(asan|breaks)* ]] || ulimit -v $((2 << 20))
		exec "$CYCLOPS" inspect --no-init --batch -x "$dir/asks" "$dir/g") </dev/null \
			>"$dir/out" 2>"$dir/err" || status=$?
	check "status $status" [ $status = 0 ]
	says out 'the very end'
done
# Lists of any length are cut to a readable one.
python3 tests/cvars/graphs.py wide >"$dir/g.S"
riscv64-linux-gnu-gcc -nostdlib -static -Wl,--no-relax -o "$dir/g" "$dir/g.S"
run 0 inspect --no-init --batch -e stepi -e 'info locals' "$dir/g"
says out 'more are not listed; use `print NAME`'
check "a thousand are" [ "$(wc -l <"$dir/out")" -lt 1100 ]
finish
