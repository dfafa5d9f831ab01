#!/bin/bash
# A guest that reads from the user: on the screen by a line at its bottom, at the prompt by the
# terminal itself. And panes that are updated while it runs.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

ASKS=build/tests/tty/asks
WAITS='The program waits for a line of input'
exit_cycle() { screen |
	sed -n 's/^ *\(The program exited\|exited\) with status 0, cycle \([0-9,]*\).*/\2/p'; }

# The diagram in the window: reasons of waits are not known while the machine moves.
rows() {
	screen | sed -n '/^─ Pipe/,/^─ Reorder buffer/p' | grep -o ' F[DIXMWC=·]\{3,\}' | cksum
}

# Layout 5 with the output at the left edge.
mkdir -p "$TTY_HOME/.config/cyclops/layouts"
echo '(rows 60 (columns 56 source 44 disasm) 40 (columns 56 output 44 backtrace))' \
	>"$TTY_HOME/.config/cyclops/layouts/source"

open_terminal 150 40
start "$ASKS"
press 'the guest asks' c '^ Name\? *$'
asked=$(rows)
press_gone 'Esc leads back' Escape "$WAITS"
check 'it says where' wait_for 'Interrupted while the program waits for input'
check 'while it waited panes showed where it is' is "$asked" rows
leave

open_terminal 100 30
start "$ASKS"
press 'output is in sight' 5 '─ Guest output ─'
press 'the guest asks' c '^ Name\? *$'
check 'how to answer is said' wait_for "$WAITS"
check 'what it wrote is shown, the question too' wait_for '^ Name\?  .*│'
check 'the top line says so' wait_for 'waits for input *$'
asked=$(cycle)
type_text 'Ada B'
keys Left Left
type_text 'x'
check 'a line is edited as the prompt is' wait_for '^ Name\? Adax B$'
resize 90 26
check 'another size' wait_for '^ Name\? Adax B$'
resize 100 30
keys C-a C-k
type_text 'do'
keys Tab
type_text 'x'
check 'Tab is a tab' wait_for '^ Name\? do x$'
keys C-a C-k
type_text 'Ada Lovelace'
press 'the next question' Enter '^ How often\? *$'
press_gone 'Esc leads back' Escape "$WAITS"
check 'it says where' wait_for 'Interrupted while the program waits for input'
waiting=$(cycle)
check 'later than the first' test "$waiting" -gt "$asked"
press 'going on asks again' c '^ How often\? *$'
press_gone 'Ctrl-C leads back' C-c "$WAITS"
check 'to the same cycle' test "$(cycle)" = "$waiting"
press 'and again' c '^ How often\? *$'
keys Up
check 'the line before is remembered' wait_for '^ How often\? Ada Lovelace$'
keys C-a C-k
type_text 2
press 'the answers arrive' Enter '2: Hello, Ada Lovelace!'
check 'to the end' wait_for 'exited with status 0'
check 'what was typed stands behind the question' wait_for '^ *Name\? Ada Lovelace *$'
check 'each answer' wait_for '^ *How often\? 2 *$'
end=$(exit_cycle)
command_line 'into the past' 'goto 1000' 'cycle 1,000 '
press 'what was typed is not asked for again' c "exited with status 0, cycle $end"
check 'no command has become input, no input a command' lacks "$WAITS"
keys : Up Up
check 'no input is in the history of commands' wait_for '\(cyclops\) goto 1000'
press_gone 'Escape closes the prompt' Escape '\(cyclops\)'
piped() { printf 'Ada\n2\n' | "$CYCLOPS" --batch -e continue -e "view output" "$ASKS" 2>&1; }
check 'what is piped in is not echoed' is '2' grep -c '^ *Name? How often? 1: Hello, Ada!$' <(piped)
# Another future from before the first answer: typed input is not requested again there either.
keys :
type_text "goto $((asked - 10))"
keys Enter
check 'before the answers' wait_until is $((asked - 10)) cycle
keys :
type_text 'set x5 = x5 + 1'
press 'another future begins' Enter '● live'
press 'what was typed is asked for no more' c 'exited with status 0'
command_line 'a new run' 'run' '^ Name\? *$'
press 'has an end of input' C-d 'Name\? Nobody\.'
check 'so says its status' wait_for 'exited with status 1'
leave

