#!/bin/bash
# The assembly playground: the user's text, its errors while it is typed, runs of the edited text,
# and the difference in cycles.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

own=$TTY_HOME/.local/share/cyclops/playground.s
open_terminal 80 24
shell_runs "$CYCLOPS asm"
check 'it opens with an example' wait_for '^   1 # A playground'
check 'beside the pipe' wait_for '─ Pipe ─'
check 'how long it takes' wait_for '203 cycles to its end; 65 instructions'
check 'its keys' wait_for 'F5 run'

# An error in place of the second line is shown at once, and undone.
keys Down Down Down Down End Enter
type_text 'adi a0,a1'
check 'what is wrong' wait_for "6:2: no instruction is called 'adi'; did you mean 'addi'"
check 'where' wait_for '^!  6 '
check 'how much' wait_for '1 error'
keys F5
check 'what is wrong does not run' wait_for "^!  6 "
check 'and is not saved' [ ! -e "$own" ]
keys C-u
check 'it is taken back' wait_gone 'no instruction is called'
type_text 'addi a0,a0,1'
check 'this is right' wait_for 'F5 runs it'
keys F5
check 'the difference' wait_for 'cycles to its end, [0-9]+ (more|fewer) than before; 66 instructions|cycles to its end, as before; 66 instructions'
check 'it is saved' grep -q 'addi a0,a0,1' "$own"

# Out of the text keys are the screen's, and back.
keys Escape
check 'keys of the screen' wait_for 's step'
resize 120 24
check 'the top line names it' wait_for '^ playground  default  cycle'
resize 80 24
keys s
check 'a step' wait_for '\+1 cycle'
keys E
check 'back in the text' wait_for 'F5 run'
press 'F1 helps there, too' F1 'more lines: Space'
press_gone 'and closes' Escape 'more lines: Space'
# Breakpoints stay; without a change F5 continues.
keys Escape
check 'keys of the screen again' wait_for 's step'
command_line 'a breakpoint' 'break loop' 'Breakpoint 1 at loop'
press 'in the text' E 'F5 run'
keys F5
check 'F5 goes on' wait_for 'Breakpoint 1, loop'
keys End Enter
type_text 'addi a0,a0,2'
keys F5
check 'it begins anew' wait_for 'cycles to its end, .*than before|cycles to its end, as before'
check 'up to the breakpoint of the session before' wait_for '▶ +loop '
keys Escape
command_line 'which is there' 'info breakpoints' '1 .*loop'
keys Escape
enter 'delete'
keys E
check 'the text' wait_for 'F5 run'
type_text '# new'
keys Escape
check 'out again' wait_for 's step'
keys q
check 'what is not saved is said' wait_for 'is not saved'
keys q
check 'and then it ends' wait_until at_shell
check 'without it' [ "$(grep -c '# new' "$own")" = 0 ]

# Closed terminals: an edit is kept, and offered at the next start.
kept() { find "$TTY_HOME/.local/share/cyclops" -name 'kept-*.s' | grep -q .; }
none_kept() { ! kept; }
for signal in HUP TERM; do
	shell_runs "$CYCLOPS asm"
	check "$signal: the text" wait_for 'F5 run'
	type_text "# by $signal"
	check "$signal: typed" wait_for "by $signal"
	kill -$signal "$(pgrep -P "$(t display-message -p '#{pane_pid}')")"
	check "$signal: it ends" wait_until at_shell
	check "$signal: the edit is kept" kept
	check "$signal: not in the file" [ "$(grep -c "by $signal" "$own")" = 0 ]
	shell_runs "$CYCLOPS asm"
	check "$signal: it is offered" wait_for 'An edit of .* was kept: Enter takes it, Esc drops it'
	keys x
	check "$signal: another key asks again" wait_for 'An edit of .* was kept'
	if [ $signal = HUP ]; then
		press 'it is taken' Enter "by HUP"
		keys F5
		check 'and saved by F5' wait_until grep -q 'by HUP' "$own"
		# Unchanged: F5 runs on to the end, and again from the beginning.
		check 'it runs' wait_for 'cycles to its end'
		end=$(screen | sed -n 's/^.*[^0-9]\([0-9]*\) cycles .*/\1/p' | head -n 1)
		keys F5
		check 'to the end' wait_for 'exit'
		keys F5 Escape
		command_line 'and once more' 'print cycle' "= $end"
		keys Escape
	else
		keys Escape
		check 'it is dropped' wait_gone 'was kept'
		keys Escape
	fi
	check "$signal: nothing is kept" wait_until none_kept
	keys q
	check "$signal: and leaves" wait_until at_shell
