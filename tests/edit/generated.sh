#!/bin/bash
# Generated programs (generate.py), laid out again with nothing put in and with all kinds of counters, do what they did: under
# qemu-riscv64, which knows nothing of us, and here; and blocks are counted as the oracle counts them.
#
#   tests/edit/generated.sh [FIRST [LAST]]    seeds; 1 to 100, with CYCLOPS_TEST_SCALE=small to 16
#
# The first ALL (24; none if small) are tried with all kinds, the others with blocks' and one more in turn. thousand.sh has more of them.
set -u
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
export first=${1:-1} all=${ALL:-24}
last=${2:-${1:-100}}
[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || last=${2:-${1:-16}} all=${ALL:-0}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export dir

# says COMMAND...: its output and its exit status.
says() {
	timeout 10 "$@" 2>&1 </dev/null
	echo "status $?"
}

one() {
	local seed=$1 suffix=c work=$dir/$1 compiler flags right here kind kinds=(nothing edge path "bb --type bb=3" callgraph cct cct+path)
	[ $((seed - first)) -lt "$all" ] || kinds=("${kinds[seed % ${#kinds[@]}]}")
	[ $((seed % 16)) = 0 ] && suffix=cc
	mkdir "$work" && cd "$work" || return 1
	python3 "$OLDPWD/tests/edit/generate.py" "$seed" "guest.$suffix"
	read -r _ compiler flags <"guest.$suffix"
	fail() { echo "FAIL: seed $seed: $*"; }
	# shellcheck disable=SC2086
	"riscv64-linux-gnu-$compiler" $flags -o guest "guest.$suffix" || { fail "can't be compiled"; return; }
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
		"$CYCLOPS" instrument -q --kind $kind -o new guest || { fail "$kind: not instrumented"; return; }
		[ "$(says qemu-riscv64 ./new)" = "$right" ] || { fail "$kind: differs under qemu"; return; }
		[ "$(says "$CYCLOPS" run --functional new)" = "$here" ] || { fail "$kind: differs here"; return; }
		if [ "$kind" = bb ]; then
			"$CYCLOPS" lua "$OLDPWD/tests/edit/counts.lua" new >counts 2>&1 || { fail "$(cat counts)"; return; }
		fi
	done
	echo "ok $seed"
	cd / && rm -rf "$work"
}
export -f one says

seq "$first" "$last" | xargs -P 2 -I N bash -c 'one N' >"$dir/log" 2>&1
grep -v '^ok [0-9]*$' "$dir/log"
passed=$(grep -c '^ok [0-9]*$' "$dir/log")
echo "$passed passed, $((last - first + 1 - passed)) failed"
[ "$passed" = $((last - first + 1)) ]
