#!/bin/bash
# Stream compressors and profiles of tuples: every tests/sampler/test_*.lua.
. tests/lib.sh

for script in tests/sampler/test_*.lua; do
	counts "$CYCLOPS" lua "$script"
done

# Memory of compressors and streams counts as the script's: an untrusted script can't take all
# memory.
limited() {
	printf '%s\n' "$2" >"$dir/script.lua"
	run 1 lua --lua-safe ${steps:+--lua-steps $steps} "$dir/script.lua"
	says err "$1"
}
limited "out of memory for a stream" \
	'local st = cyclops.stream(1 << 28) while true do st:add(1, 2, 0, 1000000) end'
limited "out of memory for a profile" \
	'local p = cyclops.profile() for i = 1, 1e9 do p:add(i, i) end'
limited "not enough memory" \
	'local t = {} for i = 1, 1e9 do t[i] = cyclops.compressor "H(P(1), 1), H(P(1), 1)" end'
steps=20M limited "computes for too long" 'local st, c = cyclops.stream():add(1, 2, 0, 4000000), cyclops.compressor "P(1000)" while true do c:feed(st) end'
printf 'for i = 1, 8 do cyclops.stream():add(i, 2, 0, 4000000) end\n' >"$dir/script.lua"
# dropped objects are collected in time: together they need twice the available memory
run 0 lua --lua-safe "$dir/script.lua"

# The report has the statistics' numbers, and both overheads.
run 0 run --firmware build/demos/firmware/sampler.elf -o sampler.enable=true \
	-o sampler.reader=interrupt \
	-o 'sampler.compressor=H(P(5), 64), A(4)' -o sampler.threshold=10 -o sampler.min_count=50 \
	--stats "$dir/stats" \
	--report sampler="$dir/report" build/demos/longjmp
stat_of() { awk -v name="$1" '$1 == name { print $2 }' "$dir/stats"; }
row_of() { sed -nE "s/^$1 +([0-9,.]+) .*/\1/p" "$dir/report" | tr -d ,; }
for name in selected messages read late; do
	check "$name" [ -n "$(row_of $name)" -a "$(row_of $name)" = "$(stat_of sampler.$name)" ]
done
check "the model's overhead" awk -v a="$(row_of 'model overhead')" \
	-v b="$(stat_of sampler.model_overhead)" \
	'BEGIN { exit !(a > 0 && a - 100 * b < 0.02 && 100 * b - a < 0.02) }'
check "what it did cost" awk -v a="$(row_of 'measured overhead')" -v b="$(stat_of firmware.share)" \
	'BEGIN { exit !(a > 0 && a - 100 * b < 0.02 && 100 * b - a < 0.02) }'
check "an error" [ -n "$(row_of error)" ]
gaps=$(sed -nE 's/^gap .*cycles +([0-9,]+) .*/\1/p' "$dir/report" | tr -d , |
	awk '{ n += $1 } END { print n + 0 }')
check "a gap before each message but the first: $gaps" [ "$gaps" = $(($(row_of messages) - 1)) ]
run 1 --batch -o sampler.enable=true -e 'report sampler x' build/demos/hello
says err "report sampler x: it takes no arguments"
run 1 --batch -e 'report sampler' build/demos/hello
says err "sampler.enable=true"
finish
