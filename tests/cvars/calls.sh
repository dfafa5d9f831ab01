#!/bin/bash
# Calls of the program's functions by expressions: gdb's answers at the same place, what a call
# changes, motions back through it, and calls that do not return.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

expressions=('add(3,4)' 'fact(5)' 'fact(add(2,1)) + 1' 'scale(1.5, 2)' 'half(3)' 'half(x)'
	'swap(p)' 'swap(p).a' 'shift(q, 0.5)' 'mix(m)' 'fill(l, 10)' 'fill(l, 10).v[2]'
	'length("hello")' 'many(1,2,3,4,5,6,7,8,9,10)' 'sum(3, 1.5, 2.5, 3.5)' 'bump(&x)' 'x'
	'name(0)' 'n.get(&n)' '(*n.get)(&n)' 'odd(2)' 'odd(3)' 'low(511)' 'ld(1.5)' 'counter'
	'sizeof(fact(3))' 'x > 0 && odd(x)' '(int)strlen("abcd")' 'add(low(3), counter)'
	'x = add(x, 100)' 'x' 'add' '(char)add(60, 5)' '$pc' 'counter'
	# and lists that are assigned, formats
	'p = {7, 8}' 'p' 'n = {1, 0, get}' 'l = {{1, 2, 3}}' 'l.v[3]' 'l.v = {9, 8, 7, 6, 5}'
	'm = {2.5, 3}' 'mix(m)' '-nibbles on -- /t 0x70f' '-nibbles on -- /t 1')
line=$(grep -n 'the place' tests/cvars/calls.c | cut -d: -f1)

