#!/bin/bash
# Generated programs (generate.py), laid out again without insertions and with all kinds of
# counters, run as before: under qemu-riscv64, independently of Cyclops, and here; and blocks are
# counted as the oracle counts them.
#
#   tests/edit/generated.sh [FIRST [LAST]]    seeds
#
# Without a seed: a few (the file seeds, built by edit.mk) in which each kind of piece, each flag of
# the compiler and each way of calling occurs (small: three of them), with blocks' counters and one
# kind more in turn. With CYCLOPS_TEST_SCALE=long 1 to 100, the first ALL (24) of them with all
# kinds; thousand.sh has more.
set -u
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
read -ra seeds <tests/edit/seeds
all=0
case $#,${CYCLOPS_TEST_SCALE:-full} in
0,small) seeds=(45 71 484) ;;
0,long) mapfile -t seeds < <(seq 1 100) && all=24 ;;
[12],*) mapfile -t seeds < <(seq "$1" "${2:-$1}") && all=24 ;;
esac
export first=${seeds[0]} all=${ALL:-$all}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export dir

# says COMMAND...: prints the command's output and exit status.
says() {
	timeout 120 "$@" 2>&1 </dev/null
	echo "status $?"
}

one() {
	local turn=$1 seed=$2 suffix=c work=$dir/$2 right here kind \
		kinds=(nothing edge path "bb --type bb=3" callgraph cct cct+path)
	if [ $((seed - first)) -ge "$all" ]; then
		kinds=("${kinds[turn % 7]}")
	fi
	[ $((seed % 16)) = 0 ] && suffix=cc
	mkdir "$work" && cd "$work" || return 1
	fail() { echo "FAIL: seed $seed: $*"; }
	if [ -e "$OLDPWD/build/tests/edit-generated/$seed" ]; then
		cp "$OLDPWD/build/tests/edit-generated/$seed" guest
		cp "$OLDPWD/build/tests/edit-generated/$seed.$suffix" "guest.$suffix"
	else
		(cd "$OLDPWD" && bash tests/edit/build.sh "$seed" "$work/guest") ||
			{ fail "can't be compiled"; return; }
	fi
	right=$(says qemu-riscv64 ./guest)
	case $right in
	*[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*status\ ?|*[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]*status\ [0-6]?) ;;
	*) fail "says '$right'"; return ;;
	esac
	# Here signals have their default action.
	here=$right
	grep -q '^/. signals' "guest.$suffix" && here=$(says "$CYCLOPS" run --functional guest)
	for kind in bb "${kinds[@]}"; do
		# shellcheck disable=SC2086
		"$CYCLOPS" instrument -q --kind $kind -o new guest ||
			{ fail "$kind: not instrumented"; return; }
		[ "$(says qemu-riscv64 ./new)" = "$right" ] ||
			{ fail "$kind: differs under qemu"; return; }
		# If a signal ends it, a message reports the lost counts.
		[ "$(says "$CYCLOPS" run --functional new | grep -v '^cyclops: what it has counted')" = "$here" ] || { fail "$kind: differs here"; return; }
		if [ "$kind" = bb ]; then
			"$CYCLOPS" lua "$OLDPWD/tests/edit/counts.lua" new >counts 2>&1 ||
				{ fail "$(cat counts)"; return; }
		fi
	done
	echo "ok $seed"
	cd / && rm -rf "$work"
}
export -f one says

for k in "${!seeds[@]}"; do
	echo "$k ${seeds[k]}"
done | xargs -P 2 -L 1 bash -c 'one "$@"' - >"$dir/log" 2>&1
grep -v '^ok [0-9]*$' "$dir/log"
passed=$(grep -c '^ok [0-9]*$' "$dir/log")
echo "$passed passed, $((${#seeds[@]} - passed)) failed"
[ "$passed" = ${#seeds[@]} ]
