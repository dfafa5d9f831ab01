#!/bin/bash
# cyclops dap beside gdb: tests/dap/as_gdb.py, inside gdb-multiarch; with seeds, those alone.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh
export CYCLOPS
case ${CYCLOPS_TEST_SCALE:-full} in
small) seeds="1" ;;
full) seeds="1 2 3 4" ;;
long) seeds=$(seq 250 | tr '\n' ' ') ;;
esac
[ $# = 0 ] || seeds=$*
riscv64-linux-gnu-gcc -g -O0 -static -march=rv64gc -o "$dir/inlined" tests/cvars/inlined.c
riscv64-linux-gnu-g++ -g -O1 -static -march=rv64gc -o "$dir/shapes" tests/sessions/shapes.cc
# A function whose first instruction is of an inlined one.
cat - tests/sessions/areas.inc >"$dir/first.cc" <<<'#include <stdio.h>'
cat >>"$dir/first.cc" <<'END'
int main(void)
{
	int s = 0;
	for (int i = 0; i < 4; i++)
		s += shapes[i & 1]->area(i);
	printf("%d\n", s);
}
END
riscv64-linux-gnu-g++ -g -O2 -static -march=rv64gc -o "$dir/first" "$dir/first.cc"
for program in build/tests/gdb/guest build/tests/gdb/guest-O2 "$dir"/{inlined,shapes,first}; do
	command="SEEDS='$seeds' PROGRAM=$program gdb-multiarch -x tests/dap/as_gdb.py"
	SEEDS=$seeds PROGRAM=$program timeout 1800 gdb-multiarch -nx -batch -x tests/dap/as_gdb.py \
		>"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	grep -a '^FAIL' "$dir/out"
	read -r p f < <(sed -nE 's/^([0-9]+) passed, ([0-9]+) failed$/\1 \2/p' "$dir/out")
	check "it ends, with status 0: $status" [ "$status" = 0 -a -n "$p" ]
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
done
finish
