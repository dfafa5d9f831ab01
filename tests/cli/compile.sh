#!/bin/bash
# `cyclops prog.c`: a source file is compiled into the cache folder and runs; the compiler's
# messages are passed on; the cache's place makes no difference.
within=build/tests
. tests/lib.sh
cd "$dir" || exit 1
mkdir -p sub one two/deeper
export XDG_CACHE_HOME=$PWD/one
cat >sub/prog.c <<'C'
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv)
{
	printf("%s %d %.3f\n", argv[0], argc, sin(argc));
	return 5;
}
C
printf '#include <iostream>\nint main() { std::cout << "C++" << std::endl; }\n' >plus.cc
printf 'int main(void)\n{\n\treturn missing;\n}\n' >bad.c
printf '\t.globl _start\n_start:\tli a0, VALUE\n\tli a7, 93\n\tecall\n' >plain.S
cycles() { sed -n 's/^  cycles *//p' err; }

run 5 run --summary sub/prog.c a b
says out 'sub/prog 3 0.141'
here=$(cycles)
check "it lies in the cache" [ "$(ls one/cyclops)" = "$(basename one/cyclops/prog-*)" ]
check "and nothing else was left" [ "$(find one | wc -l)" = 3 ]
XDG_CACHE_HOME=$PWD/two/deeper run 5 run --summary sub/prog.c a b
check "cycles are there" [ -n "$here" ]
check "where the cache lies makes no difference" [ "$here" = "$(cycles)" ]
sed -i 's/return 5/return 6/' sub/prog.c
run 6 run sub/prog.c
run 0 --batch -e 'break main' -e continue -e list sub/prog.c
says out 'prog.c:'
says out '=>5'
run 0 run plus.cc
says out 'C++'
run 9 run --cc 'riscv64-linux-gnu-gcc -DVALUE=9 -nostdlib  -static' plain.S
run 6 run --cc 'riscv64-linux-gnu-gcc -O0' sub/prog.c
check "programs of other commands lie beside it" [ "$(ls one/cyclops | grep -c ^prog-)" = 2 ]
run 0 compare --cc 'riscv64-linux-gnu-gcc -O1 -static' inorder2 default -- sub/prog.c
says out 'exit 6'
rm one/cyclops/prog-*
ln -s "$PWD/target" "one/cyclops/$(cd two/deeper/cyclops && echo prog-*)"
run 6 run sub/prog.c
check "a link in the cache is replaced, not followed" [ ! -e target ]

# A loop and a call that -O2 removes are named.
cat >removed.c <<'END'
static int half(int x)
{
	return x / 2;
}

int main(void)
{
	int sum = 0;
	for (int i = 0; i < 100; i++)
		sum += i;
	return half(sum) & 63;
}
END
run 0 --batch -e 'break 10' removed.c
says out 'Line 10 has no code there: with -O2 the compiler removes and moves lines; -O0 keeps all'
run 1 --batch -e 'break half' removed.c
says err 'removed.c:1 has it, but -O2 left no call of it (-O0 keeps all)'
run 0 --batch --cc 'riscv64-linux-gnu-gcc -O0 -g -static' -e 'break 10' -e 'break half' removed.c
check 'a build without optimisation has both' eval '! grep -q "has no code" "$dir/out"'

run 125 run bad.c
says err "bad.c:3:"
says err undeclared
says err 'cyclops: bad.c does not compile with riscv64-linux-gnu-gcc -O2 -g -static'
silent out
check "what failed leaves nothing" [ "$(find one -name 'new-*' | wc -l)" = 0 ]
run 125 run --cc 'no-such-compiler -g' bad.c
says err 'bad.c: there is no compiler no-such-compiler (apt-get install gcc-riscv64-linux-gnu, or --cc "COMPILER OPTIONS")'
run 125 run --cc '  ' bad.c
says err '--cc: no compiler given'
run 125 run none.c
says err 'cyclops: none.c: No such file or directory'
run 125 run --cc gcc sub/prog
says err '--cc: sub/prog is no source file; expected cyclops --cc "gcc" PROGRAM.c'
XDG_CACHE_HOME='' HOME='' run 125 run sub/prog.c
says err 'there is no folder for compiled programs: set XDG_CACHE_HOME or HOME'
touch file
XDG_CACHE_HOME=$PWD/file run 125 run sub/prog.c
says err 'file/cyclops: Not a directory'
finish
