#!/bin/bash
# The experiments of demos/papers/ammons1997, small: laws hold between the runs, they repeat exactly, and tables say what the records say.
. tests/lib.sh
here=demos/papers/ammons1997
# Programs read their input below the current directory.
mkdir -p build/tests/papers
out=$(mktemp -d build/tests/papers/XXXXXX)
trap 'rm -rf "$dir" "$out"' EXIT

page() {
	local want=$1 name=$2
	shift 2
	run "$want" lua $here/"$name".lua "$@"
}
sums() { check "$*" python3 tests/papers/check.py "$out/records" "$@"; }

programs=regex
[ "${CYCLOPS_TEST_SCALE:-full}" = full ] && programs=regex,fft
options=(--small --programs "$programs" --out "$out")
page 0 run "${options[@]}"
says err "regex flow-1"
check "15 runs a program" [ "$(find "$out/records" -name '*.lua' | wc -l)" = $((15 * $(wc -w <<<"${programs//,/ }"))) ]
sums modes
page 0 run "${options[@]}"
silent err
# What is damaged is made again, to the byte.
cp "$out/records/small-regex-hot.lua" "$dir/first"
echo 'return {' >"$out/records/small-regex-hot.lua"
page 0 table4 "${options[@]}"
check "one run is made again" [ "$(cat "$dir/err")" = "regex hot" ]
check "and is the same" cmp "$out/records/small-regex-hot.lua" "$dir/first"

for n in 1 2 3 4 5; do
	page 0 table$n "${options[@]}"
	silent err
	says out "### Table $n"
	says out "the paper's"
	says out "- "
	cp "$dir/out" "$dir/table$n"
done
marks=$(wc -w <<<"${programs//,/ }")
check "a picture of costs" python3 tests/sweep/check.py svg "$out/table1.svg" $((3 * marks + 3)) 0 0
check "a line of numbers for each program" [ "$(grep -c '^[a-z]*,[0-9]' "$out/table4.csv")" = "$marks" ]
page 0 why "${options[@]}"
silent err
says out "- agrees: without them, none"
sums costs "$dir/table1"
sums hot "$dir/table4" "$dir/table5"
check "table 1 quotes the paper" grep -q '126.gcc .* 4.40 .* 4.30 .* 9.00' "$dir/table1"
check "table 2 quotes the paper" grep -q '130.li .* 1.57 .* 38.60 .* 21.65 .* 1.76 ' "$dir/table2"
check "table 3 quotes the paper" grep -q '147.vortex .* 257,710 .* 231,866 ' "$dir/table3"
check "table 4 quotes the paper's averages" grep -q '11.7 .* 57.3 .* 2,987.3 .* 24.8 ' "$dir/table4"
check "table 5 quotes the paper" grep -q '099.go .* 182.9 .* 405.9 .* 29.9 ' "$dir/table5"

# ---- wrong use ----
page 2 table4 --smal
says err "'--smal' is not an option"
page 2 table4 --small --programs regexp --out "$out"
says err "no program 'regexp'; right: regex, fft"

finish
