#!/bin/bash
# One allocation fails, each in turn, while the screen is shown: the session continues or reports
# why it can't begin, and the terminal comes back. A few of all places are tried; every 50th at
# scale long.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

shim=$PWD/build/tests/cli/scarce.so
count=$TTY_HOME/count
# Keys of each layout, steps there and back, and the prompt. Keys that come too early wait; where
# there is no prompt, `q` leaves.
session() { # VARIABLE=VALUE
	shell_runs "LD_PRELOAD='$shim' $1 $CYCLOPS -n -o oracle.enable=true -e 'break main' -e continue build/demos/fib; echo status=\$?"
	wait_until begun || return 1
	keys 1 2 s s S 3 4 5 n H
	line 'view l1d'
	keys s
	line quit
	# This command may run out of memory, too: that is reported, and it is repeated.
	wait_until answered
	! says 'out of memory' || line quit
	wait_for 'status=[0-9]'
}
answered() { says 'out of memory' || shows 'status=[0-9]'; }
line() {
	keys ':'
	wait_until prompts
	type_text "$1"
	keys Enter
}
prompts() { shows '\(cyclops\)|status=[0-9]'; }
begun() { shows ' cycle [0-9]|status=[0-9]'; }
status() { screen | sed -n 's/^.*status=\([0-9]*\).*/\1/p' | tail -n 1; }

open_terminal 100 30
session "SCARCE_COUNT=$count"
all=$(cat "$count")
check "a session of $all allocations" [ "$all" -gt 1000 ]
step=$((all / 16 + 1))
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || step=50
for ((n = 1 + step / 2; n < all; n += step)); do
	open_terminal 100 30
	check "allocation $n of $all: it ends" session "SCARCE_AT=$n"
	check "allocation $n of $all: by no signal, status $(status)" [ "$(status)" -lt 126 ]
done
finish
