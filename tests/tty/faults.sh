#!/bin/bash
# The screen, with one failing system call, a different one each time (tests/cli/faults.py): the
# session continues or ends with a reason, and the terminal is restored.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh
case ${CYCLOPS_TEST_SCALE:-full} in
small) count=2 ;;
long) count=150 ;;
*) count=12 ;;
esac
calls=(poll ioctl read write openat rt_sigaction fcntl mmap close newfstatat pselect6 faccessat2 \
	readlink)
if ! strace -f -o "$TTY_HOME/log" -e inject=getppid:error=EIO:when=1 true 2>/dev/null; then
	echo "SKIPPED: strace does not work here"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

# session OPTIONS of strace...: opens the screen and leaves it, if it has come up; its exit status
# into $status.
sessions=0
session() {
	status=none
	sessions=$((sessions + 1))
	shell_runs "strace -f $* $CYCLOPS -n -o ui.start=reset build/demos/hello; stty -g >$TTY_HOME/modes; echo status $sessions=\$?."
	# The terminal's description may not have been read, or its presence: a prompt is left,
	# or a session that waits for commands without a word.
	wait_for " cycle [0-9]|status $sessions=[0-9]+\\.|^\\(cyclops\\) *\$" || :
	if shows " cycle [0-9]"; then
		wait_until drawn
		keys q
	elif ! shows "status $sessions=[0-9]+\\."; then
		type_text quit
		keys Enter
	fi
	wait_for "status $sessions=[0-9]+\\." || return 1
	[[ ${lines[*]} =~ status\ $sessions=([0-9]+)\. ]] && status=${BASH_REMATCH[1]}
}

open_terminal 100 30
shell_runs "stty -g >$TTY_HOME/modes-before; echo known"
wait_for '^known'
session -o "$TTY_HOME/log"
check "nothing fails" [ $status = 0 ]
while read -r -u 5 call n error; do
	what="$call $n fails with $error"
	check "$what: the session ends" session -o /dev/null -e "inject=$call:error=$error:when=$n"
	check "$what: exit status $status" eval '[[ $status =~ ^[0-9]+$ && $status -lt 126 ]]'
	check "$what: why it ended is said" eval '[ $status = 0 ] || shows cyclops:'
	check "$what: the terminal is given back" \
		[ "$(t display -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = '0 1 0' ]
	check "$what: it has its modes" cmp -s "$TTY_HOME/modes" "$TTY_HOME/modes-before"
done 5< <(python3 tests/cli/faults.py "$TTY_HOME/log" $count "${calls[@]}")
shell_runs 'stty -a'
check "lines and echo are the terminal's again" wait_for ' icanon'
check "lines and echo are the terminal's again" wait_for ' echo '
finish
