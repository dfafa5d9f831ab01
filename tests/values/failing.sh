#!/bin/bash
# Modules of values with mistakes, which `cyclops run` reports while the program and the other
# modules continue.
. tests/lib.sh
quick=(-o vsample.interval_min=100 -o vsample.interval_max=150 --report "values=$dir/values.csv")

# module TEXT: what its table has beside the name
module() { printf 'return { name = "mine", capture = { all = "result" }, %s }\n' "$1" \
	>"$dir/mine.lua"; }
values() { run "$1" run --values "$dir/mine.lua,results" "${quick[@]}" "${@:2}" build/demos/fib; }

run 0 run build/demos/fib
cp "$dir/out" "$dir/right"
module 'sequence = function() end'
values 0
grep -c results "$dir/values.csv" >"$dir/alone"

# A module that fails in its third call is not called again.
module 'sequence = function(seq, add) add(seq[1].pc, 7) if seq.number == 3 then error("this one fails") end end'
for how in '' --history; do
	values 125 $how
	check "the program goes on $how" cmp "$dir/right" "$dir/out"
	says err "this one fails; the run goes on without its values"
	check "it is reported once $how" [ "$(grep -c 'this one fails' "$dir/err")" = 1 ]
	check "what it had made is there $how" grep -q mine "$dir/values.csv"
	check "another module sees all $how" [ "$(grep -c results "$dir/values.csv")" \
		= "$(cat "$dir/alone")" ]
done

# At the prompt and in Lua, too: the motion, and the commands after it.
run 125 --batch --values "$dir/mine.lua,results" "${quick[@]:0:4}" -e continue \
	-e 'report values 1' build/demos/fib
check "a motion goes on to the end" grep -q "$(tail -1 "$dir/right")" "$dir/out"
check "the prompt reports it once" [ "$(cat "$dir/out" "$dir/err" | grep -c 'this one fails; the run goes on without its values')" = 1 ]
cat >"$dir/motion.lua" <<'EOF'
local m = cyclops.machine{ program = "build/demos/fib", values = arg[1] .. ",results", set = { ["vsample.interval_min"] = 100, ["vsample.interval_max"] = 150 } }
m:run()
print(m.status, m.values:totals().broken[1], m.values:totals().values > 100)
EOF
run 0 lua "$dir/motion.lua" "$dir/mine.lua"
says out "exited	mine	true"
says err "this one fails; the run goes on without its values"
check "a script hears it once" [ "$(grep -c 'this one fails' "$dir/err")" = 1 ]

# Values for an address without code.
module 'sequence = function(seq, add) add(-4, 7) add(seq[1].pc, 7) end'
values 125
check "the program goes on" cmp "$dir/right" "$dir/out"
says err "that modules added are refused: no address of code"
prompt() { run "$1" --batch --values "$dir/mine.lua" "${quick[@]:0:4}" "${@:2}" build/demos/fib; }
prompt 125 -e 'goto 30000' -e 'goto 60000' -e 'goto 30000' -e 'goto 60000'
check "the prompt reports each motion that made some" \
	[ "$(grep -c 'that modules added are refused: no address of code' "$dir/out")" = 3 ]
prompt 0 -e 'view vsample'

# Values that it can't print.
module 'sequence = function(seq, add) add(seq[1].pc, 1234) end, format = function(v) return nil .. "x" end'
values 125
check "the program goes on" cmp "$dir/right" "$dir/out"
says err "values: mine: format: "
says err "its values are shown as numbers"
check "as numbers" grep -q 0x4d2 "$dir/values.csv"
prompt 125 -e continue -e 'report values' -e 'report values'
check "the prompt reports it once" \
	[ "$(grep -c 'values: mine: format: .*; its values are shown as numbers' "$dir/out")" = 1 ]
says out 0x4d2

# All is well.
module 'sequence = function(seq, add) add(seq[1].pc, 7) end, format = function(v) return "seven" end'
values 0
silent err
check "as it says" grep -q seven "$dir/values.csv"
prompt 0 -e continue -e 'report values'
says out seven
finish
