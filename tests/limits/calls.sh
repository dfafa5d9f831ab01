#!/bin/bash
# The host's cost of system calls of a program with much mapped, open, waiting or scheduled
# (calls.c): ten times the calls, with ten times as much, take at most N log N instructions.
#
#   tests/limits/calls.sh table      prints what core/os/README.md has, of 1,000 and 10,000
within=build/tests
. tests/lib.sh
cp build/tests/limits/calls "$dir"
cd "$dir" || exit 1
case ${1:-} in
table) few=1000 ;;
*) [ "${CYCLOPS_TEST_SCALE:-full}" = long ] && few=1000 || few=200 ;;
esac
many=$((10 * few))
if [[ ${BUILD:-} == *@(asan|breaks)* ]] || ! command -v valgrind >/dev/null; then
	finish # sanitized programs do not run there
	exit
fi

# cost KIND N: host instructions
cost() {
	local rw=
	case $1 in
	names | renames) rw=--rw ;;&
	listings | renames)
		rm -rf listed && mkdir listed && (cd listed && seq "$2" | xargs touch)
		;;
	esac
	valgrind --tool=exp-bbv --instr-count-only=yes --bb-out-file=/dev/null "$CYCLOPS" run \
		--functional $rw calls "$1" "$2" 2>&1 >/dev/null |
		sed -n 's/.*Total instructions: \([0-9]*\).*/\1/p'
}

"$CYCLOPS" run --functional calls >kinds </dev/null
check "there are kinds" [ "$(wc -l <kinds)" -ge 15 ]
none=$(cost timers 0) # to load and end the program
while read -r kind; do
	command="calls $kind"
	mkdir -p listed
	run 0 run --functional --rw calls "$kind" 10
	some=$(cost "$kind" $few) all=$(cost "$kind" $many)
	check "$kind is measured" [ "${none:-0}" -gt 0 -a "${some:-0}" -gt "${none:-0}" ]
	ratio=$(awk -v n="$none" -v s="$some" -v a="$all" 'BEGIN { print (a - n) / (s - n) }')
	[ "${1:-}" != table ] || awk -v k="$kind" -v n="$none" -v s="$some" -v a="$all" \
		-v f=$few -v m=$many \
		'BEGIN { printf "| %s | %.0f | %.0f |\n", k, (s - n) / f, (a - n) / m }'
	check "$kind: $few take $((some - none)) host instructions, $many $((all - none))" \
		awk -v r="$ratio" -v f=$few -v m=$many \
		'BEGIN { exit !(r <= m / f * log(m) / log(f)) }'
done <kinds
finish
