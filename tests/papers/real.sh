#!/bin/bash
# The papers over real programs, small: regions end at the same place with any instrumentation,
# pages agree with the runs; and run.sh's progress messages. Without workloads, a message.
paper=vaswani2003
. tests/papers/lib.sh

# ---- run.sh: its progress, and its time in the page ----
CYCLOPS=echo demos/papers/ammons1997/run.sh --programs one,two --out "$dir/stub" >"$dir/out" \
	2>"$dir/err" || failed=$((failed + 1))
command='demos/papers/ammons1997/run.sh'
says err 'is done, 2 of 2, after '
says out 'Made in '
echo 1000 >"$dir/stub/spent"
CYCLOPS=echo demos/papers/ammons1997/run.sh --programs one,two --out "$dir/stub" >"$dir/out" \
	2>"$dir/err"
check 'where it goes on, times are added up' grep -q 'Made in 10[0-9][0-9] s' "$dir/stub/tables.md"

# make papers passes its options on.
said() { make -n papers "$@" 2>/dev/null | grep -o 'run.sh --[^|]*\|about %d minutes.*/ 60'; }
check 'a factor' grep -q 'run.sh --factor 0.1 ' <<<"$(said FACTOR=0.1)"
check 'small' grep -q 'run.sh --small ' <<<"$(said SMALL=1)"
check 'how long' grep -q '\* 0.1 / 60' <<<"$(said FACTOR=0.1)"

# ---- pages ----
small=(--small --programs gzip --insts 60000 --out "$out")
if [ -x build/debian/gzip ]; then
	page 0 workloads "${small[@]}"
	says out 'Real programs ([`demos/workloads`]'
	says out '### Table IV'
	check 'what stays, once more' python3 - "$out/records" "$dir/out" <<'EOF'
import re, sys
def cycles(what):
    return int(re.search(r'\["sim.cycles"\] = (\d+|0x[0-9a-f]+)', open(f"{sys.argv[1]}/small-gzip-real-{what}.lua").read())[1], 0)
row = re.search(r"^\| gzip .*", open(sys.argv[2]).read(), re.M)[0].strip("|").split("|")
plain, off, on = (cycles(w) for w in ("nothing-0-table-0", "bb-0-units-loops-0-table-0", "bb-0-units-loops-100-table-0"))
assert f"{100 * (off / plain - 1):.2f}" == row[4].strip() and f"{100 * (on / plain - 1):.2f}" == row[5].strip(), row
assert f"{100 * (off - plain) / (on - plain):.0f}" == row[6].strip(), row
EOF
	page 0 workloads "${small[@]}"
	silent err
	# Always-on counters count the region from its beginning to its end, and the program's
	# output is the same: else the page ends with a message.
	here=demos/papers/ammons1997
	page 0 workloads --workloads "${small[@]}"
	says out 'few executions are cut'
	page 0 table1 --workloads "${small[@]}"
	says out '| gzip '
	here=demos/papers/sastry2001
	page 0 workloads --events 60000 "${small[@]}"
	says out '| 60,000 |'
	page 0 filters --events 60000 "${small[@]}"
	says out 'with filters there are fewer messages'
	here=demos/papers/burrows2000
	page 0 workloads --workloads "${small[@]}"
	says out 'The module vreplay itself'
else
	page 2 workloads "${small[@]:0:1}" --out "$out"
	says err 'expected '
fi
# ---- shorter: demo programs stop at one place, instrumented by the compiler, by the editor, or
# not ----
# Vaswani's programs are there after `make papers-programs` alone.
if [ -e build/demos/papers/nbody.hot ]; then
	here=demos/papers/vaswani2003
	page 0 table4 --programs nbody --factor 0.02 --out "$dir/short"
	says out '| nbody '
	insts() {
		sed -n 's/.*\["sim.insts"\] = \([0-9]*\).*/\1/p' "$dir/short/records/nbody-$1.lua"
	}
	plain=$(insts plain)
	check 'a fiftieth of six million instructions' [ $((plain > 60000 && plain < 125000)) = 1 ]
	check 'and what is put in is more' [ "$(insts calls-100-table)" -gt "$plain" ]
fi
here=demos/papers/ammons1997
page 0 table5 --programs regex --factor 0.02 --out "$dir/short"
says out '| regex '
page 2 table5 --factor 0
says err '--factor 0: a number from 0.001 to 1000 is needed'
here=demos/papers/sastry2001
page 2 workloads --insts many
says err '--insts many: a whole number from 50000'
finish
