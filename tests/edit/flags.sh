#!/bin/bash
# Kinds of instrumentation as profile instructions, with flags at methods, loops and blocks:
# switched off, they count nothing and change nothing; switched on, they count all; switched at
# random, they count whole paths.
cd "$(dirname "$0")/../.." || exit 1
within=build
. tests/lib.sh
made=${dir#"$PWD/"}

input=demos/programs/input
programs=build/tests/edit
sed '/queens 7/d; s/queens 6/queens 4/g' $input/queens.lisp >"$made/queens.lisp"
declare -A arguments=([lisp]=$made/queens.lisp)
SCALE=${CYCLOPS_TEST_SCALE:-full}
# With CYCLOPS_TEST_SCALE=long each program in all modes; else each mode with one or two programs.
modes=(--functional -oxprof.enable=true) kinds_of=() units_of=() hows_of=() switched=() checked=()
case $SCALE in
long)
	for p in longjmp exceptions branchy; do
		for mode in "${modes[@]}"; do
			kinds_of+=("$p bb $mode" "$p path $mode" "$p edge $mode")
		done
		units_of+=("$p loops" "$p blocks")
	done
	for p in longjmp exceptions branchy lisp; do
		hows_of+=("$p bb=1,path=2,units=loops" "$p edge=0,path=1,units=blocks" \
			"$p bb=7,checks=100:10,units=loops")
		switched+=("$p methods" "$p loops" "$p blocks") \
			checked+=("$p timing" "$p functional")
	done
	steady_of=(longjmp exceptions branchy)
	;;
full)
	kinds_of=("longjmp bb -oxprof.enable=true" "longjmp path --functional" \
		"branchy edge --functional")
	units_of=("longjmp loops" "longjmp blocks")
	hows_of=("branchy bb=1,path=2,units=loops,checks=100:10" \
		"exceptions edge=0,path=1,units=blocks")
	switched=("longjmp methods" "exceptions loops") checked=("longjmp timing" \
		"exceptions functional")
	steady_of=(longjmp)
	;;
small)
	kinds_of=("longjmp path --functional") steady_of=()
	checked=("longjmp functional")
	;;
esac

# Functions in which the program ends, or which longjmp and throw leave.
ends=exit,_exit,_Exit,__run_exit_handlers,_start,__libc_start_main,__libc_start_main_impl,__libc_start_call_main,load_gp
# main calls setjmp(), and its path from there is unfinished when descend() returns there.
ends+=,main,descend,longjmp,__libc_longjmp,_longjmp,_longjmp_unwind,__libc_siglongjmp

# counts A B: true if two reports agree on blocks or paths; with B "", if A is empty.
counts() {
	python3 - "$@" <<'END'
import json, sys
def load(name):
    counts = {}
    for r in json.load(open(name))["rows"] if name else []:
        # After setjmp a path begins at a flag; in plain code it continues an iteration's.
        path = (r.get("offsets") or "").replace("round ", "").replace(" back", "")
        counts.setdefault((r["was"], path), []).append(r["count"])
    return {key: sorted(counts[key]) for key in counts}
a, b = load(sys.argv[1]), load(sys.argv[2])
sys.exit(a != b or bool(sys.argv[2]) != bool(a))
END
}

# instrumented KIND,... PROGRAM: prints the instrumented program's path: names have one length,
# since guests read theirs.
instrumented() {
	local new
	new=$dir/new-$(md5sum <<<"$*" | cut -c 1-12)
	[ -e "$new" ] || "$CYCLOPS" instrument -q --kind "$1" -o "$new" "$programs/$2" || return
	echo "$new"
}

# count KIND,... REPORT FILE PROGRAM [OPTION...]: runs it, its output in $dir/out.
count() {
	# shellcheck disable=SC2086
	timeout 300 "$CYCLOPS" run "${@:5}" --report "$2=$3" "$(instrumented "$1" "$4")" \
		${arguments[$4]:-} >"$dir/out" 2>&1
}

