#!/bin/bash
# The first row of `view slots` on random loops, and on ordinary ones (loops.c), is the cause that
# saves most, and the one that `view spent` names: see judge.py.
. tests/lib.sh
cp tests/limits/*.py "$dir"
case ${CYCLOPS_TEST_SCALE:-full} in
long) seeds=200 loops= ;;
small) seeds=4 loops=:recurrence ;;
*) seeds=12 loops=:histogram,recurrence,copy ;;
esac
passes "answers hold" \
	python3 "$dir/judge.py" --cyclops "$CYCLOPS" --seeds 1 $seeds --need 90 "$dir"
cat "$dir/said"
passes "answers about ordinary loops hold" python3 "$dir/judge.py" --cyclops "$CYCLOPS" \
	--loops tests/limits/loops.c$loops --need 90 "$dir"
cat "$dir/said"
passes "a place's cause in words is the first row of its slots" python3 "$dir/judge.py" \
	--cyclops "$CYCLOPS" --places --rotate --loops tests/limits/loops.c$loops "$dir"
finish
