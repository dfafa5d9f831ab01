#!/bin/bash
# Traces of instructions for Konata and Perfetto: of the past and of the future, whole and in parts;
# they agree with the machine's counts.
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh

for program in fib branchy longjmp; do
	batch 0 "$demos/$program" 'break main' continue 'step 3k' \
		'trace konata past.kanata 28500 30500' \
		'trace konata ahead.kanata' 'step 700' 'reverse-step 300' 'step 500' 'trace stop' \
		'trace chrome past.json 28500 live'
	silent err
	for file in past ahead; do
		passes "$file.kanata makes sense" awk -f "$top/tests/cmd/konata.awk" $file.kanata
	done
	check "past.json is JSON" "$json" <past.json
	says past.json '"cat": "committed"'
	says past.json '"name": "operand"'
done
# An arrow is an operand: none leads to a load from the store that its store set makes it wait for.
# The program has no instruction with three operands.
run 0 --batch -o lsq.speculate=true -o lsq.predictor=store-sets -e 'goto 3000' \
	-e 'trace konata sets.kanata 1000 2000' \
	-e 'trace chrome sets.json 1000 2000' -e 'print lsq.predicted_waits > 100' \
	"$top/build/tests/predict/memdep_guest"
says out '= true' # or nothing waits
check "no arrow leads from a store" awk -F '\t' '
	$1 == "L" && $3 == 0 { store[$2] = $4 ~ /: s[bhwd] / }
	$1 == "W" { arrows++; if (store[$3]) wrong = 1 }
	END { exit wrong || !arrows }' sets.kanata
check "no arrow leads to a third operand" awk '
	/"operand"/ { arrows++; match($0, /"id": [0-9]+/); if (substr($0, RSTART + 6, RLENGTH - 6) % 4 == 2) wrong = 1 }
	END { exit wrong || !arrows }' sets.json
check "an arrow leads from an operand that was waited for" awk '
	match($0, /"ts": [0-9]+/) { ts = substr($0, RSTART + 6, RLENGTH - 6) }
	/"name": "wait"/ { dispatched = ts }
	/"ph": "s"/ { arrows++; if (ts + 0 < dispatched + 0) wrong = 1 }
	END { exit wrong || !arrows }' sets.json
# Whole runs, with all kinds of departures: both formats agree with the machine's counts, to the
# last instruction.
every=('')
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || every=()
for settings in "${every[@]}" '-o lsq.speculate=true -o lsq.predictor=store-sets' \
	'-o pipe.in_order=true -o pipe.memory_stage=1'; do
	# shellcheck disable=SC2086
	run 0 --batch $settings -e 'trace konata whole.kanata' -e 'trace chrome whole.json' \
		-e continue -e 'stats --json' "$top/tests/golden/guest.elf"
	sed -n '/^{/,/^}/p' out >stats.json
	awk -f "$top/tests/cmd/konata.awk" whole.kanata >whole
	passes "a whole run $settings" python3 "$top/tests/cmd/traces.py" whole.json whole \
		stats.json
done
# Parts of a run, which begin and end among instructions in flight.
parts=() files=()
for range in '0 1' '5000 5001' '5000 6000' '8000 8500'; do
	name=part-${range/ /-}
	parts+=("trace konata $name.kanata $range" "trace chrome $name.json $range") \
		files+=("$name.json" "$name")
done
batch 0 "$demos/fib" 'goto 9000' "${parts[@]}"
for name in part-*.kanata; do awk -f "$top/tests/cmd/konata.awk" "$name" >"${name%.kanata}"; done
passes "four ranges of cycles" python3 "$top/tests/cmd/traces.py" "${files[@]}"
# A range around the present is the same as one in the past.
batch 0 "$demos/fib" 'goto 29000' 'trace konata a 28800 29400' 'step 1000' \
	'trace konata b 28800 29400'
check "recorded and future parts join without a seam" cmp -s a b
# A trace that has not begun survives a new run; a started one belongs to the old run, and ends.
batch 0 "$demos/fib" 'goto 29000' 'trace konata e 29100 29200' \
	run starti 'goto 29500' 'trace konata f 29100 29200'
