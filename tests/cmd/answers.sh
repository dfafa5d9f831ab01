#!/bin/bash
# --json: every command answers in a line that Python reads, with every key; standard output has no
# other lines. shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
answers=$top/tests/cmd/answers.py

# told COUNT KEYS...: COUNT lines, and the last commands have these answers; one Python checks all
# output at the end.
mkdir told
tellings=0
told() {
	local text keys
	IFS= read -r -d '' text <out
	tellings=$((tellings + 1))
	printf "%s" "$text" >told/$tellings
	printf -v keys '%s;' "${@:2}"
	echo "told/$tellings|$1|$keys|$command" >>tellings
}
# asked STATUS COMMAND...: of the small program, at main and 40 cycles later
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
# All stop points hit in the cycle, each with its data.
args=()
for motion in continue finish next next stepi 'step 1' reverse-next reverse-continue; do
	args+=(-e "$motion" -e 'info status')
done
run 0 --json -e 'break fib if n == 3' "${args[@]}" "$demos/fib"
got=$(python3 "$answers" places <out 2>&1)
check "stops are at their places: $(tail -n 1 <<<"$got")" [ "${got:-0}" = 8 ]
asked 0 'delete' 'break fib' 'tbreak fib' 'catch commit at fib' 'rwatch environ' continue continue
told 9 'text stop'
pc=0x$(riscv64-linux-gnu-nm "$demos/fib" | awk '$3 == "fib" { print $1 }' | sed 's/^0*//')
says out "\"hits\": [{\"stop_point\": 2, \"kind\": \"break\", \"what\": \"fib\", \"pc\": \"$pc\", \"seq\": "
says out "\"stop_point\": 3, \"kind\": \"break\", \"what\": null, \"pc\": \"$pc\""
says out "\"stop_point\": 4, \"kind\": \"catch\", \"what\": \"commit at fib\", \"pc\": \"$pc\""
asked 0 'watch ra' continue
told 4 'text stop'
says out '"kind": "watch", "what": "ra", "pc": "0x'
asked 0 'break fib' continue 'watch (sp - 64),64' continue
says out '"first_byte": 48, "last_byte": 55, "left": false'
asked 0 'catch forward' continue why
told 5 'text instruction'
says out '"instruction": {"seq": '
says out '"level": "forward", "tlb_miss": false, "store": {"seq": '
asked 0 'catch mispredict' continue 'step 60' 'why' 'why #400' 'why #401' 'why #402' 'why #403'
told 10 'text instruction'
# The same in words: the predictor, the way taken, the cost.
run 0 --json -e start -e 'catch mispredict' -e continue -e 'select none' -e why -e 'step 60' \
	"$demos/branchy"
says out '"outcome": {"cycle": '
says out '"mispredicted": true}, "data": null, "cost": {"cause": "misprediction", "cycle": '
args=()
for ((i = 0; i < 30; i++)); do args+=(-e continue -e why); done
run 0 --json -e start -e 'catch mispredict' "${args[@]}" "$demos/branchy"
got=$(python3 "$answers" squashes <out 2>&1)
check "stories cost what their squashes did: $(tail -n 1 <<<"$got")" [ "${got:-0}" = 30 ]
# A squashed instruction names its cause, and the cause names the cycle in which dispatch continued.
wide=(--json -e start -e 'catch mispredict if count > 4' -e continue)
run 0 "${wide[@]}" "$demos/branchy"
seq=$(grep -oE '"seq": [0-9]+, "event": \{"name": "squash"' out | grep -oE '[0-9]+' | head -n 1)
run 0 "${wide[@]}" -e "why #$((seq + 1))" -e 'step 10' -e "why #$seq" "$demos/branchy"
says out "\"squashed_by\": {\"cause\": \"misprediction\", \"instruction\": {\"seq\": $seq, "
read -r found later goes_on < <(tail -n 1 out | sed -nE 's/.*squashed[^"]*\(cycle ([0-9,]+)\); dispatch went on ([0-9]+) cycles? later.*"goes_on": ([0-9]+).*/\1 \2 \3/p' | tr -d ,)
check "dispatch goes on in cycle ${goes_on:-?}, ${later:-?} after ${found:-?}" [ "${goes_on:-0}" \
	= $((${found:-1} + ${later:-1})) ]
