#!/bin/bash
# The cost of active stop points and traces: host instructions, as multiples of those of the same
# cycles without them.
#
#   tests/bench/watched.sh stops|traces
. "$(dirname "$0")/lib.sh"

forward=3M short=5000 long=25000

# cost PROGRAM COMMAND...: host instructions of the cycles between two lengths, after these
# commands.
cost() {
	local program=$1 e=() a b
	shift
	for c in "$@"; do e+=(-e "$c"); done
	a=$(ir --batch --no-init --ff $forward "${e[@]}" -e "step $short" "$program")
	b=$(ir --batch --no-init --ff $forward "${e[@]}" -e "step $long" "$program")
	echo $((b - a))
}

# times NAME COMMAND: on a hot loop.
times() { row "$1" "$(cost $guests/hot "$2") / $plain" %.2f; }

plain=$(cost $guests/hot)
case ${1:-} in
stops)
	times 'a breakpoint never hit' 'break exit'
	times 'watch a hot register' 'watch a5 if a5 == 1'
	times 'watch memory never written' 'watch environ,8'
	times 'watch rob.count' 'watch rob.count if rob.count == 9999'
	times 'watch a statistic' 'watch bpred.mispredicts if bpred.mispredicts == 999999'
	times 'catch an event never heard' 'catch mem if latency > 99999'

	# Back over ten million cycles in search of a condition that never holds: in code executed
	# at their beginning, and in code executed all the time.
	demo anagram
	seconds() {
		/usr/bin/time -f '%U %S' -o "$work/time" "$CYCLOPS" --batch --no-init --stdin \
			"$input" -e 'step 10M' "$@" "${command[@]}" \
			>/dev/null 2>&1
		awk 'END { print $1 + $2 }' "$work/time"
	}
	back() { row "reverse-continue over 10 M cycles, $1, s" \
		"$(seconds -e "$2" -e reverse-continue) - $forth" %.2f; }
	forth=$(seconds)
	back 'cold code' 'break main if a0 == 987654321'
	back 'hot code' 'break search if a0 == 987654321'
	back 'memory' 'watch environ,8'
	;;
traces)
	for format in konata chrome; do
		times "trace $format" "trace $format $work/trace"
	done
	stream=$(cost $guests/stream)
	row 'trace konata, of stream' \
		"$(cost $guests/stream "trace konata $work/trace") / $stream" %.2f
	;;
*)
	echo "usage: tests/bench/watched.sh stops|traces" >&2
	exit 1
	;;
esac
