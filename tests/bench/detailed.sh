#!/bin/bash
# Host instructions for each committed one, of the machine with timing: kernels of one habit each
# (tests/bench/kernels/), and demos.
. "$(dirname "$0")/lib.sh"

# forward KERNEL: instructions until the loop runs and the caches are warm.
forward() { [ "$1" = chase ] && echo 30M || echo 3M; }

for name in hot branchy chase stream; do
	row $name "$(per_inst 50000 250000 --ff "$(forward $name)" $guests/$name)"
done
for name in sort anagram lisp; do
	demo $name
	row $name "$(per_inst 200000 700000 --ff 10M "${command[@]}")"
	input=
done

# Stores at the head that find no room in the write buffer.
row linked "$(per_inst 50000 250000 build/demos/linked)"

# The same instructions with a slower memory, which only adds idle cycles.
cycles() {
	"$CYCLOPS" run --max-insts 200000 --ff 30M -o mem.latency="$1" --stats "$work/stats" \
		$guests/chase >/dev/null 2>&1
	awk '$1 == "sim.cycles" { print $2 }' "$work/stats"
}
idle() { ir run --max-insts 200000 --ff 30M -o mem.latency="$1" $guests/chase; }
row 'an idle cycle' "($(idle 2000) - $(idle 500)) / ($(cycles 2000) - $(cycles 500))" %.1f

window() { per_inst 50000 250000 --ff 3M -o pipe.rob_size="$1" $guests/hot; }
plain=$(window 64)
row 'window of 65, times one of 64' "$(window 65) / $plain" %.2f
row 'window of 1,024, times one of 64' "$(window 1024) / $plain" %.2f
