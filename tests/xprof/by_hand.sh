#!/bin/bash
# Profile instructions written by hand: the macros of demos/include/xprof.h and xprof.inc make the
# encodings of the design, in both sizes, with every assembler that is there; and the programs in
# demos/xprof deliver under Cyclops, all flags on or without Xprof, counter by counter the profile
# that qemu-riscv64 delivers.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

# same FILE FILE: equal, and not empty.
same() {
	cmp "$1" "$2" && [ -s "$1" ]
}
holds() {
	[ -s "$2" ] && [[ $(<"$1") == *"$(<"$2")"* ]]
}

# ---- encodings ----
# By the design: c.slli x0, S is 0x0002 | (S & 31) << 2 | (S >> 5) << 12, slti x0, x1, S the 32-bit
# form; pblen L is slti x0, x0, L.
narrow() { printf '%02x%02x' $(((2 | ($1 & 31) << 2 | ($1 >> 5) << 12) & 255)) \
	$(((2 | ($1 & 31) << 2 | ($1 >> 5) << 12) >> 8)); }
wide() { printf '%02x%02x%02x%02x' $((0x13)) $((0xa0)) $((0x00 | ($1 & 15) << 4)) $(($1 >> 4)); }
pblen() { printf '%02x%02x%02x%02x' $((0x13)) $((0x20)) $((($1 & 15) << 4)) $(($1 >> 4)); }
names=(pi resetpf setpf pushpf poppf)
for form in narrow wide; do
	{
		echo '.include "demos/include/xprof.inc"'
		[ $form = narrow ] || echo '.option norvc'
		for i in 0 1 2 3 4; do
			for k in 0 1 2 3 4 5 6 7; do echo "${names[i]} $k"; done
		done
		printf 'pushpf_all\npoppf_all\nmark\npblen 22\npblen 2047\n'
	} >"$dir/$form.s"
	{
		echo '#include "demos/include/xprof.h"'
		echo 'void f(void); void f(void) {'
		for i in 0 1 2 3 4; do
			for k in 0 1 2 3 4 5 6 7; do
				[ $i = 0 ] && echo "__asm__ volatile(XPROF_PI($k));" ||
					echo "xprof_${names[i]}($k);"
			done
		done
		echo 'xprof_pushpf_all(); xprof_poppf_all(); xprof_mark(); xprof_pblen(22); xprof_pblen(2047); }'
	} >"$dir/$form.c"
	for s in $(seq 8 47) 48 49 50; do $form "$s"; done >"$dir/$form.want"
	{ pblen 22 && pblen 2047; } >>"$dir/$form.want"
	arch=rv64gc
	[ $form = narrow ] || arch=rv64g
	for compiler in riscv64-linux-gnu-gcc riscv64-unknown-elf-gcc \
		"clang --target=riscv64-linux-gnu"; do
		command -v "${compiler%% *}" >/dev/null || continue
		for source in "$dir/$form.s" "$dir/$form.c"; do
			# shellcheck disable=SC2086  # words
			[ "${source##*.}" = s ] && flags="-march=rv64gc" ||
				flags="-march=$arch -O1 -Wall -Wextra -Werror -I."
			$compiler $flags -mabi=lp64d -c "$source" -o "$dir/o" 2>"$dir/err"
			riscv64-linux-gnu-objcopy -O binary -j .text "$dir/o" "$dir/bytes" \
				2>>"$dir/err"
			od -An -v -tx1 "$dir/bytes" | tr -d ' \n' >"$dir/got"
			# A function may begin and end as the compiler likes.
			check "$form, $compiler, ${source##*.}" holds "$dir/got" "$dir/$form.want"
		done
	done
done
for wrong in 'pi 8' 'setpf -1' 'pblen 4000'; do
	printf '.include "demos/include/xprof.inc"\n%s\n' "$wrong" >"$dir/wrong.s"
	check "$wrong is an error" eval \
		"! riscv64-linux-gnu-gcc -c '$dir/wrong.s' -o '$dir/o' 2>'$dir/err'"
done

