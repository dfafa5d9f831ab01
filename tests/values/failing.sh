#!/bin/bash
# Modules of values with mistakes, of which `cyclops run` tells while the program and the other modules go on.
. tests/lib.sh
quick=(-o vsample.interval_min=100 -o vsample.interval_max=150 --report "values=$dir/values.csv")

# module TEXT: what its table has beside the name
module() { printf 'return { name = "mine", capture = { all = "result" }, %s }\n' "$1" >"$dir/mine.lua"; }
values() { run "$1" run --values "$dir/mine.lua,results" "${quick[@]}" "${@:2}" build/demos/fib; }

run 0 run build/demos/fib
cp "$dir/out" "$dir/right"
module 'sequence = function() end'
values 0
grep -c results "$dir/values.csv" >"$dir/alone"

# It fails in its third turn: once, and no more is asked.
module 'sequence = function(seq, add) add(seq[1].pc, 7) if seq.number == 3 then error("this one fails") end end'
for how in '' --history; do
	values 125 $how
	check "the program goes on $how" cmp "$dir/right" "$dir/out"
	says err "this one fails; the run goes on without what it makes of values"
	check "it is told once $how" [ "$(grep -c 'this one fails' "$dir/err")" = 1 ]
	check "what it had made is there $how" grep -q mine "$dir/values.csv"
	check "another module sees all $how" [ "$(grep -c results "$dir/values.csv")" = "$(cat "$dir/alone")" ]
done

# Values of no address of code.
module 'sequence = function(seq, add) add(-4, 7) add(seq[1].pc, 7) end'
values 125
check "the program goes on" cmp "$dir/right" "$dir/out"
says err "that modules added are refused: no address of code"

# Values that it can't say.
module 'sequence = function(seq, add) add(seq[1].pc, 1234) end, format = function(v) return nil .. "x" end'
values 125
check "the program goes on" cmp "$dir/right" "$dir/out"
says err "values: mine: format: "
says err "its values are shown as numbers"
check "as numbers" grep -q 0x4d2 "$dir/values.csv"

# All is well.
module 'sequence = function(seq, add) add(seq[1].pc, 7) end, format = function(v) return "seven" end'
values 0
silent err
check "as it says" grep -q seven "$dir/values.csv"
finish
