#!/bin/bash
# Real programs compiled by gcc and clang for a current board's extensions use these, and print the
# same as under qemu-riscv64, without timing and on three pipelines; also when instrumented. A
# machine of RV64GC alone refuses them with a reason.
cd "$(dirname "$0")/../.." || exit 1
. tests/lib.sh
arch=rv64gc_zba_zbb_zbs
input=demos/programs/input
machines=('' '-o pipe.in_order=true -o pipe.issue_width=1 -o pipe.decode_width=1 -o bpred.kind=bimodal'
	'-o pipe.rob_size=200 -o pipe.issue_width=8 -o lsq.speculate=true -o bpred.kind=gshare -o l1d.size=4096')
qemu() { qemu-riscv64 -cpu rv64,Zfh=true,zbkb=true "$@"; }

# built NAME COMPILER ARCH SOURCE FLAG...: $dir/NAME, static.
built() {
	if [ "$2" = gcc ]; then
		riscv64-linux-gnu-gcc -march="$3" "${@:5}" -w -static -Wl,--emit-relocs \
			-o "$dir/$1" "$4" -lm
	else
		clang --target=riscv64-linux-gnu -isystem /usr/riscv64-linux-gnu/include \
			-march="$3" -mabi=lp64d -mno-relax -mcmodel=medium "${@:5}" -w -c \
			-o "$dir/$1.o" "$4" && riscv64-linux-gnu-gcc -static -Wl,--emit-relocs \
			-o "$dir/$1" "$dir/$1.o" -lm
	fi
}

# uses NAME COUNT PATTERN: so many instructions are of this kind. (In what is linked of clang's,
# binutils 2.40 finds no more than RV64GC.)
uses() {
	local file=$dir/$1.o
	[ -e "$file" ] || file=$dir/$1
	[ "$(riscv64-linux-gnu-objdump -d "$file" | grep -cP "\t($3)\t")" -ge "$2" ]
}
beyond='sh[123]add(\.uw)?|add\.uw|slli\.uw|zext\.[hw]|sext\.[bh]|min|max|minu|maxu|andn|orn|xnor|rol|ror|rolw|rorw|rori|roriw|clz|ctz|cpop|clzw|ctzw|cpopw|rev8|orc\.b|bset|bclr|bext|binv'

# tried NAME WORDS...: everywhere.
tried() {
	local name=$1 options
	qemu "$dir/$name" "${@:2}" >"$dir/right"
	run 0 run --functional "$dir/$name" "${@:2}"
	check "$name without timing differs from qemu" cmp "$dir/right" "$dir/out"
	for options in "${machines[@]}"; do
		# shellcheck disable=SC2086
		run 0 run $options "$dir/$name" "${@:2}"
		check "$name, $options, differs from qemu" cmp "$dir/right" "$dir/out"
	done
}

while read -r name least compiler flags; do
	read -r source words
	# shellcheck disable=SC2086
	check "$name: compiled" built "$name" $compiler $arch "$source" $flags
	check "$name: uses what it was compiled for" uses "$name" "$least" "$beyond"
	# shellcheck disable=SC2086
	tried "$name" $words
done <<END
hash 20 gcc -O2
demos/programs/hash.c $input/deriv.lisp
compress 20 gcc -O3
demos/programs/compress.c $input/deriv.lisp
lisp 10 clang -O2
demos/programs/lisp.c $input/deriv.lisp
hash-clang 20 clang -O3
demos/programs/hash.c demos/programs/input/deriv.lisp
linked 2 gcc -Os
demos/programs/small/linked.c
END

check "half: compiled" built half clang ${arch}_zfh tests/diff/march/half.c -O2
check "half: uses Zfh" uses half 10 'f(madd|mul|div|add|lt|gt|mv\.x|cvt\.s)\.h|fl[ht]|fsh'
tried half

# qemu 7.2 has no cache blocks: the program's own checks count.
check "blocks: compiled" built blocks gcc rv64gc_zicbom_zicboz tests/diff/march/blocks.c -O1 -g
for options in --functional "${machines[@]}"; do
	# shellcheck disable=SC2086
	run 139 run $options "$dir/blocks"
	says out "0 wrong"
	says err "store to a bad address"
done
# Watchpoints report the zeros of cbo.zero.
run 0 --batch -e 'watch bytes[200] if bytes[200] == 0' -e 'break main' -e continue -e continue \
	-e continue -e reverse-continue "$dir/blocks"
check "seen at the instruction, twice" \
	[ "$(grep -c 'Watchpoint 1, bytes.200.: .* -> 0, .* at blocks.c:16, ' "$dir/out")" = 2 ]
run 132 run -o isa=rv64gc "$dir/blocks"
says err "an instruction of zicboz, which this machine lacks"

# A switch whose table is reached by sh2add, among others.
check "dispatch: compiled" built dispatch gcc $arch tests/edit/dispatch.c -O2
qemu "$dir/dispatch" >"$dir/right" 2>&1
for kind in nothing edge path cct; do
	run 0 instrument --kind $kind -o "$dir/new" "$dir/dispatch"
	qemu "$dir/new" >"$dir/under" 2>&1
	check "dispatch, $kind, under qemu" cmp "$dir/right" "$dir/under"
	run 29 run --functional "$dir/new"
	check "dispatch, $kind, here" cmp "$dir/right" "$dir/out"
done

run 132 run -o isa=rv64gc "$dir/hash" $input/deriv.lisp
says err "which this machine lacks: -o isa=all has it, or compile with -march=rv64gc"
says err "its file was compiled for rv64i2p"
says err "_zba1p0_zbb1p0_zbs1p0"
run 132 run --functional -o isa=rv64gc "$dir/hash" $input/deriv.lisp
says err "which this machine lacks"
printf '_start: .globl _start\n vsetvli t0, a0, e8, m1\n' >"$dir/vector.s"
riscv64-linux-gnu-gcc -march=rv64gcv -nostdlib -static -o "$dir/vector" "$dir/vector.s"
run 132 run "$dir/vector"
says err "an instruction of v (vectors), which Cyclops lacks: compile with -march=rv64gc, to which _zba_zbb_zbs"
says err "_v1p0_"
finish
