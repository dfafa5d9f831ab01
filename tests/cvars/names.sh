#!/bin/bash
# The program's names take precedence over those of registers, counts and stages; `$NAME` is the
# machine's.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

names=(a0 t1 s1 sp ra x5 pc cycle insts rob sim fetchq lsq l1d bpred prof xprof mode seq counter
	view width commit_count opcode level fcsr)
{
	echo 'int dispatch(int x) { return x * 2; }'
	echo 'int commit(int x) { return x - 1; }'
	for i in "${!names[@]}"; do echo "int ${names[i]} = $((1000 + i));"; done
	echo 'int main(void)'
	echo '{'
	echo '	int t2 = 42, before = 1;'
	echo '	t2 += dispatch(before);'
	echo '	t1 += commit(t2);'
	echo '	before = rob + t2;'
	echo '	return before;'
	echo '}'
} >"$dir/names.c"
riscv64-linux-gnu-gcc -g -O0 -static -w -ffixed-x5 -o "$dir/names" "$dir/names.c"
stop=$(sed -n '/before = rob/=' "$dir/names.c")

arguments=(-e "break names.c:$stop" -e continue)
for name in "${names[@]}" t2; do arguments+=(-e "print $name"); done
run 0 --no-init --batch "${arguments[@]}" "$dir/names"
for i in "${!names[@]}"; do
	value=$((1000 + i))
	[ "${names[i]}" != t1 ] || value=$((value + 43))
	says out "= $value"
	check "no ${names[i]} of the machine" [ "$(grep -c "^${names[i]} = " "$dir/out")" = 0 ]
done
says out '= 44'

# Assignments, watchpoints and conditions use the variable, `$NAME` is the register.
run 0 --no-init --batch -e "break names.c:$stop" -e continue -e 'set var t1 = 5' -e 'print var.t1' \
	-e 'set t2 = 7' -e 'print var.t2' -e 'set var $t1 = 9' -e 'print $t1' -e 'print var.t1' \
	-e 'print a0 == 1000 && t2 == 7' -e 'print $cycle > 2000' "$dir/names"
for text in '$1 = 5' '$2 = 7' '$3 = 9' '$4 = 5' '$5 = 1'; do
	says out "$text"
done
run 0 --no-init --batch -e 'watch t1' -e continue -e 'print t1' "$dir/names"
says out '1001'
says out '$1 = 1044'
run 1 --no-init --batch -e 'set var nosuch = 3' "$dir/names"
says err "called 'nosuch'"

# Functions with names of stages.
run 0 --no-init --batch -e 'break dispatch' -e 'break commit' -e continue -e continue \
	-e 'info args' "$dir/names"
says out 'Breakpoint 1 at dispatch'
says out 'Breakpoint 2 at commit'
says out 'x = 44'
run 0 --no-init --batch -e 'break dispatch dispatch' -e 'info breakpoints' "$dir/names"
says out 'dispatch'
finish
