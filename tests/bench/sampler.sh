#!/bin/bash
# The cost of the stream sampler: beside a machine with timing, and its tuples a second without
# timing. Values of loads, sampled by H(P(256), 2048), the default. Nothing passes or fails.
#
#   tests/bench/sampler.sh [NAME...]      NAMEs from demos/programs/list.txt; default: hash,
#                                         compress, cg, chess, lisp, json
#
# off, exact   sampler.exact=false, and the default, which counts every tuple beside the hardware
# detailed     host instructions, counted by callgrind as in tests/bench/run.sh, above those of the
#              machine without a sampler
# M tuples/s   without timing: tuples by the processor time of the whole run, and in brackets by
#              what that is above the run without a sampler; the best of REPEAT (3) runs
set -u
cd "$(dirname "$0")/../.." || exit 1

CYCLOPS=${CYCLOPS:-build/cyclops}
REPEAT=${REPEAT:-3}
forward=200000 short=50000 long=350000 functional=100000000
on=(-o sampler.enable=true)
off=("${on[@]}" -o sampler.exact=false)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ir INSTS OPTIONS...: host instructions of one run.
ir() {
	local insts=$1
	shift
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$CYCLOPS" run "$@" --ff $forward \
		--max-insts "$insts" \
		"${command[@]}" <"$input" 2>&1 >/dev/null |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# detailed OPTIONS...: host instructions of those between the two lengths.
detailed() { echo $(($(ir $long "$@") - $(ir $short "$@"))); }

# seconds OPTIONS...: processor time of the fastest run without timing.
seconds() {
	for ((i = 0; i < REPEAT; i++)); do
		/usr/bin/time -f '%U %S' -o "$work/time" "$CYCLOPS" run --functional --max-insts \
			$functional --stats "$work/stats" "$@" \
			"${command[@]}" <"$input" >/dev/null 2>&1
		tail -n 1 "$work/time"
	done | awk '{ t = $1 + $2; best = NR == 1 || t < best ? t : best } END { print best }'
}

row() {
	local base cost exact plain fast slow
	base=$(detailed) cost=$(detailed "${off[@]}") exact=$(detailed "${on[@]}")
	plain=$(seconds) fast=$(seconds "${off[@]}") slow=$(seconds "${on[@]}")
	awk -v name="$name" -v base="$base" -v cost="$cost" -v exact="$exact" -v plain="$plain" \
		-v fast="$fast" -v slow="$slow" \
		-v tuples="$(awk '$1 == "sampler.selected" { print $2 }' "$work/stats")" '
		function rate(t) { return t > 0 ? tuples / t / 1e6 : 0 }
		BEGIN { printf "| %-8s | %6.1f %% | %6.1f %% | %5.1f (%5.1f) | %5.1f (%5.1f) |\n", name, 100 * (cost / base - 1),
			100 * (exact / base - 1), rate(fast), rate(fast - plain), rate(slow), rate(slow - plain) }'
}

echo "| workload | detailed | exact    | M tuples/s    | exact         |"
echo "| -------- | -------: | -------: | ------------: | ------------: |"
for name in "${@:-hash compress cg chess lisp json}"; do
	echo "$name"
done | tr ' ' '\n' | while read -r name; do
	IFS='|' read -r _ args input _ < <(grep "^$name|" demos/programs/list.txt)
	[ "${input:--}" != - ] || input=/dev/null
	read -ra words <<<"${args:-}"
	command=("build/demos/$name" "${words[@]}")
	if [ ! -x "${command[0]}" ]; then
		echo "$name is not compiled; make demos does it" >&2
		continue
	fi
	row
done