done

# A file by its name, wide: the text to the left; undone by the mouse is nothing.
cp tests/asm/hello.s "$TTY_HOME/hello.s"
open_terminal 120 40
shell_runs "$CYCLOPS $TTY_HOME/hello.s"
check 'a text' wait_for '^   1 # Prints hello ten times'
check 'with the pipe at its right' wait_for '─ hello.s ─.*─ Pipe ─'
keys Escape
check 'out of it' wait_for 's step'
keys q
check 'it ends' wait_until at_shell
check 'nothing is written' cmp -s tests/asm/hello.s "$TTY_HOME/hello.s"
# Several files are tabs of one program: F4 shows the next, F5 saves all, an error opens its file,
# and the machine's file is shown while it is stepped.
printf '\t%s\n' '.globl main' 'main: addi sp, sp, -16' 'sd ra, 8(sp)' 'li a0, 5' 'call twice' \
	'ld ra, 8(sp)' 'addi sp, sp, 16' 'ret' >"$TTY_HOME/main.s"
printf '\t.globl twice\ntwice:\tadd a0, a0, a0\n\tret\n' >"$TTY_HOME/sort.s"
shell_runs "(cd $TTY_HOME && $CYCLOPS main.s sort.s)"
check 'a tab for each' wait_for '─ main.s ─ sort.s ─'
check 'the first is shown' wait_for '^   2 .*main:'
check 'both are one program' wait_for '16 instructions'
press 'the other one' F4 '^   2 twice:'
keys End Enter
type_text 'adi a0,a0,1'
check 'an error in its line' wait_for '^!  2 '
check 'and in its tab' wait_for '─ main.s ─ !sort.s \* ─'
keys F3
check 'in the other text with its file' wait_for 'sort.s:2:2: no instruction is called'
press 'F5 goes there' F5 '^!  2 '
keys C-u F5
check 'without it the program is as before' wait_for 'cycles to its end; 16|as before; 16'
keys Up End
type_text ' # both'
press 'the first one' F3 '^   3 .*sd ra'
keys End
type_text ' # both'
keys F5
check 'both are saved' wait_until grep -q both "$TTY_HOME/main.s"
check 'the other one, too' wait_until grep -q both "$TTY_HOME/sort.s"
check 'the program is as before' wait_for 'as before; 16'
keys Escape
command_line 'a stop in the second file' 'break twice' 'Breakpoint 1 at twice'
command_line 'the machine is there' 'continue' '^>  [23] '
check 'and its file is shown' wait_for 'twice:'
enter 'playground main.s'
check 'a file by its name' wait_for '^   3 .*sd ra'
keys Escape q
check 'it ends' wait_until at_shell
# C: compiled before it runs; errors are shown in their lines.
shell_runs "$CYCLOPS asm $TTY_HOME/sum.c"
if command -v riscv64-linux-gnu-gcc >/dev/null; then
	check 'an example in C' wait_for '^   1 /\* A playground'
	check 'in main' wait_for 'main'
	check 'how long it takes' wait_for 'cycles to its end; [0-9,]+ instructions'
	keys Down Down Down Down Down End
	type_text ';;)'
	keys F5
	check 'what is wrong' wait_for '6:[0-9]+: expected'
	check 'and where' wait_for '^!  6 '
	keys BSpace
	keys F5
	check 'and when it is right' wait_for 'cycles to its end'
else
	check 'what is missing' wait_for 'there is no compiler'
fi
keys Escape q
check 'it ends' wait_until at_shell
shell_runs "$CYCLOPS -o ui.start=main build/demos/fib"
check 'another program' wait_for ' live *$'
keys E
check 'has no text to edit' wait_for 'use cyclops asm FILE.s'
keys q
finish