check "a trace that waits goes on waiting after run" cmp -s e f
batch 0 "$demos/fib" 'goto 29000' 'trace konata g' 'step 100' run
check 'a trace that has begun ends at run' grep -q '^g: [1-9][0-9]* instructions' out
# Arrows from all that an instruction waited for, of which fused multiplications have three.
batch 0 "$demos/matmul" 'break multiply_ijk' continue 'step 200' 'trace konata three 28000 live'
check 'some wait for three' awk '$1 == "W" && ++arrows[$2] == 3 { found = 1 } END { exit !found }' \
	three
# Rows of loads and misses for an untranslated page, and for a miss without a register.
batch 0 "$demos/fib" 'catch mem if tlb_miss' continue 'view lsq'
says out 'memory, TLB miss'
run 0 --batch -o l1d.mshrs=1 -e 'lua repeat m:step() v = tostring(m:cmd "view mshr") until v:find "waits for a register"' -e 'view mshr' "$demos/fib"
check 'what waits for a register has it since no cycle' grep -qE \
	'^miss .* waits for a register  [0-9]+ left, [0-9]+ +[0-9]+ *$' out
check 'and what has one since some' grep -qE \
	'^miss .* from (L2|memory) +[0-9]+ left, [0-9]+ +[0-9]+ ago, [0-9]+ ' out
# The written file is reported: when its range is over, by `trace`, and at the end.
batch 0 "$demos/fib" 'trace konata h 29000 29100' 'goto 30000' 'trace chrome i' trace 'step 100'
tells 'Writing h as the program runs'
tells 'h: [0-9]* instructions, cycles 29,000 to 29,099, for Konata'
tells 'i: nothing yet, for Perfetto and Chrome, so far'
tells 'i: [0-9]* instructions, cycles 30,000 to 30,0[0-9]*, for Perfetto and Chrome'
slices=$(grep -cE '"cat": "(committed|squashed)"' i)
# The number in flight there depends on the length of this folder's name.
tells "i: $slices instructions, cycles .*, for Perfetto and Chrome"
rows=$(grep -c '^I' h) ended=$(grep -c '^R' h)
tells "h: $rows instructions, cycles .*; $((rows - ended)) still in flight"
batch 1 "$demos/fib" 'trace konata a 200 100'
says err 'not after'
batch 1 "$demos/fib" 'trace kontaa a'
says err 'konata'
batch 1 "$demos/fib" 'trace konata nowhere/a'
says err 'nowhere/a'
# A full disk: the motion in which it is noticed stops and fails; what is left is noticed when the
# file is finished, at the latest when the session ends.
lost='/dev/full: not written in full: No space left on device'
# Files of both formats in turn, since both use the same writer.
format=konata
batch 1 "$demos/fib" "trace $format /dev/full" continue 'step 10'
says err "continue: $lost"
says out "Stopped, since a trace can't be written, cycle"
batch 1 "$demos/fib" "trace $format /dev/full 100 200" 'step 1k'
says err "step 1k: $lost"
batch 125 "$demos/fib" "trace $format /dev/full" 'step 10' quit
says err "cyclops: $lost"
format=chrome
batch 1 "$demos/fib" 'step 20k' "trace $format /dev/full start 50k"
says err "50k: $lost"
batch 125 "$demos/fib" "trace $format /dev/full" 'step 10'
says err "cyclops: $lost"
batch 1 "$demos/fib" 'goto 29000' "trace $format /dev/full" 'step 10' 'trace stop'
says err "trace stop: $lost"
batch 1 "$demos/fib" 'goto 29000' "trace $format /dev/full" 'step 10' starti
says err "starti: $lost"
batch 1 "$demos/fib" 'trace konata /dev/full' 'lua m:run{ cycles = 90000 }'
says err "90000 }: $lost"
batch 125 "$demos/fib" "lua cyclops.machine{ program = '$demos/fib' }:cmd 'trace konata /dev/full'"
says err "cyclops: $lost"
finish
