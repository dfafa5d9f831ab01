#!/bin/bash
# How fast the machine is simulated: one table, nothing passes or fails.
#
#   tests/bench/run.sh [NAME...]      NAMEs from demos/programs/list.txt; default: all long programs
#
# sim MIPS   simulated instructions per second of a whole run, in millions: the best of REPEAT (3)
#            runs
# host/inst  host instructions per simulated one, counted by callgrind: the difference between runs
#            of two lengths after a fast-forward, so that start-up and loading are not in it
# peak       memory of the whole process, MiB
set -u
cd "$(dirname "$0")/../.." || exit 1

CYCLOPS=${CYCLOPS:-build/cyclops}
REPEAT=${REPEAT:-3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ir ARGS...: host instructions of one run.
ir() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$CYCLOPS" run "$@" \
		"${command[@]}" \
		<"$input" 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# row MODE SHORT LONG OPTIONS...: one line of the table.
row() {
	local mode=$1 short=$2 long=$3 best=0 ipc=- peak speed a b
	shift 3
	for ((i = 0; i < REPEAT; i++)); do
		/usr/bin/time -f '%M' -o "$work/time" \
			"$CYCLOPS" run --summary "$@" "${command[@]}" <"$input" >/dev/null \
			2>"$work/summary"
		speed=$(sed -n 's/^  simulated *\([0-9,]*\) .*/\1/p' "$work/summary" | tr -d ,)
		[ "${speed:-0}" -le "$best" ] || best=$speed
	done
	peak=$(tail -n 1 "$work/time")
	ipc=$(awk '/instructions per cycle/ { print $4 }' "$work/summary")
	a=$(ir "$@" "${forward[@]}" --max-insts "$short")
	b=$(ir "$@" "${forward[@]}" --max-insts "$long")
	awk -v name="$name" -v mode="$mode" -v ipc="${ipc:--}" -v best="$best" \
		-v peak="${peak:-0}" \
		-v host="$((${b:-0} - ${a:-0}))" -v insts="$((long - short))" 'BEGIN {
			printf "| %-10s | %-10s | %5s | %8.1f | %9.1f | %5.1f |\n",
				name, mode, ipc, best / 1e6, host / insts, peak / 1024 }'
}

echo "| workload   | mode       |   IPC | sim MIPS | host/inst |  peak |"
echo "| ---------- | ---------- | ----: | -------: | --------: | ----: |"
while IFS='|' read -r name args input _; do
	case $name in '' | '#'*) continue ;; esac
	if [ $# -gt 0 ]; then
		[[ " $* " == *" $name "* ]] || continue
	else
		[ ! -e "demos/programs/small/$name.c" ] || continue
	fi
	[ "$input" != - ] || input=/dev/null
	read -ra words <<<"$args"
	command=("build/demos/$name" "${words[@]}")
	if [ ! -x "${command[0]}" ]; then
		echo "$name is not compiled; make demos does it" >&2
		continue
	fi
	forward=(--ff 0)
	row functional 5000000 15000000 --functional
	forward=(--ff 10000000)
	row detailed 200000 1200000
	row "+ history" 200000 1200000 --history
done <demos/programs/list.txt