# ---- programs ----
# program PATH ROWS: its counts, in so many lines after the first.
program() {
	local path=$1 rows=$2 options mode patches
	qemu-riscv64 "$path" >"$dir/reference" 2>"$dir/err"
	check "$path: rows" [ "$(tail -n +2 "$dir/reference" | grep -c ' [1-9][0-9]*$')" = "$rows" ]
	mapfile -t patches < <("$CYCLOPS" lua tests/xprof/patches.lua "$path" found)
	check "$path: flags" [ ${#patches[@]} -gt 0 ]
	for mode in "" --functional; do
		for options in "-o xprof.enable=false" "${patches[*]/#/--patch=}" \
			"-o xprof.bpred=ignored-update ${patches[*]/#/--patch=}"; do
			# shellcheck disable=SC2086  # words
			"$CYCLOPS" run $mode $options "$path" >"$dir/out" 2>"$dir/err"
			check "$path: $mode ${options:0:40}" same "$dir/reference" "$dir/out"
		done
		"$CYCLOPS" run $mode "$path" >"$dir/out" 2>"$dir/err"
		check "$path: $mode, off: the same work" [ "$(head -n 1 "$dir/reference")" \
			= "$(head -n 1 "$dir/out")" ]
		check "$path: $mode, off: nothing counted" eval \
			"! tail -n +2 '$dir/out' | grep -q ' [1-9][0-9]*\$'"
	done
}
program build/demos/xprof/blocks 5
program build/demos/xprof/calls 7
# Without the C extension, and as other compilers and levels have it.
levels=("-march=rv64g -O2" "-march=rv64gc -O0" "-march=rv64gc -O3" "-march=rv64gc -Os")
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || levels=("-march=rv64g -O2" "-march=rv64gc -Os")
for flags in "${levels[@]}"; do
	# shellcheck disable=SC2086  # words
	riscv64-linux-gnu-gcc $flags -mabi=lp64d -static -o "$dir/blocks" demos/xprof/blocks.c \
		2>"$dir/err" &&
		riscv64-linux-gnu-gcc $flags -mabi=lp64d -static -o "$dir/calls" \
		demos/xprof/calls.c demos/xprof/calls.S 2>"$dir/err"
	check "$flags compiles" [ $? = 0 ]
	for name in blocks calls; do
		qemu-riscv64 "$dir/$name" >"$dir/$name.out" 2>"$dir/err"
		check "$flags: $name as ever" [ "$(qemu-riscv64 build/demos/xprof/$name)" \
			= "$(<"$dir/$name.out")" ]
	done
	program "$dir/blocks" 5
done
# A thread switches: counted is a part, in proportion, of what is executed; all of it where there is
# no Xprof, with or without such a thread; and nothing without windows.
thread() {
	"$CYCLOPS" run "$@" >"$dir/out" 2>"$dir/err"
	check "$*: status" [ $? = 0 ]
	tail -n +2 "$dir/out" >"$dir/counts"
}
thread -o xprof.enable=false build/demos/xprof/thread 30 10
cp "$dir/counts" "$dir/exact"
qemu-riscv64 build/demos/xprof/thread 30 0 | tail -n +2 >"$dir/reference"
check "a thread that switches: all counts without Xprof" same "$dir/exact" "$dir/reference"
thread build/demos/xprof/thread 30 0
check "no windows, no counts" eval "! grep -q ' [1-9][0-9]*$' '$dir/counts'"
thread -o os.slice=5000 build/demos/xprof/thread 30 10
check "many windows" eval '[ "$(sed -n "s/.* \([0-9]*\) windows/\1/p" "$dir/out")" -gt 30 ]'
check "a part of each count, in proportion" eval 'paste "$dir/counts" "$dir/exact" | awk "{
	share = \$2 / \$4; if (NR == 1) first = share
	if (share < 0.05 || share > 0.6 || share / first > 1.05 || first / share > 1.05) exit 1 }"'
"$CYCLOPS" lua demos/xprof/on.lua build/demos/xprof/calls >"$dir/out" 2>"$dir/err"
check "on.lua" grep -q '^xprof.dispatched  *0  *[1-9][0-9]*$' "$dir/out"
# The oracle takes an instruction for as long as it is with its prefix, with timing and without.
riscv64-linux-gnu-gcc -nostdlib -static -o "$dir/prefixed" tests/xprof/prefixed.S
for mode in '' --functional; do
	# shellcheck disable=SC2086  # an option or none
	run 0 run $mode -o xprof.enable=true -o oracle.enable=true -o oracle.blocks=true \
		-o oracle.contexts=true \
		--report "oracle edges=$dir/edges" "$dir/prefixed"
	check "a branch that was not taken" grep -qE '^ *100 .*not taken .*_start\+0x6 ' \
		"$dir/edges"
	check "a call and its return" grep -qE '^ *100 .*return .*_start\+0x12$' "$dir/edges"
	check "one kind of edge for each" [ "$(wc -l <"$dir/edges")" = 7 ]
done

finish
