#!/bin/bash
# The timeline: each row equals the counts by `stats` in another session, for any motions before;
# all commands that take a region accept a selected one.
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
judge=$top/tests/cmd/timeline.py
asked=(inspect -n --batch)
program=("$demos/sort" list.txt)
cp "$top/demos/programs/list.txt" .

# of FILE COMMAND...: what a session on sort answers.
of() {
	local file=$1 args=()
	shift
	for c in "$@"; do args+=(-e "$c"); done
	command="$*"
	"$CYCLOPS" "${asked[@]}" "${args[@]}" "${program[@]}" >"$file" 2>said ||
		check "it succeeds: $(cat said)" false
}
# recounted NAME FILE: a session that has not seen the record counts each of its rows.
recounted() {
	{
		echo goto 130000
		python3 "$judge" bins "$2"
	} >"$2.cyc"
	"$CYCLOPS" "${asked[@]}" -x "$2.cyc" "${program[@]}" >"$2.stats" 2>&1
	passes "$1" python3 "$judge" equal "$2" <(grep -v '^cycle\|^  +' "$2.stats")
}

of whole 'goto 130000' 'view timeline --json'
recounted 'all of the run' whole
of many 'goto 130000' 'view timeline 200 --json'
recounted 'many rows' many
of part 'goto 130000' 'goto 20000' 'view timeline 31007 60123 20 --json'
recounted 'a part, whose ends lie anywhere' part
of close 'goto 130000' 'view timeline 70001 70100 50 --json'
recounted 'closer than the record is' close

# In any order of motions, from a checkpoint, after leaving a search backwards.
of there 'goto 50000' 'reverse-step 20000' 'step 500' 'goto 0' 'stepi 300' 'goto 120000' \
	'reverse-stepi 5000' 'goto 130000' 'goto 4711' \
	'view timeline --json'
of saved 'goto 130000' 'goto 90000' 'save point'
of restored 'restore point' 'step 10' 'goto 130000' 'reverse-step 10' 'view timeline --json'
of cut 'goto 200000' 'goto 130000' 'set $t6 = $t6' 'view timeline --json'
asked=(inspect -n --batch --no-history)
of without 'goto 130000' 'view timeline --json'
asked=(inspect -n --batch)
passes 'the same rows, whichever way' python3 "$judge" same whole there restored cut without

# A region by its name.
of chosen 'goto 100000' 'selection' 'selection 20000 60000' 'stats sim.insts selection' \
	'stats sim.insts 20000 60000' 'selection since 90000' 'selection none'
command=selection
says chosen 'Nothing is selected'
says chosen 'Selected: cycles 20,000 to 60,000, 40,000 of them'
check 'stats selection is stats of its cycles' \
	[ "$(grep -c "$(grep -m1 '^sim.insts' chosen)" chosen)" = 2 ]
says chosen 'Selected: cycles 90,000 to 100,000, 10,000 of them'
for view in cpi slots hot branches timeline stats; do
	of by "goto 100000" "selection 20000 60000" "view $view selection --json"
	of numbers "goto 100000" "view $view 20000 60000 --json"
	tail -n +4 by >by.json
	tail -n +3 numbers >numbers.json
	passes "view $view selection" cmp by.json numbers.json
done
"$CYCLOPS" "${asked[@]}" -e 'stats selection' "${program[@]}" >out 2>&1 &&
	check 'nothing is selected' false
says out 'nothing is selected'
"$CYCLOPS" "${asked[@]}" -e 'view timeline 5 9' "${program[@]}" >out 2>&1 &&
	check 'no such cycles' false
says out 'are not recorded'
"$CYCLOPS" "${asked[@]}" -e 'step 100' -e 'view timeline 0' "${program[@]}" >out 2>&1 &&
	check 'no rows' false
says out '0 rows; expected'

# Exports of contexts of a region: counts at its end less counts at its beginning.
asked+=(-o oracle.enable=true -o oracle.contexts=true)
of exported 'goto 50000' 'export folded a' 'export folded e by calls' 'goto 130000' \
	'export folded b' 'export folded f by calls' 'selection 50000 130000' \
	'export folded c selection' 'export folded g by calls selection' \
	'export callgrind lines selection' 'stats selection --json' 'goto 20000' \
	'export folded d 50000 130000'
cat >folded.py <<'END'
import sys
def read(name):
    of = {}
    for line in open(name):
        stack, n = line.rsplit(" ", 1)
        of[stack] = of.get(stack, 0) + int(n)
    return of
a, b, c, d, e, f, g = (read(name) for name in "abcdefg")
insts = int([line for line in open("exported") if '"sim.insts"' in line][0].split(":")[1].strip(" ,\n"))
lines = int([line for line in open("lines") if line.startswith("summary:")][0].split()[1])
ok = c == d == {k: v - a.get(k, 0) for k, v in b.items() if v != a.get(k, 0)} and sum(c.values()) == insts == lines and len(c) > 5
ok = ok and g == {k: v - e.get(k, 0) for k, v in f.items() if v != e.get(k, 0)} and len(g) > 5
print(len(c), sum(c.values()), insts, lines)
sys.exit(not ok)
END
passes 'folded stacks and lines of a region' python3 folded.py

# The record shows that the last eighth of the run differs; statistics of regions agree, also after
# a motion beyond and back.
cat >lately.py <<'END'
import json, subprocess, sys
def ask(*commands):
    args = [a for c in commands for a in ("-e", c)]
    return subprocess.run([sys.argv[1], "inspect", "-n", "--batch", *args, *sys.argv[2:]], stdin=subprocess.DEVNULL, capture_output=True, text=True).stdout
def stack(text):
    s = json.loads(text[text.index("{"):])
    return [v for k, v in (s.get("stats") or s).items() if k.startswith("cpi.")]
said = near = 0
for at in (4000, *range(5000, 130000, 6000)):
    width = 1
    while width * 512 < at:
        width *= 2
    start = (at - at // 8) // width * width
    whole, last = (stack(ask(f"goto {at}", f"stats {a} {at} --json")) for a in (0, start))
    moved = sum(abs(w / sum(whole) - l / sum(last)) for w, l in zip(whole, last)) / 2
    hint = f"; the last {at - start:,} cycles differ (since -{at - start})"
    for view in "cpi", "slots":
        out = ask(f"goto {at * 2}", f"goto {at}", f"view {view}")
        expected = at >= 4096 and moved >= 1 / 6
        if (hint in out, "differ" in out) != (expected, expected):
            sys.exit(f"{at}: {moved:.3f}, {out[:400]}")
        said += expected
        near += 1 / 12 < moved < 1 / 6
print(said, near)
sys.exit(not (said >= 4 and near >= 2))
END
passes 'the last part of the run differs, or not' python3 lately.py "$CYCLOPS" "${program[@]}"
finish
