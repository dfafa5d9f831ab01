#!/bin/bash
# Instrumented demo programs (build/demos/xprof): they behave as the programs do, and their counts
# are right. Counts under qemu-riscv64, where every profile instruction executes, are checked
# against the oracle's counts of the program as it was, and the machine's counts with all flags on,
# or without Xprof, against those; with all flags off nothing is counted.
#
# CYCLOPS_TEST_SCALE=long takes all programs with all of their input, in both ways; full some of
# them, in one way in turn; small one.
cd "$(dirname "$0")/../.." || exit 1
within=build
# shellcheck source=tests/lib.sh
. tests/lib.sh
. tests/edit/inputs.sh
SCALE=${CYCLOPS_TEST_SCALE:-full}
programs=build/demos/xprof
arguments[compress]=$made/text
case $SCALE in
full) tried=" anagram sort lisp compress chess json fft " ;;
small) tried=" sort " ;;
esac

# same FILE FILE: true if the files are equal and not empty.
same() {
	[ -s "$1" ] && cmp -s "$1" "$2" || { diff "$1" "$2" | head -n 5 && false; }
}
# does WHAT COMMAND...: its output and status are the program's.
does() {
	local what=$1 status=0
	shift
	"$@" <"$input" >"$dir/out" 2>"$dir/err" || status=$?
	check "$what: exit status $status" [ $status = 0 ]
	check "$what: output" same "$dir/out" "$expected"
}
profile=${dir#"$PWD/"}/profile
# counted KIND OPTIONS...: the profile in $profile.
counted() {
	local kind=$1
	shift
	rm -f "$profile"
	local options="$*"
	does "$kind, ${options:0:60}" "$CYCLOPS" run --rw --env XPROF_PROFILE="$profile" "$@" \
		"$programs/$name-$kind.elf" $args
}

turn=0
while IFS='|' read -r name args input _; do
	command=$name expected=demos/programs/expected/$name.out
	[ -e "$programs/$name-map.elf" ] || continue
	[ "$input" != - ] || input=/dev/null
	if [ "$SCALE" != long ]; then
		[[ $tried == *" $name "* ]] || continue
		args=${arguments[$name]:-$args} expected=$dir/expected
		# shellcheck disable=SC2086
		qemu-riscv64 build/demos/$name $args <"$input" >"$expected"
	fi
	does "control" qemu-riscv64 "$programs/$name-control.elf" $args
	does "map" "$CYCLOPS" run --functional -o oracle.enable=true -o oracle.blocks=true \
		--report oracle="$dir/insts.csv" \
		--report "oracle calls=$dir/calls.csv" "$programs/$name-map.elf" $args
	kinds=(blocks calls) turn=$((turn + 1))
	[ "$SCALE" = long ] || kinds=("${kinds[turn % 2]}") # in turn
	for kind in "${kinds[@]}"; do
		does "$kind, qemu" env XPROF_PROFILE="$dir/reference" qemu-riscv64 \
			"$programs/$name-$kind.elf" $args
		check "$kind: what is counted" "$CYCLOPS" lua tests/xprof/truth.lua \
			"$programs/$name-map.elf" "$dir/insts.csv" "$dir/calls.csv" \
			"$dir/reference"
		counted $kind --functional -o xprof.enable=false
		check "$kind: counted without Xprof" same "$dir/reference" "$profile"
		mapfile -t patches < <("$CYCLOPS" lua tests/xprof/patches.lua \
			"$programs/$name-$kind.elf" $kind)
		check "$kind: flags to switch" [ ${#patches[@]} -gt 2 ]
		counted $kind --functional "${patches[@]/#/--patch=}"
		check "$kind: counted with all flags on" same "$dir/reference" "$profile"
		counted $kind --functional
		check "$kind: counted with all flags off" \
			[ -z "$(grep -v '^#' "$profile" | grep -v '	0$')" ]
	done
done <demos/programs/list.txt
command=
check "some were tried" [ $passed -gt $([ "$SCALE" = small ] && echo 15 || echo 50) ]
finish
