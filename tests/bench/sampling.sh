#!/bin/bash
# Whole programs with timing, and sampled: processor time, and the error of the CPI.
. "$(dirname "$0")/lib.sh"
TIMEFORMAT='%3U %3S %3R'

# seconds FIELD OUT ARGS...: FIELD 1: of the processor, 2: of the wall clock; the best of REPEAT.
seconds() {
	local field=$1 out=$2 best=1e9
	shift 2
	for ((i = 0; i < REPEAT; i++)); do
		{ time "$CYCLOPS" run --stats "$out" "$@" <"$input" >/dev/null 2>&1; } \
			2>"$work/time"
		best=$(awk -v best=$best -v field="$field" \
			'{ s = field == 1 ? $1 + $2 : $3; print (s < best) ? s : best }' \
			"$work/time")
	done
	echo "$best"
}
cpi() { sed -n "s/.*\"sim.cpi\": \({\"value\": \)\{0,1\}\([0-9.e-]*\).*/\2/p" "$1"; }

for name in anagram; do
	demo $name
	full=$(seconds 1 "$work/full.json" "${command[@]}")
	one=$(seconds 1 "$work/one.json" --sample "${command[@]}")
	row "$name, times faster" "$full / $one" %.1f
	row "$name, CPI off by, %" \
		"100 * ($(cpi "$work/one.json") / $(cpi "$work/full.json") - 1)" %+.2f
	whole=$(seconds 2 "$work/one.json" --sample "${command[@]}")
	parts=$(seconds 2 "$work/two.json" --sample --jobs 2 "${command[@]}")
	row "$name, the same in two parts: seconds, % of one" "100 * $parts / $whole"
done
