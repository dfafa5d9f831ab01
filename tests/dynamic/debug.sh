#!/bin/bash
# A dynamically linked program is debugged like a static one: names, lines, variables and call
# frames of its libraries exist while they are mapped, forwards and back; breakpoints wait for
# unmapped ones; each cycle is the same after any motions.
within=build/tests
. tests/lib.sh
cp build/tests/dynamic/{plain,lazy,catcher,libthrower.so,libplug.so} "$dir"
cp tests/dynamic/*.c tests/dynamic/*.cc "$dir"
cd "$dir" || exit 1

# batch WANT PROGRAM COMMANDS...
batch() {
	local want=$1 program=$2 all=() one
	shift 2
	for one; do all+=(-e "$one"); done
	run "$want" --batch "${all[@]}" "$program"
}

# Pending breakpoints.
batch 0 plain 'break qsort_r' 'info breakpoints' continue bt 'info breakpoints' \
	'info symbol qsort_r' 'disassemble $pc,+4'
says out 'Breakpoint 1 at qsort_r, commit, pending: no library that is mapped has it'
says out 'Breakpoint 1, qsort_r, cycle'
check "libc's caller in main is found" grep -q '^  #1 .* main+0x[0-9a-f]* (.*) at plain.c:[0-9]*$' \
	out
check "start-up code of libc is named" grep -q '^  #3 .* __libc_start_main+0x' out
check "what has no symbol is named by its library" grep -q '^  #2 .* libc.so.6+0x' out
check "it is there then" grep -q '^1 .* at qsort_r, commit, hit 1 time' out
batch 1 plain 'break no_such_thing*2'
says err "no register, symbol, statistic or function is called 'no_such_thing'"
batch 0 plain 'break nowhere.c:12'
says out 'Breakpoint 1 at nowhere.c:12, commit, pending'
cp "$OLDPWD/build/tests/cli/guest" .
batch 1 guest 'break qsort_rr'
says err "no symbol 'qsort_rr'"
batch 0 plain 'break nothing_has_this' continue
says out 'exited with status 7'

# Call-backs out of libc; lines and variables.
batch 0 plain 'break by_value' continue bt 'info args' 'print *(int *)calls' finish
check "through libc" grep -q 'qsort_r+0x' out
check "and on to main" grep -q 'main+0x[0-9a-f]* (.*) at plain.c:' out
says out 'calls = 0x'
says out '$1 = 0'
says out 'Returned from by_value'

# A library that is loaded later, with lines and variables of its own; then back to before its
# loading.
batch 1 catcher 'break plug.c:20' continue bt 'up' 'print n' 'info sharedlibrary' continue \
	'reverse-continue' bt 'goto 1000' 'info sharedlibrary' 'info symbol plug_work'
says out 'Breakpoint 1 at plug.c:20, commit, pending'
check 'stops in the library' grep -qE \
	'reakpoint 1, plug_inner(\+0x[0-9a-f]+)? \(.*\) at plug.c:20' out
check "frames from the library to main" grep \
	-q '^  #1 .* plug_work+0x[0-9a-f]* (.*) at plug.c:2[0-9]$' out
says out '$1 = 4'
check "libplug.so is listed once at a time" [ "$(grep -c ' lines .* /libplug.so$' out)" = 1 ]
check "its interpreter always" [ "$(grep -c ' no lines .* /lib/ld-linux-riscv64-lp64d.so.1$' out)" \
	= 2 ]
says err "info symbol plug_work"
batch 0 catcher 'continue' 'goto 2150000' 'tbreak plug_inner' reverse-continue \
	'info sharedlibrary' bt
check 'stops in the library' grep -qE \
	'Temporary breakpoint 1, plug_inner(\+0x[0-9a-f]+)? \(.*\) at plug.c:20' out
check "gone by then, and here again" grep -q ' lines .* /libplug.so$' out
batch 0 catcher 'break thrower(int)' continue 'info locals' 'next' 'reverse-next' 'reverse-continue'
check 'stops in the thrower' grep -qE 'thrower(\+0x[0-9a-f]+)? \(.*\) at thrower.cc:' out
says out 'g = {n = 0}'

# Information from a library that changed after it was mapped is not used.
batch 0 catcher 'tbreak plug_work' continue 'shell cp libthrower.so libplug.so' 'info sharedlibrary'
check "known files stay" grep -q ' lines .* /libplug.so$' out
cp "$OLDPWD/build/tests/dynamic/libplug.so" .
run 0 --batch -e 'tbreak plug_work' -e continue -e 'save half' catcher
cp libthrower.so libplug.so
batch 0 catcher 'restore half' 'info sharedlibrary' bt
check "another file of the name is not it" [ "$(grep -c libplug.so out)" = 0 ]
cp "$OLDPWD/build/tests/dynamic/libplug.so" .
printf x | dd of=libplug.so bs=1 seek=15 conv=notrunc status=none
batch 0 catcher 'restore half' 'info sharedlibrary' bt
check "nor one that differs in a byte of its header" [ "$(grep -c libplug.so out)" = 0 ]
cp "$OLDPWD/build/tests/dynamic/libplug.so" .
batch 0 catcher 'restore half' 'info sharedlibrary' bt
check "a checkpoint knows what is mapped" grep -q ' lines .* /libplug.so$' out
says out 'plug_work'

# Earlier mappings are not counted.
run 0 --batch -e 'break plug_inner' -e continue -e 'info sharedlibrary' plain maps
check 'stops in the library' grep -qE \
	'reakpoint 1, plug_inner(\+0x[0-9a-f]+)? \(.*\) at plug.c:20' out
check "it is listed once" [ "$(grep -c /libplug.so out)" = 1 ]

# Debug information in files of its own, by build ids: below the sysroot, / and --source; not if it
# is another's, or leads out.
id=$(riscv64-linux-gnu-readelf -n libthrower.so | sed -n 's/.*Build ID: //p')
riscv64-linux-gnu-objcopy --only-keep-debug libthrower.so whole.debug
riscv64-linux-gnu-strip libthrower.so
asks=(-e 'break _ZL9not_there' -e 'tbreak _Z7throweri' -e continue -e 'info sharedlibrary' \
	-e 'info locals' -e 'info symbol guard::~guard')
run 1 --batch "${asks[@]}" catcher
check "stripped, it has no lines" grep -q ' no lines  /libthrower.so$' out
at=.build-id/${id:0:2}/${id:2}.debug
for place in usr/lib/debug far/usr/lib/debug sources; do
	mkdir -p "$place/$(dirname "$at")"
	cp whole.debug "$place/$at"
	words=()
	[ $place != sources ] || words=(--source sources)
	if [ $place = far/usr/lib/debug ]; then
		words=(--sysroot far)
		mkdir -p far/lib
		cp -L /usr/riscv64-linux-gnu/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6,libm.so.6,libstdc++.so.6,libgcc_s.so.1} far/lib
	fi
	run 0 --batch "${words[@]}" "${asks[@]}" catcher
	check "$place: it has lines" grep -q ' lines  *\/libthrower.so$' out
	check 'stops in the thrower' grep -qE 'thrower(\+0x[0-9a-f]+)? \(.*\) at thrower.cc:' out
	says out 'g = {n = 0}'
	rm "$place/$at"
	ln -s "$PWD/whole.debug" "$place/$at"
	run 1 --batch "${words[@]}" "${asks[@]}" catcher
	check "$place: no link leads out of it" grep -q ' no lines  /libthrower.so$' out
	rm "$place/$at"
	riscv64-linux-gnu-objcopy --only-keep-debug libplug.so "$place/$at"
	run 1 --batch "${words[@]}" "${asks[@]}" catcher
	check "$place: another's is not taken" grep -q ' no lines  /libthrower.so$' out
	head -c 3000 whole.debug >"$place/$at"
	run 1 --batch "${words[@]}" "${asks[@]}" catcher
	check "$place: nor is a part of it" grep -q ' no lines  /libthrower.so$' out
	rm "$place/$at"
done
cp "$OLDPWD/build/tests/dynamic/libthrower.so" .

# All stubs have binutils' names.
stubs() {
	riscv64-linux-gnu-objdump -d -j .plt "$1" |
		sed -n 's/^0*\([0-9a-f]*\) <\(.*@plt\)>:$/\1 \2/p' >stubs
	check "$1 has stubs" [ "$(wc -l <stubs)" -ge "$2" ]
}
stubs lazy 3
while read -r at name; do
	printf 'print $pc\ninfo symbol 0x%x\n' $((0x10000 + 0x$at))
	echo "0x$(printf %x $((0x10000 + 0x$at))) is $name: function of 16 bytes at" >>want_stubs
done <stubs >ask
run 0 --batch -x ask lazy
grep -o '0x[0-9a-f]* is .*@plt: function of 16 bytes at' out >got_stubs
passes "all are named" diff want_stubs got_stubs
batch 0 lazy 'break main' continue 'disassemble main,+700'
says out 'qsort_r@plt'
batch 0 lazy 'break qsort_r@plt' continue bt
check "stopped in a stub, its caller is main" grep -q '^  #1 .* main+0x' out

# From the stub through the resolver into the function, all callers are there, though the resolver
# has no rules for its frame.
{
	printf 'break qsort_r@plt\ncontinue\n'
	for _ in $(seq 60); do printf 'stepi 5\nbt\n'; done
} >resolving
run 0 --batch -x resolving lazy
check "in the linker" [ "$(grep -c '^  #0 .* ld-linux' out)" -gt 30 ]
check "main called each time" [ "$(grep -c '^  #[1-9] .* main+0x' out)" = 60 ]
check "and so on" [ "$(grep -c '^  #[3-9] .* _start+0x' out)" = 60 ]

# Lazy binding is a call like another.
batch 0 lazy "break $(grep -n 'ph = (const void' plain.c | cut -d: -f1)" continue next next next \
	'reverse-next' 'reverse-next'
check "a line after the other" [ "$(grep -o 'plain.c:[0-9]*' out | tail -n +3 | sort -u | wc -l)" \
	-ge 2 ]
check "over the linker" [ "$(grep -c 'ld-linux' out)" = 0 ]

# Reports of a run.
run 3 run -o oracle.enable=true --report oracle=oracle.csv catcher
check "libraries' instructions are named" grep -q 'plug_inner' oracle.csv
run 3 run -o oracle.enable=true -o oracle.contexts=true --export folded=stacks catcher
check "stacks go through libraries" grep -q 'plug_work;.*plug_inner' stacks

# Scripts.
cat >script.lua <<'LUA'
local m = cyclops.machine{program = "catcher", sysroot = "/usr/riscv64-linux-gnu"}
print("before", m:sym("plug_work"), m:sym("__tunable_get_val") ~= nil)
m:go(2081000)
local work = m:sym("plug_work")
print("there", m:sym(work.addr).name, m:line(work.addr))
local n = 0
for s in m:symbols("plug*") do
	n = n + 1
	m:go(1000) -- away from under the loop
end
print("after", n, m:sym("plug_work"))
LUA
run 0 lua script.lua
says out $'before\tnil\ttrue'
check "lines of a library" grep -q $'^there\tplug_work\t.*plug.c\t2[0-9]$' out
says out $'after\t1\tnil'

# Walks.
cat >walks.py <<'PY'
import random, sys
random.seed(7)
cycles = sorted(random.sample(range(1, 2100000), int(sys.argv[1])) + random.sample(range(2070000, 2140000), int(sys.argv[1])))
orders = {"forth": list(cycles), "walk": random.sample(cycles, len(cycles))}
for name, order in orders.items():
    with open(name, "w") as f:
        for c in order:
            f.write(f"echo === {c:09d}\ngoto {c}\nprint $pc\nprint $sp\nbt\ninfo sharedlibrary\n")
PY
cat >blocks.py <<'PY'
import re, sys
blocks = re.split(r"(?m)^(?==== )", open(sys.argv[1]).read())[1:]
for b in sorted(blocks):
    lines = [re.sub(r", [0-9,]+ before the newest|^\$\d+ =", "", l) for l in b.splitlines() if not re.match(r"  [+-]", l)]
    # The program's output is written once only.
    print("\n".join(l for l in lines if re.match(r"===|cycle| \(void|  #|0x", l)))
PY
count=25
[ "$CYCLOPS_TEST_SCALE" = long ] && count=100
python3 walks.py $count
run 0 --batch -x forth catcher
python3 blocks.py out >forth.told
run 0 --batch -x walk catcher
python3 blocks.py out >walk.told
check "the walks met libplug.so and its absence" [ "$(grep -c libplug.so forth.told)" -gt 2 ]
passes "$((2 * count)) places look the same from everywhere" diff forth.told walk.told
run 0 lua "$OLDPWD/tests/dynamic/walks.lua" $((2 * count)) 70000 2070000 2140000 catcher
check "$((2 * count)) states are the same from everywhere" [ "$(grep -c '^cycle' out)" = 0 ]
check "other libraries are met" [ "$(grep -o '^[0-9]*' out)" -ge 4 ]
finish
