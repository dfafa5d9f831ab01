#!/bin/bash
# All layouts of four programs and of two machines, at seven sizes: no number is cut, no title lacks
# its noun, no pane above a third of the screen is empty. The user's choice stays at each size.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

SIZES='80x24 90x28 100x30 120x36 140x44 160x48 200x60'
LAYOUTS='1:frontend 2:window 3:profilers 4:memory 5:source 6:machine 7:twin 8:tomasulo'
SCREENS=$TTY_HOME/screens
mkdir "$SCREENS"

sized() { named "$1" && [ ${#lines[@]} = "$2" ]; }

# all NAME ARGS: the program in all layouts at all sizes.
all() {
	local name=$1 size layout
	shift
	open_terminal 200 60
	start "$*"
	for size in $SIZES; do
		resize "${size%x*}" "${size#*x}"
		for layout in $LAYOUTS; do
			keys "${layout%:*}"
			wait_until sized "${layout/:/ }" "${size#*x}" ||
				not_ok "$size: no ${layout#*:}"
			printf '%s\n' "${lines[@]}" >"$SCREENS/$size-$name-${layout#*:}"
		done
	done
	leave
}

all linked "-e 'goto 500000' build/demos/linked"
all guest "-e 'break sum_series' -e continue -e 'step 200' tests/golden/guest.elf"
all json "-e 'tbreak intern' -e continue -e 'step 3000' build/demos/json demos/programs/input/timezones.json version"
all blocks "-e 'goto 30000' build/demos/xprof/blocks"
all twin "-e 'goto 300000' -e 'twin pipe.rob_size=16' build/demos/linked"
faults=$(python3 tests/tty/sizes.py "$SCREENS")
check 'the screens of all sizes' [ "$faults" = "280 screens, 0 faults" ]
[ $failed = 0 ] || printf '%s\n' "$faults"

# ---- chosen panes stay ----
open_terminal 160 48
start tests/golden/guest.elf
enter 'pane view history'
check 'a view of choice' wait_for '─ History '
resize 100 30
check 'is there in a smaller terminal' wait_until sized '2 window' 30
check 'too' shows '─ History '
resize 200 60
check 'and in a larger one' wait_until sized '2 window' 60
check 'as well' shows '─ History '
enter 'layout reset'
check 'until the layout is reset' wait_gone '─ History '
leave
finish
