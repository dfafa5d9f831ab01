#!/bin/bash
# Nothing in a library, or in a file of debug information, makes a session crash or hang
# (tests/dynamic/mutants.py).
within=build/tests
. tests/lib.sh
here=$PWD
cd "$dir" || exit 1
count=16
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] && count=400
cat >lib.c <<'C'
int table[3] = {1, 2, 3};
struct list { int a; struct list *next; } head = {4, 0};
__thread int kept = 5;
int step(void) { return kept++; }
int libfn(int x)
{
	int y = x * table[1] + step() - 5;
	for (int i = 0; i < 3; i++)
		y += table[i];
	return y + head.a;
}
C
echo 'int libfn(int); int main(void) { return libfn(3); }' >m.c
riscv64-linux-gnu-gcc -O0 -g -shared -fPIC lib.c -o libm2.so
riscv64-linux-gnu-gcc -O0 -g m.c -o m -L. -lm2 -Wl,-rpath,'$ORIGIN'
riscv64-linux-gnu-objcopy --only-keep-debug libm2.so whole.debug
riscv64-linux-gnu-strip -o stripped.so libm2.so
riscv64-linux-gnu-readelf -n libm2.so | sed -n 's/.*Build ID: //p' >id
printf '%s\n' continue bt 'info sharedlibrary' 'info args' 'info locals' 'print table' \
	'print head' 'print kept' next 'info symbol libfn' disassemble 'view hot' \
	'view backtrace' list reverse-next finish >cmds
run 16 run m
python3 "$here/tests/dynamic/mutants.py" "$CYCLOPS" $count "${SEED:-1}" >out 2>err
read -r good reached < <(tail -n 1 out)
check "$good of $count sessions ended well" [ "$good" = $count ]
check "$reached of $count got into the library" [ "$reached" -gt $((count / 2)) ]
finish