asked 0 'view rob'
told 3 'text view'
asked 0 'info stats'
told 3 'text stats'
# topic VIEW KEYS TOPIC
topics=() keys=() views=()
topic() { topics+=("$3") keys+=("$2") views+=("$1"); }
topic breakpoints 'text view' 'info breakpoints'
topic regs 'text data view' 'info registers'
topic fregs 'text data view' 'info float'
topic backtrace 'text data view' 'info frame'
topic backtrace 'text view' 'backtrace 1'
topic locals 'text view' 'info locals'
topic locals 'text view' 'info args'
topic displays 'text view' 'info display'
topic history 'text view' 'info history'
asked 0 'break fib' 'display a0' "${topics[@]}"
told 13 "${keys[@]}"
check "views of topics" \
	[ "$(grep -o '"view": {"view": "[a-z]*"' out | tail -n 9 | cut -d'"' -f6 | tr '\n' ' ')" \
	= "${views[*]} " ]

# Data of other commands. Each line of `wanted`: a command | the path to a part of its data | that
# part.
read -r at size _ < <(riscv64-linux-gnu-nm -S "$demos/fib" | awk '$4 == "fib" { print $1, $2 }')
fib="\"0x$(sed 's/^0*//' <<<"$at")\"" bytes=$((16#$size))
line=$(grep -n 'fib(n - 1)' fib.c | cut -d: -f1)
first=$(grep -n ' fib(unsigned n)' fib.c | cut -d: -f1)
text=0x$(riscv64-linux-gnu-objdump -h "$demos/fib" | awk '$2 == ".text" { print $4 }')
riscv64-linux-gnu-objcopy -O binary -j .text "$demos/fib" text
word=$(od -A n -t x4 -j $((16#$at + 4 - text)) -N 4 text | sed 's/^ *0*//')
cat >wanted <<END
info status | status | "running"
info status | symbol | "fib"
info status | exit_status | null
info status | reason | null
info status | line | $line
info program | path | "$demos/fib"
info program | args | []
info program | entry | "0x$(riscv64-linux-gnu-nm "$demos/fib" | awk '$3 == "_start" { sub(/^0*/, "", $1); print $1 }')"
info program | config | "default"
info program | instrumented | null
info program | firmware | null
info program | status | "running"
info symbol fib | address | $fib
info symbol fib | symbol | "fib"
info symbol fib | offset | 0
info symbol fib | kind | "function"
info symbol fib | from | $fib
info symbol fib | size | $bytes
info symbol fib+3 | offset | 3
info symbol environ | kind | "data"
info symbol environ | file | null
info symbol environ | line | null
info line fib | file | "demos/programs/small/fib.c"
info line fib | line | $((first + 1))
info line fib | from | $fib
info source | line | $line
info source | text | "\\t$(sed -n "${line}s/^	//p" fib.c)"
info functions fib | functions 0 symbol | "fib"
info functions fib | functions 0 address | $fib
info functions fib | functions 0 size | $bytes
info functions no_such_name | functions | []
info variables environ | variables 0 size | 8
info memory | regions 0 name | "text"
info memory | regions 0 execute | true
info memory | regions 0 write | false
info all-registers | registers 0 reg | "ra"
info all-registers | registers 9 reg | "a0"
info all-registers | registers 9 value | "0x12"
info registers sp a0 | registers 1 reg | "a0"
break fib if a0 == 3 | stop_point | 2
break fib if a0 == 3 | what | "fib"
break fib if a0 == 3 | condition | "a0 == 3"
break fib if a0 == 3 | pc | $fib
catch forward | stop_point | 3
list 1,2 | lines 1 line | 2
list 1,2 | lines 1 file | "demos/programs/small/fib.c"
list 1,2 | lines 0 current | false
list $line,$line | lines 0 current | true
list $line,$line | lines 0 text | "\\t$(sed -n "${line}s/^	//p" fib.c)"
disassemble fib | instructions 0 pc | $fib
disassemble fib | instructions 0 current | false
disassemble fib | instructions -1 symbol | "fib"
x/2i fib | instructions 0 line | $((first + 1))
x/2i pc | instructions 0 current | true
x/2i pc | instructions 1 current | false
x/2xw fib | values 1 address | "$(printf '0x%x' $((16#$at + 4)))"
x/2xw fib | values 1 size | 4
x/2xw fib | values 1 value | "0x$word"
ptype main | type | "int (int, char **)"
print/x a0 | text | "0x12"
print/x a0 | type | null
frame | frame | 0
frame | symbol | "fib"
frame | line | $line
up | frame | 1
up | symbol | "main"
END
mapfile -t lines < <(cut -d'|' -f1 wanted | sed 's/ *$//' | uniq)
asked 0 "${lines[@]}"
told $((${#lines[@]} + 2)) 'text data'
check "data is as wanted" python3 "$answers" data wanted <out
# The program's end has its status; a failed command has no data.
run 0 --json --ff 1G -e 'info program' "$demos/fib"
printf '%s\n' 'info program | status | "exited"' 'info program | exit_status | 0' \
	'info program | signal | null' >wanted
check "an end has its status" python3 "$answers" data wanted <out
asked 1 'x/s 0'
told 3 ''
asked 0 'print 1.0/0'
told 3 'text data'
asked 0 'print "a\"b"'
told 3 'text value data'
asked 0 'delete; echo x'
told 4 'text'
asked 1 'print nothing_is_called_so'
told 3 ''
says out '"ok": false, "error": "'
# From standard input, too.
printf 'start\nview pipe\n' >lines
"$CYCLOPS" --json "$demos/fib" <lines >out
told 2 'text view'
# Output before the first command, and without any command.
run 0 --json --ff 1G -e 'echo x' "$demos/fib"
told 1 'text output'
"$CYCLOPS" --json --ff 1G "$demos/fib" </dev/null >out
told 1 'output'
# As --batch, it is an option beside that of `compare`.
run 125 run --json "$demos/fib"
says err 'not an option of this command'

# All commands, taken from the help, so that new commands are tested, too. Endless commands get an
# argument.
run 0 --json -e 'help commands' "$demos/fib"
mapfile -t all < <(python3 "$answers" commands <out)
check "help names the commands" [ "${#all[@]}" -gt 60 ]
declare -A with=([break]='twice' [watch]='sp' [print]='sp' [x]='x/4i pc' [display]='view rob' \
	[set]='pipe.rob_size = 32'
	[export]='folded stacks.txt' [save]='here.ckpt' [trace]='konata t.kanata' [lua]='print(1)' \
		[echo]='"\'
	[alias]='q = step' [help]='rob' [apropos]='cycle' [catch]='squash' [goto]='30' \
		[mark]='here' [restart]='1' [source]='lines'
	[shell]='echo x; exit 3' [rwatch]='environ')
mkdir each
for name in "${all[@]}"; do
	line="$name ${with[$name]:-}"
	[ "$name" = x ] && line=${with[x]}
	behind=0
	[ "$name" != trace ] || behind=1 # the last line reports the number of written lines
	"$CYCLOPS" --json -e start -e 'step 40' -e "$line" "$demos/fib" </dev/null \
		>"each/$((3 + behind))-$name" 2>err
	status=$?
	check "$line ends with 0 or 1, not $status" [ "$status" -le 1 ]
done
passes "each command answers in whole lines" python3 "$answers" each each/*
# And each view.
mapfile -t views < <("$CYCLOPS" --batch -e view "$demos/fib" | awk '{ print $1 }')
check "there are views" [ "${#views[@]}" -gt 30 ]
args=()
for name in "${views[@]}"; do args+=(-e "view $name"); done
run 0 --json -e start -e 'step 40' "${args[@]}" "$demos/fib"
told $((${#views[@]} + 2)) 'text view'
passes "lines are well formed, with the answers that they should have" python3 "$answers" told \
	tellings
check "all tellings were looked at" [ "$(tail -n 1 said)" = "$tellings" ]
finish
