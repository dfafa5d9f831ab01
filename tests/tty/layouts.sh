#!/bin/bash
# Every layout at three sizes, at a fixed cycle, compared with the texts in tests/tty/layouts/. With
# displays, and with a profile beside the code, too.
#
#   tests/tty/layouts.sh            compare
#   UPDATE=1 tests/tty/layouts.sh   keep what is shown now; look at the difference before you commit
#                                   it
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

EXPECTED=tests/tty/layouts
SHOWN=$TTY_HOME/shown

# as_kept FILE: the screen equals the kept one.
as_kept() {
	screen >"$SHOWN"
	cmp -s "$SHOWN" "$1"
}


# keeps NAME LAYOUT: with the layout of this number and name, the whole screen equals the kept one.
keeps() {
	local file=$EXPECTED/$1.txt
	wait_until named "$2" || not_ok "$1: no layout $2"
	# A picture is kept when nothing is left to count.
	[ -z "${UPDATE:-}" ] || { wait_gone 'counted while' && sleep 1.5 && screen >"$file"; }
	if wait_until as_kept "$file"; then
		ok
	else
		not_ok "$1 is not as it was kept"
		diff "$file" "$SHOWN"
	fi
}

lacks_displays() { ! grep -qs displays "$TTY_HOME/.config/cyclops/layouts/mine"; }

LAYOUTS='1:frontend 2:window 3:profilers 4:memory 5:source 6:machine 8:tomasulo'
TO="-e 'break sum_series' -e continue -e 'step 200'"

for size in 80x24 120x36 200x60; do
	open_terminal "${size%x*}" "${size#*x}"
	start "$TO tests/golden/guest.elf"
	for layout in $LAYOUTS; do
		keys "${layout%:*}"
		keeps "$size-${layout#*:}" "${layout/:/ }"
	done
	leave
done

# ---- H and B: a profile beside the code, and of branches ----
open_terminal 140 40
start "$TO tests/golden/guest.elf"
press 'the source' 5 '\[?5 source(\]|$)'
check 'time stands beside the source' wait_for '^ +line +source +time +lost to( |$)'
check 'and what was hot beside the disassembly' wait_for '│.* instruction +executed( |$)'
check 'the machine is asked what would help' wait_for ' without L2 misses +l2.perfect=true'
keeps 140x40-hot '5 source'
press 'B the branches' B '─ Branches ─'
keeps 140x40-branches '5 source'
enter 'pane source'
press_gone 'H takes it away' H '^ +line +source +time '
press 'a step' s 'stepped [0-9]*|cycle 10,568'
check 'it stays away' lacks '^ +line +source +time '
press 'H again shows it' H '^ +line +source +time '
press_gone 'and takes it away' H '^ +line +source +time '
keys 4
wait_for '\[?4 memory(\]|$)' || not_ok 'memory'
press 'where no code is in sight it comes in sight' H '\[?5 source(\]|$)'
check 'with it' wait_for '^ +line +source +time '
leave

# ---- displays, in any layout ----
open_terminal 80 24
start "$TO tests/golden/guest.elf"
command_line 'the first display opens a pane' 'display a0' '─ Displays ─'
enter 'display a5'
enter 'display rob.count'
check 'it has room for three' wait_for '^ +3 +rob\.count +[0-9]+'
keeps 80x24-displays '2 window'
press 'it is in other layouts' 4 '─ Stack .*'
check 'too' wait_for '─ Displays ─'
keys 2
enter 'layout save mine'
check 'no part of what is saved' wait_until grep -qs '^(rows 46 pipe' \
	"$TTY_HOME/.config/cyclops/layouts/mine"
check 'that is' lacks_displays
press 'a layout of a person has it' 1 '\[?1 frontend(\]|$)'
press 'again' 9 '9 mine'
check 'too' wait_for '─ Displays ─'
keys Tab Tab Tab Tab
check 'it can have the focus' wait_until focused Displays
press_gone 'x closes it' x '─ Displays ─'
press 'one more opens it' w '\(cyclops\) display'
type_text pc
press 'again' Enter '─ Displays ─'
enter 'undisplay 1'
enter 'undisplay 2'
enter 'undisplay 3'
check 'it is there for the last' wait_for '─ Displays ─'
enter 'focus displays'
check 'it can have the focus by name' wait_until focused Displays
keys z
check 'zoomed, with the focus' wait_for 'zoomed'
command_line 'it closes with the last' 'undisplay 4' '─ Pipe ─'
check 'it does' wait_gone '─ Displays ─'
leave
finish
