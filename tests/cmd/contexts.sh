#!/bin/bash
# Calling contexts from outside: a program whose tree can be found by hand, and exports for other
# tools.
# shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
guest=$top/build/tests/cmd/contexts
exact=(-o oracle.enable=true -o oracle.contexts=true)
like() { check "$1 should match '$2'" grep -qE -- "$2" "$1"; }
unlike() { check "$1 should not match '$2'" bash -c '! grep -qE -- "$2" "$1"' - "$1" "$2"; }

# instructions FILE: of all lines of folded stacks
instructions() { awk '{ n += $NF } END { print n }' "$1"; }
# annotated PATTERN: a line of callgrind_annotate on the last export, with runs of spaces as one
annotated() { check "callgrind_annotate should say '$1'" bash -c 'callgrind_annotate --inclusive=yes --tree=both all.callgrind | tr -s " " | sed "s,^ ,," | grep -qE -- "$1"' - "$1"; }

# ---- callgrind: functions, lines, calls with inclusive costs ----
run 0 run "${exact[@]}" --stats stats.txt --export callgrind=all.callgrind "$guest"
is out ''
insts=$(awk '$1 == "sim.insts" { print $2 }' stats.txt)
annotated "^$insts \(100.0%\) PROGRAM TOTALS"
annotated "^$insts \(100.0%\) \* .*contexts.c:_start"
annotated '^158 .* \* .*contexts.c:up'
annotated '^57 .* > .*contexts.c:down \(3x\)'
annotated '^0 +< .*contexts.c:down \(3x\)'
annotated '^96 .* \* .*contexts.c:leaf'
annotated '^42 .* < .*contexts.c:work \(7x\)'
like all.callgrind '^45 62$'

# ---- folded stacks ----
run 0 --batch "${exact[@]}" -e continue -e 'export folded stacks.txt' \
	-e 'export folded calls.txt by calls' "$guest"
like out '^Wrote [0-9]+ bytes to stacks.txt$'
check "stacks hold every instruction" [ "$(instructions stacks.txt)" = "$insts" ]
check "and every call" [ "$(instructions calls.txt)" = 29 ]
like stacks.txt '^_start;work;up;down 57$'
like calls.txt '^_start;work;up;leaf 4$'
unlike stacks.txt 'down;up'

# ---- the flame graph: boxes of contexts, each on its caller ----
run 0 --batch "${exact[@]}" -e continue -e 'export flamegraph flame.svg' \
	-e 'export dot-cct tree.dot' "$guest"
cat >boxes.py <<'END'
import sys, xml.dom.minidom
boxes = []
for g in xml.dom.minidom.parse(sys.argv[1]).getElementsByTagName("g"):
    r = g.getElementsByTagName("rect")[0]
    x, y, w = (float(r.getAttribute(a)) for a in ("x", "y", "width"))
    boxes.append((g.getElementsByTagName("title")[0].firstChild.data.split("\n"), x, y, w))
for title, x, y, w in boxes:
    below = [b for b in boxes if b[2] == y + 19 and b[1] <= x + 0.01 and x + w <= b[1] + b[3] + 1]
    print(title[0], round(w), title[1], below[0][0][0] if len(below) == 1 else "-")
END
check "flame.svg is XML" bash -c 'python3 boxes.py flame.svg >boxes.txt'
check "a box for each context" [ "$(wc -l <boxes.txt)" = 10 ]
like boxes.txt '^_start 1180 434 sim.insts, 100.00 % -$'
like boxes.txt '^up 42[89] 158 sim.insts, 36.41 % work$'
like boxes.txt '^down 15[45] 57 sim.insts, 13.13 % up$'
like flame.svg 'called at work\+0x.* \(contexts.c:41\)'

# ---- graphs: graphviz reads them ----
check "dot reads it" bash -c 'dot -Tplain tree.dot >plain.txt'
check "a box for each context" [ "$(grep -c '^node ' plain.txt)" = 10 ]
check "an arrow for each call, and one back" [ "$(grep -c '^edge ' plain.txt)" = 10 ]
like plain.txt '^edge n3 n2 .* dashed '

