#!/bin/bash
# Programs compiled by clang, whose assembler resolves address pairs within a section itself: with
# -mrelax and without, C and C++, linked by binutils' linker and by lld (which before version 18
# can't keep relocations of code that it relaxes, as the C library is: a program without one).
# Instrumented with all kinds, they run as before, under qemu and here, and no function is left
# alone for such a pair.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
include=/usr/riscv64-linux-gnu/include
mkdir "$dir/bin"
ln -s "$(command -v ld.lld)" "$dir/bin/ld.lld"

# built NAME SOURCE LINKER OPTION...: $dir/NAME.
built() {
	local cross=gcc compile=(clang -isystem $include) link=()
	if [[ $1 == cxx || $2 == *.cc ]]; then
		cross=g++
		for version in "$include"/c++/*; do
			compile=(clang++ -isystem "$version" -isystem "$version/riscv64-linux-gnu" \
				-isystem $include)
		done
	fi
	[ "$3" = ld ] || link=(-nostdlib -fuse-ld=lld -B "$dir/bin/")
	"${compile[@]}" --target=riscv64-linux-gnu -march=rv64gc -mabi=lp64d -fno-pie "${@:4}" \
		-w -x "$([ $cross = gcc ] && echo c || echo c++)" -c -o "$dir/$1.o" "$2" &&
		riscv64-linux-gnu-$cross -static "${link[@]}" -Wl,--emit-relocs -o "$dir/$1" \
		"$dir/$1.o"
}
# answer COMMAND...: its output, and its status.
answer() {
	timeout 100 "$@" 2>&1 </dev/null
	echo "status $?"
}
# a pair of auipc and addi without relocations
has_pairs() { riscv64-linux-gnu-objdump -dr "$dir/$1.o" | grep -A1 'auipc' |
	grep -qE '\sadd(i)?\s'; }

all=(nothing bb edge path bb=3,units=loops callgraph cct cct+path)
while read -r name few source linker flags; do
	# shellcheck disable=SC2086
	check "$name: compiled" built "$name" "$source" "$linker" $flags
	[[ "thrown absolute plain" == *$name* ]] ||
		check "$name: it has pairs without relocations" has_pairs "$name"
	answer qemu-riscv64 "$dir/$name" >"$dir/right"
	kinds=("${all[@]}")
	[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || [ "$few" = all ] ||
		read -ra kinds <<<"${few//;/ }"
	for kind in "${kinds[@]}"; do
		check "$name, $kind: instrumented" eval '"$CYCLOPS" instrument --kind "$kind" -o "$dir/new" "$dir/$name" 2>"$dir/err"'
		check "$name, $kind: nothing is left alone for its pairs" eval \
			'! grep -q "has no relocation" "$dir/err"'
		answer qemu-riscv64 "$dir/new" >"$dir/out"
		check "$name, $kind, under qemu" cmp "$dir/out" "$dir/right"
		answer "$CYCLOPS" run --functional "$dir/new" >"$dir/out"
		check "$name, $kind, here" cmp "$dir/out" "$dir/right"
	done
done <<END
relax nothing;path tests/edit/dispatch.c ld -O2 -mcmodel=medium -mrelax
c bb;bb=3;edge=1,cct+path=2,on tests/edit/dispatch.c ld -O2 -mcmodel=medium -mno-relax
plain bb=3 tests/edit/dispatch.c ld -O0 -mcmodel=medium -mno-relax
absolute edge tests/edit/dispatch.c ld -O1 -mcmodel=small -mno-relax
cxx callgraph;cct tests/edit/dispatch.c ld -O2 -mcmodel=medium -mno-relax
thrown path;cct tests/edit/exceptions.cc ld -O2 -mcmodel=medium -mno-relax
lld all tests/edit/mutants.c lld -O2 -mcmodel=medium -mno-relax -ffreestanding -fno-stack-protector
END
finish
