#!/bin/bash
# Profile flags are each thread's and each handler's own (flags.c), forwards and back.
cd "$(dirname "$0")/../.." || exit 1
within=build/tests
# shellcheck source=tests/lib.sh
. tests/lib.sh
cp build/tests/threads/flags "$dir"
top=$PWD
cd "$dir" || exit 1
for how in --functional '' '--functional -o os.slice=1000' '-o os.slice=1000 -o os.switch=0' \
	'--config classic5 -o os.slice=1777'; do
	# shellcheck disable=SC2086
	run 0 run $how flags
	check "$how: profile flags are each thread's and each handler's own" \
		[ "$(tr '\n' ' ' <out)" = '3000 0 1000 0 1 0 1 6000 1 1 0 ' ]
done
run 0 lua "$top/tests/threads/walks.lua" 50 20000 300000 flags
says out "all as they were"
finish
