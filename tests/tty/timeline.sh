#!/bin/bash
# The timeline on the screen: its contents, scrubbing and selecting by keys and mouse, zooming, and
# sessions without one.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# Column of the first cell after the timeline's text.
GUTTER=25
# Lines of the screen that show it; the first is that of the functions.
line_of() { look && for ((i = 0; i < ${#lines[@]}; i++)); do [[ ! ${lines[i]} =~ $1 ]] ||
	echo $((i + 1)); done | tail -1; }
# The cycle at which the cursor is.
cursor() { look && [[ ${lines[$(line_of '^ IPC [0-9]') - 2]} =~ ^\ (⇔\ |\<\>\ )?([0-9,]+) ]] &&
	echo "${BASH_REMATCH[2]//,/}"; }
at_cursor() { [ "$(cursor)" = "$1" ]; }
at_cycle() { [ "$(cycle)" = "$1" ]; }
says_cycles() { [[ $(message) =~ cycles\ ([0-9,]+)\ to\ ([0-9,]+) ]] &&
	from=${BASH_REMATCH[1]//,/} to=${BASH_REMATCH[2]//,/}; }

AT="-e 'break main' -e continue -e 'mark here' -e 'goto 500000'"
open_terminal 120 60
start "$AT build/demos/linked"
check 'speed' wait_for '^ IPC 0\.31  top 1\.[0-9]+ +[▁▂▃▄▅▆▇█]{90,}'
check 'causes' wait_for '^ lost 92% l2 +[▁▂▃▄▅▆▇█]+'
check 'misses' wait_for '^ misses L1 500 L2 0 +'
check 'mispredictions' wait_for '^ mispredicted 0\.0 +'
check 'an axis with numbers, a mark with its name, the present' \
	wait_for '^ 500,000 +┬0─*◆here─*┬100 k─+┬200 k─+┬300 k─+┬400 k─+▼$'
check 'start-up in one block, then functions' wait_for '^ +start-up +main +main *$'
check 'their shares, those of causes, and the marks' \
	wait_for '^ lost, by the oldest █ l2 41%  █ memory 24%  █ dependency 9%  in   main 98%  ▼ now  ◆ mark  '
# A function has the same colour everywhere, and start-up none.
function_inks() {
	screen_colours | grep -a 'start-up' | grep -ao $'\e\\[[0-9;]*m *[a-z-]*' | grep -a "$1" |
		sort -u | wc -l
}
check 'one colour a function' [ "$(function_inks ' main')" = 1 ]

# ---- keys ----
press 'T: keys are for it' T '^ Left earlier +Right later +Enter go there'
keys Home
check 'to the beginning' wait_until at_cursor 0
keys End Left Left Left
check 'columns back' wait_until is_not 500000 cursor
check 'the machine stays' at_cycle 500000
there=$(cursor)
keys Enter
check 'Enter goes there, exactly' wait_until at_cycle "$there"
check 'the present is there' at_cursor "$there"
check 'which leaves a place where it was' wait_for '○$'
keys PgUp
check 'ten columns' wait_until is_not "$there" cursor
tells 'a range' 'S-Right S-Right' 'Selected: cycles [0-9,]+ to [0-9,]+: stats selection'
check 'its cycles' says_cycles
grouped=$((to - from)) grouped=${grouped%???},${grouped: -3}
command_line 'its statistics' 'stats sim.cycles selection' "^ sim\.cycles +$grouped "
command_line 'and its length' 'selection' "^ Selected: cycles .*, $grouped of them"
keys Home [
tells 'from begin to end' 'End ]' 'Selected: cycles 0 to 500,000'
keys Escape
command_line 'Esc: nothing selected' 'selection' 'Nothing is selected'
press 'closer' + '^ ⇔ '
keys + + + + + + + + + +
check 'closer than the record' wait_for '^ ⇔ '
row=$(line_of '^ IPC') # not within the pipe: both would ask the terminal at once
first=$(screen | sed -n "${row}p")
keys Left
check 'by its columns' wait_until is_not 500000 cursor
keys 0
check 'all of it' wait_gone '^ ⇔ '
check 'which looks other' is_not "$first" sed -n "$(line_of '^ IPC')p" "$TTY_HOME/screen"
press_gone 'Esc: keys are for panes' Escape 'Enter go there'
at=$(cycle)
keys s
check 'they are' wait_until at_cycle $((at + 1))

# ---- mouse ----
row=$(line_of '^ IPC [0-9]')
mouse 0 $((GUTTER + 40)) "$row"
check 'a click takes the focus' wait_for 'Enter go there'
mouse 0 $((GUTTER + 40)) "$row" m
here=$(cursor)
mouse 0 $((GUTTER + 20)) $((row + 1))
mouse 32 $((GUTTER + 30)) $((row + 1))
mouse 32 $((GUTTER + 60)) $((row - 10))
# the text after the first of the two moves is still less
passed() { says_cycles && [ "$to" -gt "$here" ]; }
check 'dragging selects what was passed' wait_until passed
mouse 0 $((GUTTER + 60)) "$row" m
check 'from the press on' [ "$from" -lt "$here" ]
check 'a double click goes there' double_click $((GUTTER + 40)) "$row" at_cycle "$here"
mouse 0 10 5
check 'a click on a pane gives it back' wait_gone 'Enter go there'
mouse 32 10 6

# ---- going back and changing ----
command_line 'a change cuts it' 'set $t6 = 1; selection' 'selected|Selected'
check 'the present is its end' wait_for '▼$'
keys C-t
check 'Ctrl-T hides it' wait_gone '^ IPC [0-9]'
keys C-t
check 'and shows it' wait_for '^ IPC [0-9]'
enter 'scrub off'
check 'off' wait_gone '^ IPC [0-9]'
command_line 'it says so' 'scrub 1' 'the timeline is not shown: scrub on'
command_line 'on' 'scrub on' '^ IPC [0-9]'
command_line 'what is wrong' 'scrub up' "scrub 'up' is not understood; expected scrub"
leave

# ---- in a tour ----
shell_runs "$CYCLOPS tour linked"
check 'a tour' wait_for '─ Tour '
keys Space
check 'its step ends at the present' wait_for '^ [0-9,]+ .*▼$'
wait_for 'Space (reads|goes) on' || :
command_line 'which a person leaves' 'reverse-step 60000' '^ [0-9,]+ .*★'
enter 'quit'
wait_until at_shell || not_ok 'it ends'

# ---- sizes ----
start "$AT build/demos/linked"
check 'a new session' wait_for '^ mispredicted'
resize 120 40
check 'lower: without mispredictions' wait_gone '^ mispredicted'
check 'the cause stands beside the functions' wait_for '^ lost 92% l2 +start-up +main'
resize 100 30
check 'lower still: without the legend' wait_gone '▼ now'
check 'with its axis' wait_for '^ 500,000 +┬0─.*▼$'
resize 80 24
keys 2
check 'one line: the end, and the largest cause' wait_for '^ 0 [▁▂▃▄▅▆▇█]+▼ 500 k █ l2 41%'
press 'with the keys, values at the cursor' T '▼ 500 k IPC 0\.31'
press 'earlier' 'Home' ' 0 IPC 0\.[0-9]+'
leave

# ---- kept ----
mkdir -p "$TTY_HOME/.config/cyclops"
echo 'scrub off' >"$TTY_HOME/.config/cyclops/screen"
resize 120 40
start "$AT build/demos/linked"
check 'a person wants none' wait_gone '^ IPC [0-9]'
leave
rm "$TTY_HOME/.config/cyclops/screen"

# ---- without UTF-8, without colours ----
open_terminal 120 40 LC_ALL=C NO_COLOR=1
start "$AT build/demos/linked"
check 'bars of ASCII' wait_for '^ IPC 0\.31  top [0-9.]+ +[.:=+*%#-]{90,}'
check 'and places' wait_for '^ 500,000 +\+0-*mhere-*\+100 k-.*V'
leave
finish
