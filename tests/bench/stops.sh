#!/bin/bash
# The cost of stop points that never stop: host instructions per simulated one, counted by callgrind
# as the difference between runs of two lengths. Nothing passes or fails.
#
#   tests/bench/stops.sh [NAME...]      NAMEs from demos/programs/list.txt; default: hash and sort
#
# cost        against a run without any
set -u
cd "$(dirname "$0")/../.." || exit 1

CYCLOPS=${CYCLOPS:-build/cyclops}
forward=3000000 short=20000 long=120000
never=1000000000

# ir CYCLES COMMAND...: host instructions of one run.
ir() {
	local cycles=$1 commands=()
	shift
	for each in "$@"; do
		commands+=(-e "$each")
	done
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$CYCLOPS" --batch --ff $forward \
		"${commands[@]}" -e "step $cycles" \
		"${command[@]}" <"$input" 2>&1 >/dev/null |
		sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# row LABEL COMMAND...: one line of the table.
row() {
	local label=$1 cost
	shift
	cost=$(($(ir $long "$@") - $(ir $short "$@")))
	[ "$label" != none ] || plain=$cost
	awk -v name="$name" -v label="$label" -v cost="$cost" -v plain="$plain" \
		-v cycles=$((long - short)) 'BEGIN {
		printf "| %-10s | %-28s | %10.1f | %5.2fx |\n", name, label, cost / cycles, cost / plain }'
}

echo "| workload   | stop point                   | host/cycle |   cost |"
echo "| ---------- | ---------------------------- | ---------: | -----: |"
while IFS='|' read -r name args input _; do
	case $name in '' | '#'*) continue ;; esac
	[[ " ${*:-hash sort} " == *" $name "* ]] || continue
	[ "$input" != - ] || input=/dev/null
	read -ra words <<<"$args"
	command=("build/demos/$name" "${words[@]}")
	if [ ! -x "${command[0]}" ]; then
		echo "$name is not compiled; make demos does it" >&2
		continue
	fi
	row none
	row "break, never reached" "break _exit"
	row "watch memory, not written" "watch main,8"
	row "watch s11, cold" "watch s11 if s11 == 12345"
	row "watch a5, hot" "watch a5" "ignore 1 $never"
	row "watch a5 if a5 == 12345" "watch a5 if a5 == 0x123456789"
	row "watch rob.count" "watch rob.count" "ignore 1 $never"
	row "watch rob.count if ... == 0" "watch rob.count if rob.count == 1000"
	row "watch bpred.mispredicts" "watch bpred.mispredicts" "ignore 1 $never"
	row "watch sim.ipc" "watch sim.ipc" "ignore 1 $never"
	row "watch rob[1].state" "watch rob[1].state" "ignore 1 $never"
done <demos/programs/list.txt
