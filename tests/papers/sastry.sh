#!/bin/bash
# The experiments of demos/papers/sastry2001, small: figure 4 has the paper's three classes, and its numbers are those of theory.
. tests/lib.sh
here=demos/papers/sastry2001
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

# ---- figure 4 ----
page 0 fig4 --small --out "$out"
silent err
for claim in "R and H[R] are one class" "P and CR are one class" "H[P] and H[CR] are one class" "R errs more than P" "P errs more than H[P]" \
	"R has to sample 2."; do
	says out "- agrees: $claim"
done
says out "- **differs**: CR is of P's class if the estimate is the sum of counts"
sums samplers "$out/fig4.csv"
check "fig4.svg is a picture" python3 tests/sweep/check.py svg "$out/fig4.svg" 0 48 0
page 0 fig4 --small --experiments 20 --out "$out"
says out "- can't tell with so few experiments: P and CR are one class"

# ---- wrong use ----
page 2 fig4 --experiments 1
says err "--experiments 1: a whole number from 2 to 1000000 is needed"
page 2 fig4 --experiment 3
says err "'--experiment' is not an option"
page 2 fig4 --out /proc/nowhere
says err "--out /proc/nowhere: no folder can be made there"

finish