right() { cmp -s "$dir/out" "$dir/right"; }

# answered PROGRAM: $dir/right is the original's output.
answered() { "$CYCLOPS" run --functional "$programs/$1" >"$dir/right" 2>&1; }
# Throwing reads the new code's unwind tables, whose contents change its path.
comparable() { [ "$1" != exceptions ]; }

for of in "${kinds_of[@]}"; do
	read -r p kind mode <<<"$of"
	answered "$p"
	report=counters
	[ "$kind" = path ] && report=hot-paths
	count "$kind" $report "$dir/plain.json" "$p" --functional
	count "$kind=3" $report "$dir/off.json" "$p" "$mode"
	check "$p, $kind, off, $mode: its output" right
	check "$p, $kind, off, $mode: nothing is counted" counts "$dir/off.json" ""
	count "$kind=3,on" $report "$dir/on.json" "$p" --functional
	check "$p, $kind, on: its output" right
	! comparable "$p" || check "$p, $kind, on: counts are plain code's" counts "$dir/on.json" \
		"$dir/plain.json"
done
for p in "${steady_of[@]}"; do
	answered "$p"
	count path=3,on hot-paths "$dir/plain.json" "$p" --functional
	count path=3,on,steady hot-paths "$dir/on.json" "$p"
	! comparable "$p" || check "$p: paths that plain code follows" counts "$dir/on.json" \
		"$dir/plain.json"
	count path=3,steady hot-paths "$dir/off.json" "$p"
	check "$p: which are not counted when they are off" counts "$dir/off.json" ""
	check "$p: nor is its output another" right
done
for of in "${units_of[@]}"; do
	read -r p units <<<"$of"
	answered "$p"
	count bb counters "$dir/plain.json" "$p" --functional
	count "bb=0,on,units=$units" counters "$dir/on.json" "$p"
	check "$p, $units, on: its output" right
	! comparable "$p" || check "$p, $units, on: counts are plain code's" counts "$dir/on.json" \
		"$dir/plain.json"
done

# On other hosts all instructions are executed.
for of in "${hows_of[@]}"; do
	read -r p how <<<"$of"
	# shellcheck disable=SC2086
	qemu-riscv64 "$programs/$p" ${arguments[$p]:-} >"$dir/right" 2>&1
	check "$p, $how" "$CYCLOPS" instrument -q --kind "$how" -o "$dir/new" "$programs/$p"
	# shellcheck disable=SC2086
	qemu-riscv64 "$dir/new" ${arguments[$p]:-} >"$dir/out" 2>&1
	check "$p, $how, under qemu" right
done

# Flags at random, and checks: exactly the blocks of counted paths are counted.
# whole PROGRAM HOW WHAT: of $dir/new.
whole() {
	# shellcheck disable=SC2086
	check "$1, $3" timeout 300 "$CYCLOPS" lua tests/edit/flags.lua "$dir/new" "$ends" "$2" \
		${arguments[$1]:-} >"$dir/said"
	[ ! -s "$dir/said" ] || grep -v "flags switched" "$dir/said"
}
for of in "${switched[@]}"; do
	read -r p units <<<"$of"
	"$CYCLOPS" instrument -q --kind "bb=1,path=1,units=$units" -o "$dir/new" "$programs/$p"
	whole "$p" switch "$units, switched at random"
done
for of in "${checked[@]}"; do
	read -r p mode <<<"$of"
	"$CYCLOPS" instrument -q --kind bb=1,path=1,units=loops --checks 40:7 -o "$dir/new" \
		"$programs/$p"
	whole "$p" "$mode" "checks, $mode"
done

[ "$SCALE" != small ] || { finish; exit; } # the same code, of small programs and large ones

