#!/bin/bash
# The experiments of demos/papers, small: what the tables say is what the runs gave, runs repeat exactly, and laws hold between them.
set -u
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
here=demos/papers/vaswani2003
passed=0 failed=0
# Programs read their input below the current directory.
mkdir -p build/tests/papers
dir=$(mktemp -d build/tests/papers/XXXXXX)
trap 'rm -rf "$dir"' EXIT
programs=chess,regex
[ "${CYCLOPS_TEST_SCALE:-full}" = full ] || programs=chess

check() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $what"
		head -n 8 "$dir/err" "$dir/out" 2>/dev/null
	fi
}
# page STATUS NAME ARGS...
page() {
	local want=$1 name=$2 got=0
	shift 2
	"$CYCLOPS" lua $here/"$name".lua "$@" >"$dir/out" 2>"$dir/err" </dev/null || got=$?
	check "$name $*: exit status $got, expected $want" [ "$got" = "$want" ]
}
says() { check "$1 should say '$2'" grep -qF -- "$2" "$dir/$1"; }
silent() { check "$1 should be empty" [ ! -s "$dir/$1" ]; }
sums() { check "$*" python3 tests/papers/check.py "$dir/a/records" "$@"; }

# ---- the runs ----
page 0 run --small --programs $programs --out "$dir/a"
check "21 runs a program" [ "$(find "$dir/a/records" -name '*.lua' | wc -l)" = $((21 * $(wc -w <<<"${programs//,/ }"))) ]
sums laws
page 0 run --small --programs $programs --out "$dir/a"
silent err
# Again, in another order: the same records, to the byte.
mv "$dir/a" "$dir/first"
page 0 table6 --small --programs chess --out "$dir/a"
page 0 table4 --small --programs chess --out "$dir/a"
check "some runs of chess" [ "$(find "$dir/a/records" -name '*.lua' | wc -l)" = 17 ]
for record in "$dir"/a/records/*.lua; do
	check "$(basename "$record") is the same again" cmp "$record" "$dir/first/records/$(basename "$record")"
done
# What is damaged, or made in another way, is made again.
echo 'return {' >"$dir/a/records/small-chess-plain.lua"
page 0 table6 --small --programs chess --out "$dir/a"
check "one run is made again" [ "$(cat "$dir/err")" = "chess plain" ]
page 0 table6 --small --programs chess --out "$dir/a" --scale 0.001
says err "chess blocks-10-table"
rm -r "$dir/a"
mv "$dir/first" "$dir/a"

# ---- tables ----
options=(--small --programs $programs --out "$dir/a")
for n in 2 3 4 5 6; do
	page 0 table$n "${options[@]}"
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
check "table IV quotes the paper" grep -q '179.art .* -0.09 .* 71.82 .* 91.44 .* 97.11 .* -0.07' "$dir/table4"
check "table V quotes the paper's averages" grep -q '12.98 .* 14.35 .* 89.07 .* 16.31 .* 96.20 .* 19.87 .* 97.50 .* 26.42' "$dir/table5"
check "table VI quotes the paper's averages" grep -q '7.96 .* 9.84 .* 12.52 .* 17.39 .* 26.31' "$dir/table6"
check "prediction pays" grep -q '^- agrees: prediction cuts the overhead at 0 %' "$dir/table6"

# ---- figures ----
page 0 figure6 "${options[@]}"
sed -n '/L1I/,/svg/p' "$dir/out" >"$dir/l1i"
sed -n '/L1D/,/svg/p' "$dir/out" >"$dir/l1d"
accesses() { check "accesses $*" python3 tests/papers/check.py "$dir/a/records" accesses "$@"; }
accesses "$dir/l1i" blocks 0 l1i.accesses
accesses "$dir/l1d" blocks 0 l1d.accesses
page 0 figure7 "${options[@]}"
accesses "$dir/out" blocks 1 l1i.accesses
says out "- agrees: prediction cuts instruction cache accesses when profiling is off"
page 0 figure5 "${options[@]}"
for picture in figure5-l1i figure5-l1d figure6-l1i figure6-l1d figure7-l1i; do
	check "$picture.svg is a picture" python3 tests/sweep/check.py svg "$dir/a/$picture.svg" $((5 * $(wc -w <<<"${programs//,/ }") + 5)) 0 0
done
if [ "${CYCLOPS_TEST_SCALE:-full}" = full ]; then
	page 0 figure1 "${options[@]}"
	says out "- agrees: of 60,542 checks, each 1 in so many switches profiling on, to the last"
	says out "- agrees: from 1 in 3 on, overhead shrinks with the interval"
fi

# ---- checks in the program ----
for interval in 1 7 100; do
	"$CYCLOPS" run build/demos/xprof/checks $interval >"$dir/out" 2>"$dir/err"
	check "one check in $interval counts" [ "$(awk '/^(entry|loop)/ { n += $2 } END { print n }' "$dir/out")" = $((60542 / interval)) ]
done
"$CYCLOPS" run build/demos/xprof/checks x >"$dir/out" 2>"$dir/err"
check "a word is no interval" [ $? = 2 ]
says err "usage: checks"

# ---- wrong use ----
page 2 table4 --smal
says err "'--smal' is not an option"
says err "options: --scale X"
page 2 table4 --scale 7
says err "--scale 7: a number from 0.0001 to 1 is needed"
page 2 table4 --out
says err "--out needs a value"
page 1 table4 --small --programs chess --out /tmp
says err "chess"
page 2 table4 --small --programs chess,ches --out "$dir/a"
says err "no program 'ches'; right: chess, nbody, regex"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
