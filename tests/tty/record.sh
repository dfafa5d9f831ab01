#!/bin/bash
# `record`: the screen as an asciinema file, which another terminal shows as it was: text, colours
# and cursor.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

cast=$TTY_HOME/talk.cast

pictured() { screen_colours | python3 tests/tty/cast.py cells; }

# The screen without the row of keys below it.
pictured_above() { pictured | head -n "$1"; }

# played NAME PICTURE: a fresh terminal of that size, given all of the recording, shows the picture.
played() {
	local name=$1 wanted=$2 w h
	python3 tests/tty/cast.py "$cast" output >"$TTY_HOME/output"
	read -r _ size _ < <(python3 tests/tty/cast.py "$cast")
	w=${size%x*} h=${size#*x}
	open_terminal "$w" "$h"
	type_text "PS1=; clear; cat $TTY_HOME/output; sleep 100"
	keys Enter
	check "$name: text and colours" wait_until is "$wanted" pictured_above $((h - 1))
}

open_terminal 80 24
start build/demos/fib
command_line 'nothing is recorded' record 'The screen is not recorded'
command_line 'a stop without one' 'record stop' 'use record FILE'
command_line 'no picture' 'record talk.gif' "talk.gif: a recording is asciinema's .cast"
command_line 'no folder' 'record /nowhere/talk.cast' '/nowhere/talk.cast: '
command_line 'it begins' "record $cast" 'Recording in .*talk.cast; .record stop'
check 'the file comes with the end' [ ! -e "$cast" ]
command_line 'one at a time' 'record other.cast' 'is being recorded in'
press 'a step' s ' cycle 1 '
keys 2
command_line 'how much' record 'Recording in .*talk.cast: [0-9]+ pictures, [0-9]+ kB'
press 'a popup' '?' 'Esc closes'
press_gone 'and away' Escape 'Esc closes'
for _ in 1 2 3; do changes 'another step' s cycle; done
wait_until drawn
picture=$(pictured)
leave
check 'it is an asciinema file' grep -qE '^80x25 80x25 [1-9][0-9]*$' < <(python3 tests/tty/cast.py \
	"$cast")
played 'as it was when the screen was left' "$picture"
check 'keys stand below it' shows '^ (.* )?s( s)?$'
# The moving picture ends with the screen's last contents.
check 'a moving picture shows it' python3 tests/tty/cast.py film "${cast%.cast}.svg" <<<"$picture"

check 'so does the GIF' python3 tests/tty/cast.py gif "${cast%.cast}.gif" "${cast%.cast}.svg"

# A terminal that is closed, and a signal that ends the session.
for signal in HUP TERM; do
	rm "$cast" "${cast%.cast}".{svg,gif}
	open_terminal 80 24
	start build/demos/fib
	command_line 'it begins' "record $cast" 'Recording in .*talk.cast'
	changes 'a step' s cycle
	kill -"$signal" "$(pgrep -P "$(t display -p '#{pane_pid}')")"
	check "SIG$signal ends it" wait_until at_shell
	check "a recording is kept at SIG$signal" grep -qE '^80x25 80x25 [1-9][0-9]*$' < <(
		python3 tests/tty/cast.py "$cast")
	check 'so are the moving pictures' eval '[ -s "${cast%.cast}.svg" ] && [ -s "${cast%.cast}.gif" ]'
done

# Neither the recorder's message nor its prompt is in the film; a theme for the other kind of
# terminal brings its own background.
open_terminal 80 24
start build/demos/fib
command_line 'it begins' "record $cast" 'Recording in .*talk.cast'
changes 'a step' s cycle
enter 'theme light'
wait_gone '\(cyclops\)' && wait_until drawn
check 'the screen is light' shows $'\e\\[48;5;231m|\e\\[[0-9;]*;48;5;231m' -eN
enter 'record stop'
check 'it ends' wait_for 'Recorded [1-9][0-9]* pictures in .*talk.cast'
check 'and the background' grep -q '#ffffff' "${cast%.cast}.svg"
check 'but not its beginning and end' eval '! grep -qE ">(record|Recording)<" "${cast%.cast}.svg"'
leave

# A change of size, an open prompt, and wide characters.
open_terminal 100 30
start build/demos/fib
command_line 'it begins' "record $cast" 'Recording in .*talk.cast'
resize 130 40
check 'the new size' wait_until eval 'look && [ ${#lines[@]} = 40 ] && [ -n "${lines[39]}" ]'
keys 3 :
type_text 'echo 漢字 ü'
check 'it is typed' wait_for '漢字 ü'
picture=$(pictured)
keys Escape
wait_gone '漢字'
command_line 'it ends' 'record stop' 'Recorded [1-9][0-9]* pictures in .*talk.cast.*talk.gif'
leave
check 'both sizes' grep -qE '^100x31 130x41 ' < <(python3 tests/tty/cast.py "$cast")
# Up to the prompt.
python3 - "$cast" <<'X'
import sys
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
last = max(i for i, line in enumerate(lines) if "ü" in line)
open(sys.argv[1], "w", encoding="utf-8").write("\n".join(lines[:last + 1]) + "\n")
X
played 'a prompt with wide characters' "$picture"
check 'two sessions under one name' python3 tests/tty/two_records.py "$CYCLOPS" build/demos/fib \
	"$TTY_HOME"
finish
