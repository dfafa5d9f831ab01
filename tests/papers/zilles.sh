#!/bin/bash
# The experiments of demos/papers/zilles2001, small: errors are those of cyclops.values, runs repeat
# exactly, laws hold in them, and pages agree with the records.
paper=zilles2001
. tests/papers/lib.sh
picture() { check "$1 is a picture of $2 marks" python3 tests/sweep/check.py svg "$out/$1" 0 "$2" \
	0; }

# ---- errors, ranks and pictures, by hand ----
run 0 lua tests/papers/zilles.lua
counted=$(sed -n 's/ passed, 0 failed$//p' "$dir/out")
check "its assertions hold" [ "${counted:-0}" -gt 0 ]
passed=$((passed + ${counted:-0}))

# ---- the runs ----
options=(--small --programs lisp)
page 0 run "${options[@]}" --out "$out"
says err "lisp value-half"
sums profiles
page 0 run "${options[@]}" --out "$out"
silent err
# The machine's estimate: the sum of all estimates is that of cyclops.values, or the run fails.
cd "$out/files" || exit # below which programs read
run 0 run "$OLDPWD/build/demos/papers/zilles2001/estimate" \
	build/papers/zilles2001/input/lisp.table 1
cd "$OLDPWD" || exit
check "a sum of estimates" awk '{ exit !($1 > 10) }' "$dir/out"
run 2 run build/demos/papers/zilles2001/estimate lisp.table
says err "usage: estimate TABLE PASSES"

refused run "${options[@]}"

# ---- pages ----
for name in programs seeds resample invariance convergence sizes clocks why; do
	page 0 $name "${options[@]}" --out "$out"
	silent err
	says out "### "
	says out "- "
	cp "$dir/out" "$dir/$name"
done
sums results "$dir/programs" "$out/programs-error.csv" "$out/programs-overhead.csv"
sums points "$out/invariance.csv" lisp
cp "$dir/invariance" "$dir/out"
same_elsewhere invariance "${options[@]}"
check "a picture of seeds" python3 tests/sweep/check.py svg "$out/seeds.svg" 6 0 0
sums seeds "$dir/seeds"
sums resample "$out/resample-error.csv" "$out/resample-overhead.csv"
check "a picture of errors by turns" python3 tests/sweep/check.py svg "$out/resample-error.svg" 14 \
	0 0
picture invariance.svg $(($(wc -l <"$out/invariance.csv") - 1 + 3))
says clocks "records that found no room"
says why "- agrees: simple sampling errs less if no records are lost"

# ---- wrong use ----
page 2 programs --insts 5
says err "--insts 5: a whole number from 100000 to 1000000000 is needed"
page 2 programs --inst 200000
says err "'--inst' is not an option"

finish
