#!/bin/bash
# A twin: both machines equal `cyclops run`, the gap's rows add up, motions back and forth give the
# same, and the session's machine is unaffected. shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
judge=$top/tests/cmd/twin.py
# a short name: its length moves the stack
cp "$top/demos/programs/list.txt" "$top/demos/programs/input/words.txt" "$demos/sort" .
program=(./sort list.txt)

# of FILE COMMAND...: what a session on sort answers.
of() {
	local file=$1 args=()
	shift
	for c in "$@"; do args+=(-e "$c"); done
	command="$*"
	"$CYCLOPS" inspect -n --batch "${args[@]}" "${program[@]}" >"$file" 2>said ||
		check "it succeeds: $(cat said)" false
}
# cycles_of CONFIG OPTION...: of the program run there.
cycles_of() {
	local config=$1
	shift
	"$CYCLOPS" run --config "$config" "$@" --stats stats "${program[@]}" >/dev/null 2>&1
	awk '$1 == "sim.cycles" { print $2 }' stats
}
# number FILE TEXT: the number after a text, without commas.
number() { sed -n "s/.*$2 \([0-9,]*\).*/\1/p" "$1" | head -n 1 | tr -d ,; }

# At the end, and on the way.
of end continue 'twin inorder2' 'view gap all --json'
of lines continue 'twin inorder2' 'view gap lines all --json'
of functions continue 'twin inorder2' 'view gap functions all --json'
passes 'the gap is that of two runs' python3 "$judge" "$(cycles_of default)" \
	"$(cycles_of inorder2)" end lines functions
of half 'goto 60000' 'twin pipe.rob_size=4' 'view gap all --json'
insts=$(number half 'at instruction')
passes 'on the way too' python3 "$judge" "$(cycles_of default --max-insts "$insts")" \
	"$(cycles_of default -o pipe.rob_size=4 --max-insts "$insts")" half
check 'what the program writes is written once' [ "$(grep -c '^heap ' end)" = 1 ]
says half '; B: pipe.rob_size=4'
says half ' behind A at instruction '
of ahead 'goto 60000' 'twin mem.latency=20'
says ahead ' ahead of A at instruction '
of same 'goto 60000' 'twin default' 'view twin 4'
says same 'B is as far as A at '

# The same views after any motions.
show=('view twin' 'view gap all')
of there 'goto 60000' 'twin inorder2' "${show[@]}"
of around 'goto 20000' 'twin inorder2' 'goto 90000' 'view gap' 'reverse-step 70001' 'view twin' \
	'goto 0' 'view twin' 'goto 100' 'view gap' 'twin by cycle' \
	'goto 70000' 'view twin' 'twin by instruction' 'goto 60000' "${show[@]}"
for f in there around; do sed -n '/^cycle 60,000/,$p' "$f" | sed '/^cycle/,/^  [+-]/d' | tr -d '*' |
	sed 's/^[+ ] //; s/  *//g' | tail -n 300 >"$f.shown"; done
passes 'back and forth gives the same' cmp there.shown around.shown

# The session's machine is as without a twin.
of without 'goto 60000' 'stats sim.cycles' 'goto 50000' continue 'stats'
of with 'goto 60000' 'twin inorder2' 'stats sim.cycles' 'goto 50000' 'view gap' continue \
	'view twin' 'stats'
passes 'watching changes nothing' cmp <(grep '^[a-z0-9]*\.[a-z]' without |
	grep -v '^sim\.[a-z]*time') <(grep '^[a-z0-9]*\.[a-z]' with | grep -v '^sim\.[a-z]*time')

# By cycle, and why.
of cycle 'goto 60000' 'twin inorder2' 'twin by cycle'
"$CYCLOPS" inspect -n --batch --config inorder2 -e 'goto 60000' "${program[@]}" >alone 2>&1
check 'by cycle B has committed what it has alone' \
	[ "$(grep -o 'instruction [0-9,]* and [0-9,]*; B' cycle | sed 's/.*and//' | tr -dc 0-9)" \
	= "$(grep -o '[0-9,]* instructions' alone | head -n 1 | tr -dc 0-9)" ]
of rows 'goto 62000' 'twin inorder2' 'view twin 1 --json'
seq=($(grep -o '"seq": [0-9]*' rows | tr -dc '0-9\n'))
of why 'goto 62000' 'twin inorder2' "twin why #${seq[0]}"
"$CYCLOPS" inspect -n --batch --config inorder2 -e 'goto 90000' -e "why #${seq[1]}" \
	"${program[@]}" >alone 2>&1
passes 'why is the twin'\''s own' cmp <(sed -n '/^in the twin/,$p' why | tail -n +2) \
	<(sed -n '/^#/,$p' alone)

# Machines without a twin, and motions that it can't follow.
refuses() {
	local want=$1 args=()
	shift
	for c in "$@"; do args+=(-e "$c"); done
	command="$*"
	"$CYCLOPS" inspect -n --batch "${args[@]}" "${program[@]}" >out 2>err &&
		check 'it is refused' false
	says err "$want"
}
refuses "no parameter 'pipe.rob_siz'" 'twin pipe.rob_siz=4'
refuses 'out of range' 'twin pipe.rob_size=1'
refuses "no configuration is called 'sort'" 'twin sort'
refuses "a twin runs this session's program" 'twin inorder2 sort'
refuses 'there is no twin' 'twin off'
refuses 'there is no twin' twin
refuses 'there is no twin' 'twin by cycle'
refuses 'twin by cycle, twin by instruction' 'twin inorder2' 'twin by night'
refuses 'there is no twin' 'twin inorder2' 'twin off' 'twin why'
refuses 'expected an instruction as' 'twin inorder2' 'twin why me'
refuses 'has not committed yet' 'goto 62000' 'twin inorder2' 'twin why'
refuses 'changed by hand' 'step 300' 'set $t0 = 1' 'twin inorder2'
refuses 'view gap [lines | functions] [all]' 'view gap words'
refuses 'began with a checkpoint' 'step 300' 'save here.ckpt' 'restore here.ckpt' 'twin inorder2'
of changed 'step 300' 'twin inorder2' 'set $t0 = 1' 'view gap' 'view twin' 'view twin rob'
check "each view has the reason" [ "$(grep -c 'changed by hand' changed)" = 3 ]
of again 'step 300' 'twin inorder2' run 'view gap'
says again 'there is no twin'

