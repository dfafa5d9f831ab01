#!/bin/bash
# What is typed ahead or pasted is lost nowhere and taken for nothing else: lines queue up as
# commands while the machine moves, and pasted text goes to the prompt.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# As a terminal hands on what is pasted: in one piece, between marks.
paste() {
	local text
	quoted "$1" text
	tell "set-buffer -b pasted $text" "paste-buffer -p -b pasted"
}
LISP="build/demos/lisp demos/programs/input/queens.lisp"
at() { [ "$(cycle)" = "$1" ]; }

open_terminal 120 36
start "$LISP"
keys ':goto 3000000' Enter ':echo all of it is text, q' Enter
check 'a line typed ahead runs behind the motion' wait_until says '^ *all of it is text, q'
check 'and stops nothing' at 3000000
keys ':goto 6000000' Enter ':break ' 'exit' Enter ':goto 7000000' Enter ':echo done' Enter
check 'three more' wait_until says '^ *done'
check 'all ran' at 7000000
keys ':goto 10000000' Enter C-p 'quit'
check 'what is typed ahead into the palette is text' wait_until at 10000000
keys Escape
keys ':goto 3000000' Enter ':quit' Enter
check ':quit can be typed ahead' wait_until at_shell

start "$LISP"
keys ':goto 50000' Enter
wait_until at 50000 || not_ok 'goto'
enter 'paste run'
check 'nothing was pasted yet' wait_until says 'nothing was pasted'
press_gone 'Down replaces the message' Down 'nothing was pasted'
paste 'echo one line'
check 'one line stands at the prompt' wait_for '^ ?\(cyclops\) echo one line$'
check 'and moves nothing' at 50000
keys Enter
check 'Enter runs it' wait_until says '^ *one line'
keys :
wait_for '\(cyclops\)'
type_text 'echo [] there'
keys Left Left Left Left Left Left Left
paste 'pasted'
check 'at the prompt it goes in where the cursor is' wait_for '\(cyclops\) echo \[pasted\] there$'
keys Escape
wait_gone '\(cyclops\)'

# Text typed before Up, and edits of the line of history, are gone with Esc.
enter 'echo first'
wait_until says '^ *first' || not_ok 'echo'
keys ':half of it' Up
wait_for '\(cyclops\) echo first$' || not_ok 'Up'
keys ' changed' Escape
wait_gone '\(cyclops\)'
keys : Up
check 'a line of the history that was left is as it was' wait_for '\(cyclops\) echo first$'
keys Down
check 'below it is what stands at this prompt' wait_for '\(cyclops\) *$'
keys 'half' Up Enter
wait_until says '^ *first' || not_ok 'Enter'
keys : Up
wait_for '\(cyclops\) echo first$' || not_ok 'Up again'
keys Down
check 'and with Enter' wait_for '\(cyclops\) *$'
keys Escape
wait_gone '\(cyclops\)'

paste $'step 7\nbogus\nstep 9\n'
check 'several lines are asked about' wait_for '3 lines were pasted: step 7'
check 'and move nothing' at 50000
keys Escape
check 'Esc drops them' wait_gone 'lines were pasted'
check 'nothing ran' at 50000
paste $'step 7\nstep 9\n'
wait_for '2 lines were pasted' || not_ok 'asked again'
keys Enter
check 'Enter runs them' wait_until at 50016
paste $'step 1\nbogus\nstep 9\n'
wait_for '3 lines were pasted' || not_ok 'asked once more'
keys Enter
check 'one that fails is the last' wait_until says 'Pasted line 2, bogus: '
check 'what stands before it ran' at 50017
paste $'echo first\nstep 9\n'
wait_for '2 lines were pasted' || not_ok 'and again'
keys Down Enter
check 'or the first is typed' wait_for '\(cyclops\) echo first$'
keys Escape
wait_gone '\(cyclops\)'
keys ':goto 3000000' Enter
paste 'echo while it moved'
check 'while the machine moves it waits' wait_for '\(cyclops\) echo while it moved$'
check 'and stops nothing' at 3000000
keys Escape
wait_gone '\(cyclops\)'
leave

start build/tests/tty/asks count
keys ':continue' Enter ':echo not run' Enter
wait_for 'Esc stops' || not_ok 'an endless motion'
keys Escape
check 'Esc stops it' wait_until says 'Interrupted'
keys ':echo run' Enter
check 'and drops what was typed ahead' wait_until says '^ *run'
leave

start build/tests/tty/asks
press 'the guest asks' c '^ Name\? *$'
paste $'Ada\n2\n'
check 'two lines pasted there are two answers' wait_for 'exited with status 0'
check 'and what comes of them' wait_for '2: Hello, Ada!'
leave
finish