# Two kinds, each by flags of its own.
for kind in bb path; do
	"$CYCLOPS" instrument -q --kind $kind -o "$dir/new" $programs/longjmp
	"$CYCLOPS" lua tests/edit/counted.lua "$dir/new" >"$dir/only-$kind"
	check "$kind counts" [ -s "$dir/only-$kind" ]
done
"$CYCLOPS" instrument -q --kind bb --type bb=2 --kind path=5 --on -o "$dir/new" $programs/longjmp
"$CYCLOPS" lua tests/edit/counted.lua "$dir/new" 2 >"$dir/said"
check "type 2 off, 5 on" cmp -s "$dir/said" "$dir/only-path"
"$CYCLOPS" lua tests/edit/counted.lua "$dir/new" >"$dir/said"
check "both on" cmp -s "$dir/said" <(sort "$dir/only-bb" "$dir/only-path")

# Contexts: the tree has each procedure as often as its first block was entered under the same flag,
# whatever the checks decide; switched on, the tree is plain code's. entered PROGRAM: the sums of
# $dir/stacks are those of $dir/blocks.json.
entered() {
	python3 - "$programs/$1" "$dir/stacks" "$dir/blocks.json" <<'END'
import collections, json, subprocess, sys
places, sums = collections.defaultdict(list), collections.Counter()
for line in subprocess.run(["riscv64-linux-gnu-nm", sys.argv[1]], capture_output=True, text=True).stdout.splitlines():
    if len(line.split()) == 3:
        places[line.split()[2]].append(int(line.split()[0], 16))
for line in open(sys.argv[2]):
    stack, n = line.rsplit(" ", 1)
    sums[stack.split(";")[-1]] += int(n)
blocks = {r["was"]: r["count"] for r in json.load(open(sys.argv[3]))["rows"]}
blocks = {int(was, 16) if isinstance(was, str) else was: n for was, n in blocks.items()}
right = 0
for name in sums:
    # strcmp's loop goes back to its first instruction.
    if len(places[name]) == 1 and name != "strcmp":
        if sums[name] != blocks.get(places[name][0], 0):
            sys.exit(f"{name}: {sums[name]} times in the tree, entered {blocks.get(places[name][0], 0)} times")
        right += 1
sys.exit(right < 20)
END
}
# tree KIND,... PROGRAM [OPTION...]
tree() {
	rm -f "$dir/stacks"
	timeout 300 "$CYCLOPS" run "${@:3}" --export "folded=$dir/stacks" \
		"$(instrumented "$1" "$2")" >"$dir/out" 2>&1
}
[ "$SCALE" = long ] || modes=(--functional)
for p in longjmp exceptions; do
	[ "$SCALE-$p" != full-longjmp ] || continue
	answered $p
	for mode in "${modes[@]}"; do
		tree bb=0,cct=0,units=loops,checks=30:7 $p $mode --report \
			"counters=$dir/blocks.json"
		check "$p, contexts and checks, $mode: its output" right
		check "$p, contexts and checks, $mode" entered $p
	done
done
tree cct longjmp --functional
sort "$dir/stacks" >"$dir/tree"
tree bb=1,cct=0,on,units=loops longjmp
check "contexts that are on" cmp -s "$dir/tree" <(sort "$dir/stacks")
numbers=$("$CYCLOPS" run --functional $programs/longjmp)
for kind in cct cct+hw cct+path; do
	all=(,steady) # at scale full each has one
	[ $kind != cct+hw ] || all=("")
	[ "$SCALE" != long ] || all=("" ,steady)
	for steady in "${all[@]}"; do
		tree $kind=0$steady longjmp
		check "$kind$steady that is off" [ ! -s "$dir/stacks" ]
		tree $kind=0,bb=0,checks=30:7$steady longjmp --report "counters=$dir/blocks.json"
		check "$kind$steady and checks: its output" [ "$(grep numbers "$dir/out")" \
			= "$numbers" ]
		# its stacks are weighed by metrics
		[ $kind = cct+hw ] || check "$kind$steady and checks" entered longjmp
	done
