#!/bin/bash
# Threads that wait in every call that waits, with signals, timers and futex storms in the middle
# (storm.c): the same each time; a run that is saved and restored ends like an undisturbed one,
# with and without timing; random motion backwards and forwards finds the states of the way forwards
# (storm.lua).
within=build/tests
. tests/lib.sh
cp build/tests/threads/storm "$dir"
top=$PWD scale=${CYCLOPS_TEST_SCALE:-full}
cd "$dir" || exit 1
state() { sed -n 's/^  state *\([0-9a-f]*\) .*/\1/p' err; }

case $scale in
small) seeds='1' moves=60 ;;
long) seeds=$(seq 1 40) moves=600 ;;
*) seeds='1 2' moves=150 ;;
esac

for seed in $seeds; do
	for how in --functional '' '--config classic5'; do
		# shellcheck disable=SC2086
		run 0 run $how --summary --save-every 60k --save-keep 3 --save-to 'at-%i' \
			storm "$seed" 63 5
		says out '63 threads, '
		cp out whole
		want=$(state)
		check "$how $seed: there is a digest" [ -n "$want" ]
		# shellcheck disable=SC2086
		run 0 run $how --summary storm "$seed" 63 5
		check "$how $seed: the same again" [ "$(state)" = "$want" ]
		passes "$how $seed: the same output again" diff whole out
		for point in at-*; do
			functional=$([ "$how" != --functional ] || echo --functional)
			# shellcheck disable=SC2086
			run 0 run $functional --restore "$point" --summary storm "$seed" 63 5
			check "$how $seed: $point goes on to the same end" [ "$(state)" = "$want" ]
			passes "$how $seed: with the same output" diff whole out
		done
		rm -f at-*
	done
	for config in default classic5; do
		run 0 lua "$top/tests/threads/storm.lua" $config "$seed" $moves storm "$seed" 63 5
		says out ', 0 differ'
	done
done
finish
