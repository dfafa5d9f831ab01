#!/bin/bash
# Specialisation hints on a program with known hints: the text after HINT must be reported for its
# line, and no hint for other lines. A hint may be about another value of the same line.
. tests/lib.sh

P=build/tests/hints/planted
sampled=(-o vsample.interval_min=60 -o vsample.interval_max=140 -o vsample.every=1 \
	-o vsample.length=8 -o vsample.service=1
	-o vsample.interrupt_cycles=20 -o vsample.start_cycles=10 -o vsample.inst_cycles=5 \
		-o vsample.tuple_cycles=2 -o profileme.enable=true)
modules=results,operands,args,jumps,addresses

# hints SEED OPTION...: the report as CSV.
hints() {
	timeout 100 "$CYCLOPS" run --values "$modules" "${sampled[@]}" -o vsample.seed="$1" \
		-o profileme.seed="$1" "${@:2}" \
		--report "hints=$dir/hints.csv" --report "invariants=$dir/invariants.csv" "$P" \
		>"$dir/out" 2>&1 || cat "$dir/out"
}

found=0 wrong=0 planted=0
seeds='1 2'
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || seeds=1
for seed in $seeds; do
	hints "$seed" -o values.gain=1
	while IFS=: read -r line text; do
		planted=$((planted + 1))
		text=${text#*HINT } text=${text% \*/*}
		if grep -F ",planted.c:$line," "$dir/hints.csv" | grep -qE -- "$text"; then
			found=$((found + 1))
		else
			echo "seed $seed: line $line is not reported: $text"
		fi
		grep -vF ",planted.c:$line," "$dir/hints.csv" >"$dir/rest"
		mv "$dir/rest" "$dir/hints.csv"
	done < <(grep -n ' HINT ' tests/hints/planted.c)
	while read -r line; do
		wrong=$((wrong + 1))
		echo "seed $seed: not planted: $line"
	done < <(grep -F planted.c: "$dir/hints.csv")
done
echo "recall $found of $planted, wrong hints $wrong"
check "each planted value is reported" [ "$found" = "$planted" ]
check "and nothing else of the program's lines" [ "$wrong" = 0 ]

hints 1 -o values.gain=1000
check "nothing promises everything" [ "$(wc -l <"$dir/hints.csv")" = 1 ]
hints 1 -o values.least=1000000
check "too few samples say nothing" [ "$(wc -l <"$dir/invariants.csv")" = 1 ]
hints 1 -o values.invariant=95
check "nine in ten are not 95 %" [ "$(grep -c "reads 1 in" "$dir/hints.csv")" = 0 ]
check "all of them are" grep -q "0x4d from scale in each iteration" "$dir/hints.csv"

modules=results hints 1 -o values.gain=1
check "without addresses no load is to be made once for all" \
	[ "$(grep -cE 'before the loop|make it a constant' "$dir/hints.csv")" = 0 ]
check "it names the module that would show it" grep -q "reads 0x4d each time: from one place? --values addresses shows it" \
	"$dir/hints.csv"

timeout 20 "$CYCLOPS" run -o profileme.enable=true --report hints "$P" >"$dir/out" 2>&1 </dev/null
check "without values" grep -q "start with, for example, --values results" "$dir/out"
timeout 20 "$CYCLOPS" run --values results --report hints "$P" >"$dir/out" 2>&1 </dev/null
check "without time" grep -q "no profileme: start with -o profileme.enable=true" "$dir/out"
finish
