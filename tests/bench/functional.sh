#!/bin/bash
# Without timing: host instructions for each one of the guest, and millions of those a second of the
# processor, the best of REPEAT (3) runs.
. "$(dirname "$0")/lib.sh"
TIMEFORMAT='%3U %3S'

for name in hash anagram sort nbody fft cg; do
	demo $name
	row "$name, host instructions" "$(per_inst 3000000 9000000 --functional "${command[@]}")" \
		%.1f
	best=0
	for ((i = 0; i < REPEAT; i++)); do
		{ time "$CYCLOPS" run --functional --summary "${command[@]}" <"$input" >/dev/null \
			2>"$work/summary"; } 2>"$work/time"
		insts=$(sed -n 's/^  instructions without timing *\([0-9,]*\).*/\1/p' \
			"$work/summary" | tr -d ,)
		best=$(awk -v best=$best -v insts="${insts:-0}" \
			'{ s = insts / ($1 + $2); print (s > best) ? s : best }' "$work/time")
	done
	row "$name, M/s" "$best / 1e6"
done
