#!/bin/bash
# Places without inserted code: between a load-reserved and its store-conditional, of all kinds.
# Exceptions arrive at landing pads, not at all places that their tables name. And each function
# that is left alone has its reason, and no other.
. "$PWD/tests/lib.sh"
program=build/tests/edit-atomics
for kind in bb edge path cct path+hw cct+hw cct+path callgraph bb=0 edge=0 \
	'bb=0 --units loops' 'bb=0 --units blocks' \
	'path=0 --units loops --checks 1000:10'; do
	# shellcheck disable=SC2086
	run 0 instrument -q -o "$dir/new" --kind $kind "$program"
	passes "nothing in sequences, $kind" python3 tests/edit/atomics.py "$dir/new" calls
	run 67 run "$dir/new"
	run 67 run --report "untouched=$dir/left.csv" "$dir/new"
	check "one is entered in its middle, $kind" \
		grep -q "^entered,.*control comes into the middle" "$dir/left.csv"
done
run 67 run --instrument bb --report "counters=$dir/counters.csv" "$program"
# Each sequence is entered a hundred times, and is one block.
passes 'sequences are counted where they are entered' python3 - "$dir/counters.csv" "$program" <<'END'
import csv, subprocess, sys
at = {line.split()[2]: int(line.split()[0], 16)
    for line in subprocess.run(["riscv64-linux-gnu-nm", sys.argv[2]], capture_output=True, text=True,
    check=True).stdout.splitlines()}
counts = {int(row["was"], 16): int(row["count"]) for row in csv.DictReader(open(sys.argv[1]))}
for name, blocks in ("maximum", 2), ("try_once", 1), ("mask", 2), ("add_if_even", 4):
    after = min(a for a in at.values() if a > at[name])
    mine = [n for was, n in counts.items() if at[name] <= was < after]
    assert counts[at[name]] == 100 and len(mine) == blocks, (name, mine)
END
# why_NAME is left alone, and its twin not_NAME is counted.
early="it calls before it has lowered the stack pointer"
stack="where its stack was when it was entered isn't known where it calls"
link="it calls through another register than ra and t0"
clone="a system call of it comes back on another stack as well"
for kind in path path+hw cct cct+hw cct+path; do
	{
		echo "why_early,$early"
		echo "why_stack,$stack"
		echo "why_link,$link"
		[[ $kind = path* ]] || echo "why_clone,$clone"
	} | sort >"$dir/right"
	run 4 run --instrument $kind --report "untouched=$dir/left.csv" build/tests/edit-refusals
	cut -d, -f1,5 "$dir/left.csv" | tail -n +2 | sort >"$dir/have"
	passes "reasons, $kind" diff "$dir/right" "$dir/have"
done
run 0 --batch --instrument cct -e continue -e "export folded $dir/tree program by calls" \
	build/tests/edit-refusals
for name in not_early not_last not_stack not_link not_clone; do
	check "$name is counted" grep -q ";$name 50$" "$dir/tree"
done
for kind in cct path cct+hw; do
	run 0 run --instrument $kind --report "untouched=$dir/left.csv" build/tests/edit-landing
	says out '719520 40 0'
	check "shrunk() is instrumented, $kind" [ -z "$(grep shrunk "$dir/left.csv")" ]
done
finish
