#!/bin/bash
# The picture of the machine on the screen: it fits, boxes are selected by keys and by the mouse,
# Enter opens their views, and a classic5 is the textbook's.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh


open_terminal 80 24
start "-e 'goto 500000' build/demos/linked"
command_line 'a pane of it' 'pane machine' '^─ Machine '
keys z
check 'the first box' wait_for '^ ┌ fetch ─+┐  ┌ fetch queue ─+┐  ┌ units ─+┐  ┌ L1D ─+┐'
check 'the last' shows '^ └─+┘  └ a5 #[0-9]+ ─+┘  └─+┘  └─+┘$'
check 'occupancy of the window' shows '│64/64 █+│'
check 'which the slots were lost to' shows '┌ L2 ◀4 ─'
check 'whose oldest is where' shows '│#[0-9]+ ld a5'
keys s
check 'stepping' wait_for ' cycle 500,001 '
keys S
check 'and back' wait_for ' cycle 500,000 '
keys Down Down
press 'Enter opens the view of a box: L1I' Enter '^─ L1 instruction cache '
check 'which says how to come back' wait_for 'pane machine. leads back'
command_line 'back' 'pane machine' '^ ┌ fetch ─'
keys Down '>'
press 'right of the first: the fetch queue' Enter '^─ Fetch queue '
command_line 'back again' 'pane machine' '^ ┌ fetch ─'
keys Down '>' '>' '>'
press 'at the right: L1D' Enter '^─ L1 data cache '
command_line 'and back again' 'pane machine' '^ ┌ fetch ─'
# The reorder buffer is in the second column of boxes, a third of the way down.
mouse 0 25 12
mouse 0 25 12 m
press 'a click selects' Enter '^─ Reorder buffer '
command_line 'to the picture' 'pane machine' '^ ┌ fetch ─'
keys z
check 'a pane that is too small for it has a table' wait_for 'box +holds'
keys z
check 'and the picture again' wait_for '^ ┌ fetch ─'
keys q
check 'the end' wait_until at_shell

open_terminal 120 40
start "--config classic5 -e 'goto 5006' build/demos/linked"
command_line 'a pane of a textbook' 'pane machine' '^─ Machine '
keys z
check 'its stages' wait_for '┌ IF ─+┐ +┌ ID ─+┐ +┌ EX ─[─┴]+┐ +┌ MEM ─[─┴]+┐ +┌ WB ─[─┴]+┐'
check 'a path that is lit' shows '┌a5 #[0-9]+─+┐'
keys s
check 'is dark in the next cycle' wait_gone 'a5 #4406─'
for layout in 2:window 8:tomasulo; do
	press "layout $layout" "${layout%:*}" "\\[?${layout/:/ }(\\]|\$)"
	check 'has the units of a textbook' wait_for '─ Functional units '
	check 'and no structure that it lacks' lacks '─ (Reorder|In flight|[A-Za-z/]* queue|Register renaming)'
done

open_terminal 80 24 LC_ALL=C
start "-e 'goto 500000' build/demos/linked"
command_line 'a pane in ASCII' 'pane machine' '^- Machine '
keys z
check 'plain lines' wait_for '^ \+ fetch -+\+  \+ fetch queue -+\+'
finish
