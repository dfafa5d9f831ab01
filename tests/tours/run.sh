#!/bin/bash
# Runs every tour in demos/tours/ to its end, and looks for the phrases that its `# expect:` lines
# name. Every demo program has a tour, whose commands are also in the program's header.
set -u
cd "$(dirname "$0")/../.." || exit 1
CYCLOPS=${CYCLOPS:-${BUILD:-build/release}/cyclops}
[ -x "$CYCLOPS" ] || CYCLOPS=build/cyclops
passed=0 failed=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

for tour in demos/tours/*.cyc; do
	name=$(basename "$tour" .cyc)
	program=$(sed -n 's/^# program: //p' "$tour")
	[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || [ -e "demos/programs/small/$program.c" ] ||
		[ -e "$program" ] || continue
	COLUMNS=100 "$CYCLOPS" tour --batch "$name" >"$out" 2>&1 </dev/null
	status=$?
	why=
	[ $status = 0 ] || why="exit status $status: $(tail -n 1 "$out")"
	while read -r phrase; do
		grep -qF -- "$phrase" "$out" || why="$why; '$phrase' is missing"
	done < <(sed -n 's/^# expect: //p' "$tour")
	grep -q '^# expect: ' "$tour" || why="$why; it expects nothing"
	head=$(sed '/\*\//q' demos/programs/"$program".c demos/programs/small/"$program".c \
		2>/dev/null)
	while [ "$name" = "$program" ] && read -r typed; do
		grep -qF -- " $typed" <<<"$head" ||
			why="$why; the header of $program.c does not say '$typed'"
	done < <(grep -v '^#\|^$\|^set width\|^set echo\|^ask \|^expect ' "$tour")
	if [ -z "$why" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $tour: ${why#; }"
	fi
done
while IFS='|' read -r program _; do
	[[ $program == \#* ]] && continue
	if [ -e "demos/tours/$program.cyc" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $program has no tour"
	fi
done <demos/programs/list.txt
echo "$passed passed, $failed failed"
[ $failed = 0 ]