# ---- names with a format's special characters ----
riscv64-linux-gnu-objcopy --redefine-sym 'leaf=l;<e>"a\f & x' "$guest" 'od"d<'
run 0 --batch "${exact[@]}" -e continue -e 'export folded odd.txt' -e 'export flamegraph odd.svg' \
	-e 'export dot-cct odd.dot' -e 'export callgrind odd.callgrind' 'od"d<'
check "one line, five names" [ "$(grep -cF 'up;l:<e>"a\f & x 24' odd.txt)" = 1 ]
check "odd.svg is XML" bash -c 'python3 boxes.py odd.svg >boxes.txt'
check "with the name" grep -qF 'l;<e>"a\f & x 65 24 sim.insts' boxes.txt
check "dot reads it" bash -c 'dot -Tplain odd.dot >plain.txt'
check "with the name" grep -qF 'l;<e>\"a\\f & x' plain.txt
annotated_odd() { callgrind_annotate --inclusive=yes odd.callgrind | grep -qF 'l;<e>"a\f & x'; }
check "callgrind_annotate reads it" annotated_odd

# ---- existing files, and unavailable contexts ----
run 1 --batch "${exact[@]}" -e continue -e 'export folded stacks.txt' "$guest"
like err 'stacks.txt exists already; use another name, or --force'
echo mine >mine
run 0 --batch "${exact[@]}" -e continue -e 'export folded mine --force' "$guest"
check "--force writes over it" cmp -s mine stacks.txt
echo mine >mine
run 125 run "${exact[@]}" --export folded=mine "$guest"
like err 'mine exists already'
is mine mine
run 0 run "${exact[@]}" --export folded=mine --force "$guest"
check "--force writes over it" cmp -s mine stacks.txt
run 0 --batch "${exact[@]}" -e continue -e 'export folded -' "$guest"
check "- is no file" cmp -s stacks.txt <(grep '^_start' out)
run 0 run "${exact[@]}" --export folded=- "$guest"
check "- is stderr" cmp -s stacks.txt err
mkfifo pipe
timeout 20 cat pipe >piped &
run 0 run "${exact[@]}" --export folded=pipe "$guest"
wait
check "what holds nothing is written to" cmp -s stacks.txt piped
run 125 run --export folded=new "$guest"
like err '^cyclops: no calling contexts are recorded: start with --instrument cct, or -o oracle.enable=true -o oracle.contexts=true'
run 125 run --export folded=new "$demos/fib"
silent out
run 125 run "${exact[@]}" --export 'folded by sim.cycle=new' "$guest"
like err "contexts have no 'sim.cycle'; expected sim.insts, calls"
run 125 run "${exact[@]}" --export callgrnd=new "$guest"
like err "no format 'callgrnd': did you mean 'callgrind'"
run 125 run "${exact[@]}" --export callgrind "$guest"
like err 'no file given'
run 125 run "${exact[@]}" --export callgrind=no/such/folder "$guest"
like err 'no/such/folder: No such file or directory'
run 1 --batch "${exact[@]}" -e 'export folded' "$guest"
like err 'export folded: no file given'
run 1 --batch "${exact[@]}" -e 'export folded new twice' "$guest"
like err "'twice' is one word too many"
check "what fails writes nothing" [ ! -e new ]
run 0 --batch "${exact[@]}" -e export "$guest"
like out '^  callgrind '

# ---- the view: by hand, from the oracle and from the records of an instrumented program ----
run 0 --batch "${exact[@]}" -e continue -e 'view cct all' "$guest"
like out '^ +2 +▾ up +36.4 % +4 +158 +77 +contexts.c:41 +contexts.c:32 +1 +2 '
like out '^ +↺ 2 +↺ up \(back up\) +3 +contexts.c:27 +3$'
check "five contexts of leaf" [ "$(grep -c ' leaf ' out)" = 5 ]
check "the largest first" [ "$(awk '/ leaf / { print $6 }' out | tr '\n' ' ')" = '24 30 30 6 6 ' ]
run 0 --batch --instrument cct -e 'tbreak leaf' -e 'ignore 1 2' -e continue -e 'view cct' \
	-e continue -e 'view cct' -e 'view cct 3 --json' "$guest"
like out '^ +5 +leaf  ◀ here +18.2 % +2 +contexts.c:35 +contexts.c:12 '
like out '^. +5 +leaf.* +13.3 % +4.* +contexts.c:35 '
like out '^ +↺ 3 +↺ up \(back up\) +contexts.c:27 +4$'
like out '"up, at contexts.c:41"'
check "contexts of both places" [ "$(grep -cE '^. +[0-9]+ +leaf' out)" = 6 ]

# ---- a program's own metrics: each with its columns, and events of callgrind ----
run 0 --batch --instrument cct+hw -e continue -e 'view cct --json' -e 'view cct by l1d.misses' \
	-e 'export callgrind hw.callgrind' "$guest"
like out '"name": "inclusive", "unit": "with all below"\}, \{"name": "own", .*"name": "inclusive1".*"name": "own1"'
like out '^node +context +share +calls +sim.cycles +own +l1d.misses +own '
like out 'by l1d.misses, in the program'
like hw.callgrind '^events: sim_cycles l1d_misses$'
check "callgrind_annotate reads both" bash \
	-c 'callgrind_annotate hw.callgrind | grep -q "^Events shown: *sim_cycles l1d_misses"'

# ---- Table 3: the same tree from both ----
run 0 --batch --instrument cct "${exact[@]}" -e continue -e 'report cct-stats' \
	-e 'report cct-stats --csv' "$guest"
like out '^ 736 +10 +73.6 +2.2 +2.5 +3 +5 +9 +9 +- +1 +program +leaf$'
run 0 run "${exact[@]}" --report cct-stats=shape.csv "$guest"
like shape.csv '^-,10,-,2.25,2.5,3,5,9,9,-,1,oracle,leaf'
# Of nine call sites, those in a loop or after an if are reached by several paths, and that of
# _start by one that never ended.
run 0 --batch --instrument cct+path -e continue -e 'report cct-stats' "$guest"
like out ' +10 +[0-9.]+ +2.2 +2.5 +3 +5 +9 +9 +6 +1 +program +leaf$'
run 1 --batch "${exact[@]}" -e 'report cct-stats by calls' "$guest"
like err 'nothing is ordered here'
run 1 --batch "${exact[@]}" -e 'report cct-stats program' "$guest"
like err 'the program builds no calling context tree; use --instrument cct'

# ---- the tree as text in scripts ----
cat >export.lua <<'END'
local m = cyclops.machine{ program = arg[1], set = { ["oracle.enable"] = true, ["oracle.contexts"] = true } }
m:run()
io.write(m:export "folded")
print(pcall(m.export, m, "folded by nothing"))
END
run 0 lua export.lua "$guest"
check "the same text" cmp -s stacks.txt <(grep '^_start' out)
like out "^false.*contexts have no 'nothing'"


# ---- untrusted scripts get nothing of files ----
cat >safe.lua <<'END'
local m = cyclops.machine{ program = "contexts" }
for _, file in ipairs{ "/etc/passwd", "/no/such" } do
  for _, what in ipairs{ "view", "report", "export" } do
    local ok, why = pcall(m[what], m, ({ view = "cct", report = "cct-stats", export = "folded" })[what] .. " of " .. file)
    print(ok, (why:gsub(file, "FILE")))
  end
end
END
cp "$guest" contexts
run 0 lua --lua-safe safe.lua
check "the same of all" [ "$(sort -u out | sed 's/safe.lua:[0-9]*: //')" \
	= "false	a tree of FILE reaches files, which --lua-safe forbids" ]

finish
