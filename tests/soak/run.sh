#!/bin/bash
# Machines at random: save, restore, back and on again (soak.lua has what must be the same). Each
# fifty in a process of their own: what ends one with a signal or an assertion is named by its seed,
# and the rest goes on.
. tests/lib.sh

case ${CYCLOPS_TEST_SCALE:-full} in
small) last=4 ;;
long) last=3000 ;;
*) last=100 ;;
esac

for ((first = 1; first <= last; first += 50)); do
	"$CYCLOPS" lua tests/soak/soak.lua $first $((first + 49 < last ? first + 49 : last)) \
		"$dir" >"$dir/out" 2>"$dir/err" </dev/null
	status=$?
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$dir/out")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	grep -h '^at work:' "$dir/out" >>"$dir/work"
	sed -n '/^FAIL/,/by hand/p' "$dir/out"
	if [ -z "${p:-}" ]; then
		failed=$((failed + 1))
		seed=$(sed -n 's/^seed //p' "$dir/out" | tail -n 1)
		echo "FAIL: seed ${seed:-$first}: ended with status $status"
		echo "  again: cyclops lua tests/soak/soak.lua ${seed:-$first}"
		tail -n 12 "$dir/err"
	fi
done

# Sums over all machines: each device was active.
awk '{ n[$3] += $5 } END { for (name in n) print name, n[name] }' "$dir/work" | sort >"$dir/sums"
cat "$dir/sums"
if [ "$last" -ge 100 ]; then
	command="all machines"
	check "each device is at work in some" [ "$(awk '$2 < 1' "$dir/sums")" = "" ]
fi
finish
