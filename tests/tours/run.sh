#!/bin/bash
# Runs every tour in demos/tours/ to its end, and looks for the phrases that its `# expect:` lines name.
set -u
cd "$(dirname "$0")/../.." || exit 1
CYCLOPS=${CYCLOPS:-${BUILD:-build/release}/cyclops}
[ -x "$CYCLOPS" ] || CYCLOPS=build/cyclops
passed=0 failed=0
out=$(mktemp)
trap 'rm -f "$out"' EXIT

for tour in demos/tours/*.cyc; do
	name=$(basename "$tour" .cyc)
	program=$name
	[ "$name" != first ] || program=anagram
	IFS='|' read -r _ args input _ < <(grep "^$program|" demos/programs/list.txt)
	read -ra words <<<"$args"
	[ "$input" != - ] || input=/dev/null
	COLUMNS=100 "$CYCLOPS" --no-init --batch -x "$tour" --stdin "$input" \
		"build/demos/$program" "${words[@]}" >"$out" 2>&1 </dev/null
	status=$?
	why=
	[ $status = 0 ] || why="exit status $status: $(tail -n 1 "$out")"
	while read -r phrase; do
		grep -qF -- "$phrase" "$out" || why="$why; '$phrase' is missing"
	done < <(sed -n 's/^# expect: //p' "$tour")
	if [ -z "$why" ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $tour: ${why#; }"
	fi
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
