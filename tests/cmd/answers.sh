#!/bin/bash
# --json: every command answers in a line that Python reads, with every key, and nothing else is on standard output.
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
answers=$top/tests/cmd/answers.py

# told COUNT KEYS: COUNT lines, and the last command has these answers.
told() {
	local count=$1 keys=$2 got
	check "$count well-formed lines: $(head -c 300 out)" python3 "$answers" check "$count" <out
	got=$(python3 "$answers" check "$count" <out 2>&1)
	check "the last should have '$keys', not '$got'" [ "$got" = "$keys" ]
}
# asked STATUS COMMAND...: of the small program, at main and 40 cycles on
asked() {
	local want=$1 args=()
	shift
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --json -e start -e 'step 40' "${args[@]}" "$demos/fib"
}

asked 0 continue
told 3 'text stop output'
says out '"event": null, "exit_status": 0, "hits": null}'
says out '[{"fd": 1, "text": "fib(18) = 2584\u000a"}]'
is err ''
asked 0 'catch forward' continue
told 4 'text stop'
says out '"stop_point": 2, '
says out '"event": {"name": "mem", "addr": "0x'
says out '"level": "forward"'
# All that were hit in the cycle, each with what it knows.
asked 0 'delete' 'break fib' 'tbreak fib' 'catch commit at fib' 'rwatch environ' continue
told 8 'text stop'
pc=0x$(riscv64-linux-gnu-nm "$demos/fib" | awk '$3 == "fib" { print $1 }' | sed 's/^0*//')
says out "\"hits\": [{\"stop_point\": 2, \"kind\": \"break\", \"what\": \"fib\", \"pc\": \"$pc\", \"seq\": "
says out "\"stop_point\": 3, \"kind\": \"break\", \"what\": null, \"pc\": \"$pc\""
says out "\"stop_point\": 4, \"kind\": \"catch\", \"what\": \"commit at fib\", \"pc\": \"$pc\""
asked 0 'watch ra' continue
told 4 'text stop'
says out '"kind": "watch", "what": "ra", "pc": "0x'
asked 0 'catch forward' continue why
told 5 'text instruction'
says out '"instruction": {"seq": '
says out '"level": "forward", "tlb_miss": false, "store": {"seq": '
asked 0 'catch mispredict' continue 'step 60' 'why' 'why #400' 'why #401' 'why #402' 'why #403'
told 10 'text instruction'
# The same in words: who was believed, where it went, what it cost.
run 0 --json -e start -e 'catch mispredict' -e continue -e 'select none' -e why -e 'step 60' "$demos/branchy"
says out '"outcome": {"cycle": '
says out '"mispredicted": true}, "data": null, "cost": {"cause": "misprediction", "cycle": '
asked 0 'view rob'
told 3 'text view'
asked 0 'info stats'
told 3 'text stats'
for topic in breakpoints:breakpoints registers:regs float:fregs frame:backtrace locals:locals args:locals display:displays history:history; do
	asked 0 'break fib' 'display a0' "info ${topic%:*}"
	told 5 'text view'
	says out "\"view\": {\"view\": \"${topic#*:}\""
done
asked 0 'print 1/0'
told 3 'text'
asked 0 'print "a\"b"'
told 3 'text value'
asked 0 'delete; echo x'
told 4 'text'
asked 1 'print nothing_is_called_so'
told 3 ''
says out '"ok": false, "error": "'
# From standard input, too.
printf 'start\nview pipe\n' >lines
"$CYCLOPS" --json "$demos/fib" <lines >out
told 2 'text view'
# What is written before the first command, and when no command is.
run 0 --json --ff 1G -e 'echo x' "$demos/fib"
told 1 'text output'
"$CYCLOPS" --json --ff 1G "$demos/fib" </dev/null >out
told 1 'output'
# As --batch: an option of its own beside that of `compare`.
run 125 run --json "$demos/fib"
says err 'not an option of this command'

# Each command that there is, so that a new one is here. Those that go on without an end have an argument.
run 0 --json -e 'help commands' "$demos/fib"
mapfile -t all < <(python3 "$answers" commands <out)
check "help names the commands" [ "${#all[@]}" -gt 60 ]
declare -A with=([break]='twice' [watch]='sp' [print]='sp' [x]='x/4i pc' [display]='view rob' [set]='pipe.rob_size = 32'
	[export]='folded stacks.txt' [save]='here.ckpt' [trace]='konata t.kanata' [lua]='print(1)' [echo]='"\'
	[alias]='q = step' [help]='rob' [apropos]='cycle' [catch]='squash' [goto]='30' [mark]='here' [source]='lines'
	[shell]='echo x; exit 3' [rwatch]='environ')
for name in "${all[@]}"; do
	line="$name ${with[$name]:-}"
	[ "$name" = x ] && line=${with[x]}
	timeout 60 "$CYCLOPS" --json -e start -e 'step 40' -e "$line" "$demos/fib" </dev/null >out 2>err
	status=$?
	check "$line ends with 0 or 1, not $status" [ "$status" -le 1 ]
	behind=$([ "$name" = trace ] && echo 1 || echo 0) # it is said at the end how much was written
	check "$line: $(tail -n 1 out | head -c 300)" python3 "$answers" check $((3 + behind)) <out
done
# And each view.
mapfile -t views < <("$CYCLOPS" --batch -e view "$demos/fib" | awk '{ print $1 }')
check "there are views" [ "${#views[@]}" -gt 30 ]
args=()
for name in "${views[@]}"; do args+=(-e "view $name"); done
run 0 --json -e start -e 'step 40' "${args[@]}" "$demos/fib"
told $((${#views[@]} + 2)) 'text view'

finish
