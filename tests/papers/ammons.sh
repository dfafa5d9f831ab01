#!/bin/bash
# The experiments of demos/papers/ammons1997, small: laws hold between the runs, runs repeat
# exactly, and tables agree with the records.
paper=ammons1997
. tests/papers/lib.sh

options=(--small --programs fft)
page 0 run "${options[@]}" --out "$out"
says err "fft flow-1"
check "15 runs a program" [ "$(find "$out/records" -name '*.lua' | wc -l)" = 15 ]
sums modes
page 0 run "${options[@]}" --out "$out"
silent err
page 0 table4 "${options[@]}" --out "$out"
same_elsewhere table4 "${options[@]}"
refused table1 "${options[@]}"

for n in 1 2 3 4 5; do
	page 0 table$n "${options[@]}" --out "$out"
	silent err
	says out "### Table $n"
	says out "the paper's"
	says out "- "
	cp "$dir/out" "$dir/table$n"
done
check "a picture of costs" python3 tests/sweep/check.py svg "$out/table1.svg" 6 0 0
check "a line of numbers for each program" [ "$(grep -c '^[a-z]*,[0-9]' "$out/table4.csv")" = 1 ]
page 0 why "${options[@]}" --out "$out"
silent err
says out "- agrees: without them, none"
sums costs "$dir/table1"
sums hot "$dir/table4" "$dir/table5"
check "table 1 quotes the paper" grep -q '126.gcc .* 4.40 .* 4.30 .* 9.00' "$dir/table1"
check "table 2 quotes the paper" grep -q '130.li .* 1.57 .* 38.60 .* 21.65 .* 1.76 ' "$dir/table2"
check "table 3 quotes the paper" grep -q '147.vortex .* 257,710 .* 231,866 ' "$dir/table3"
check "table 3 takes the mean of the paper's programs, as of ours" grep -qE \
	'of the nodes: [0-9.]+ % on average \(paper 14.1 %\)$' "$dir/table3"
check "and of sites with one path" grep -qE \
	'one path alone: [0-9]+ % of them on average \(paper 46 %\)$' "$dir/table3"
check "table 4 quotes the paper's averages" grep -q '11.7 .* 57.3 .* 2,987.3 .* 24.8 ' "$dir/table4"
check "table 5 quotes the paper" grep -q '099.go .* 182.9 .* 405.9 .* 29.9 ' "$dir/table5"

# ---- wrong use ----
page 2 table4 --small --programs regexp --out "$out"
says err "no program 'regexp'; expected regex, fft"

finish
