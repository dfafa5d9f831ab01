#!/bin/bash
# What listening costs: host instructions per simulated one, counted by callgrind as the difference between runs of two
# lengths. Nothing passes or fails.
#
#   tests/bench/hooks.sh [NAME...]      NAMEs from demos/programs/list.txt; default: anagram, sort and hash
#
# no hook     nobody listens
# pc          a listener in C for the commits of one pc, which comes about once in 10,000 instructions
# where       one for accesses to memory with a condition about their address that holds as rarely
# every       one that hears every commit
# each        what one call costs beside the listener's own work, in host instructions
set -u
cd "$(dirname "$0")/../.." || exit 1

BUILD=${BUILD:-build/release}
hooks=$BUILD/tests/bench/hooks
forward=15000000 short=100000 long=600000

# ir WHAT INSTS: host instructions of one run.
ir() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$hooks" "$1" $forward "$2" "${command[@]}" \
		<"$input" 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# heard WHAT INSTS: how often the listener was called, or its condition held.
heard() {
	"$hooks" "$1" $forward "$2" "${command[@]}" <"$input"
}

# row LABEL WHAT: one line of the table.
row() {
	local cost=$(($(ir "$2" $long) - $(ir "$2" $short)))
	[ "$2" != none ] || plain=$cost
	awk -v name="$name" -v label="$1" -v cost="$cost" -v plain="$plain" -v insts=$((long - short)) \
		-v heard=$(($(heard "$2" $long) - $(heard "$2" $short))) 'BEGIN {
			printf "| %-10s | %-7s | %9.1f | %6.2f %% | %7d | %5s |\n", name, label, cost / insts,
				100 * (cost / plain - 1), heard, (heard > insts / 2) ? sprintf("%.0f", (cost - plain) / heard) : "-" }'
}

echo "| workload   | hook    | host/inst |     cost |   heard |  each |"
echo "| ---------- | ------- | --------: | -------: | ------: | ----: |"
while IFS='|' read -r name args input _; do
	case $name in '' | '#'*) continue ;; esac
	[[ " ${*:-anagram sort hash} " == *" $name "* ]] || continue
	[ "$input" != - ] || input=/dev/null
	read -ra words <<<"$args"
	command=("build/demos/$name" "${words[@]}")
	if [ ! -x "${command[0]}" ]; then
		echo "$name is not compiled; make demos does it" >&2
		continue
	fi
	read -r pc address < <("$hooks" rare $forward $long "${command[@]}" <"$input")
	row "no hook" none
	row pc "pc=$pc"
	row where "mem addr == $address"
	row every every
done <demos/programs/list.txt
