#!/bin/bash
# The experiments of demos/papers/burrows2000, small: costs add up, expected shapes are the paper's,
# runs repeat, tables agree with the records.
paper=burrows2000
. tests/papers/lib.sh

options=(--small --programs compress --out "$out")
page 0 table2 "${options[@]}"
says err "compress vreplay"
check "all shapes are as they should be" [ "$(grep -c '^- agrees' "$dir/out")" = 9 ]
check "and none differs" bash -c "! grep -q 'differs' '$dir/out'"
cp "$dir/out" "$dir/table2"
check "table 2(a) quotes the paper" grep -qE '^\| vreplay with context .* 6\.8 \|' "$dir/table2"
check "table 2(b) quotes the paper" grep -qE '^\| 32 .* 40\.4 \|' "$dir/table2"
check "table 2(c) quotes the paper" grep -qE '^\| 64, 1/32 .* 9\.2 \|' "$dir/table2"
# The page again, without a run.
page 0 table2 "${options[@]}"
silent err
check "the table is the same" cmp "$dir/table2" "$dir/out"
check "costs are the parameters', in the records and in the tables" python3 tests/papers/check.py \
	"$out/records" sampling "$out/table2b.csv"
check "a picture" python3 tests/sweep/check.py svg "$out/table2b.svg" 0 10 0

page 0 bias --small --out "$out"
says out "agrees: intervals that keep step with the loop see one instruction"
says out "agrees: skipping a random number of instructions cures it"
check "random intervals have no bias" grep -q 'differs\*\*: random intervals alone are biased' \
	"$dir/out"

page 0 fig1 --small --out "$out"
says out "- agrees: the listing shows which load misses"
says out "- agrees: one load hits"
says out "- agrees: where the interrupt came it seems to hit, as it was sent to memory before"
says out "(84.91% M) (15.07% D) (0.01% B)"

page 0 vreplay "${options[@]}"
says out "- agrees: of all traps most are of pairs that are named"
check "each program has its row, and one by type" [ "$(grep -c '^| compress ' "$dir/out")" = 3 ]

refused table2 --small --programs compress
refused hotlists --small --programs compress
refused instrumented --small --programs compress
refused specialise --small

page 0 hotlists "${options[@]}"
says out "- agrees: with 16 values hotlists of concise samples add little"
says out "- agrees: they are unbiased"
says out "- agrees: more values are better"

page 0 specialise --small --out "$out"
says out "- agrees: a constant is read again and again in the loop where time is spent: run+"
says out "- agrees: it prints what it printed"
says out "- agrees: it is faster"
same_elsewhere specialise --small

page 0 instrumented "${options[@]}"
says out "- agrees: counting alone costs more"

page 0 table1 --small --out "$out"
check "table 1: all shapes are as they should be" [ "$(grep -c '^- agrees' "$dir/out")" = 5 ]
check "table 1 quotes the paper" grep -qE '^\| 0% .* 88\.0 \|' "$dir/out"
check "all blocks are in the table" awk -F, 'NR > 1 { for (i = 2; i <= NF; i++) sum[i] += $i } END { for (i in sum) if (sum[i] < 99.9 || sum[i] > 100.1) exit 1 }' "$out/table1.csv"
page 2 table2 --small --programs regexp --out "$out"
says err "no program 'regexp'; expected compress, chess, lisp"
finish
