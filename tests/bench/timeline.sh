#!/bin/bash
# The cost of recording the run (core/run/timeline.h): host instructions of a session without
# history, which keeps it, above those of `cyclops run`, which keeps none, between two lengths of a
# run. This includes run control.
. "$(dirname "$0")/lib.sh"

# both SHORT LONG: of the demo, in percent.
both() {
	local a b c d
	a=$(ir run --max-cycles "$1" "${command[@]}") &&
		b=$(ir run --max-cycles "$2" "${command[@]}") || return
	c=$(session "$1") d=$(session "$2")
	echo "100 * (($d - $c) / ($b - $a) - 1)"
}
session() {
	valgrind --tool=callgrind --callgrind-out-file=/dev/null "$CYCLOPS" inspect -n --batch \
		--no-history -e "goto $1" "${command[@]}" 2>&1 >/dev/null \
		<"${input:-/dev/null}" | sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

for name in sort anagram; do
	demo $name
	row "$name, cycles 20,000 to 300,000, %" "$(both 20000 300000)" %.2f
	row "$name, cycles 1 M to 3 M, %" "$(both 1000000 3000000)" %.2f
	input=
done