# ---- typing ahead, and questions elsewhere ----
start "$ASKS late"
press 'the output' 5 '─ Guest output ─'
press 'the guest asks' c '^ Name\? *$'
# Pasted text: a blank stops no machine here, q leaves nothing, and input that the guest does not
# read is no command.
type_text $'Ada q L.\n2\nnext\nq\n'
check 'what is typed ahead is the next answer' wait_for '2: Hello, Ada q L\.!'
check 'and nothing else' wait_for 'exited with status 0'
end=$(exit_cycle)
check 'when is said' test -n "$end"
enter 'set args errors'
command_line 'questions on standard error' 'run' '^ Name\? *$'
check 'and are marked in the pane' wait_for '^ err  Name\? .*│'
press 'Esc leads back' Escape 'Interrupted'
press_gone 'stepping asks' s 'Interrupted'
check 'the same' wait_for '^ Name\? *$'
press_gone 'Esc' Escape '^ Name\? *$'
press_gone 'stepping by itself asks' Space 'Interrupted'
press_gone 'and ends with Esc' Escape "$WAITS"
enter 'set args kept'
command_line 'questions in a buffer are not seen' 'run' '^ input: *$'
check 'how to see them is said' wait_for 'set sim\.terminal = true'
press_gone 'Esc' Escape '^ input: *$'
command_line 'as said' 'set sim.terminal = true' 'from the next'
command_line 'then they are' 'run' '^ Name\? *$'
check 'nothing more is said' lacks 'set sim\.terminal'
press_gone 'out' Escape "$WAITS"
leave

# ---- at the prompt ----
shell_runs "$CYCLOPS -n --no-screen -o sim.terminal=false -e continue $ASKS late"
check 'the question is there before the answer' wait_for '^Name\? *$'
type_text 'Ada q L.'
press 'and the next' Enter '^How often\? *$'
type_text 2
press 'and the end' Enter '^2: Hello, Ada q L\.!'
check 'exited' wait_for 'exited with status 0'
check "in the same cycle as on the screen, whose panes went on: $end" is "$end" exit_cycle
type_text 'view output'
press 'what was typed is in its output' Enter '^ +How often\? 2$'
keys C-d
check 'out' wait_until at_shell

# ---- standard input from a file is the program's: commands come from the terminal ----
printf 'Ada\n3\n' >"$TTY_HOME/answers"
start "$ASKS <$TTY_HOME/answers"
press 'the output' 5 '─ Guest output ─'
press 'it reads the file' c '3: Hello, Ada!'
check 'no input is requested' lacks "$WAITS"
command_line 'a new run reads it again' 'goto 100' 'cycle 100 '
press 'from its beginning' c '3: Hello, Ada!'
leave
shell_runs "echo 'goto 300' | $CYCLOPS -n -x - $ASKS"
check 'commands of a pipe, then the screen' wait_for ' cycle 300 '
leave
shell_runs "$CYCLOPS -n --no-screen $ASKS <$TTY_HOME/answers"
check 'a prompt' wait_for '^\(cyclops\)'
type_text continue
press 'takes commands, too' Enter '^3: Hello, Ada!'
keys C-d
check 'out' wait_until at_shell

# ---- panes while it runs ----
start "$ASKS count"
press 'the output again' 5 '─ Guest output ─'
press 'it runs' c 'running: cycle'
check 'its output comes' wait_for '^ so far [2-9]'
check 'while it runs' wait_for 'running: cycle'
before=$(screen | grep -oE '^ so far [0-9]+' | tail -n 1)
check 'and goes on' wait_gone "^$before .*│"
press 'other panes too' Escape 'Interrupted'
keys 2
check 'the window' wait_for '─ Reorder buffer ─'
stood=$(rows)
press 'run on' c 'running: cycle'
check 'the window moves meanwhile' wait_until is_not "$stood" rows
check 'and it still runs' wait_for 'running: cycle'
press 'Esc stops' Escape 'Interrupted'
command_line 'a stop that the past never had' 'break asks.c:10 if 1 == 2' 'Breakpoint 1'
stood=$(rows)
press 'to look for it all is executed again' C \
	'executing the past again: cycle [0-9,]+; panes stand still'
check 'they do' is "$stood" rows
press 'Esc stops that' Escape 'Interrupted'
leave
finish