done

# Arcs: none, or all that uninstrumented code would count.
arcs() { timeout 300 "$CYCLOPS" run --instrument "$1" --report "callgraph=$dir/arcs.json" \
	$programs/longjmp >"$dir/out" 2>&1; }
arcs_as() { python3 -c '
import json, sys
print(*sorted((r["site"], r["callee"], r["calls"]) for r in json.load(open(sys.argv[1]))["rows"]), sep="\n")' "$dir/arcs.json"; }
arcs callgraph
arcs_as >"$dir/plain"
arcs callgraph=4,on
check "arcs that are on" cmp -s "$dir/plain" <(arcs_as)
check "are some" [ "$(wc -l <"$dir/plain")" -gt 50 ]
arcs callgraph=4
check "arcs that are off" [ -z "$(arcs_as)" ]

# Procedures checked in a known order: exactly the entries are counted in which the down-counter is
# below LENGTH.
riscv64-linux-gnu-gcc -nostdlib -static -Wl,--emit-relocs -o "$dir/calls" tests/edit/calls.s
checked() {
	"$CYCLOPS" run --functional --instrument "bb=1,checks=$1:$2,units=$3" --report \
		"counters=$dir/blocks.json" "$dir/calls" >"$dir/out" 2>&1
	python3 - "$dir/blocks.json" "$1" "$2" "$3" <<'END'
import collections, json, sys
period, length, number, right = int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[2]), collections.Counter()
loops = sys.argv[4] == "loops"
for name in ["_start", "work"] + (["round"] * loops + ["f", "falls", "neighbour"]) * 1003:
    number -= 1
    on = number < length
    right[name] += on
    if on and name in ("_start", "work"):
        sys.exit(f"{name} is on, of which blocks in loops would be counted")
    number = number or period
del right["round"]
is_ = collections.Counter()
for r in json.load(open(sys.argv[1]))["rows"]:
    name = r["place"].split("+")[0]
    is_[name] += r["count"] if name != "work" else 0
sys.exit(0 if +is_ == +right else f"{dict(is_)}, not {dict(right)}")
END
}
for often in "10 3 methods" "7 1 methods" "100 97 methods" "10 3 loops" "13 5 loops"; do
	# shellcheck disable=SC2086
	check "checks, $often" checked $often
done

# A procedure that falls through into its neighbour has ended; its caller's flag holds again after
# both.
"$CYCLOPS" instrument -q --kind bb=1 -o "$dir/new" "$dir/calls"
for name in f falls neighbour; do
	"$CYCLOPS" lua tests/edit/only.lua "$dir/new" $name >"$dir/out" 2>&1
	check "only $name is on: $(cat "$dir/out")" [ "$(cat "$dir/out")" = "$name 1003" ]
done

# A procedure that is off doesn't count; its metrics go to its caller, once: the sum is at most what
# was executed.
"$CYCLOPS" instrument -q --kind cct+hw=0 --metrics sim.insts -o "$dir/new" "$dir/calls"
"$CYCLOPS" lua tests/edit/only.lua "$dir/new" work >"$dir/out" 2>&1
read -r spent executed <"$dir/out"
check "metrics of callers and callees are off: $spent of $executed" [ "$spent" -gt $((1003 * 9)) ] &&
	check "and no more" [ "$spent" -le "$executed" ]

# Flags set by hand may change at any instruction, except those that paths and contexts rely on.
sets() { "$CYCLOPS" --batch --instrument "$1" -e "$2" -e 'print pflags' "$dir/calls" >"$dir/out" \
	2>&1; }
# told TEXT: checks that the text was printed.
told() { file_has out "$1"; }
for kind in path path+hw cct cct+hw cct+path; do
	sets $kind=2 'lua print(pcall(m.cmd, m, "set pflags = 4")) m:cmd "set pflags = 2"'
	check "pflags in the middle of $kind" told \
		"flag 2 would change in the middle of what $kind counts"
	check "another flag" told "pflags = 2"
	check "what plain code follows, $kind" eval \
		'sets $kind=2,steady "set pflags = 4" && told "pflags = 4"'
