#!/bin/bash
# Restoring the terminal fails at the first attempt (fails.c), at each kind of end or stop of a
# session: it is repeated.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

shim=$PWD/build/tests/tty/fails.so
open_terminal 100 30
shell_runs "stty -g >$TTY_HOME/before; echo known"
wait_for '^known'

begun() { [ -s "$TTY_HOME/pid" ]; } # the former contents are cleared then
drawn_or_prompt() { drawn || shows '^\(cyclops\)'; }
# session HOW OPTION...: leaves a session in this way, prints its exit status, and then the
# terminal's modes.
sessions=0
session() {
	local how=$1
	shift
	sessions=$((sessions + 1))
	rm -f "$TTY_HOME/pid"
	local program="$CYCLOPS -n -o ui.start=reset $* build/demos/hello"
	local starts="echo \$\$ >$TTY_HOME/pid; exec $program"
	local ended="got=\$?; stty -g >$TTY_HOME/after; echo ended $sessions=\$got."
	shell_runs "LD_PRELOAD='$shim' FAILS='$fails' sh -c '$starts'; $ended"
	wait_until begun && wait_for ' cycle [0-9]|^\(cyclops\)' && wait_until drawn_or_prompt ||
		return 1
	case $how in
	key) keys q ;;
	line) type_text quit && keys Enter ;;
	stop)
		keys C-z
		wait_for 'Stopped' || return 1
		shell_runs "stty -g >$TTY_HOME/stopped; fg; got=\$?; stty -g >$TTY_HOME/after; echo ended $sessions=\$got."
		wait_for ' cycle [0-9]' && wait_until drawn || return 1
		cmp -s "$TTY_HOME/stopped" "$TTY_HOME/before" || return 1
		keys q
		;;
	*) kill -"$how" "$(cat "$TTY_HOME/pid")" ;;
	esac
	wait_until at_shell && shows "^ended $sessions=[0-9]+\\."
}
# 28 is ENOSPC, 5 EIO, 4 EINTR.
while read -r call error how options; do
	fails="$call $error"
	what="$call fails with $error, $how $options"
	# shellcheck disable=SC2086 # words
	check "$what: it ends" session "$how" $options
	check "$what: the screen is the shell's" \
		[ "$(t display -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = '0 1 0' ]
	check "$what: its modes are, too" cmp -s "$TTY_HOME/after" "$TTY_HOME/before"
done <<'EOF'
write 28 key
write 5 stop
write 5 TERM
write 28 SEGV
modes 5 key
modes 4 key
modes 5 stop
modes 4 HUP
modes 5 line --no-screen
modes 5 TERM --no-screen
modes 4 USR1 --no-screen
EOF
finish
