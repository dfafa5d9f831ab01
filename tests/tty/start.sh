#!/bin/bash
# `cyclops` alone on a terminal: a page of beginnings, used by keys and mouse, the return to it, and
# continuing at the last place.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# filled ROWS: so many rows are not empty.
filled() { look && [ "$(printf '%s\n' "${lines[@]}" | grep -c '[^ ]')" -ge "$1" ]; }
open_terminal 80 24
shell_runs "$CYCLOPS"
check 'the page' wait_for 'What shall it be'
check 'nothing was before: it begins with a tour' wait_for 'First tour +a few minutes'
check 'tours' wait_for 'Tours +guided tours'
check 'labs, and how far they are' wait_for 'Labs +exercises, graded: 0 of 12 done, 0 begun'
check 'a preview of the first row' wait_for '│ An anagram finder on a '
check 'how to leave' wait_for 'q leaves'
press 'the preview of the tours: all of them have room' Down '│.* values +│$'
press 'the preview of the labs' Down '│ 4 predictors +12 profiler '
resize 120 40
check 'titles, where there is room' wait_for '│ 12 profiler +a profiler of your own, under a budget +│$'
check 'beside the lists, whose helps are below their names' shows '^    exercises, graded: 0 of 12 done, '
check 'few rows are empty' filled 34
press 'one without room comes first' Down '^ .*│ sort +a rhyming dictionary by five sorting algorithms +│$'
press 'no line of the first is cut' 'Up Up Up' '│ An anagram finder on a machine that is four wide and out of order\. +│$'
check 'the labs stay in sight' shows '│ 12 profiler +a profiler of your own, '
check 'few rows are empty' filled 34
press 'a list is entered on the right' 'Down Enter' 'Enter begins'
check 'beside the lists' shows '^    guided tours: .*│ cg '
keys Escape
resize 120 24
press 'a low terminal has a row for each name and its help' Down '^    Labs +│ 6 window '
resize 80 24
press 'a small one, the preview below' 'Up Up' '^  │   #15419187  addi a5,a5,-1 .* +│$'
keys Enter
check 'the tour begins' wait_for 'Space'
leave_tour() { keys q; wait_for 'What shall it be'; }
check 'and leads back' leave_tour
check 'it can be continued' wait_for 'Continue +cyclops tour first'

# A list, its end, and back.
keys Down Enter
check 'the tours' wait_for 'first +A first look'
keys End
check 'the last one' wait_for 'values +'
keys Escape
check 'back' wait_for 'What shall it be'

# A demo, and back to the page, which can go on with it.
keys Down Down Enter
check 'the demos' wait_for 'fib +recursive Fibonacci'
keys Home Down Down Down Down Down Down Down Down Down Down Down Down
keys Enter
check 'one is opened' wait_for ' .fib.c:[0-9]+. .*◀ [0-9,]+ cycles ago ▶'
keys q
check 'back on the page' wait_for 'fib +recursive Fibonacci'
keys Escape
check 'what one was at' wait_for 'Continue +cyclops demo fib'
keys Home Enter
check 'it goes on' wait_for ' .fib.c:[0-9]+. .*◀ [0-9,]+ cycles ago ▶'
keys q
check 'and back' wait_for 'What shall it be'

# A program of one's own, by its path; the playground.
keys Home Down Down Down Down Down Enter
check 'a path is asked for' wait_for 'Program:'
type_text "build/demos/hello!"
keys BSpace Enter
check 'it is opened' wait_for 'hello .*cycles ago ▶'
keys q
check 'back once more' wait_for 'What shall it be'
keys Up Enter
check 'the playground' wait_for 'A playground'
keys Escape
check 'out of its text' wait_for 's step'
keys q
check 'and back from there' wait_for 'What shall it be'

# By mouse: a first click chooses, a second opens.
mouse 0 10 6
mouse 0 10 6
check 'a click opens' wait_for 'first +A first look'
resize 120 40
check 'in a larger terminal' wait_for 'values +'
keys q
check 'it leaves' wait_until at_shell

# A large terminal has room for all lists, and is full.
open_terminal 200 60 PAGER=cat
shell_runs "$CYCLOPS"
check 'the lists beside each other' wait_for '│ 1 pipeline .*│ .* │$'
check 'and the last' shows '─ Manual ─'
check 'few rows are empty' filled 50
keys End Up Up Up Up
press 'a list is entered where it stands' Enter 'Enter begins'
check 'beside the others' shows '─ Manual ─'
keys Down Enter
check 'its second lab begins' wait_for 'Enter begins the steps'
keys C-d
check 'and leads back' wait_for '─ Manual ─'
keys q
check 'it leaves' wait_until at_shell

# A path that can't be opened is reported, and can be typed again.
shell_runs "$CYCLOPS"
check 'again' wait_for 'What shall it be'
keys End Up Enter
check 'asked again' wait_for 'Program:'
type_text 'no-such-program'
keys Enter
check 'there is none' wait_for 'no-such-program: No such file or directory'
check 'it is asked for again' shows '^ Program: no-such-program'
press 'and left' Escape 'q leaves'
keys q
check 'without an error' wait_until at_shell

# Several assembly files are one program.
printf '.globl main\nmain: call two\nli a7,93\necall\n' >"$TTY_HOME/one.s"
printf '.globl two\ntwo: li a0,7\nret\n' >"$TTY_HOME/two.s"
shell_runs "$CYCLOPS $TTY_HOME/one.s $TTY_HOME/two.s"
check 'both files' wait_for 'F4 next file'
keys Escape
check 'out of their text' wait_for 's step'
keys q
check 'and leaves' wait_until at_shell

# Not on a terminal: the usual text.
shell_runs "$CYCLOPS 2>&1 | head -n 1"
check 'usage' wait_for 'Cyclops inspects programs'
finish
