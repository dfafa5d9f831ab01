#!/bin/bash
# The experiments of demos/papers/vaswani2003, small: the tables agree with the runs,
# runs repeat exactly, and laws hold between them. guest.lua tests the papers' common code for runs.
paper=vaswani2003
. tests/papers/lib.sh

run 0 lua tests/papers/guest.lua "$dir/guest"
counted=$(sed -n 's/ passed, 0 failed$//p' "$dir/out")
check "its assertions hold" [ "${counted:-0}" -gt 0 ]
passed=$((passed + ${counted:-0}))

# ---- the runs ----
options=(--small --programs chess)
page 0 run "${options[@]}" --out "$out"
check "27 runs a program" [ "$(find "$out/records" -name '*.lua' | wc -l)" = 27 ]
sums laws
page 0 run "${options[@]}" --out "$out"
silent err
# Damaged records, or ones made in another way, are made again, to the byte.
cp "$out/records/small-chess-plain.lua" "$dir/first"
echo 'return {' >"$out/records/small-chess-plain.lua"
page 0 table3 "${options[@]}" --out "$out"
check "one run is made again" [ "$(cat "$dir/err")" = "chess plain" ]
check "and is the same" cmp "$out/records/small-chess-plain.lua" "$dir/first"
same_elsewhere table3 "${options[@]}"
refused table2 "${options[@]}"
refused frontend "${options[@]}"

# ---- tables ----
for n in 2 3 4 5 6; do
	page 0 table$n "${options[@]}" --out "$out"
	silent err
	says out "the paper's"
	cp "$dir/out" "$dir/table$n"
done
sums framework "$dir/table2"
sums overheads "$dir/table4" calls 1
sums overheads "$dir/table5" blocks 0
sums overheads "$dir/table6" blocks 1
check "table II quotes the paper" grep -q '197.parser .* 3,125,956 .* 0.87' "$dir/table2"
check "table III quotes the paper" grep -q '255.bzip2 .* 6,640,489 .* 1,080,432' "$dir/table3"
check "table IV quotes the paper" grep -q '179.art .* -0.09 .* 71.82 .* 91.44 .* 97.11 .* -0.07' \
	"$dir/table4"
check "table V quotes the paper's averages" grep \
	-q '12.98 .* 14.35 .* 89.07 .* 16.31 .* 96.20 .* 19.87 .* 97.50 .* 26.42' "$dir/table5"
check "table VI quotes the paper's averages" grep -q '7.96 .* 9.84 .* 12.52 .* 17.39 .* 26.31' \
	"$dir/table6"
check "prediction pays" grep -q '^- agrees: prediction cuts the overhead at 0 %' "$dir/table6"

# ---- figures ----
accesses() { check "accesses $*" python3 tests/papers/check.py "$out/records" accesses "$@"; }
page 0 figure6 "${options[@]}" --out "$out"
sed -n '/L1I/,/svg/p' "$dir/out" >"$dir/l1i"
sed -n '/L1D/,/svg/p' "$dir/out" >"$dir/l1d"
accesses "$dir/l1i" blocks 0 l1i.accesses
accesses "$dir/l1d" blocks 0 l1d.accesses
page 0 figure7 "${options[@]}" --out "$out"
accesses "$dir/out" blocks 1 l1i.accesses
says out "- agrees: prediction cuts instruction cache accesses when profiling is off"
for picture in figure6-l1i figure6-l1d figure7-l1i; do
	check "$picture.svg is a picture" python3 tests/sweep/check.py svg "$out/$picture.svg" 10 \
		0 0
done

# ---- checks in the program: figure 1 ----
for interval in 1 7 100; do
	run 0 run --functional build/demos/xprof/checks $interval
	check "one check in $interval counts" \
		[ "$(awk '/^(entry|loop)/ { n += $2 } END { print n }' "$dir/out")" \
		= $((60542 / interval)) ]
done
run 2 run build/demos/xprof/checks x
says err "usage: checks"

# ---- wrong use ----
page 2 table4 --smal
says err "'--smal' is not an option"
says err "options: --scale X"
page 2 table4 --scale 7
says err "--scale 7: a number from 0.0001 to 1 is needed"
page 2 table4 --out
says err "--out needs a value"
page 2 table4 --small --programs chess,ches --out "$out"
says err "no program 'ches'; expected chess, nbody, regex"

finish
