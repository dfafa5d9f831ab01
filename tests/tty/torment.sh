#!/bin/bash
# The screen at every size from one cell up, with absurd commands and keys: it
# never dies, hangs or divides by zero. torment.c explains each seed; TORMENT_SEEDS="18 32"
# tries others.
set -u
cd "$(dirname "$0")/../.." || exit 1
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
here=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
rounds=120 seeds='1 2 3 4 5 6 7 8 18 32 38 41'
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || rounds=60 seeds='18 32 38 41'
seeds=${TORMENT_SEEDS:-$seeds}
# A finding of a sanitizer is no other status's.
export ASAN_OPTIONS=${ASAN_OPTIONS:-}:exitcode=99 TERM=xterm-256color LANG=C.UTF-8 HOME=$dir
unset XDG_CONFIG_HOME XDG_STATE_HOME

# Commands, views and keys' commands; nothing that writes files.
{
	"$CYCLOPS" help | sed -n 's/^  \([a-z-]*\) .*/\1/p' |
		grep -vxE 'quit|save|restore|source|trace|export|run|shell|commands'
	"$CYCLOPS" help views | sed -n 's/^  \([a-z0-9]*\) .*/view \1/p'
	"$CYCLOPS" help keys | sed -n 's/^  [^ ]* *\([a-z][a-z -]*[a-z0-9]\)  .*/\1/p'
	printf '%s\n' 'break main' 'goto 20000' 'print $a0' 'set sim.stack 0' 'step 1000' \
		'lua m.cycle' 'lua error(1)'
} >"$dir/lines"
cd "$dir" || exit 1

passed=0 failed=0
torment() {
	local seed=$1
	shift
	if said=$("$here/build/tests/tty/torment" "$seed" $rounds lines "$CYCLOPS" --no-init \
		"$@"); then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		printf 'FAIL: seed %s of %s: %s\n' "$seed" "${1##*/}" "$said"
	fi
}
for seed in $seeds; do torment "$seed" "$here/build/demos/anagram"; done
# A program that reads typed text as its input now and then.
printf '%s\n' run continue 'goto 20000' 'set args late' >>lines
torment 1 "$here/build/tests/tty/asks"
[ "$(wc -l <lines)" -gt 100 ] ||
	{ failed=$((failed + 1)); echo "FAIL: the lists of commands and views can't be read"; }
echo "$passed passed, $failed failed"
[ $failed = 0 ]