# gdb_says FLAGS SOURCE EXPRESSION...: gdb's answers at line $line, and ours.
gdb_says() {
	local ours=() theirs=() flags=$1 source=$2 e guest
	local file=$dir/calls${1:0:3}
	shift 2
	for e; do
		ours+=(-e "print $e") theirs+=(-ex "print $e")
	done
	# shellcheck disable=SC2086
	riscv64-linux-gnu-gcc -g $flags -static -o "$file" "$source"
	timeout 100 qemu-riscv64 -g "$dir/socket" "$file" >/dev/null 2>&1 &
	guest=$!
	until [ -S "$dir/socket" ] || ! kill -0 $guest 2>/dev/null; do sleep 0.1; done
	timeout 100 gdb-multiarch -batch -nx -ex 'set width 0' -ex "target remote $dir/socket" \
		-ex "break $line" -ex continue "${theirs[@]}" "$file" 2>&1 |
		grep '^\$' >"$dir/gdb"
	kill $guest 2>/dev/null
	wait $guest 2>/dev/null
	rm -f "$dir/socket"
	run 0 --no-init --batch -e 'set width 0' -e "break $line" -e continue "${ours[@]}" "$file"
	grep '^\$' "$dir/out" >"$dir/ours"
	passes "values are gdb's" diff "$dir/gdb" "$dir/ours"
	check 'all have values' [ "$(wc -l <"$dir/ours")" = $# ]
}
gdb_says '-O2 -fno-inline' tests/cvars/calls.c "${expressions[@]}"
gdb_says -O0 tests/cvars/calls.c "${expressions[@]}"
cp "$dir/calls-O0" "$dir/kept"

# Structs of one to nine members of two alternating types, as results and arguments.
functions=()
for ((n = 1; n < 10; n++)); do
	functions+=("fun$n()" "/x L$n = foo$n" "Fun$n(foo$n)" "L$n")
done
while read -r one other; do
	{
		for ((n = 1; n < 10; n++)); do
			echo "struct s$n {"
			for ((i = 0; i < n; i++)); do
				((i % 2)) && echo "$other m$i;" || echo "$one m$i;"
			done
			values=$(seq -s , "$n")
			echo "} foo$n = {$values}, L$n;"
			echo "struct s$n fun$n(void) { return foo$n; }"
			echo "void Fun$n(struct s$n s) { L$n = s; }"
		done
		echo 'int main(void) { return 0; }'
	} >"$dir/structs.c"
	line=$(grep -n 'int main' "$dir/structs.c" | cut -d: -f1)
	gdb_says '-O0' "$dir/structs.c" "${functions[@]}"
done <<'END'
char float
double int
float double
END
line=$(grep -n 'the place' tests/cvars/calls.c | cut -d: -f1)

# Going back leads through the call, to the state before it; forwards again to the one after it.
file=$dir/kept
run 0 --no-init --batch -e "break $line" -e continue -e 'print counter' -e 'print add(1,2)' \
	-e 'print counter' -e reverse-stepi -e 'print b' -e 'goto 40000' -e 'print counter' \
	-e continue -e 'print counter' -e 'print $pc' "$file"
check 'as it was' [ "$(grep '^\$' "$dir/out" | cut -d' ' -f3- | paste -sd' ' |
	sed 's/(.*<main.*/pc/')" = '1 3 2 2 1 2 pc' ]

# A breakpoint within: the program stays there, and all ways out set the registers back.
for out in finish continue 'step 1000' 'stepi 500'; do
	printf '%s\n' "break $line" continue 'print $sp' 'break add' \
		'lua pcall(function() m:cmd "print add(30, 12)" end)' 'print a' backtrace "$out" \
		'print $pc' 'print $sp' 'print x' >"$dir/within"
	run 0 --no-init --batch -x "$dir/within" "$file"
	says out 'a stop point holds the call'
	says out 'add was called by an expression, at main+'
	says out 'add has returned'
	check 'registers are set back' [ "$(grep '^\$.*(void \*)' "$dir/out" | cut -d= -f2 |
		sort -u | wc -l)" = 1 ]
done

# Back from within: to before the call, also after it has returned; a step forwards passes it.
printf '%s\n' "break $line" continue 'print $pc' 'tbreak add' \
	'lua pcall(function() m:cmd "print add(30, 12)" end)' \
	'lua print(select(2, pcall(m.cmd, m, "goto end")))' \
	'lua print(select(2, pcall(m.cmd, m, "goto #1000000")))' reverse-next 'print $pc' finish \
	'print $pc' 'reverse-stepi 2' reverse-finish 'print $pc' reverse-stepi next 'print $pc' \
	next 'reverse-step into' 'print $pc' >"$dir/back"
run 0 --no-init --batch -x "$dir/back" "$file"
check 'it is no way out' [ "$(grep -c 'a function called by an expression is in progress' \
	"$dir/out")" = 2 ]
check 'one place' [ "$(grep '^\$.*<main+' "$dir/out" | cut -d= -f2 | uniq -c |
	awk '{ print $1 }')" = 5 ]
check 'reverse-step into enters what the line called' grep -q '^\$6 = .*<swap>$' "$dir/out"

# return: registers of the caller, and the value by the function's type.
run 0 --no-init --batch -e 'tbreak add' -e continue -e 'return 99' -e 'tbreak half' -e continue \
	-e 'return 5 / 2.0' -e reverse-stepi -e 'print $pc' -e stepi -e 'tbreak shift' -e continue \
	-e 'lua print(select(2, pcall(m.cmd, m, "return 3")))' -e continue "$file"
says out 'Left add, with this value'
says out '99 24 6 2.5'
says out 'which the function returns'

# Calls that fail change nothing, and report the reason.
run 0 --no-init --batch -e "break $line" -e continue -e next -e 'print $cycle' "$file"
cycle=$(tail -n 1 "$dir/out")
while IFS='|' read -r text reason; do
	printf '%s\n' "break $line" continue "lua pcall(function() m:cmd 'print $text' end)" \
		'print counter' next 'print $cycle' >"$dir/fails"
	run 0 --no-init --batch -x "$dir/fails" "$file"
	says out "$reason"
	says out '$1 = 1'
	check 'the same cycles follow' [ "$(tail -n 1 "$dir/out")" = "$cycle" ]
done <<'END'
add(1)|Too few arguments in function call.
add(1, 2, 3)|Too many arguments in function call.
x(3)|x: it is int, and no function
strlen("abc")|unknown return type; cast the call to its declared return type
crash(0)|it gets SIGSEGV in crash+
(int)exit(3)|it ends the program with status 3
swap(x)|can't cast to struct pair
END

# The stop at a call's return is invisible, and outlives `delete`.
printf '%s\n' "break $line" continue 'print $sp' 'tbreak add' \
	'lua pcall(function() m:cmd "print add(30, 12)" end)' 'info breakpoints' delete \
	continue 'print $sp' 'rwatch counter' 'info watchpoints' >"$dir/hidden"
run 0 --no-init --batch -x "$dir/hidden" "$file"
check 'it is not listed' [ "$(grep -c debugger "$dir/out")" = 0 ]
says out 'add has returned'
says out 'Read watchpoint 3 on counter'
says out '3   Read watchpoint'

# C++: the object's own function, and the overload that fits.
cat >"$dir/virtual.cc" <<'END'
struct A { virtual int id() { return 1; } virtual int pure() = 0; };
struct B { int z = 3; virtual int bid() { return 7; } };
struct D : B, A {
	int id() override { return 2; }
	int pure() override { return 5; }
	int bid() override { return 8; }
};
int ov(int) { return 10; }
int ov(double) { return 20; }
int plus(int x) { return x + 1; }
int (*fp)(int) = plus;
int main()
{
	D d;
	A *a = &d;
	B *b = &d;
	return a->id() + a->pure() + b->bid() + ov(1) + ov(1.5) + fp(1); /* here */
}
END
riscv64-linux-gnu-g++ -g -O0 -static -o "$dir/virtual" "$dir/virtual.cc"
here=$(sed -n '/here/=' "$dir/virtual.cc")
run 0 --no-init --batch -e "break $here" -e continue -e 'print a->id()' -e 'print a->pure()' \
	-e 'print b->bid()' -e 'print ov(1)' -e 'print ov(1.5)' \
	-e 'print fp(3)' "$dir/virtual"
check 'the functions that C++ calls' [ "$(grep '^\$' "$dir/out" | cut -d' ' -f3 |
	paste -sd' ')" = '2 5 8 10 20 4' ]
run 1 --no-init --batch -e "break $here" -e continue -e 'print ov((char *)0)' "$dir/virtual"
says err 'choose none of ov(int), ov(double)'

# Conditions, watched values and displays call nothing; types are known without a call.
run 1 --no-init --batch -e 'break main if add(1, 2) == 3' -e continue "$file"
run 1 --no-init --batch -e "break $line" -e continue -e 'display odd(2)' "$file"
says err 'calls no function'
run 0 --no-init --batch -e "break $line" -e continue -e 'ptype fill(l, 1)' -e 'whatis odd(2) + 1' \
	-e 'print counter' -e 'call bump(&x)' "$file"
says out 'long v[5];'
says out 'type = int'
says out '$1 = 1'
check 'call shows no void' [ "$(grep -c '^\$' "$dir/out")" = 1 ]

# All calls of a deep recursion are found, with values of their own.
cat >"$dir/deep.c" <<'END'
int down(int n) { return n ? down(n - 1) + n : *(volatile int *)8; }
int main(void) { return down(3000); }
END
riscv64-linux-gnu-gcc -O0 -g -static -o "$dir/deep" "$dir/deep.c"
run 1 --no-init --batch -e continue -e 'backtrace 2' -e 'frame function main' -e 'backtrace -1' \
	-e 'frame 2500' -e 'print n' -e up -e 'print n' -e 'info frame' -e 'frame 70000' "$dir/deep"
outer=$(sed -n 's/^  (\(.*\) more frames)$/\1/p' "$dir/out")
check 'frames that are not shown are counted' [ "$outer" -gt 3000 ]
says out '#3001 '
says out "#$((outer + 1)) "
says out '$1 = 2500'
says out '$2 = 2501'
says out 'caller of frame at'
says err "the outermost frame is #$((outer + 1))"
finish