# With inserted code: the same instructions side by side, the inserted ones apart, and the cycles of
# the instrumented program run alone.
for kind in bb path+hw; do
	of put_in continue "twin instrument=$kind" 'view gap all --json'
	passes "$kind: the gap is that of both programs" python3 "$judge" "$(cycles_of default)" \
		"$(cycles_of default --instrument $kind)" put_in
	passes "$kind: what was put in cost cycles" python3 -c 'import json
text = open("put_in").read()
rows = json.loads(text[text.index("{\"view\": \"gap\""):])["rows"]
assert sum(r["put_in"] for r in rows[:-1]) == rows[-1]["put_in"] and 0 < rows[-1]["put_in"] < rows[-1]["cycles_b"]'
	check "$kind: they part nowhere" [ "$(grep -c 'part at' put_in)" = 0 ]
done
of at 'goto 60000' 'twin instrument=bb' 'view twin 12 --json' 'view twin disasm'
says at '"differs": "+ put in"'
check 'the same instructions in both' [ "$(grep -c 'another than in A' at)" = 0 ]
says at 'was at'
of there 'goto 60000' 'twin instrument=bb' "${show[@]}"
of around 'twin instrument=bb' 'goto 90000' 'view gap' 'reverse-step 70001' 'view twin' 'goto 0' \
	'view twin' 'twin by cycle' 'goto 70000' 'view twin' \
	'twin by instruction' 'goto 60000' "${show[@]}"
for f in there around; do sed -n '/^cycle 60,000/,$p' "$f" | sed '/^cycle/,/^  [+-]/d' |
	grep -v '^Twin' | tr -d '*' | sed 's/^[+ ] //; s/  *//g' | tail -n 300 >"$f.shown"; done
passes 'back and forth gives the same with code put in' cmp there.shown around.shown
of by 'goto 60000' 'twin instrument=bb' 'twin by cycle'
check 'by cycle only its own instructions count' [ "$(number by 'instruction [0-9,]* and')" -lt \
	"$(number by 'instruction')" ]
"$CYCLOPS" instrument --quiet --kind bb -o counting ./sort && "$CYCLOPS" instrument --quiet --kind \
	bb -o other "$demos/anagram"
end_of() { readelf -lW "$1" | awk '$1 == "LOAD" { end = $3 " " $6 } END { print end }' |
	{ read -r at n; echo $(((at + n) % 4096)); }; }
check 'the heap begins at the same place of a page' [ "$(end_of counting)" \
	= "$(end_of "$demos/sort")" ]
of file continue 'twin program=counting' 'view gap all --json'
of made continue 'twin instrument=bb' 'view gap all --json'
passes 'a file is what is put in here' cmp <(grep '^ *{"place' file) <(grep '^ *{"place' made)
refuses 'it was not made from ./sort as that is now' 'twin program=other'
refuses 'it has no map that leads back to ./sort; use what `cyclops instrument' \
	"twin program=$demos/anagram"
refuses "no kind of instrumentation is called 'bbb'; did you mean 'bb'?" 'twin instrument=bbb'
refuses 'expected only one of them' 'twin instrument=bb program=counting'
refuses 'expected program=FILE' 'twin program='
program=(./counting list.txt)
refuses 'is itself laid out again' 'twin instrument=edge'
program=(./sort list.txt)
command='compare with code put in'
"$CYCLOPS" compare --csv table default default,instrument=bb -- "${program[@]}" >/dev/null 2>err
check 'the table has both' [ "$(grep '^sim.cycles' table | cut -d, -f2,3)" \
	= "$(cycles_of default),$(cycles_of default --instrument bb)" ]
"$CYCLOPS" compare default default,program=counting -- "${program[@]}" >out 2>err &&
	check 'a file is for the screen' false
says err 'goes with --screen'

program=("$top/build/tests/cmd/asks_time")
of parted continue 'twin mem.latency=20' 'view gap'
says parted 'the two part at instruction '
of gone 'twin mem.latency=2000' continue 'view twin'
says gone "the twin can't follow to instruction "

# Ctrl-C, while a very slow machine runs.
program=("$demos/anagram" words.txt)
env --default-signal=INT "$CYCLOPS" inspect -n --batch -e 'goto 4000000' -e 'shell touch go' \
	-e 'twin mem.latency=1000 l1d.size=1K l2.size=1K pipe.rob_size=2' "${program[@]}" >out \
	2>err &
pid=$!
while [ ! -e go ] && kill -0 $pid 2>/dev/null; do sleep 0.02; done
# a signal before the twin runs has no effect
while kill -INT $pid 2>/dev/null; do sleep 0.1; done
wait $pid
command='twin, interrupted'
says err 'interrupted: the twin is at instruction '
finish
