#!/bin/bash
# `cyclops instrument` on hard cases (stress.c, fragments.s, a function of thousands of blocks), as
# compilers write them at every level: the program behaves as before, its counts are the oracle's,
# and a flag that is on in one function is on in no other, however control enters and leaves it.
#
# CYCLOPS_TEST_SCALE=small takes one level of gcc, long all of it and of clang.
cd "$(dirname "$0")/../.." || exit 1
within=build
# shellcheck source=tests/lib.sh
. tests/lib.sh
export CYCLOPS
SCALE=${CYCLOPS_TEST_SCALE:-full}
local_dir=${dir#"$PWD/"}

same() {
	cmp -s "$1" "$2" && [ -s "$1" ] || { diff "$1" "$2" | head -n 5 && false; }
}
# does WHAT COMMAND...: prints and ends as the program that nothing was put into.
does() {
	local what=$1 got=0
	shift
	"$@" >"$dir/out" 2>"$dir/err" || got=$?
	check "$what: status $got, not $want" [ $got = "$want" ]
	check "$what: output" same "$dir/plain.out" "$dir/out"
}
riscv64-linux-gnu-gcc -c -o "$dir/runtime.o" demos/tools/xprof_runtime.c
link() {
	riscv64-linux-gnu-gcc -static -o "$2" "$1" "$dir/runtime.o"
}
# build WHAT OUT OPTIONS...: of $dir/plain.s.
build() {
	local what=$1 out=$2
	shift 2
	"$CYCLOPS" instrument "$@" --asm "$dir/plain.s" -o "$dir/$out.s" 2>"$dir/err" &&
		link "$dir/$out.s" "$dir/$out" 2>>"$dir/err"
	check "$what: $* builds" [ $? = 0 ]
}
lines_of_main() { riscv64-linux-gnu-objdump --disassemble=main "$dir/$1" | wc -l; }
# all WHAT: everything about the assembly in $dir/plain.s.
all() {
	local what=$1 options
	want=0
	link "$dir/plain.s" "$dir/plain"
	qemu-riscv64 "$dir/plain" >"$dir/plain.out" || want=$?
	build "$what" map --map
	check "$what: --map puts nothing in" [ "$(lines_of_main plain)" = "$(lines_of_main map)" ]
	does "$what, map" "$CYCLOPS" run --functional -o oracle.enable=true -o oracle.blocks=true \
		--report oracle="$dir/insts.csv" \
		--report "oracle calls=$dir/calls.csv" "$dir/map"
	for options in "${kinds[@]}"; do
		# shellcheck disable=SC2086  # words
		build "$what" it $options
		rm -f "$dir/profile"
		does "$what $options" env XPROF_PROFILE="$dir/profile" qemu-riscv64 "$dir/it"
		[[ $options = --control-only* ]] ||
			check "$what $options: counts" "$CYCLOPS" lua tests/xprof/truth.lua \
				"$dir/map" "$dir/insts.csv" "$dir/calls.csv" "$dir/profile"
		cp "$dir/profile" "$dir/complete"
		halves="$((turn % 6 * 2)) $((turn % 6 * 2 + 1))" turn=$((turn + 1))
		[ -n "$mode" ] || [ "$SCALE" = long ] || halves=${halves% *} # time passes slowly
		# For each bit of the function's number, the functions with it or those without;
		# both at scale long.
		[ "$options" != "$thorough" ] || halves="0 3 4 7 8 11"
		[ "$options$SCALE" != "${thorough}long" ] || halves="0 1 2 3 4 5 6 7 8 9 10 11"
		for half in $halves; do
			mapfile -t patches < <("$CYCLOPS" lua tests/xprof/half.lua "$dir/it" \
				"$dir/complete" "$dir/half" $half)
			rm -f "$dir/profile"
			does "$what $options, half $half of it on" "$CYCLOPS" run $mode --rw --env \
				XPROF_PROFILE="$local_dir/profile" \
				"${patches[@]/#/--patch=}" "$dir/it"
			check "$what $options: what is on, and nothing else" same "$dir/half" \
				"$dir/profile"
		done
	done
}

# thorough: with which options many halves are tried, of 12 for up to 64 functions; else the next
# two.
turn=0 thorough=--blocks
compile() {
	"$@" -S -o "$dir/plain.s" tests/xprof/stress.c 2>"$dir/err"
	check "$*" [ $? = 0 ]
	all "$*"
}
mode=--functional
gcc="riscv64-linux-gnu-gcc -w -march=rv64gc -mabi=lp64d"
clang="clang --target=riscv64-linux-gnu -w -march=rv64gc -mabi=lp64d -isystem /usr/riscv64-linux-gnu/include -fno-addrsig"
# Levels of each compiler.
gcc_levels=-O2 clang_levels=-O2
[ "$SCALE" = small ] || gcc_levels="-O0 -O2" clang_levels=-O2
[ "$SCALE" != long ] || gcc_levels="-O0 -O1 -O2 -O3 -Os" clang_levels=$gcc_levels
case $SCALE in
small) kinds=("--calls --blocks --pblen" "--control-only --units loops --min-loop 1") ;;
full) kinds=(--blocks "--calls --far --type calls=5" --control-only) ;;
long)
	kinds=(--blocks --calls "--calls --blocks --pblen" "--calls --far --type calls=5" \
		--control-only "--blocks --units loops"
		"--control-only --units loops --min-loop 1")
	;;
