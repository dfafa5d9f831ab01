#!/bin/bash
# Variables of C: gdb's answers at the same instructions of the same program, with and without
# optimisation.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

# asks FILE: gdb's output while it runs under qemu, which waits for gdb at a socket.
asks() {
	timeout 100 qemu-riscv64 -g "$dir/socket" "$1" >/dev/null 2>&1 &
	local guest=$!
	until [ -S "$dir/socket" ] || ! kill -0 $guest 2>/dev/null; do sleep 0.1; done
	EACH=$2 timeout 300 gdb-multiarch -batch -nx -ex 'set sysroot /' -ex \
		"target remote $dir/socket" -x tests/cvars/compare.gdb "$1" \
		>"$dir/gdb" 2>"$dir/err"
	wait $guest
	rm -f "$dir/socket"
}

# Optimisation, instructions from stop to stop, least number of values.
while read -r flags each least; do
	riscv64-linux-gnu-gcc -std=gnu17 -g "$flags" -static -march=rv64gc -o "$dir/types$flags" \
		tests/cvars/types.c
	command="types.c $flags"
	asks "$dir/types$flags" "$each"
	python3 tests/cvars/compare.py "$CYCLOPS" "$dir/types$flags" "$dir/gdb" "$each" \
		>"$dir/out" 2>"$dir/err"
	check "as gdb has them" grep -q ' 0 differences$' "$dir/out"
	check "at least $least values" [ "$(sed -nE 's/.* ([0-9]+) values, .*/\1/p' "$dir/out")" \
		-ge "$least" ]
done <<'END'
-O0 7 900
-O1 5 400
-O2 5 250
-Og 5 400
END

# Conditions with the variables of the place, other calls, types, memory of a call, errors.
line=$(grep -n 'int got = level' tests/cvars/types.c | cut -d: -f1)
run 0 --no-init --batch -e "break $line if level == 1 && rob.count >= 0" -e continue \
	-e 'print level' -e up -e 'print level' -e 'ptype node' -e 'whatis table[1]' \
	"$dir/types-O0"
for text in '= 1' '= 2' '    struct node *next;' 'type = int [4]'; do
	says out "$text"
done
# With variables of C in the condition, a function is stopped where its arguments have been stored,
# if it stores them; each call once.
cat >"$dir/calls.c" <<'END'
int __attribute__((noipa)) step(int n, long unused)
{
	return n * 3 + 1;
}

volatile int seen;
int __attribute__((noipa)) many(int a, int b, int c, int d, int e, int f, int g, int h, int ninth)
{
	seen = ninth;
	return ninth * 3;
}

int main(void)
{
	int got = 0;
	for (int i = 0; i < 9; i++)
		got += step(i, -1L) + many(0, 0, 0, 0, 0, 0, 0, 0, i);
	return got & 1;
}
END
for flags in -O0 -O2; do
	riscv64-linux-gnu-gcc -std=gnu17 -g "$flags" -static -march=rv64gc -o "$dir/calls" \
		"$dir/calls.c"
	first=$(riscv64-linux-gnu-nm "$dir/calls" |
		awk '$3 == "step" { sub(/^0*/, "", $1); print $1 }')
	at=$first
	[ "$flags" = -O0 ] && at=$(riscv64-linux-gnu-objdump --dwarf=decodedline "$dir/calls" \
		2>/dev/null | awk '$1 == "calls.c" && $2 == 3 { print substr($3, 3); exit }')
	run 0 --no-init --batch -e 'break step if n == 4' -e continue -e 'print n' \
		-e 'info breakpoints' -e continue "$dir/calls"
	says out '= 4'
	says out 'hit 1 time'
	says out 'exited with status'
	for place in '*step' '*step if n == 4' 'step+0 if a0 == 4' 'step fetch if n == 4'; do
		run 0 --no-init --json -e "break $place" "$dir/calls"
		says out "\"pc\": \"0x$first\""
	done
	run 0 --no-init --json -e 'break step+2 if n == 4' "$dir/calls"
	says out "\"pc\": \"$(printf '0x%x' $((16#$first + 2)))\""
	for place in step 'step if n == 4' 'calls.c:2 if n == 4' calls.c:2; do
		run 0 --no-init --json -e "break $place" "$dir/calls"
		says out "\"pc\": \"0x$at\""
	done
done
# A function whose instructions commit in one cycle: the condition and the arguments are those
# before its first instruction, though the function has returned at that cycle's end.
cat >"$dir/leaf.c" <<'END'
long __attribute__((noipa)) half(long x)
{
	return x >> 1;
}

