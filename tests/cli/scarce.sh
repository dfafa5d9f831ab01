#!/bin/bash
# One allocation fails, each in turn: the command reports the failure, and the session continues to
# its end, in a batch and on the screen. Tries some allocations, spread over the session; at scale
# long, all.
within=build/tests/cli
mkdir -p $within
. tests/lib.sh
top=$PWD
shim=$PWD/build/tests/cli/scarce.so
demos=$PWD/build/demos
case ${CYCLOPS_TEST_SCALE:-full} in
long) tries=100000 ;;
*) tries=${SCARCE_TRIES:-30} ;;
esac
cd "$dir" || exit 1

# A session in which all views are shown and most commands run, with every device.
devices="-o oracle.enable=true -o oracle.blocks=true -o oracle.values=all -o oracle.contexts=true -o sampler.enable=true -o profileme.enable=true
	-o cop.enable=true -o vsample.enable=true -o xprof.enable=true"
"$CYCLOPS" inspect --no-init --batch -e 'help views' -e 'report' "$demos/fib" >names 2>/dev/null
{
	printf '%s\n' 'break fib' continue 'step 40' 'why' 'print a0' 'x/8xg $sp' 'list' \
		'disassemble' 'backtrace' 'info registers' 'stats l1d' \
		'trace konata k' 'step 20' 'reverse-step 10' 'save point' 'restore point' \
		'set a0 = 3' 'display a0' 'stepi' 'watch a0' continue \
		'catch mispredict' continue 'mark here' 'info history' 'lua print(m.cycle)' \
		'tbreak main' 'info breakpoints' 'save breakpoints b' \
		'report sampler' 'report oracle' 'report oracle blocks --json' 'view rob --json' \
		'export callgrind calls' 'info symbol fib'
	awk '/^  [a-z]/ && !/^  (oracle|sampler|profileme) / { print "view " $1 }' names
	printf '%s\n' delete continue 'echo the very end'
} >commands
session() { # with what fails
	# shellcheck disable=SC2086
	timeout 100 env LD_PRELOAD="$shim" "$@" "$CYCLOPS" inspect --no-init --batch --source \
		"$top" $devices "$demos/fib" <commands >out 2>err
}
session SCARCE_COUNT="$dir/count"
cp err first.err; all=$(cat count)
command="a session with $all allocations"
check "it has thousands" [ "$all" -gt 5000 ]
step=$((all / tries + 1))
for ((n = 1; n <= all; n += step)); do
	status=0
	session SCARCE_AT=$n || status=$?
	command="allocation $n of $all"
	check "no signal ends it: status $status" [ $status -lt 124 -o $status = 125 ]
	# The session may fail to begin; once begun, it continues to its end.
	if [ $status = 0 ]; then
		says out "the very end"
	else
		check "it says why" [ -s err ]
	fi
done
finish
