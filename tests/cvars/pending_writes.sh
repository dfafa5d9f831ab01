#!/bin/bash
# New values of variables from instructions in flight: shown when the instruction is complete,
# stored when it has committed.
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib.sh
. tests/lib.sh

rounds=200
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || rounds=50
for flag in -O0 -O1 -O2 -Og; do
	riscv64-linux-gnu-gcc -std=gnu17 -g $flag -static -o "$dir/coming$flag" \
		tests/cvars/pending_writes.c
	command="coming.c $flag"
	timeout 200 python3 tests/cvars/pending_writes.py "$CYCLOPS" "$dir/coming$flag" $rounds \
		>"$dir/out" 2>"$dir/err"
	check "values that came as announced" grep -qE \
		'^[0-9]+ came, 0 wrong, 0 not as their writers are' "$dir/out"
	check "a fifth of the rounds at least" [ "$(sed -nE 's/^([0-9]+) came.*/\1/p' "$dir/out")" \
		-ge $((rounds / 5)) ]
done

# In words: a store with its data, and one without.
{
	printf '%s\n' 'break main' continue
	for ((i = 0; i < 60; i++)); do
		printf '%s\n' 'step 17' 'info locals' 'print b.value'
	done
} >"$dir/steps"
run 0 --no-init --batch -x "$dir/steps" "$dir/coming-O0"
check "the instruction that gives it its value" \
	grep -qE '^  #[0-9]+ sw .* makes it -?[0-9]+$' "$dir/out"
check "the instruction that will write it" \
	grep -qE '^  #[0-9]+ [a-z.]+ .* writes it, but is not complete$' "$dir/out"

# A register in flight does not affect callers' variables: the callee restores it.
{
	echo 'break fold'
	for ((i = 0; i < 40; i++)); do
		printf '%s\n' continue up 'view locals'
	done
} >"$dir/steps"
run 0 --no-init --batch -x "$dir/steps" "$dir/coming-O2"
check "variables of the caller" [ "$(grep -cE '^ +sum +-?[0-9]' "$dir/out")" -ge 20 ]
check "only stores write them" \
	[ "$(grep -E '^ +[a-z]+ .*#[0-9]+' "$dir/out" | grep -vcE '#[0-9]+\?? f?s[bhwd],')" = 0 ]
finish