int main(void)
{
	long sum = 0;
	for (long i = 0; i < 40; i++)
		sum += half(i);
	return sum != 380;
}
END
riscv64-linux-gnu-gcc -std=gnu17 -g -O2 -static -march=rv64gc -o "$dir/leaf" "$dir/leaf.c"
for condition in 'x == 20' '$a0 == 20' '$pc == &half && $a0 == 20'; do
	run 0 --no-init --batch -c wide6 -e "break half if $condition" -e continue \
		-e 'info breakpoints' -e continue "$dir/leaf"
	says out 'Breakpoint 1, half (x=20) at leaf.c:3'
	says out 'hit 1 time'
	says out 'exited with status 0'
done
# The caller's part of the stack is known from the first instruction on.
run 0 --no-init --json -e 'break many if ninth == 4' "$dir/calls"
says out "\"pc\": \"0x$(riscv64-linux-gnu-nm "$dir/calls" | awk '$3 == "many" { sub(/^0*/, "", $1); print $1 }')\""
# Events come in any call: their conditions have no variables.
run 1 --no-init --batch -e 'tbreak sum' -e continue -e "catch commit if list->value == 3" \
	"$dir/types-O0"
says err 'conditions of events have no variables of C'
run 1 --no-init --batch -e 'tbreak sum' -e continue -e "catch commit if list == 0" "$dir/types-O0"
says err 'conditions of events have no variables of C, but addresses; `break LOCATION if` has them'
run 1 --no-init --batch -e 'tbreak sum' -e continue -e 'catch mem if global == 7' "$dir/types-O0"
says err "'global' is an address in conditions of events, 0x"
says err 'mem32(global) is what is there'
run 1 --no-init --batch -e 'tbreak sum' -e continue -e 'catch mem if lateny == 7' "$dir/types-O0"
says err "is called 'lateny'; did you mean 'latency'"
run 0 --no-init --batch -e 'tbreak sum' -e continue -e 'catch mem if addr == global' "$dir/types-O0"
run 0 --no-init --batch -e 'tbreak sum' -e continue -e 'stepi 8' -e 'watch total' -e continue \
	-e 'print n->next->value' -e 'set total = 70' -e 'print total' "$dir/types-O0"
for text in 'while its call lasts' 'total: 0 -> 1' '= 4' '= 70'; do
	says out "$text"
done
run 1 --no-init --batch -e 'tbreak sum' -e continue -e 'stepi 8' -e 'print n->nex' "$dir/types-O0"
says err "has no member 'nex'; it has value, next"

# Changes are printed by type.
riscv64-linux-gnu-gcc -O0 -g -static -o "$dir/signs" -x c - <<'END'
volatile unsigned char v;
volatile signed char s;
volatile unsigned short h;
int main(void)
{
	v = 165;
	s = -3;
	h = 65000;
	return 0;
}
END
run 0 --no-init --batch -e 'break main' -e continue -e 'watch v' -e 'watch s' -e 'watch h' \
	-e continue -e continue -e continue "$dir/signs"
for text in 'v: 0 -> 165 (0xa5)' 's: 0 -> -3 ' 'h: 0 -> 65000 (0xfde8)'; do
	says out "$text"
done

# If a line of the body begins at the function's first address, too, there is no prologue.
cat >"$dir/tick.c" <<'END'
volatile int count;
__attribute__((noipa)) void tick(void)
{
	count++;
	count += 2;
}
int main(void) { tick(); return 0; }
END
riscv64-linux-gnu-gcc -O1 -g -static -o "$dir/tick" "$dir/tick.c"
run 0 --no-init --batch -e 'break tick' "$dir/tick"
says out 'Breakpoint 1 at tick (tick.c:4)'

# Places of variables, all calls with their variables, values without history, refusals.
riscv64-linux-gnu-gcc -std=gnu17 -g -O0 -static -march=rv64gc -o "$dir/engines" \
	tests/cvars/engines.c
run 0 --no-init --batch -e 'tbreak push if v == 2' -e continue -e 'bt full' \
	-e 'bt -2' -e 'bt full 1' -e 'info symbol &table[2]' -e 'info symbol *call' \
	-e 'info address v' -e 'info address __environ' -e 'display v' -e 'display/x bytes' \
	-e next -e 'print v' -e 'output v' -e 'echo \n|' "$dir/engines" </dev/null
for text in '        k = ' '        sum = ' '#0  ' ' is table+0x8: data of 20 bytes at' ' is push' \
	'Symbol "v" is a variable of the call, at address 0x' \
	'in a file compiled without debugging' \
	'1: v = 2' '2: /x bytes = {0xc8, 0x1, 0x2, 0x3}' '$1 = 2'; do
	says out "$text"
done
check 'the outermost calls are the last' [ "$(grep -c '^  #[0-9]* .* _start' "$dir/out")" = 2 ]
run 0 --no-init --batch -o pipe.commit_width=1 -e 'tbreak push' -e continue -e 'print $pc' \
	-e 'print $ra' -e 'print $sp' -e 'print $a1' -e 'print/x $a1' -e 'display $pc' -e continue \
	-e 'print $_exitcode' -e 'print $_exitcode + 1' "$dir/engines"
