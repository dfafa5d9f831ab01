#!/bin/bash
# Labs: `ask`, `answer` and `expect`; the commands of `cyclops lab`; all solutions and wrong
# answers; a class of two hundred, hostile ones among them.
#
#   tests/labs/run.sh [expect | commands | class | small | solutions]     small: a class of
#                                                                         thirty-two
# shellcheck source=tests/lib.sh
. tests/lib.sh
export XDG_DATA_HOME=$dir/data HOME=$dir
fib=build/demos/fib


test_expect() {
said() { run 0 --batch "${@:2}" $fib && says out "$1"; }
said 'right: wait: 12' -e 'answer wait 12' -e 'expect answer wait is 12'
said 'right: wait: 1,200 cycles' -e 'answer wait 1,200 cycles' \
	-e 'expect answer wait is 1300 within 10%'
said 'not yet: wait: 12 is not it. Look again.' -e 'answer wait 12' \
	-e 'expect answer wait is 30 else Look again.'
said 'not yet: wait: 12 is not it' -e 'answer wait 12' \
	-e 'expect answer wait in 13 .. 20'
said 'not yet: wait: 25 is not it' -e 'answer wait 25' \
	-e 'expect answer wait in 13 .. 20'
said 'not yet: wait: many; expected a number' -e 'answer wait many' -e 'expect answer wait is 3'
said 'not yet: wait: inf; expected a number' -e 'answer wait inf' -e 'expect answer wait in 3 .. 9'
said 'right: why: Load' -e 'answer why Load' -e 'expect answer why is "store|load"'
said 'not yet: why: a store is not it' -e 'answer why a store' \
	-e 'expect answer why is "load"'
said 'not yet: coarse: more is not it' -e 'answer coarse more' \
	-e "$(grep '^expect answer coarse' demos/labs/08-measuring/lab.cyc)"
said 'not yet: why: not answered' -e 'expect answer why is "load"'
said 'not yet: why: passed over' -e 'answer why ?' -e 'expect answer why is "load"'
said 'right: sim.ipc is 0' -e 'step 5' -e 'expect sim.ipc in 0 .. 1'
said 'not yet: cycle is 5: far too low' -e 'step 5' -e 'expect cycle in 100 .. 200'
said 'not yet: rob.count > 60: it is not so. Step on. (3 points)' \
	-e 'expect 3 points: rob.count > 60 else Step on.'
said '4 of 5 points' -e 'expect 4: 1 == 1' -e 'expect 1 == 2' -e expect
said 'How long?' -e 'ask wait How long?' -e 'answer 12'
said 'wait: 12' -e 'ask wait How long?' -e 'answer 12'
said '  answered: 12' -e 'answer wait 12' -e 'ask wait How long?'
said 'wait             (passed over)' -e 'answer wait ?' -e answer
run 0 --batch -e 'expect 1 == 1' -e 'expect all' $fib
run 1 --batch -e 'expect 1 == 2' -e 'expect all' $fib
says err '0 of 1 points: some expectations do not hold'
wrong() { run 1 --batch -e "$1" $fib && says err "$2"; }
wrong 'expect nosuch > 1' 'nosuch'
wrong 'expect cycle in 5' 'bounds are LOW .. HIGH'
wrong 'expect cycle in 9 .. 5' 'empty range'
wrong 'expect answer wait 5' 'use expect answer NAME is EXPRESSION'
wrong 'expect answer wait is 5 within x' 'a percentage is needed'
wrong 'answer 12 12' "'12' is no name of a question"
run 1 --batch -e 'ask wait How long?' -e 'answer 12' -e 'answer 13' $fib
says err "'13' is no name of a question"
wrong 'ask wait' 'expected ask NAME QUESTION'
run 0 --json -e 'answer wait 12' -e 'expect 2: answer wait is 12' $fib
says out '"holds": true'

cat >"$dir/t.lua" <<'END'
local m = cyclops.machine{ program = "tests/asm/hello.s" }
m:cmd "answer wait 3"
print(m:expect "2: answer wait is 4 else Think.")
print(m:expect "cycle in 0 .. 1")
print(pcall(m.expect, m, "nosuch"))
print(#cyclops.read(arg[1]), pcall(cyclops.read, "/etc/passwd"))
print(select(2, pcall(cyclops.machine, { program = arg[2] })))
END
printf '_start:\tfrob a0\n' >"$dir/bad.s"
cp tests/asm/hello.s "$dir/given.s"
run 0 lua --lua-safe "$dir/t.lua" "$dir/given.s" "$dir/bad.s"
says out "false	not yet: wait: 3 is not it. Think. (2 points)	0	2"
says out 'true	right: cycle is 0	1	3'
says out "with --lua-safe only what is below the current directory or the script's folder, and its arguments"
says out 'bad.s:1:'
}

test_commands() {
run 0 lab
says out '   1  Lab 1: a pipeline and its hazards'
run 0 lab --help
says out 'grade N FILES...'
run 0 lab page 1
says out '# Lab 1'
for n in 1 2 3 5 6 7 9; do
	run 0 lab page $n
	says out 'are for a file that you have changed'
done
run 125 lab nosuch
says err "no lab is called 'nosuch'"
run 125 lab pipelin
says err "did you mean 'pipeline'?"
run 125 lab grade 1
says err 'no files given'
run 125 lab grade
says err 'no lab given'
run 125 lab grade --seconds 0 1 x
says err 'a number from 1'
run 125 lab 1 2
says err "'2' is one word too many; expected cyclops lab"
run 125 lab ./demos/tours
says err 'is no lab: it has no lab.cyc'
run 0 lab --batch 1
says out 'Your hand-in of this lab:'
run 0 lab check 1
says out 'there is none: # answer bubble ...'
says out 'nothing was handed in'
says out 'of 20 points; seed '
run 125 lab grade 1 "$dir/nowhere.s"
says err 'nowhere.s: No such file or directory; nothing is graded'
printf '# answer bubble 2\n# answer bubble 1\n' >"$dir/twice.s"
run 0 lab check 1 "$dir/twice.s"
says out '2 of 2   answer bubble: answered more than once: the last line counts'
printf '# answer bubble 1\n# answer bubble 2\n' >"$dir/twice.s"
run 0 lab check 1 "$dir/twice.s"
says out '; answered more than once: the last line counts'
mkdir "$dir/group"
run 125 lab grade 1 "$dir/group/"
says err "group/ is a folder; name its files: $dir/group/*.s; nothing is graded"
# An answer above the template's line counts.
printf '# answer bubble 1000000\n# answer bubble ?\n' >"$dir/above.s"
run 0 lab check 1 "$dir/above.s"
check 'the answer above is taken' [ -z "$(grep 'none: # answer bubble' "$dir/out")" ]
run 125 lab check --seed x 1
says err 'expected a number from 0'
run 0 lab
says out 'hand-in 0 of 20'
# A different number is another try; a repeated one, or no number, is not.
own=$(sed -n 's/: [0-9]* of 20 points;.*//p' <<<"$("$CYCLOPS" lab check 1)")
for answer in 3 3 two 'nan cycles' 2 1; do
	sed -i "s/^# answer bubble .*/# answer bubble $answer/" "$own"
	run 0 lab check 1
done
says out '  2 of 2   answer bubble (3 tries)
'
check "of that question alone" [ "$(grep -c ' tries)' "$dir/out")" = 1 ]
run 0 lab check 1 "$own"
check "a file's tries are not counted" [ "$(grep -c ' tries)' "$dir/out")" = 0 ]
printf '_start:\tfrob a0\n' >"$dir/bad.s"
run 0 lab check 1 "$dir/bad.s"
says out 'the sum is right: task.s:1:9: no instruction is called'
says out 'for each element: the sum is not right yet
'
sed 's/^_start:/_start:\tld a0, 0(zero)\n/' tests/labs/solutions/01-pipeline.s >"$dir/faults.s"
run 0 lab check 1 "$dir/faults.s"
says out 'it ended with a fault at _start (task.s:8): load from a bad address (0x0)'
printf '_start:\t.incbin "task.s"\n' >"$dir/bad.s"
run 0 lab check 1 "$dir/bad.s"
says out '.incbin is not allowed in a hand-in'
mkfifo "$dir/pipe.s"
run 125 lab check 1 "$dir/pipe.s"
says err 'pipe.s: a pipe, not a file'
# A host with less memory than a hand-in may hold gives no points, not even 0.
if [[ ${BUILD:-} != *@(asan|breaks)* ]]; then
	command='lab check, short of memory'
	(ulimit -v 40000 && "$CYCLOPS" lab check 5 tests/labs/solutions/05-caches.s) \
		>"$dir/out" 2>"$dir/err"
	check "status 125" [ $? = 125 ]
	says err '05-caches.s: not graded: this computer is out of memory'
	silent out
	(ulimit -v 40000 && "$CYCLOPS" lab grade 5 tests/labs/solutions/05-caches.s) \
		>"$dir/out" 2>"$dir/err"
	check "status 125" [ $? = 125 ]
	says err '1 of 1 not graded: this computer is out of memory'
	says out ',,20,"not graded: this computer is out of memory'
fi
printf 'return { predict = function() error "oops" end }\n' >"$dir/fails.lua"
run 0 lab check 4 "$dir/fails.lua"
says out 'it fails in each program'
says out 'tournament: pattern: the branch predictor, predictor.lua, failed in cycle '
# A name cannot forge a line.
for name in one $'two\n100 %  forged'; do cp tests/labs/solutions/01-pipeline.s "$dir/$name.s"; done
run 0 lab grade 1 "$dir/one.s" "$dir"/two*.s
check 'both are similar' grep -q "^100 %  .*one.s  .*two" "$dir/err"
check 'on one line' [ "$(grep -c '^100 %' "$dir/err")" = 1 ]
run 125 lab edit 1
says err 'there is no terminal'

# A lecturer's own lab, in the making.
run 0 lab new "$dir/mine"
cp -r "$dir/mine" "$dir/unknown"
sed -i 's/^# options: .*/# options: --no-such/' "$dir/unknown/lab.cyc"
run 125 lab --batch "$dir/unknown"
says err '--no-such'
run 125 lab new "$dir/mine"
says err 'File exists'
command="lab new on a full disk"
(trap '' XFSZ; ulimit -f 0; "$CYCLOPS" lab new "$dir/full" 2>&1) | cat >"$dir/err"
says err 'lab.cyc: '
check 'leaves no folder' [ ! -e "$dir/full" ]
if command -v strace >"$dir/out"; then
	strace -o "$dir/log" -e trace=write -e inject=write:error=ENOSPC:when=3 \
		"$CYCLOPS" lab new "$dir/full" 2>"$dir/err"
	says err 'task.s: No space left on device'
	check 'nor one with some of its files' [ ! -e "$dir/full" ]
	run 0 lab new "$dir/full"
fi
run 0 lab --batch "$dir/mine"
says out 'How many cycles will five iterations take'
sed 's/sum ?/sum 55/' "$dir/mine/task.s" >"$dir/answered.s"
run 0 lab check "$dir/mine" "$dir/answered.s"
says out '2 of 10 points'
says out 'nothing was handed in'
sed -i 's/^_start:/_start: nop\n/' "$dir/answered.s"
run 0 lab check "$dir/mine" "$dir/answered.s"
says out '5 of 10 points'
graded=$(realpath "$CYCLOPS")
command='lab check ./mine'
check 'its folder' grep -q '5 of 10 points' \
	<<<"$(cd "$dir" && "$graded" lab check ./mine answered.s)"
command='lab check mine'
check 'its folder without a slash is no lab: it might lie there by chance' \
	grep -q "a folder of your own is named with a slash: ./mine" \
	<<<"$(cd "$dir" && "$graded" lab check mine mine/task.s 2>&1)"
}

test_class() {
class=$dir/class
mkdir "$class"
many=188
[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || many=20
for ((i = 0; i < many; i++)); do
	{
		echo "# name: Student $i"
		sed "s/answer bubble 1/answer bubble $((i % 3))/; s/li t0, N/li t0, N\\n\\taddi s$((i % 7 + 2)), zero, $i/" tests/labs/solutions/01-pipeline.s
	} >"$class/s$i.s"
done
head -c 200000 /dev/urandom >"$class/h-noise.s"
: >"$class/h-empty.s"
head -c 400000 /dev/zero | tr '\0' '#' >"$class/h-large.s"
mkfifo "$class/h-pipe.s"
mkdir "$class/h-folder.s"
ln -s /etc/shadow "$class/h-link.s"
printf '# name: =1+cmd|x\n_start:\tj _start\n' >"$class/h-loop.s"
printf '# name: a\tb\npoint\t20\t20\tforged\n_start:\tj _start\n' >"$class/h-forged.s"
printf '_start:\tli a7, 64\n1:\tli a0, 1\n\tla a1, 1b\n\tli a2, 4\n\tecall\n\tj 1b\n' \
	>"$class/h-writes.s"
printf '_start:\tli a7, 222\n\tli a0, 0\n\tli a1, 0x40000000\n\tli a2, 3\n\tli a3, 34\n\tli a4, -1\n\tli a5, 0\n\tecall\n1:\tsd a0, 0(a0)\n\tli t0, 4096\n\tadd a0, a0, t0\n\tj 1b\n\t.data\nx:\ny:\nsum:\t.zero 384\n' >"$class/h-memory.s"
printf '_start:\t.rept 1000000\n\t.rept 1000000\n\tnop\n\t.endr\n\t.endr\n' >"$class/h-bomb.s"
printf '_start:\tnop\n\tfrob a0\n\tfrob a1\n' >"$class/h-frob.s"
cp "$class/s5.s" "$class/h;touch x.s"
# Names that a spreadsheet would compute, and names that would share a page.
printf '# name: \xe2\x80\x8b\x01 =1+1\n_start:\tj _start\n' >"$class/h-hidden.s"
printf '# name: \xef\xbc\x9d1+1\n_start:\tj _start\n' >"$class/=1+1.s"
printf '# name: -5\n_start:\tj _start\n' >"$class/h-number.s"
mkdir "$class/other"
for name in b.s B.s b-2.s b_2.s b.v2.s 'b"2.s' other/b.s; do
	printf '_start:\tj _start\n' >"$class/$name"
done

before=$SECONDS
tree=$PWD
cd "$class" || exit 1
files=(*.s other/*)
count=${#files[@]}
mkdir "$dir/tmp"
TMPDIR=$dir/tmp run 0 lab grade --seconds 20 --similar 99 --seed 7 -o "$dir/pages" 1 "${files[@]}"
echo "$count hand-ins: $((SECONDS - before)) s"
says out "$count hand-ins of 01-pipeline: seed 7, confined by "
run 0 lab grade --seed 7 -o "$dir/refused" 1 h-large.s
says out '1 hand-in of 01-pipeline: seed 7, none was run'
cd "$tree" || exit 1
command="grading a class"
csv=$dir/pages/grades.csv
check "a row each" [ "$(wc -l <"$csv")" = $((count + 1)) ]
check "a page each" [ "$(find "$dir/pages" -name '*.md' | tr '[:upper:]' '[:lower:]' | sort -u |
	wc -l)" = "$count" ]
check "another page each, in the table" [ "$(python3 -c 'if True:
	import csv, sys
	print(len({row["page"].lower() for row in csv.DictReader(open(sys.argv[1]))}))' "$csv")" = \
	"$count" ]
row() { grep -F "$1," "$csv" >"$dir/out"; says out "$2"; }
row s1.s 'Student 1,20,20'
row s2.s 'Student 2,18,20'
row h-empty.s '0,20,0,0,0,0,0,0,0,empty'
row h-hidden.s "' =1+1,0,20"
row h-number.s ",-5,0,20"
row "'=1+1.s" "'＝1+1,0,20"
row 'b""2.s"' ',0,20'
check "no cell is a formula" python3 -c 'if True:
	import csv, sys, unicodedata
	for file in sys.argv[1:]:
		for row in csv.reader(open(file, newline="")):
			for cell in row:
				seen = [c for c in cell if unicodedata.category(c)[0] not in "CZ"]
				assert not seen or seen[0] not in "=+@＝＋＠" and not (
					seen[0] in "-－" and not cell.lstrip("-").isdigit()), cell
' "$csv" "$dir/pages/similar.csv"
row h-large.s 'more than 256 KiB'
row h-noise.s 'no text: it has zero bytes'
row h-pipe.s 'a pipe, not a file'
row h-link.s 'a link, not a file'
row h-folder.s 'directory'
row h-loop.s "'=1+cmd|x,0,20"
row h-forged.s ',0,20'
row h-writes.s ',0,20'
row h-memory.s ',0,20'
row h-bomb.s ',0,20'
row h-frob.s "0,task.s:2:2: no instruction is called 'frob',"
row h-loop.s ",0,\"the program has no symbol 'x'"
check "the name of a file does nothing" [ ! -e x.s ] 
check "similar ones are listed" grep -q '^100,' "$dir/pages/similar.csv"
check "those with other code are not said to be the same" [ "$(wc -l <"$dir/pages/similar.csv")" \
	-lt 18000 ]
check "nothing is left behind" [ -z "$(ls -A "$dir/tmp")" ]
# The time limit counts processor time, so that the host's load does not matter.
run 0 lab new "$dir/spins"
sed -i 's/^# options: .*/&\n# steps: 9000000000000000000/' "$dir/spins/lab.cyc"
echo 'while true do end' >"$dir/spins/check.lua"
run 0 lab grade --seconds 1 "$dir/spins" "$class/s1.s"
says out ',took over 1 s of processor time,'
# Pages don't show the lecturer's seed; the same seed gives the same points, another seed other
# inputs.
check "a secret seed stays one" [ -z "$(grep -l 'seed 7' "$dir"/pages/*.md)" ]
check "the table has it" [ "$(grep -c ',7,' "$csv")" = "$count" ]
run 0 lab grade --seed 7 -o "$dir/again" 1 "$class"/{b,s0,s1,s2,h-memory}.s
points() { cut -d , -f 1,3-11 "$dir/$1/grades.csv" | grep -E '(^|/)(b|s0|s1|s2|h-memory)\.s' |
	sed 's/^[^,]*\///' | sort -u; }
check "the same seed gives the same points" [ "$(points pages)" = "$(points again)" ]
run 0 lab grade -o "$dir/drawn" 1 "$class"/s{0,1}.s
said=$(sed -n 's/.*: seed \([0-9]*\),.*/\1/p' "$dir/out")
check "a seed that was drawn is on the page" grep -q -- "--seed $said\`" "$dir/drawn/s0.md"
run 0 lab check --seed "$said" 1 "$class/s1.s"
says out "20 of 20 points; seed $said"
}

test_solutions() {
python3 tests/labs/solutions.py "$CYCLOPS" >"$dir/solutions" 2>&1 || :
sed '$d' "$dir/solutions"
check "all labs are tried: $(tail -n 1 "$dir/solutions")" grep -qE \
	'^[0-9]+ passed, [0-9]+ failed$' <(tail -n 1 "$dir/solutions")
read -r good _ bad _ < <(tail -n 1 "$dir/solutions")
passed=$((passed + good)) failed=$((failed + bad))
}

case ${1:-} in
small) CYCLOPS_TEST_SCALE=small test_class ;;
'') for part in expect commands class solutions; do "test_$part"; done ;;
*) "test_$1" ;;
esac
finish