esac
compile $gcc -O2
kinds=("--calls --blocks --pblen --units loops --min-loop 1")
for level in $gcc_levels; do
	[ $level = -O2 ] || compile $gcc $level
done
for level in $clang_levels; do
	[ "$SCALE" != small ] || continue
	! command -v clang >/dev/null || compile $clang $level
done
# ---- other stacks ----
kinds=("--calls --blocks --units loops --min-loop 1 --switches hand_*")
[ "$SCALE" != long ] ||
	kinds+=("--blocks --switches hand_switch" "--calls --type calls=5 --switches hand_switch")
$gcc -O2 -S -o "$dir/plain.s" tests/xprof/stacks.c && all "stacks.c"
# ---- by hand, and too large for a branch ----
kinds=(--blocks "--calls --blocks --pblen --units loops --min-loop 1")
[ "$SCALE" != small ] || kinds=("--calls --blocks --pblen --units loops --min-loop 1")
[ "$SCALE" = long ] || thorough=
cp tests/xprof/fragments.s "$dir/plain.s"
all fragments.s
"$CYCLOPS" instrument --list --asm tests/xprof/fragments.s >"$dir/out" 2>"$dir/err"
check "fragments.s: what is left alone" [ "$(grep -c 'left alone' "$dir/out")" = 2 ]
check "fragments.s: what may be a call or not" grep \
	-q "^unclear .*line [0-9]*: 'jr a5' may leave" "$dir/out"
check "fragments.s: what goes elsewhere" grep -q "^leaves_by_branch .*'beqz' goes to modest" \
	"$dir/out"
thorough=
[ "$SCALE" != small ] || { finish; exit; } # the instrumenter is Lua: more of it finds nothing in C
kinds=("--calls --blocks --pblen --units loops --min-loop 1")
[ "$SCALE" != long ] || kinds=(--blocks "${kinds[@]}")
awk 'BEGIN {
	print "#include <stdio.h>\n__attribute__((noinline)) unsigned f(unsigned x, unsigned n)\n{\n\twhile (n--) {"
	for (i = 0; i < 500; i++)
		printf "\t\tif (x & %d) x = x * %d + n; else x ^= %d;\n", 2 ^ (i % 31), 2 * i + 3, i
	print "\t\tif (x % 7 == 3) break;\n\t}\n\treturn x;\n}\nint main(void) { printf(\"%x\\n\", f(77, 20)); return 0; }"
}' >"$dir/large.c"
riscv64-linux-gnu-gcc -O1 -S -o "$dir/plain.s" "$dir/large.c" && all "a large function"
check "it is large" [ "$("$CYCLOPS" instrument --list --asm "$dir/plain.s" | sed -n 's/^f  *\([0-9]*\) blocks$/\1/p')" -gt 1000 ]

# ---- arcs: a place that calls many functions, and more arcs than the table has room for ----
awk 'BEGIN {
	print "#include <stdio.h>"
	for (i = 0; i < 400; i++)
		printf "static unsigned f%d(unsigned x) { return x ^ %d; }\n", i, i
	printf "static unsigned (*const f[])(unsigned) = {"
	for (i = 0; i < 400; i++)
		printf "f%d, ", i
	print "};\nint main(void)\n{\n\tunsigned x = 1;\n\tfor (int i = 0; i < 400; i++) {\n\t\tx = f[i](x + 1);"
	print "#ifdef MANY"
	for (i = 0; i < 17; i++)
		print "\t\tx = f[i](x);"
	print "#endif\n\t}\n\tprintf(\"%x\\n\", x);\n\treturn 0;\n}"
}' >"$dir/many.c"
kinds=(--calls)
riscv64-linux-gnu-gcc -O1 -S -o "$dir/plain.s" "$dir/many.c" && all "many arcs"
riscv64-linux-gnu-gcc -O1 -DMANY -S -o "$dir/plain.s" "$dir/many.c" &&
	build "too many arcs" it --calls
XPROF_PROFILE=$dir/profile qemu-riscv64 "$dir/it" >"$dir/out"
check "all calls are there or said to be lost" \
	[ "$(awk -F '\t' '/^(call|lost)/ {n += $NF} END {print n}' "$dir/profile")" = 7201 ]
check "lost" [ "$(sed -n 's/^lost\t//p' "$dir/profile")" = $((7201 - 6144)) ]

kinds=("--calls --blocks --pblen --units loops --min-loop 1")
mode=
compile $gcc -g -Os -march=rv64g -fno-pie -mcmodel=medlow -msave-restore -fno-optimize-sibling-calls
if [ "$SCALE" = long ]; then
	compile $gcc -O2 -g
	mode=--functional
	compile $gcc -Os -march=rv64g -fno-pie -mcmodel=medlow -msave-restore \
		-fno-optimize-sibling-calls
	compile $gcc -O2 -fno-pie -mcmodel=medany
	compile $gcc -O2 -march=rv64g -fno-pie -mcmodel=medlow
	compile $gcc -Os -msave-restore -fno-optimize-sibling-calls
	compile $gcc -O2 -march=rv64g
	compile $gcc -Os -msave-restore
	compile $gcc -O2 -fno-optimize-sibling-calls
	compile $gcc -O3 -funroll-loops -fno-section-anchors -ffunction-sections -g3
fi
finish
