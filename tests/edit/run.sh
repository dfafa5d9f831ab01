#!/bin/bash
# Programs that the executable editor has laid out again, without insertions and with counters, run
# as before: under qemu-riscv64, independently of Cyclops, and here.
cd "$(dirname "$0")/../.." || exit 1
within=build
. tests/lib.sh
. tests/edit/inputs.sh

# same NAME EMULATOR FILE: FILE's output and exit status are those of the program NAME under qemu.
same() {
	local got
	# shellcheck disable=SC2086
	$2 "$3" ${arguments[$1]:-} <$input/phrases.txt >"$dir/out" 2>&1
	got=$?
	[ "$got" = "$status" ] && cmp -s "$dir/out" "$dir/right"
}

turn=0
for program in build/tests/edit/*; do
	name=${program##*/}
	[ -f "$program" ] || continue
	[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || [[ " branchy exceptions lisp unwind " == \
		*" $name "* ]] || continue
	# shellcheck disable=SC2086
	qemu-riscv64 "$program" ${arguments[$name]:-} <$input/phrases.txt >"$dir/right" 2>&1
	status=$?
	check "$name says something" [ -s "$dir/right" ]
	hows=(bb path "bb --type bb=3" edge "edge,path=2,bb=1" nothing)
	# Each program uses one mode, in turn.
	[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || hows=("${hows[turn % 6]}")
	turn=$((turn + 1))
	for how in "${hows[@]}"; do
		# shellcheck disable=SC2086
		check "$name, $how: instrumented" "$CYCLOPS" instrument -q --kind $how \
			-o "$dir/new" "$program"
		check "$name, $how, under qemu" same "$name" qemu-riscv64 "$dir/new"
		check "$name, $how, here" same "$name" "$CYCLOPS run --functional" "$dir/new"
	done
	[ $((turn % 7)) != 0 ] || check "$name, bb, at once" same "$name" \
		"$CYCLOPS run --functional --instrument bb" "$program"
done

[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || { finish; exit; } # the same code on the same programs
all=0
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || all=1

# Through a signal's frame, which only the emulator makes.
qemu-riscv64 build/tests/edit/unwind signal >"$dir/right"
check "unwinding out of a signal" grep -q raise "$dir/right"
kinds=(edge)
[ $all = 0 ] || kinds=(nothing bb edge)
for kind in "${kinds[@]}"; do
	"$CYCLOPS" instrument -q --kind "$kind" -o "$dir/new" build/tests/edit/unwind
	check "unwinding out of a signal, $kind" cmp <(qemu-riscv64 "$dir/new" signal) "$dir/right"
done

# Signals between any two instructions: emulated one by one, thousands of handlers come.
kinds=(cct+path)
[ $all = 0 ] || kinds=(nothing bb edge path cct cct+path)
for kind in "${kinds[@]}"; do
	"$CYCLOPS" instrument -q --kind "$kind" -o "$dir/new" build/tests/edit-interrupts
	check "signals, $kind" grep -q '^right:' <(timeout 100 qemu-riscv64 -singlestep "$dir/new")
done

# With timing, too.
program=build/tests/edit/longjmp
qemu-riscv64 $program <$input/phrases.txt >"$dir/right" 2>&1
status=$?
check "longjmp, bb, with timing" same longjmp "$CYCLOPS run --instrument bb" $program

# Reports of counts: a procedure without loops has as many paths as its first block has entries.
report() { "$CYCLOPS" run --report "$1=$dir/report.json" "${@:2}" >/dev/null 2>"$dir/err"; }
# rows EXPRESSION: of the rows R.
rows() { python3 -c "import json; R = json.load(open('$dir/report.json'))['rows']; print($1)"; }
lisp=(build/tests/edit/lisp "$made/queens.lisp") sort=(build/tests/edit/sort "$made/words-1000.txt")
check "report of blocks" report counters --functional --instrument bb "${lisp[@]}"
entered=$(rows "min((r['was'], r['count']) for r in R if r['place'].startswith('cons+'))[1]")
check "report of paths, and of procedures" report hot-paths --report \
	"hot-procedures=$dir/procedures.json" --functional --instrument path "${lisp[@]}"
check "paths of cons: $entered" \
	[ "$(rows "sum(r['count'] for r in R if r['function'] == 'cons')")" = "$entered" ]
check "which is executed often" [ "$entered" -gt 100 ]
check "procedures have rows" grep -q '"function": "cons"' "$dir/procedures.json"
check "with metrics" report hot-procedures --instrument path+hw build/tests/edit/longjmp
check "without instrumentation it says so" eval '! report hot-paths --functional "${lisp[@]}" && grep -q "counts nothing; use --instrument path" "$dir/err"'
check "the other kind is named" eval '! report hot-paths --functional --instrument bb "${lisp[@]}" && grep -q "use .report counters" "$dir/err"'

# Functions left alone are named, with its reason and its share: the oracle's sums of its
# instructions.
"$CYCLOPS" instrument --kind path -o "$dir/new" build/tests/edit/lisp 2>"$dir/said"
alone=$(awk '/function.* left alone: / { n += $1 } END { print n + 0 }' "$dir/said")
check "the summary says how many: $alone" [ "$alone" -ge 1 ]
check "and why" grep -q "left alone: it calls before it has lowered the stack pointer" "$dir/said"
check "report of what is untouched" report untouched --functional -o oracle.enable=true "$dir/new" \
	"$made/queens.lisp"
check "it names as many" [ "$(rows "sum(r['what'] == 'left alone' for r in R)")" = "$alone" ]
alone="r['what'] == 'left alone' and r['executed']"
sums=$(rows "' '.join(r['function'] + '=' + str(r['executed']) for r in R if $alone)")
check "its sums are the oracle's" "$CYCLOPS" lua tests/edit/untouched.lua "$dir/new" \
	"$made/queens.lisp" "$sums"
check "without an oracle nothing is known" report untouched --functional "$dir/new" \
	"$made/queens.lisp"
check "and - stands there" [ "$(rows "{r['share'] for r in R}")" = "{'-'}" ]
check "kind bb leaves nothing alone" report untouched --functional --instrument bb \
	build/tests/edit/longjmp
check "so there is no row" [ "$(rows "len(R)")" = 0 ]
check "of an ordinary program it says so" eval '! report untouched --functional "${lisp[@]}" && grep -q "is not instrumented; use --instrument path" "$dir/err"'

# Both counters give a function the same flow graph: the oracle on the original program, and the
# program itself.
flows=()
for function in quick_sort heap_sort flag_sort insertion_sort merge_sort memcpy; do
	flows+=(-e "view cfg $function --json")
done
exact=(-o oracle.enable=true -o oracle.blocks=true)
flow() { "$CYCLOPS" --batch --ff 1G "${@:2}" "${flows[@]}" "${sort[@]}" >"$dir/$1.flow" \
	2>"$dir/err"; }
check "flow, the oracle" flow right "${exact[@]}"
hows=(edge path+hw)
[ $all = 0 ] || hows=(edge bb path path+hw cct+path)
for how in "${hows[@]}"; do
	check "flow, $how" flow "$how" --instrument "$how"
done
check "flow, the oracle of an instrumented program" flow both --instrument bb "${exact[@]}"
for how in "${hows[@]}" both; do
	check "flow, $how, is right" python3 tests/edit/flow.py "$dir/right.flow" "$dir/$how.flow"
done

# Branches out of range are inverted: the oracle counts their opposite outcomes.
flows=()
for function in eval_form cons collect intern memcpy; do flows+=(-e "view cfg $function --json"); \
	done
flow() { "$CYCLOPS" --batch --ff 1G "${exact[@]}" "${@:2}" "${flows[@]}" "${lisp[@]}" \
	>"$dir/$1.flow" 2>"$dir/err"; }
check "flow of a large function" flow large
check "flow of a large function, laid out again" flow turned --instrument bb
check "they are the same" python3 tests/edit/flow.py "$dir/large.flow" "$dir/turned.flow"

# graphviz reads the same graph: a node for each block, and the counts that the view has.
"$CYCLOPS" --batch --ff 1G --instrument edge -e "export dot-cfg $dir/cfg.dot quick_sort code" \
	-e 'view cfg quick_sort' "${sort[@]}" >"$dir/out" 2>&1
check "export dot-cfg" grep -q '^Wrote ' "$dir/out"
check "dot reads it" eval 'dot -Tplain "$dir/cfg.dot" >"$dir/plain"'
check "a box for each block" [ "$(grep -c '^node b' "$dir/plain")" \
	= "$(sed -n 's/.*Flow of quick_sort  \([0-9]*\) blocks.*/\1/p' "$dir/out")" ]
check "counts at arrows" grep -q '^edge b0 b16 .* 83 ' "$dir/plain"
check "as the view has them" grep -q ' 83 .* bgeu a5,a1 → 16 *45' "$dir/out"
check "loops are thick" grep -q '^edge b19 b6 .* bold ' "$dir/plain"
check "export names an unknown function" eval '"$CYCLOPS" --batch -e "export dot-cfg $dir/new.dot nobody" build/tests/edit/sort 2>&1 | grep -q "no symbol .nobody"'

# Paths account for every instruction of a function, and their labels for their numbers.
"$CYCLOPS" instrument -q --kind path+hw -o "$dir/sort" build/tests/edit/sort
views() { "$CYCLOPS" --batch --ff 1G "$@" "$dir/sort" "$made/words-1000.txt"; }
check "views of paths" eval 'views -e "view paths quick_sort by insts 0% --json" -e "view paths merge_sort by insts 0% --json" >"$dir/paths"'
for number in $(seq 0 40); do details+=(-e "view paths quick_sort $number --json" \
	-e "view paths merge_sort $((number + 240)) --json"); done
check "views of each" eval 'views "${details[@]}" >"$dir/details"'
check "the same counted in contexts" eval '"$CYCLOPS" --batch --ff 1G --instrument cct+path -e "view paths quick_sort by insts 0% --json" -e "view paths merge_sort by insts 0% --json" -e "view paths memcpy by insts 0% --json" "${sort[@]}" >"$dir/contexts"'
check "paths of contexts account for it" python3 tests/edit/paths.py "$dir/right.flow" \
	"$dir/contexts" "$dir/details"
check "paths account for what was executed" python3 tests/edit/paths.py "$dir/right.flow" \
	"$dir/paths" "$dir/details"
check "all paths, by procedure" eval 'views -e "view paths" | grep -q "^hot .*↺ .* ↺"'
timed() { "$CYCLOPS" --batch -e "view paths $1 --json" -e 'break quick_sort' -e continue \
	-e "view paths $1 --json" "$dir/sort" "$made/text" | sed '1,/^Breakpoint 1, /d'; }
check "hot, cold, dense and sparse" eval 'timed "0% by sim.cycles" >"$dir/all" && timed "2% by sim.cycles" >"$dir/some" && python3 tests/edit/classes.py "$dir/all" "$dir/some"'
refused() { ! views -e "view paths $1" >"$dir/out" 2>&1 && grep -qF "$2" "$dir/out"; }
check "no such path" refused "quick_sort 999999" "path 999999: it has 157, from 0 on"
check "distinguished by the loop's latches there are more" eval '"$CYCLOPS" --batch --instrument path --latches -e "view paths quick_sort 999999" "${sort[@]}" 2>&1 | grep -q "path 999999: it has 223, from 0 on"'
blocks_of() { "$CYCLOPS" run --functional --instrument path "$@" --report \
	"hot-paths all=$dir/paths.json" "${sort[@]}" >"$dir/out" 2>&1; }
same_paths() {
	python3 - "$dir/merged.json" "$dir/paths.json" <<'END'
import collections, json, sys
merged, apart = (json.load(open(f))["rows"] for f in sys.argv[1:])
def sums(rows):
    n = collections.Counter()
    for r in rows:
        n[r["was"], r["offsets"]] += r["count"]
    return n
# One path is one row; split by iteration, the same executions.
sys.exit(len(sums(merged)) != len(merged) or len(apart) <= len(merged) or sums(merged) != sums(apart))
END
}
check "paths" blocks_of && mv "$dir/paths.json" "$dir/merged.json"
check "paths by where loops went back from" blocks_of --latches
check "one path is one row" same_paths
check "no such metric" refused "by sim.cycle" \
	"paths have no 'sim.cycle'; did you mean 'sim.cycles'?"
check "nothing behind by" refused "by" "no metric after by; expected by times, by insts"
check "no percentage" refused "150%" "expected 0% to 100%"
check "a function without paths" refused "_start" \
	"the paths of _start are not counted; \`report untouched\` has the reason"
check "too many words" refused "main 1 2" "'2' is one word too many"
check "a program that counts none says how" eval '"$CYCLOPS" --batch -e "view paths" build/tests/edit/sort | grep -q "counts no paths: start it with --instrument path"'

# Breakpoints at functions and lines are hit as often as in the original program, and the inspector
# shows the code's old place.
stops=(-e 'break quick_sort' -e 'ignore 1 1000000')
for line in $(seq 132 168); do stops+=(-e "break sort.c:$line" \
	-e "ignore $((line - 130)) 1000000"); done
hits() { "$CYCLOPS" --batch "$@" "${stops[@]}" -e continue -e 'info breakpoints' \
	build/tests/edit/sort "$made/text" 2>"$dir/err" |
	sed -n 's/.*(\(sort.c:[0-9]*\)).*, hit \([0-9]*\).*/\1 \2/p'; }
hits >"$dir/right"
check "lines are executed" [ "$(wc -l <"$dir/right")" -gt 30 ]
hows=(path)
[ $all = 0 ] || hows=(edge path)
for how in "${hows[@]}"; do
	hits --instrument "$how" >"$dir/hits"
	check "breakpoints, $how" diff "$dir/right" "$dir/hits"
done
was=$(riscv64-linux-gnu-nm build/tests/edit/sort |
	awk '$3 == "quick_sort" {sub(/^0+/, "0x", $1); print $1}')
COLUMNS=120 "$CYCLOPS" --batch --instrument path -e 'break quick_sort' -e continue -e where \
	-e 'info symbol quick_sort' -e 'info line quick_sort' -e 'info program' \
	-e 'disassemble quick_sort' -e 'view disasm quick_sort 60' build/tests/edit/sort \
	"$made/text" >"$dir/out" 2>&1
check "info symbol" grep \
	-q "^0x[0-9a-f]* (put in by path, before $was) is quick_sort .*: function of" "$dir/out"
check "info line" grep -q "sort.c:13[0-9]: 0x[0-9a-f]* <quick_sort> (.*$was) to" "$dir/out"
check "info program" grep -q "^instrumented: path$" "$dir/out"
check "where, the caller" grep -q "^  #1 .* main+.* at sort.c:[0-9]* (was 0x1[0-9a-f]*)$" "$dir/out"
check "disassemble, what was there" grep \
	-q "<quick_sort+0x[0-9a-f]*> .*addi sp,sp,-[0-9]*.*  # was $was" "$dir/out"
check "disassemble, what was put in" grep -q "<quick_sort> .*  # + path" "$dir/out"
check "view disasm, what was there" grep \
	-q " quick_sort+0x[0-9a-f]* *addi sp,sp,-[0-9]* .* $was  0x" "$dir/out"
check "view disasm, what was put in" grep -q "^+ *quick_sort+0x[0-9a-f]* .* + path *0x" "$dir/out"
check "an ordinary program says nothing of that" eval '! "$CYCLOPS" --batch -e "info symbol main" -e where -e "disassemble main" build/tests/edit/sort | grep -qE "was 0x|put in|# \+"'

# Debuggers find functions and lines.
"$CYCLOPS" instrument -q --kind bb -o "$dir/new" build/tests/edit/hash
check "readelf has no complaint" \
	[ -z "$(riscv64-linux-gnu-readelf -aW "$dir/new" 2>&1 >/dev/null)" ]
for function in main qsort printf; do
	check "$function has its name" grep -q " FUNC .* $function\$" <(riscv64-linux-gnu-readelf \
		-sW "$dir/new")
done
address=$(riscv64-linux-gnu-nm "$dir/new" | awk '$3 == "main" {print $1}')
check "main has its line" grep -q "hash.c:" <(riscv64-linux-gnu-addr2line -e "$dir/new" "$address")

finish
