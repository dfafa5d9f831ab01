#!/bin/bash
# The first row of `view slots` on random loops is the cause that saves most: see judge.py.
. tests/lib.sh
cp tests/limits/*.py "$dir"
case ${CYCLOPS_TEST_SCALE:-full} in
long) seeds=200 ;;
small) seeds=4 ;;
*) seeds=12 ;;
esac
passes "answers hold" \
	python3 "$dir/judge.py" --cyclops "$CYCLOPS" --seeds 1 $seeds --need 90 "$dir"
cat "$dir/said"
finish
