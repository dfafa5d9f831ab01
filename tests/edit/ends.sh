#!/bin/bash
# A program with --cct writes its calling context tree at any kind of end (ends.c), one file a
# process, and ends as without --cct: under qemu-riscv64, where it catches signals itself, and here,
# where Cyclops writes the tree from its memory. Trees report a stack that was too deep.
cd "$(dirname "$0")/../.." || exit 1
within=build
. tests/lib.sh
SCALE=${CYCLOPS_TEST_SCALE:-full}
link() { # PROGRAM SOURCE
	riscv64-linux-gnu-gcc -O1 -static -Wl,--emit-relocs -o "$1" "$2" 2>"$dir/out"
}
# quiet COMMAND...: in the test's folder, without the shell's message about its end; $status: its
# status.
quiet() {
	(cd "$dir" && exec "$@") >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
} 2>/dev/null
here() { quiet "$CYCLOPS" run --functional "$@"; }
# look: reads all trees that keep_tree has put aside and checks for each how often
# main() and work() were called. A tree that is not whole is not read.
kept=() wanted=()
keep_tree() { # FILE CALLS
	kept+=("$command, $1")
	wanted+=("1 $2")
	mv "$dir/$1" "$dir/tree${#kept[@]}" 2>/dev/null
}
look() {
	local views=() k=0 got
	for k in "${!kept[@]}"; do views+=(-e "view cct all of tree$((k + 1)) --json"); done
	(cd "$dir" && "$CYCLOPS" --batch "${views[@]}" ./new </dev/null 2>err | python3 -c "
import json, sys
text, at = sys.stdin.read().strip(), 0
while at < len(text):
    view, at = json.JSONDecoder().raw_decode(text, at)
    at += len(text[at:]) - len(text[at:].lstrip())
    n = {'main': 0, 'work': 0}
    for r in view['rows']:
        n[r['context'].split()[-1]] = n.get(r['context'].split()[-1], 0) + (r['calls'] or 0)
    print(n['main'], n['work'])") >"$dir/looked"
	mapfile -t got <"$dir/looked"
	command=
	check "all trees of $kind can be read" [ ${#got[@]} = ${#kept[@]} ]
	for k in "${!kept[@]}"; do check \
		"${kept[k]}: main() and work() were called ${got[k]:-}, not ${wanted[k]}" \
		[ "${got[k]:-}" = "${wanted[k]}" ]; done
	rm -f "$dir"/tree*
	kept=() wanted=()
}

link "$dir/ends" tests/edit/ends.c
# Kind of end, number of calls of work(), and those in the child, if any; a star: another kind of
# instrumentation tries it, too.
ends="exit:5 abort:5* exec:5 fork:5:12 child-dies:5:12* spawn:5:5* spawn-nothing:5:5 system:5:5 vfork:5:5 segv:5* ill:5 trap:5 full:5* alarm:5 own:7 own-exit:7
	ignores:5* blocked:8 raise-1:5 raise-8:5 raise-13:5 raise-14:5 raise-15:5* raise-40:5"
kinds=(cct cct+path)
[ "$SCALE" != small ] || kinds=(cct)
declare -A right
for kind in "${kinds[@]}"; do
	"$CYCLOPS" instrument -q --kind $kind --cct ended.cct -o "$dir/new" "$dir/ends" 2>"$dir/out"
	for end in $ends; do
		[ $kind = cct ] || [ "$SCALE" = long ] || [[ $end == *\* ]] || continue
		[ "$SCALE" != small ] || [[ $end == *\* ]] || continue
		IFS=: read -r how want theirs <<<"${end%\*}"
		[ -n "${right[$how]:-}" ] || { quiet qemu-riscv64 ./ends $how &&
			right[$how]=$status; }
		quiet qemu-riscv64 ./new $how
		command="$kind, $how"
		check "ends with $status, as it does without: ${right[$how]}" [ $status \
			= ${right[$how]} ]
		check "says what it said" [ ! -s "$dir/out" ]
		keep_tree ended.cct $want
		others=("$dir"/ended.cct*)
		if [ -n "$theirs" ]; then
			check "its child's has its number behind it: ${others[*]##*/}" eval '[ ${#others[@]} = 1 ] && [[ ${others[0]##*/} =~ ^ended\.cct\.[1-9][0-9]*$ ]]'
			keep_tree "${others[0]##*/}" $theirs
		else
			check "one file a process" [ ! -e "${others[0]}" ]
		fi
	done
	look
	command=$kind
	trap '' TERM # and processes started now ignore it, too
	quiet qemu-riscv64 ./new raise-15
	trap - TERM
	check "a signal that is ignored ends nothing: $status" [ $status = 0 \
		-a -s "$dir/ended.cct" ]
	rm -f "$dir"/ended.cct
	quiet qemu-riscv64 ./new raise-9
	check "SIGKILL leaves none" [ $status = 137 -a ! -e "$dir/ended.cct" ]
	rm -f "$dir"/ended.cct

	# Here, where Cyclops writes the tree, also after ends that no program can catch.
	for end in exit:5 abort:5 segv:5 trap:5 full:5 own:7 ignores:5 blocked:8 raise-9:5 \
		raise-15:5 raise-40:5 alarm:5; do
		how=${end%:*}
		[[ $kind == cct || $SCALE == long || $how == abort || $how == segv ||
			$how == raise-15 ]] || continue
		here ./ends $how
		of_old=$status
		here --rw ./new $how
		command="$kind, $how, here"
		check "ends with $status, as it does without: $of_old" [ $status = $of_old ]
		[ $how = exit ] || check "it is said" grep \
			-q "its calling context tree as it stood is in ended.cct" "$dir/err"
		check "no handler of the program's is missed" eval \
			'! grep -q "handler of signal" "$dir/err"'
		keep_tree ended.cct ${end#*:}
	done
	look
	# The file equals the tree in memory.
	rows() { (cd "$dir" && "$CYCLOPS" --batch --ff 1G -e "view cct all $1 --json" ./new segv \
		</dev/null 2>>err | python3 -c "
import json, sys
print(*[(r['context'].replace('  ◀ here', ''), r['calls']) for r in json.load(sys.stdin)['rows']], sep='\n')" >"$2"); }
	here --rw ./new segv
	rows "" "$dir/memory"
	rows "of ended.cct" "$dir/file"
	command=$kind
	check "the tree of a program that has died is that of its memory" same_bytes "$dir/memory" \
		"$dir/file"
	check "which has many" [ "$(wc -l <"$dir/file")" -gt 30 ]
	rm -f "$dir"/ended.cct
done

# A heap that is full after a part of the contexts: the program itself writes the spare records.
{
	echo '#define F __attribute__((noinline)) int'
	echo 'F f14(int x) { return x + 1; }'
	for n in {13..0}; do echo "F f$n(int x) { return f$((n + 1))(x) + f$((n + 1))(x + 1); }"; done
	echo 'int main(void) { return f0(1) & 7; }'
} >"$dir/bushy.c"
link "$dir/bushy" "$dir/bushy.c"
"$CYCLOPS" instrument -q --kind cct --cct ended.cct --cct-heap 1 -o "$dir/new" "$dir/bushy" \
	2>"$dir/out"
quiet qemu-riscv64 ./new
for of in "" "of ended.cct"; do
	(cd "$dir" && "$CYCLOPS" --batch --ff 1G -e "view cct all $of --json" ./new </dev/null \
		2>err | python3 -c "
import json, re, sys
view = json.load(sys.stdin)
kept = sum(re.search(r' f\d+$', r['context']) is not None for r in view['rows'])
lost = int(re.search(r'LOST ([\d,]+)', view['summary'])[1].replace(',', ''))
print(kept + lost if kept > 1000 and lost > 1000 else view['summary'])")
done >"$dir/calls"
command="calls in memory and in the file: $(paste -sd' ' "$dir/calls")"
check "a full heap loses none" [ "$(sort -u "$dir/calls" | wc -l)" = 1 ]
rm -f "$dir"/ended.cct

# Other kinds have no file: a report writes their counts so far, from memory.
cat >"$dir/fives.py" <<'EOF'
import csv, sys
rows, kind = list(csv.DictReader(open(sys.argv[1]))), sys.argv[2]
if kind == "path":
    n = sum(int(r["count"]) for r in rows if r["function"] == "work" and not r["offsets"].startswith("round"))
elif kind == "edge":
    n = sum(int(r["count"]) for r in rows if r["to"] == "work")
else:
    n = max(int(r["count"]) for r in rows if r["place"].split("+")[0] == "work")
sys.exit(n != 5)
EOF
for kind in bb edge path; do
	report=counters
	[ $kind != path ] || report=hot-paths
	"$CYCLOPS" instrument -q --kind $kind -o "$dir/new" "$dir/ends" 2>"$dir/out"
	for how in abort segv raise-15; do
		here --report "$report all=rows.csv" ./new $how
		command="$kind, $how"
		check "work() was called 5 times" python3 "$dir/fives.py" "$dir/rows.csv" $kind
		check "nothing is lost" eval '! grep -q "is lost" "$dir/err"'
		here ./new $how
		check "without a report it is said" grep -q "its counts ($kind) were in its memory and are lost; use --report $report=FILE" "$dir/err"
	done
	here ./new exit
	command="$kind, exit"
	check "nothing is said of one that ends by itself" [ ! -s "$dir/err" ]
done

# Impossible requests are reported.
"$CYCLOPS" instrument -q --kind cct --cct ended.cct -o "$dir/new" "$dir/ends" 2>"$dir/out"
here ./new segv
says err "ended.cct can't be written, the calling context tree is lost: Read-only file system; use --rw"
here ./new exit
check "without --rw the program says so" grep -qx \
	"ended.cct: the calling context tree can't be written" "$dir/err"
check "and ends as it does" [ $status = 0 ]
here --rw --max-insts 20000 ./new exit
says err "ended.cct is not written: the program has not ended"
check "there is no file" [ ! -e "$dir/ended.cct" ]
mkdir "$dir/ended.cct"
quiet qemu-riscv64 ./new segv
check "where there can be no file, under qemu: $status" grep -qx \
	"ended.cct: the calling context tree can't be written" "$dir/err"
check "it dies as it does" [ $status = 139 ]
here --rw ./new segv
says err "the calling context tree is lost: Is a directory"
rmdir "$dir/ended.cct"
# The program's rules hold: its folder is its root.
"$CYCLOPS" instrument -q --kind cct --cct ../../outside.cct -o "$dir/out-of-it" "$dir/ends" \
	2>"$dir/out"
here --rw ./out-of-it segv
check "no file outside of the program's root" [ ! -e "$dir/../../outside.cct" ]
check "but in it" [ -s "$dir/outside.cct" ]

# A stack deeper than its places.
cat >"$dir/deep.c" <<'C'
#include <stdlib.h>
__attribute__((noinline)) static long leaf(long x) { return x * 3 + 1; }
__attribute__((noinline)) long deep(long n)
{
	volatile char room[32768];
	room[0] = (char)n;
	return n ? deep(n - 1) + (leaf(n) & 1) + 0 * room[0] : 0;
}
int main(int count, char **arguments)
{
	volatile char *far = malloc(300 << 20); /* what lies where a stack could be says nothing */
	for (long i = 0; far && i < 300 << 20; i += 1 << 15)
		far[i] = 1;
	return deep(count > 1 ? atol(arguments[1]) : 0) < 0;
}
C
link "$dir/deep" "$dir/deep.c"
command=
# deep yes|no OF [OPTIONS...] PROGRAM...: the tree's text.
deep() {
	(cd "$dir" && "$CYCLOPS" --batch -e "view cct $2" "${@:3}" </dev/null 2>>err) >"$dir/out"
	local deep=no
	grep -q "STACK DEEPER than 256 MB: contexts share places" "$dir/out" && deep=yes
	grep -q "contexts by calls" "$dir/out" && [ $1 = $deep ]
}
[ "$SCALE" = long ] || kinds=(cct)
for kind in "${kinds[@]}"; do
	[ $kind != cct+hw ] || continue
	"$CYCLOPS" instrument -q --kind $kind --cct deep.cct -o "$dir/new" "$dir/deep" 2>"$dir/out"
	for stack in 8388608 536870912; do
		quiet qemu-riscv64 -s $stack ./new 200
		check "$kind: in a stack of $stack bytes it is not deep" deep no "of deep.cct" ./new
	done
	quiet qemu-riscv64 -s 536870912 ./new 8000
	check "$kind, 250 MB" deep no "of deep.cct" ./new
	quiet qemu-riscv64 -s 536870912 ./new 8300
	check "$kind, 260 MB" deep yes "of deep.cct" ./new
	here --rw -o sim.stack=536870912 ./new 8300
	check "$kind, 260 MB, here" deep yes "of deep.cct" ./new
	here --rw -o sim.stack=536870912 ./new 8000
	check "$kind, 250 MB, here" deep no "of deep.cct" ./new
done
"$CYCLOPS" instrument -q --kind cct -o "$dir/new" "$dir/deep" 2>"$dir/out"
check "from memory" deep yes "" --ff 1G -o sim.stack=536870912 ./new 8300
check "from memory, 250 MB" deep no "" --ff 1G -o sim.stack=536870912 ./new 8000
"$CYCLOPS" instrument -q --kind path -o "$dir/new" "$dir/deep" 2>"$dir/out"
here -o sim.stack=536870912 -o sim.memory=2147483648 --report hot-paths=paths.txt ./new 8300
check "report of paths" grep -q "STACK DEEPER than 256 MB: activations share places" \
	"$dir/paths.txt"
here -o sim.stack=536870912 -o sim.memory=2147483648 --report hot-paths=paths.txt ./new 8000
check "report of paths, 250 MB" eval '! grep -q "STACK DEEPER" "$dir/paths.txt"'

finish
