#!/bin/bash
# The list of where the time goes, and the time beside source lines: code without lines is charged
# to the line that calls it; programs without lines and without symbols have functions.
. tests/lib.sh
source=tests/cmd/spent_calls.cc
# Names of one length: they lie on the program's stack.
mkdir "$dir/1" "$dir/2" "$dir/3"
riscv64-linux-gnu-g++ -O2 -g -static -march=rv64gc -fno-builtin-memset -o "$dir/1/calls" \
	$source || exit 1
riscv64-linux-gnu-strip -g -o "$dir/2/calls" "$dir/1/calls"
riscv64-linux-gnu-strip -o "$dir/3/calls" "$dir/1/calls"
line() { grep -n "/\* $1 \*/" $source | cut -d: -f1; }

# time_of NAME: the tenths of a percent beside its line of the source.
time_of() {
	sed -nE "s/^.{3} *$(line "$1") .* +([0-9]+)\.([0-9]) % .*/\1\2/p" "$dir/source"
}
# Each listed place has the same largest loss beside its line in the source.
same_losses() {
	local at lost
	while read -r at lost; do
		check "$at loses $lost % in both" grep -qE \
			"^.{3} *${at##*:} .* [0-9.]+ % +$lost % [a-z]" "$dir/out"
	done < <(sed -nE 's/^[1-3] +[0-9]+ % +([0-9]+) % .* ([a-z_]+\.(s|cc):[0-9]+) .*/\2 \1/p' "$dir/out")
}
between() { [ "$2" -ge "$1" ] && [ "$2" -le "$3" ]; }

run 0 inspect -n --batch -e 'continue' -e 'view hot' -e 'view spent' -e 'view source main' \
	-e 'view hot lines all --json' "$dir/1/calls"
cp "$dir/out" "$dir/source"
check 'a line of inlined library code has the name of its function' grep -qE \
	"^[1-3] +[0-9]+ % .* build, spent_calls\.cc:$(line map) " "$dir/out"
check 'qsort counts for the line that calls it' grep -qE \
	"^[1-3] +[0-9]+ % .* main, spent_calls\.cc:$(line sorted) " "$dir/out"
check 'the library'"'"'s wrong predictions are those of the line that calls it' grep -qE \
	"^[1-3] .* restarts after wrong predictions .* main, spent_calls\.cc:$(line sorted) " \
	"$dir/out"
check 'the rest is small, and its largest place is no majority' grep -qE \
	'^ +[0-9]+ % +elsewhere; largest [0-9]+ %: ' "$dir/out"
