#!/bin/bash
# Involuntary ways out: any signal that ends a session gives the terminal back, and no
# line of the history of commands is lost.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

history="$TTY_HOME/.cyclops_history"
terminal_is_back() {
	wait_until at_shell || return 1
	type_text 'stty -a'
	keys Enter
	wait_for ' icanon' && wait_for ' echo ' &&
		[ "$(t display -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = '0 1 0' ]
}
session() { pgrep -P "$(t display -p '#{pane_pid}')"; }

number=70001
for signal in ALRM USR1 USR2 XCPU VTALRM PROF SYS SEGV ABRT TERM HUP RTMIN; do
	open_terminal 100 30
	start "build/demos/fib"
	command_line "print" "print $((number - 1)) + 1" "$number" # not the typed text: the answer
	kill -"$signal" "$(session)"
	check "the terminal is given back after SIG$signal" terminal_is_back
	check "the history has the last command before SIG$signal" grep -qx \
		"print $((number - 1)) + 1" "$history"
	number=$((number + 1))
done
# The prompt's, too.
for signal in USR1 TERM; do
	open_terminal 100 30
	shell_runs "$CYCLOPS inspect --no-init --no-screen build/demos/fib"
	check 'the prompt' wait_for '\(cyclops\)'
	kill -"$signal" "$(session)"
	check "the terminal is given back after SIG$signal at the prompt" terminal_is_back
done
# Processor time that has run out.
open_terminal 100 30
shell_runs 'ulimit -St 1'
start "build/demos/matmul 500"
command_line "continue" "continue" "CPU time limit exceeded|shell>"
check "the terminal is given back when processor time has run out" terminal_is_back

# Two sessions share a history file, and one is killed: all lines are kept, in the order of entry.
rm -f "$history"
open_terminal 100 30
start "build/demos/fib"
command_line 'one' 'print 111' '111'
open_second() { t new-window "env -i PATH='$PATH' HOME='$TTY_HOME' TERM=tmux-256color LANG=C.UTF-8 PS1='shell> ' bash --norc --noprofile -i"; wait_until at_shell; }
open_second
start "build/demos/fib"
command_line 'two' 'print 222' '222'
t last-window
command_line 'three' 'print 333' '333'
leave
t last-window
wait_for ' cycle [0-9]'
kill -KILL "$(session)"
check "nothing is lost" [ "$(grep -c 'print [123]' "$history")" = 3 ]
check "in the order in which they were entered" [ "$(grep -o '[123]*$' "$history" | tr '\n' ' ')" \
	= '111 222 333 ' ]
# It is cut to the newest lines, and no link is followed.
seq -f 'print %g' 5000 >"$history"
open_terminal 100 30
start "build/demos/fib"
leave
check "a long one is cut" [ "$(wc -l <"$history")" = 2000 -a "$(tail -n 1 "$history")" \
	= 'print 5000' ]
rm "$history"
echo mine >"$TTY_HOME/file"
ln -s file "$history"
open_terminal 100 30
start "build/demos/fib"
command_line 'one' 'print 444' '444'
leave
check "nothing is written through a link" [ "$(cat "$TTY_HOME/file")" = mine ]
finish