for text in '$1 = (void (*)()) 0x' ' <push+2' '$2 = (void (*)()) 0x' ' <main+' '$3 = (void *) 0x3' \
	'$4 = ' '$5 = 0x' '1: $pc = (void (*)()) 0x' '$6 = 0' '$7 = 1'; do
	says out "$text"
done
for wrong in 'printf "%d\n"|%d has no argument' 'printf "%d\n", v, w|more arguments' \
	'printf "%y\n", v|no conversion' 'printf v|printf "i = %d' \
	'printf "%*d", 1, 2|no conversion' \
	'printf "%d\n", *head|no number' 'printf "%s\n", 1|Cannot access memory at address 0x1' \
	'printf "%99999d", v|at most 1000' 'printf "abc|no format given' \
	'call|no expression given' 'output nothing|nothing' \
	'info address nothing|No symbol "nothing"' \
	'ptype/x table|ptype/o' 'bt full x|x' 'info address|no name given'; do
	run 1 --no-init --batch -e 'tbreak push if v == 2' -e continue -e "${wrong%%|*}" \
		"$dir/engines"
	says err "${wrong#*|}"
done

# Lists of places do not show the end of Clang's prologue: its lines do, as for gdb.
if command -v clang >/dev/null; then
	cat >"$dir/lists.c" <<'END'
#include <stdio.h>
__attribute__((noinline)) int work(int n, const char *text)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += printf("%s %d\n", text, i);
	return sum;
}
int main(int argc, char **argv) { return work(argc + 1, argv[0]) == 0; }
END
	clang --target=riscv64-linux-gnu -isystem /usr/riscv64-linux-gnu/include -march=rv64gc \
		-mabi=lp64d -O1 -g -c -o "$dir/lists.o" "$dir/lists.c"
	riscv64-linux-gnu-gcc -static -o "$dir/lists" "$dir/lists.o"
	theirs=$(gdb-multiarch -nx -batch -ex 'break work' "$dir/lists" |
		sed -n 's/.* at \(0x[0-9a-f]*\):.*/\1/p')
	begin=$(riscv64-linux-gnu-nm "$dir/lists" | awk '$3 == "work" { print "0x" $1 }')
	run 0 --no-init --batch -e 'tbreak work' -e continue "$dir/lists"
	says out "breakpoint 1, work+$(printf '%#x' $((${theirs:-0} - begin))) (n=2, "
	# A table of the unit has the places of its static variables.
	cat >"$dir/static.c" <<'END'
static int counter = 41;
static char text[8] = "clang";
static int *volatile to = &counter;
int main(void) { return (*to)++ == 41 && text[0] == 'c'; }
END
	clang --target=riscv64-linux-gnu -isystem /usr/riscv64-linux-gnu/include -march=rv64gc \
		-mabi=lp64d -O0 -gdwarf-5 -c -o "$dir/static.o" "$dir/static.c"
	riscv64-linux-gnu-gcc -static -o "$dir/static" "$dir/static.o"
	run 0 --no-init --batch -e 'print counter' -e 'print text' -e 'print *to' \
		-e 'set var counter = 7' -e 'print counter' "$dir/static"
	for text in '$1 = 41' '$2 = "clang\000\000"' '$3 = 41' '$4 = 7'; do
		says out "$text"
	done
fi

# How a file was compiled, where a call's frame lies, arrays of unknown length, and texts one after
# the other.
run 0 --no-init --batch -e 'tbreak sum' -e continue -e up -e 'info frame' -e 'info source' \
	-e 'down' -e 'info frame' -e 'print "two" " texts"' -e 'print "a\000b"' \
	"$dir/types-O0"
for text in '  frame at 0x3' ', saved pc = 0x' '  called by frame at 0x3' \
	'  caller of frame at 0x3' \
	'Compilation directory is /' 'Source language is c.' 'Producer is GNU C' \
	'Compiled with DWARF 5 debugging format.' '= "two texts"' \
	'= "a\000b"'; do
	says out "$text"
done
check 'the innermost calls none' [ "$(grep -c 'caller of frame' "$dir/out")" = 1 ]
cat >"$dir/open.c" <<'END'
struct open { int n; char tail[]; } open_ended = {3, "abc"};
struct numbers { long n; int tail[]; } numbers = {2, {1, 2}};
int main(void) { return open_ended.n + numbers.tail[0]; }
END
riscv64-linux-gnu-gcc -g -O0 -static -march=rv64gc -o "$dir/open" "$dir/open.c"
for ask in open_ended open_ended.tail numbers '&numbers.tail[1]' 'numbers.tail[0]@2'; do
	theirs=$(gdb-multiarch -nx -batch -ex "print $ask" "$dir/open")
	run 0 --no-init --batch -e "print $ask" "$dir/open"
	check "gdb has $theirs" [ "$(cat "$dir/out")" = "$theirs" ]
done

finish