done
sets path=2 "set pflags = 4"
check "that is an error" [ $? != 0 ]
check "pfbase in the middle of path" eval \
	'! sets path=2 "set pfbase = 64" && grep -q "pfbase: flag 2 would change" "$dir/out"'
check "by a script" eval \
	'! sets cct=3 "lua m.csr.pflags = 8" && grep -q "flag 3 would change" "$dir/out"'
check "blocks are counted whenever" eval \
	'sets bb=2 "set pflags = 4" && grep -q "pflags = 4" "$dir/out"'

# Only some functions; and impossible requests.
"$CYCLOPS" instrument -q --kind bb=1,on --functions 'desc*' -o "$dir/new" $programs/longjmp
"$CYCLOPS" lua tests/edit/counted.lua "$dir/new" >"$dir/said"
check "only descend" [ "$(wc -l <"$dir/said")" -gt 4 ] &&
	check "and nothing else" [ "$(wc -l <"$dir/said")" -lt 12 ]
refused() {
	local said
	said=$("$CYCLOPS" instrument -o "$dir/none" "${@:2}" "$dir/calls" 2>&1) && return 1
	[ ! -e "$dir/none" ] && [[ $said == *"$1"* ]]
}
check "no such units" refused "expected methods, loops, blocks" --kind bb=1 --units rounds
check "more on than there is" refused "PERIOD:LENGTH" --kind bb=1 --checks 5:6
check "nothing to switch" refused "nothing is a profile instruction" --kind bb --units loops
check "nowhere to switch" refused "without units" --kind bb=1 --units none --on
check "two that switch" refused "checks switch profiling on" --kind bb=1 --on --checks 5
check "loops alone" refused "goes with units loops" --kind bb=1 --min-loop 5
check "no function" refused "no function is left" --kind bb=1 --functions nosuch
check "type 8" refused "0 to 7" --kind bb=8
check "contexts without flags" refused "use units methods" --kind cct=1 --units none
check "contexts with metrics without flags" refused "cct+hw=1 needs flags" --kind cct+hw=1 --units \
	none
check "paths that aren't there" refused "steady applies to paths" --kind bb=1 --steady


# A function that jumps to its own labels has no flags, and its caller's hold in it; the others are
# still instrumented. A function that longjmp may enter is refused by name.
riscv64-linux-gnu-gcc -O1 -static -Wl,--emit-relocs -o "$dir/dispatch" tests/edit/dispatch.c
qemu-riscv64 "$dir/dispatch" >"$dir/right"
"$CYCLOPS" instrument -q --kind edge=1,cct+path=2 --on -o "$dir/new" "$dir/dispatch" 2>"$dir/err"
"$CYCLOPS" run --functional "$dir/new" >"$dir/out" 2>&1
check "labels of its own, contexts that are on" right
cat >"$dir/comes-back.c" <<'C'
#include <setjmp.h>
#include <stdlib.h>
static jmp_buf here;
__attribute__((noinline)) static void out(int n) { if (n) longjmp(here, n); }
__attribute__((noinline)) int comes_back(int n)
{
	void *volatile way = n ? &&a : &&b;
	if (setjmp(here) == 3)
		return 4;
again:
	goto *way;
a:	out(3);
b:	if (n++ > 5)
		return 5;
	goto again;
}
int main(void) { return comes_back(1) - 4; }
C
riscv64-linux-gnu-gcc -O0 -static -Wl,--emit-relocs -o "$dir/calls" "$dir/comes-back.c"
check "a function that is returned to without a flag of its own" refused \
	"methods' entries, and comes_back, to which a jump from anywhere may come back" --kind \
	edge=1,cct=2 --on

finish