same_losses
check 'lines have the same time as the list' test "$(time_of sorted)" -gt 100
three=$((10#$(time_of three))) one=$((10#$(time_of one)))
check "one function has the time of each call apart: $three and $one" \
	between $((one * 5 / 2)) "$three" $((one * 7 / 2))

# Shares of all places: exactly one whole.
run 0 inspect -n --batch -e continue -e 'view hot' -e 'view spent --json' "$dir/1/calls"
check 'places and the rest are the whole' python3 -c '
import json, sys
text = open(sys.argv[1]).read()
rows = json.loads(text[text.index("{\"view\""):])["rows"]
shares = [r["share"] for r in rows if r["share"] is not None and r["share"] > 0]
sys.exit(abs(sum(shares) - 100) > 1e-6 or len(shares) != 4)
' "$dir/out"

# In the middle of a line's code, the source is the line's file, not the header of inlined code.
run 0 inspect -n --batch -e continue -e 'view hot' -e 'goto spent 1' -e 'view source' "$dir/1/calls"
check 'going there shows a line that can be read' grep -qE '^ ?[▶↪] +[0-9]+ ' "$dir/out"

# Without optimisation the library's functions are called. The first library function in memory
# begins at the end of the author's code.
mkdir "$dir/0"
cat >"$dir/0/most.cc" <<'C'
#include <algorithm>
#include <cstdio>
static volatile int n = 3000;
int main()
{
	int most = 0;
	for (int i = 0; i < n; i++)
		most = std::max(most, i ^ 85);
	printf("%d\n", most);
}
C
riscv64-linux-gnu-g++ -O0 -g -static -o "$dir/0/most" "$dir/0/most.cc" || exit 1
run 0 inspect -n --batch -e continue -e 'view hot' -e 'view spent' "$dir/0/most"
check 'time in called library code is the calling line'"'"'s' grep -qE \
	'^1 +[34][0-9] % .* main, most\.cc:8 ' "$dir/out"
check 'none is that of the line before it in memory' \
	[ "$(grep -c 'most\.cc:10' "$dir/out")" = 0 ]

# The branch has the time of its wrong predictions, although the next line was next to commit.
cat >"$dir/0/coin.s" <<'S'
	.globl _start
_start:
	li a1, 512
	li a2, 88172645
loop:
	slli t0, a2, 13
	xor a2, a2, t0
	srli t0, a2, 7
	xor a2, a2, t0
	andi t1, a2, 1
	beqz t1, even
	addi a3, a3, 1
	j next
even:
	addi a4, a4, 3
next:
	addi a1, a1, -1
	bnez a1, loop
	li a0, 0
	li a7, 93
	ecall
S
riscv64-linux-gnu-gcc -g -nostdlib -static -o "$dir/0/coin" "$dir/0/coin.s" || exit 1
run 0 inspect -n --batch -e continue -e 'view hot' -e 'view spent' -e 'view source loop' \
	-e 'view slots lines' "$dir/0/coin"
check 'the first place is the branch' grep -qE \
	'^1 +[2-9][0-9] % .* restarts after wrong predictions .* coin\.s:11 ' "$dir/out"
check 'the first of the slot stack, too' \
	[ "$(grep -A2 '^Slot stack' "$dir/out" | sed -n '3s/ .*//p')" = coin.s:11 ]
check 'so it has the time beside its line' grep -qE \
	'^ *▶? *11 .* [2-9][0-9]\.[0-9] % ' "$dir/out"
same_losses
check 'a line that waits behind it is not said to commit without waiting' \
	[ "$(grep -c '^[1-3] .*commits without waiting' "$dir/out")" = 0 ]

# Without lines, and without symbols, places are functions: the same times.
shares() { sed -nE 's/^[1-3] +([0-9]+) % .*/\1/p' "$dir/out"; }
run 0 inspect -n --batch -e continue -e 'view hot' -e 'view spent' "$dir/2/calls"
named=$(shares)
check 'functions by name' grep -qE '^1 +[0-9]+ % .* [a-z_]+' "$dir/out"
run 0 inspect -n --batch -e continue -e 'view hot' -e 'view spent' "$dir/3/calls"
check 'functions by address' grep -qE '^1 +[0-9]+ % .* function 0x1[0-9a-f]+' "$dir/out"
check 'their time is that of the named ones' [ "$named" = "$(shares)" ]

# A death at the first instruction of inlined code is in the function that was inlined, everywhere.
cat >"$dir/crash.c" <<'C'
static int sum(int *p, int n)
{
	int s = 0;
	for (int i = 0; i <= n; i++) {
		if (i == n)
			p = 0;
		s += p[i];
	}
	return s;
}
int main(void)
{
	int a[10];
	for (int i = 0; i < 10; i++)
		a[i] = i;
	return sum(a, 10);
}
C
riscv64-linux-gnu-gcc -g -O2 -static -o "$dir/crash" "$dir/crash.c" || exit 1
run 0 inspect -n --batch -e continue -e where -e 'view spent' "$dir/crash"
check 'the message has the inlined function' \
	grep -qE 'SIGSEGV\) in sum at crash\.c:[5-7], ' "$dir/out"
check 'so has the backtrace' grep -qE '^ *#0 .* sum \(.* at crash\.c:[5-7]$' "$dir/out"
check 'and the page' grep -q '^The end: faulted in sum, crash\.c:' "$dir/out"
finish
