#!/bin/bash
# Each target of `make fuzz`, with inputs that follow from a fixed seed, for a few seconds.
# FIXED_SEED=N selects another.
. tests/lib.sh
BUILD=${BUILD:-build/release}
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:allocator_may_return_null=1 XDG_CONFIG_HOME=$dir

scale=1
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || scale=8
[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || scale=16

# fixed NAME COUNT
fixed() {
	local name=$1 count=$(($2 / scale))
	command="$BUILD/tests/fixed/$name $count ${FIXED_SEED:-1}"
	shift 2
	: >"$dir/files"
	if [ -x "tests/fuzz/seeds_$name.sh" ]; then
		"tests/fuzz/seeds_$name.sh" "$dir/$name"
		find "$dir/$name" -type f | sort >"$dir/files"
	fi
	[ ! -d "tests/fuzz/regress/$name" ] || find "tests/fuzz/regress/$name" -type f |
		sort >>"$dir/files"
	# shellcheck disable=SC2086 # words
	xargs -a "$dir/files" timeout 200 $command >"$dir/all" 2>"$dir/err"
	check "$name: $count inputs" [ "$(tail -n 1 "$dir/all")" = "$count inputs" ]
	tail -n 1 "$dir/all" >"$dir/out"
}

fixed loader 1000
fixed microcode 20000
fixed link 10000
fixed asm 4000
fixed command 200
fixed checkpoint 200
fixed script 400
fixed config 1000
fixed expression 150
fixed screen 100
fixed profile 2000
fixed gdb 300
finish
