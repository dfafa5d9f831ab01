#!/bin/bash
# The cost of commands and keys grows as growth.txt states: at scale `long` for all, else for
# commands that once grew faster with calls and stop points.
within=build/tests
. tests/lib.sh
if [[ ${BUILD:-} == *@(asan|breaks)* ]] || ! command -v valgrind >/dev/null; then
	finish # sanitized programs do not run there
	exit
fi
if [ "${CYCLOPS_TEST_SCALE:-full}" = long ]; then
	counts python3 tests/growth/growth.py --growing "$CYCLOPS" "$dir" all \
		functions symbols cycles stops threads maps frames
else
	counts python3 tests/growth/growth.py --only commands \
		--match '^(backtrace|print|disassemble|list|handle|info locals)' "$CYCLOPS" "$dir" \
		stops frames
fi
# ir ARGS...: host instructions of cyclops
ir() {
	valgrind --tool=exp-bbv --instr-count-only=yes --bb-out-file=/dev/null "$CYCLOPS" "$@" \
		2>&1 >/dev/null </dev/null | sed -n 's/.*Total instructions: \([0-9]*\).*/\1/p'
}

# A window of 128 entries costs little more than one of 64, on the default machine and on a wide one
# with prefetchers and speculation.
fib=build/demos/fib
for machine in default wide6; do
	for rob in 64 128; do
		for insts in 10000 25000; do
			ir run --config $machine -o pipe.rob_size=$rob --max-insts $insts $fib
		done
	done | {
		read -r few; read -r many; read -r few_128; read -r many_128
		echo "$few $many $few_128 $many_128"
	} >"$dir/windows"
	command="host instructions of $machine with 64 and 128 entries: $(cat "$dir/windows")"
	check "at most 8 % more" awk '{ exit !($2 > $1 && $4 - $3 <= 1.08 * ($2 - $1)) }' \
		"$dir/windows"
done

# A breakpoint on a line of 40 units costs little more than to find the line: their line tables are
# read once, and inlined functions are not looked through.
python3 - "$dir" <<'END'
import sys
head = "static inline int twice(int x)\n{\n\tint y = x + x;\n\treturn y;\n}\n"
open(f"{sys.argv[1]}/shared.h", "w").write(head)
for unit in range(40):
    with open(f"{sys.argv[1]}/unit{unit}.c", "w") as f:
        f.write('#include "shared.h"\n' + "".join(
            f"int f{unit}_{i}(int x)\n{{\n\tfor (int k = 0; k < x; k++) {{\n\t\tint z = k + x;\n"
            f"\t\tx += twice(z);\n\t}}\n\treturn x;\n}}\n" for i in range(30)) +
            ("void _start(void) { for (;;); }\n" if not unit else ""))
END
(cd "$dir" && riscv64-linux-gnu-gcc -g -O0 -static -nostdlib -o units unit*.c)
begin=$(ir -n --batch -e 'echo' "$dir/units")
none=$(ir -n --batch "$dir/units")
lines=$(($(ir -n --batch -e 'info line shared.h:3' "$dir/units") - begin))
first=$(($(ir -n --batch -e 'break shared.h:3' "$dir/units") - begin))
both=$(($(ir -n --batch -e 'break shared.h:3' -e 'break shared.h:4' "$dir/units") - begin))
command="a command that asks for no name: $((begin - none)) host instructions"
check "to find the line takes $lines" [ $((10 * (begin - none))) -lt "$lines" ]
command="break in 40 units: $first host instructions, the next one $((both - first))"
check "to find the line takes $lines" [ "$lines" -gt 0 -a $((2 * first)) -lt $((5 * lines)) ]
check "the next one finds tables that are read" [ $((4 * (both - first))) -lt "$lines" ]
finish
