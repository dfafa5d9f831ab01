#!/bin/bash
# The cost of listening: host instructions per simulated one, counted by callgrind as the difference
# between runs of two lengths. Nothing passes or fails.
#
#   tests/bench/hooks.sh [NAME...]      NAMEs from demos/programs/list.txt; default: anagram, sort
#                                       and hash
#
# no hook     no listener
# pc          a listener in C for the commits of one pc, which comes about once in 10,000
#             instructions
# where       one for accesses to memory with a condition about their address that holds as rarely
# every       one for every commit
# batch       every commit, 10,000 in a call
# Lua ...     the same as hooks of a script that count, beside a script without one
# each        what one call costs beside the listener's own work, in host instructions; of Lua's
#             with it, and in ns: processor time of this machine, which other work disturbs
set -u
cd "$(dirname "$0")/../.." || exit 1

BUILD=${BUILD:-build/release}
CYCLOPS=${CYCLOPS:-build/cyclops}
hooks=$BUILD/tests/bench/hooks
forward=15000000 short=100000 long=600000

# ir WHAT INSTS: host instructions of one run.
ir() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$hooks" "$1" $forward "$2" \
		"${command[@]}" \
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
	awk -v name="$name" -v label="$1" -v cost="$cost" -v plain="$plain" \
		-v insts=$((long - short)) \
		-v heard=$(($(heard "$2" $long) - $(heard "$2" $short))) 'BEGIN {
			printf "| %-10s | %-9s | %9.1f | %6.2f %% | %7d | %5s |\n", name, label, cost / insts,
				100 * (cost / plain - 1), heard, (heard > insts / 2) ? sprintf("%.0f", (cost - plain) / heard) : "-" }'
}

# script WHAT INSTS: calls and seconds. ir_lua WHAT INSTS: its host instructions.
script() { "$CYCLOPS" lua tests/bench/hooks.lua "$1" "$input" $forward "$2" "${command[@]}"; }
ir_lua() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$CYCLOPS" lua \
		tests/bench/hooks.lua "$1" "$input" $forward "$2" \
		"${command[@]}" 2>&1 >/dev/null | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}
row_lua() {
	local cost=$(($(ir_lua "$2" $long) - $(ir_lua "$2" $short))) calls seconds
	read -r calls seconds < <(script "$2" $((10 * long)))
	[ "$2" != none ] || plain=$cost quiet=$seconds
	awk -v name="$name" -v label="$1" -v cost="$cost" -v plain="$plain" \
		-v insts=$((long - short)) -v calls="$calls" \
		-v seconds="$seconds" -v quiet="$quiet" -v all=$((10 * long)) 'BEGIN {
			heard = calls * insts / all
			printf "| %-10s | %-9s | %9.1f | %6.2f %% | %7d | %s |\n", name, label, cost / insts, 100 * (cost / plain - 1), heard,
				calls > all / 2 ? sprintf("%5.0f, %.0f ns", (cost - plain) / heard, 1e9 * (seconds - quiet) / calls) : "    -" }'
}

echo "| workload   | hook      | host/inst |     cost |   heard |  each |"
echo "| ---------- | --------- | --------: | -------: | ------: | ----: |"
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
	row_lua "Lua" none
	row_lua "Lua pc" "pc=$pc"
	row_lua "Lua where" "mem addr == $address"
	row_lua "Lua every" every
	row_lua "Lua batch" batch
done <demos/programs/list.txt
