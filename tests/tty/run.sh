#!/bin/bash
# The screen, driven in a terminal: every layout at two sizes, every key, the prompt, the mouse,
# resizing, ways out.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

MATMUL="build/demos/matmul 12"
LONG="build/demos/matmul 500"
AT_MAIN="-e 'break main' -e continue"
BUSY="$AT_MAIN -e 'tbreak multiply_ijk' -e continue -e 'step 60'"

# ---- layouts ----
layouts() {
	press "$1: front end" 1 'Fetch queue'
	check "$1: front end, predictor" wait_for 'Direction predictor'
	press "$1: window" 2 'Reorder buffer'
	check "$1: window, diagram" wait_for '─ Pipe ─'
	check "$1: window, units" wait_for 'Functional units'
	press "$1: profilers" 3 '\[?3 profilers(\]|$)'
	check "$1: profilers, CPI stack" wait_for '─ CPI stack by the oldest ─'
	press "$1: memory" 4 'L1 data cache'
	check "$1: memory, stack" wait_for '─ Stack ─'
	press "$1: source" 5 '─ Source ─'
	check "$1: source, and where the time goes" wait_for '─ Where the time goes ─'
	check "$1: every view is known" wait_gone 'no view is called'
}

open_terminal 80 24
start "$AT_MAIN $MATMUL"
layouts 80x24
changes '80x24: a step is a cycle' s cycle
check '80x24: program and IPC have room before what passed' wait_for '^ matmul +cycle .* IPC '
leave
open_terminal 200 50
start "$AT_MAIN $MATMUL"
layouts 200x50
keys 2
check '200x50: what the letters of the pipe mean' wait_for \
	'^ F fetched = queue D dispatched .* squashed'
keys 4
check '200x50: what the marks of a cache mean' wait_for '·empty ░part ▒full ▓dirty █new ↓due'
press '200x50: a step says what passed' s '\+1 cycle, \+[0-9]+ instructions?'
check '200x50: the top line says it all' wait_for \
	'matmul +default +cycle [0-9,]+ +insts [0-9,]+ +IPC .* main.*matmul\.c.*live'
leave

# ---- moving ----
open_terminal 150 34
start "$AT_MAIN $MATMUL"
keys 2
wait_for 'live' || :
at=$(cycle)
group() { sed -E ':a;s/^([0-9]+)([0-9]{3})/\1,\2/;ta' <<<"$1"; }
# moves NAME KEY CYCLES: the cycle changes by so many.
moves() {
	local want=$(($(cycle) + $3))
	keys "$2"
	check "$1" wait_for " cycle $(group $want) "
}
moves 's steps' s 1
moves 's again' s 1
moves 'Right steps' Right 1
moves 'S goes back' S -1
check 'in the past it says so' wait_for '◀ 1 cycle ago ▶'
moves 'Left goes back' Left -1
check 'further back' wait_for '◀ 2 cycles ago ▶'
moves 'r returns' r 2
check 'live again' wait_for '● live'
keys s
press 'm begins again, at main' m "cycle $(group "$at") "
# Number after "insts" in the top line, and the line of the program.
insts() { screen | sed -n '1s/^.* insts \([0-9][0-9,]*\).*/\1/p' | tr -d ,; }
line() { screen | sed -n '1s/^.*(\(matmul\.c:[0-9]*\)).*/\1/p'; }
first=$(insts) begin=$(line)
changes 'i runs to a commit' i insts
check 'the next one' test "$(insts)" -gt "$first"
keys I
check 'by an instruction' wait_until is "$first" insts
changes 'n takes a line' n line
there=$(line)
changes 'and another' n line
keys N
check 'N goes back' wait_until is "$there" line
press 'C finds the breakpoint' C "cycle $(group "$at") "
check 'where it is' is "$begin" line
keys r
wait_for live || :
press 'c runs to the end' c 'exited 0'
check 'and says so' wait_for 'exited with status 0'
press 'C runs back from the end' C 'Breakpoint 1, '
press 'g asks where' g '\(cyclops\) goto'
type_text 31000
press 'g goes' Enter 'cycle 31,000 '
press 'W says why it is slow' W 'what would help'
press 'f finishes the function' f 'Returned from main, a0 = 0'
command_line 'to a function' 'goto 31000' 'cycle 31,000 '
command_line 'to where it begins next' 'goto multiply_ijk' \
	'^ [a-z]+ .*cycle .* multiply_ijk \(matmul'
press 'the line below is of the place' n '^ next is #[0-9]+ .*, which commits in this cycle; then (#|fetch)'
press 'F goes to the caller' F '^ [a-z]+ .*cycle .* main\+0x[0-9a-f]+ \(matmul'
command_line 'a display' 'display cycle' '^ cycle = '
at=$(cycle)
press 'is there after each step' s "^ +1 +cycle +$(group $((at + 1)))( |$)"
enter 'focus displays'
press_gone 'x closes its pane' x '─ Displays ─'
press 'it is said then' s "^ cycle = $(group $((at + 2)))$"
press 'after each step' s "^ cycle = $(group $((at + 3)))$"
command_line 'no view as a display' 'display view rob' 'pane view rob'
enter undisplay
wait_gone '\(cyclops\)' || :
moves 'a step without' s 1
check 'the display is away' lacks '^ cycle = '
command_line 'goto back' 'goto 31000' 'cycle 31,000 '
command_line 'a table in a box has its title on one line' 'view slots' \
	'^ │ Slot stack .* cycle 31,000 │'
keys Escape
check 'the box is gone' wait_gone '│ Slot stack'
at=$(cycle)
press 'Space animates' Space 'steps/s'
check 'animation moves' wait_gone 'cycle 31,000 '
press '+ is faster' + '10 steps/s'
press '- is slower' - '5 steps/s'
press_gone 'Space stops' Space 'steps/s'

leave

resize 120 34
# ---- rows ----
start "$BUSY $MATMUL"
check '120 columns: what passed is there' wait_for '\+60 cycles, \+[0-9]+ instructions, '
press 'l lists what was said before the screen' l 'Breakpoint 1, main \('
press_gone 'and closes' Escape 'Messages so far'
# focus NAME TITLE: the pane of this title has the focus afterwards, and had not before.
focus() {
	! focused "$2" || not_ok "$2 has the focus before"
	enter "focus $1"
	check "focus by name: $1" wait_until focused "$2"
	wait_gone '\(cyclops\)' || not_ok "focus $1: the prompt stays"
}
# Numbers of the instructions that the reorder buffer's pane shows, from the top; its k-th.
window() { screen | sed -n '/^─ Reorder buffer/,/^─ Load/s/^[ ▶]*#\([0-9]*\) .*/\1/p'; }
window_at() { window | sed -n "$1p"; }
focus rob 'Reorder buffer'
mapfile -t seq < <(window)
tells 'Down selects the row below' 'Down Down' "^ #${seq[1]} "
tells 'j too' j "^ #${seq[2]} "
tells 'and again' j "^ #${seq[3]} "
tells 'k selects the row above' k "^ #${seq[2]} "
tells 'Up too' Up "^ #${seq[1]} "
tells 'Home selects the first' Home "^ #${seq[0]} "
changes 'End selects the last' End message
check 'and says what it is' wait_until says '^ #[0-9]+ '
last=$(message | sed 's/^ #\([0-9]*\) .*/\1/')
check 'which was below the window' test "$last" -gt "${seq[-1]}"
check 'and is in it now' wait_until is "$last" eval 'window | tail -n 1'
tells 'Home goes back up' Home "^ #${seq[0]} "
check 'with the window' wait_until is "${seq[0]}" window_at 1
changes 'PgDn scrolls down' PageDown window_at 1
check 'by a page' test "$(window_at 1)" -ge "${seq[-1]}"
changes 'PgUp scrolls up' PageUp window_at 1
check 'by as much' is "${seq[0]}" window_at 1
press '> moves columns' '>' 'Reorder buffer .*‹'
press_gone '< moves them back' '<' 'Reorder buffer .*‹'
keys Home Down
wait_until says "^ #${seq[1]} " || :
tells 'Esc follows' Escape "^ #${seq[0]} "
press '/ asks' / '\(cyclops\) search'
type_text zzzz
press 'search finds nothing' Enter "'zzzz' is not in this pane"
# fmadd_at K: number of the K-th fmadd.d of the window's pane.
fmadd_at() { screen | sed -n '/^─ Reorder buffer/,/^─ Load/s/^[ ▶]*#\([0-9]*\) fmadd\.d .*/\1/p' |
	sed -n "$1p"; }
one=$(fmadd_at 1) two=$(fmadd_at 2)
keys Escape Down Down
wait_until says "^ #${seq[1]} " || :
keys :
wait_for '\(cyclops\)' || :
type_text 'search fmadd'
tells 'search finds' Enter "^ #$two "
tells ', looks back' , "^ #$one "
tells '. looks on' . "^ #$two "
keys Escape Down Down
wait_until says "^ #${seq[1]} " || :
changes 'Enter says why, all of it' Enter message
check 'it is live' wait_for '● live'
press 'G goes to the fetch of the row' G 'ago ▶'
press 'r returns' r '● live'
keys Escape Home Down
wait_until says "^ #${seq[1]} " || :
changes 'a step moves the window' s window_at 1
check 'and the same instruction stays selected' wait_until says "^ #${seq[1]} "
# Keys of other panes use the instruction selected in the reorder buffer.
focus fu 'Functional units'
press 'G is about the row of another pane' G 'ago ▶'
press 'r returns from there' r '● live'
focus disasm Disassembly
keys Down
press 'b sets a breakpoint' b 'Breakpoint [2-9] at'
check 'it is marked' wait_for '●▶ '
keys Escape
keys Down
press_gone 'b takes it away' b '●▶ '

# Lines far above the window that a view shows.
keys 5
wait_for '─ Source ─' || :
command_line 'search looks beyond the window' 'search Shows floating-point' \
	'[0-9] .* Shows floating-point'
keys Escape

# A pane of displays: values, memory, and not a second time above the prompt.
check 'nothing is displayed yet' wait_gone '─ Displays ─'
press 'w asks for a value' w '^ \(cyclops\) display *$'
type_text 'insts'
press 'it is in the pane' Enter '^ +1 +insts +[0-9,]+( |$)'
shown() { screen | sed -n 's/^ *1 *insts *\([0-9,]*\).*/\1/p' | tr -d ,; }
check 'as it is' test "$(shown)" = "$(screen | sed -n '1s/.*insts \([0-9,]*\).*/\1/p' | tr -d ,)"
changes 'and goes along' i shown
check 'nowhere else' lacks '^ insts = '
command_line 'memory' 'display x/2x sp' '^ +2 +x/2x sp +0x3'
command_line 'what stays wrong is said' 'display nowhere' 'nowhere'
check 'variables are there too' wait_for '─ Variables ─'
check 'with values' wait_for 'arg  *n +12( +▼)? *$'
keys Escape
press_gone 'it closes with the last' ': u n d i s p l a y Enter' '─ Displays ─'
# Tables by instruction and branch are panes, too, optionally of a region; columns beside the source
# show the same.
command_line 'what instructions did' 'pane hot' '─ Hot instructions ─'
check 'how often' wait_for ' executed '
command_line 'lines' 'pane hot lines' '─ Hot lines ─'
command_line 'what branches did' 'pane view branches since main' '─ Branches ─'
check 'and what they cost' wait_for ' wrong +lost '
command_line 'no region' 'pane branches since nowhere' 'nowhere'
command_line 'back' 'pane source' '─ Source ─'
wait_gone '\(cyclops\)' || :

# ---- panes ----
keys 2
wait_for '─ Pipe ─' || :
press_gone 'z zooms' z 'Reorder buffer'
check 'zoom is said' wait_for 'zoomed'
press 'Tab goes on while zoomed' Tab 'Reorder buffer'
press 'S-Tab goes back' BTab '─ Pipe ─'
press 'z again' z 'Functional units'
press 'v offers views' v 'Which view'
selected_view() { screen_colours | grep -oE $'\e\\[1m(\e\\[[0-9;]*m)* [a-z0-9]+ +[A-Z]' |
	grep -oE '[a-z0-9]+ +[A-Z]$'; }
changes 'a letter finds one' b selected_view
press_gone 'Esc closes it' Escape 'Which view'
command_line 'another view' 'pane view history' '─ (History|Snapshots)'
press '| splits' '|' '(History|Snapshots).*(History|Snapshots)'
press_gone 'x closes' x '(History|Snapshots).*(History|Snapshots)'
histories() { screen | grep -cE '─ (History|Snapshots)'; }
check 'one is left' is 1 histories
keys _
check '_ splits' wait_until is 2 histories
keys x
check 'x closes one' wait_until is 1 histories
focus rob 'Reorder buffer'
# Where panes meet.
borders() { screen | LC_ALL=C.UTF-8 sed 's/[^┬┤├┴┼│]/ /g'; }
# sizes NAME KEY BACK: KEY changes the arrangement, and BACK restores it.
sizes() {
	local before
	before=$(borders)
	changes "$1" "$2" borders
	keys "$3"
	check "$1: $3 takes it back" wait_until is "$before" borders
}
sizes '} makes it wider' '}' '{'
sizes '{ makes it narrower' '{' '}'
sizes ') makes it taller' ')' '('
sizes '( makes it shorter' '(' ')'
keys Escape
focus history '(History|Snapshots)'
press '= asks for a name' = '\(cyclops\) layout save'
type_text mine
press 'and saves' Enter 'Layout 9, mine'
check 'the file is there' grep -q '^(rows .*history' "$TTY_HOME/.config/cyclops/layouts/mine"
press '1 leaves it' 1 'Fetch queue'
press '7 has two machines' 7 '\[?7 twin(\]|$)'
press '8 has the issue queue' 8 '\[?8 tomasulo(\]|$)'
press '9 shows it again' 9 '9 mine'
command_line '17 is no layout' 'layout 17' 'there is no layout 17'
command_line 'a bad layout' 'layout windwo' "did you mean 'window'"
keys :
wait_for '\(cyclops\)' || :
type_text 'theme day'
# The top line's colours.
colours() { screen_colours | head -n 1; }
changes 'themes' Enter colours
wait_gone '\(cyclops\)' || :
command_line 'unknown theme' 'theme daye' "did you mean 'day'"
command_line 'layout list' 'layout' 'your own'
press_gone 'a menu is a choice' Enter 'your own'
check 'of where it stood' wait_for '[0-9] mine(\]|$)'

# ---- help and prompt ----
press '? helps' '?' 'a cycle forwards'
press_gone '? closes' Escape 'a cycle forwards'
press 'F1 helps' F1 'a cycle forwards'
keys Escape
keys 2
command_line 'as it was' 'layout reset' '─ Pipe ─'
press 'h explains the view' h 'view pipe'
press_gone 'h closes' Escape 'view pipe'
press ': prompts' : '\(cyclops\)'
type_text 'reverse-'
press 'Tab lists' Tab 'reverse-continue +reverse-finish'
type_text 'step'
keys Tab Tab
check 'candidates' wait_for 'reverse-stepi'
press_gone 'Esc closes the list' Escape 'reverse-stepi'
press_gone 'Esc closes the prompt' Escape '\(cyclops\)'
command_line 'a long answer' 'help step' 'Esc closes'
at=$(cycle)
press_gone 'a command behind it' : 'Esc closes'
type_text 'echo csci'
press 'is a command, not keys' Enter '^ csci *$'
check 'nothing has moved' is "$at" cycle
command_line 'a mispredicted branch' 'catch mispredict; continue; delete' '^ Catchpoint|squash #'
command_line 'its whole story' 'why' 'dispatch has not gone on yet'
resize 80 24
command_line 'of four lines, but too many rows' 'why' 'Esc closes'
keys Escape
resize 120 40
# Lines of `commands`, one after the other; Esc drops them.
command_line 'commands ask for lines' 'delete; goto 0; break main; commands' 'commands>'
type_text 'print 40 + 2'
keys Enter
type_text 'frames'
press_gone 'another line' Enter 'commands> *frames'
type_text 'end'
press_gone 'end ends them' Enter 'commands>'
command_line 'they are there' 'info breakpoints' '        frames'
keys Escape
command_line 'again' 'commands' 'commands>'
press 'Esc drops them' Escape 'Dropped'
command_line 'with a line' 'commands; print 40 + 2' 'commands>'
type_text 'end'
press_gone 'ended' Enter 'commands>'
command_line 'they run at the stop' continue '= 42'
keys Escape
command_line 'a command of the host' 'shell echo from the host; echo and more' 'and more'
keys Escape
command_line 'but no shell' shell 'no command given'
command_line 'none is left' 'delete; info breakpoints' 'No breakpoints'
command_line 'an error' 'stepp 3' "did you mean"
keys : Up
check 'history' wait_for '\(cyclops\) stepp 3'
keys C-u
type_text 'print 6*7'
press 'an answer' Enter '= 42$'
press 'l lists what was said' l 'Messages so far'
press_gone 'Esc closes that' Escape 'Messages so far'
t display -p '#{pane_tty}' | { read -r tty; printf '\e[12;1Hscribble' >"$tty"; }
check 'another program writes on the screen' wait_for scribble
press_gone 'C-l draws it again' C-l scribble
leave

# ---- the user's own configuration is loaded ----
printf '# comment\n\nbind X step 10\nlayout 5\n' >"$TTY_HOME/.config/cyclops/screen"
start "$MATMUL"
check 'the screen file chose a layout' wait_for '\[?5 source(\]|$)'
moves 'and bound a key' X 10
press 'the saved layout' 9 '9 mine'
command_line 'no key' 'bind XY step' 'is no key'
leave
rm "$TTY_HOME/.config/cyclops/screen"

# ---- mouse ----
start "$AT_MAIN $MATMUL"
keys 5
wait_for 'Call stack' || :
row=$(screen | grep -n '▶ main  *addi' | head -1 | cut -d: -f1)
column=$(screen | sed -n "${row}p" | sed 's/▶ main  *addi.*//' | wc -m)
mouse 0 $((column + 8)) $((row + 2))
mouse 0 $((column + 8)) $((row + 2)) m
check 'the wheel scrolls' wait_for 'Disassembly'
mouse 0 "$column" $((row + 2))
check 'a click on the mark sets a breakpoint' wait_for 'Breakpoint [2-9] at'
mouse 0 "$column" $((row + 2)) m
command_line 'window' 'layout 2' 'Reorder buffer'
command_line 'a busy place' 'tbreak multiply_ijk; continue; step 60' 'multiply_ijk'
row=$(screen | grep -n '#[0-9]' | sed -n 3p | cut -d: -f1)
check 'double click says why' double_click 20 "$row" shows '^ #[0-9]+ '
mouse 64 20 "$row"
mouse 65 20 "$row"
check 'the wheel does no harm' wait_for '─ Pipe ─'

# ---- size ----
resize 60 20
check 'too small: says so' wait_for '80x24 needed, this is 60x20; q leaves'
resize 20 5
check 'far too small' wait_for 'needed'
resize 100 40
check 'recovers' wait_for 'Reorder buffer'
check 'uses the width' wait_for '^.{95,} *live|● live'
leave

start "$LONG"
keys c
check 'a long run shows its progress' wait_for 'running: cycle .*Esc'
resize 90 30
check 'resize while running' wait_for 'running: cycle .*Esc'
resize 60 20
check 'too small while running' wait_for '80x24 needed'
resize 120 34
check 'and back' wait_for 'running: cycle .*Esc'
keys Escape
check 'Esc stops it' wait_for 'Interrupted'
keys c
wait_for 'running: cycle' || :
begin=${EPOCHREALTIME/./}
keys C-c
check 'Ctrl-C stops it' wait_for 'Interrupted'
echo "Ctrl-C to redrawn screen: $(((${EPOCHREALTIME/./} - begin) / 1000)) ms"
moves 'still alive' s 1
press 'Ctrl-C while stopped' C-c 'Nothing is running'

# ---- stop and continue ----
keys C-z
check 'Ctrl-Z stops' wait_for 'Stopped'
type_text 'fg'
press 'fg goes on' Enter '● live'
kill -STOP "$(pgrep -P "$(t display -p '#{pane_pid}')")"
check 'stopped from outside' wait_for 'Stopped'
type_text 'fg'
press 'goes on' Enter '● live'
check 'and draws everything' wait_for '─ Pipe ─'
keys c
wait_for 'running: cycle' || :
keys C-z
check 'Ctrl-Z stops a run' wait_for 'Stopped'
type_text 'fg'
press 'which goes on' Enter 'running: cycle'
keys Escape
wait_for 'Interrupted' || not_ok 'Esc after fg'
leave

# ---- ways out ----
terminal_is_back() {
	wait_until at_shell || return 1
	type_text 'stty -a'
	keys Enter
	wait_for ' icanon' && wait_for ' echo ' &&
		[ "$(t display -p '#{alternate_on} #{cursor_flag} #{mouse_any_flag}')" = '0 1 0' ]
}
open_terminal 100 30
start "$MATMUL"
command_line 'the end' continue 'exited 0'
keys 5
check 'output is in its pane' wait_for 'Guest output'
check 'and there is some' wait_for 'ijk|matmul|equal|agree|[0-9]+\.[0-9]+'
keys q
check 'quitting gives the terminal back' terminal_is_back
check 'and its output stays there' test "$(screen | grep -c '^ijk: trace')" = 1

# ---- poor terminals ----
plain() { ! screen_colours | grep -qE $'\e\\[[0-9;]*(3[0-8]|4[0-8])[;m]'; }
ascii() { ! screen | grep -q '[^ -~]'; }
for poor in TERM=xterm-mono TERM=vt100 NO_COLOR=1; do
	open_terminal 80 24 "$poor"
	start "$AT_MAIN $MATMUL"
	moves "$poor: a step" s 1
	check "$poor: no colours" plain
	keys q # not every terminal restores the former contents
	check "$poor: the shell is back" wait_for '^shell>'
done
open_terminal 80 24 LANG=C
start "$AT_MAIN $MATMUL"
press 'ASCII: the front end' 1 '- Fetch queue -'
press 'ASCII: the window' 2 '- Reorder buffer -'
check 'ASCII: nothing else' ascii
press 'ASCII: a popup' '?' '\| .*a cycle forwards'
check 'ASCII: nothing else in it' ascii
leave
open_terminal 80 24 TERM=dumb
shell_runs "$CYCLOPS -n -o ui.start=main $MATMUL"
check 'a dumb terminal gets the prompt' wait_for '\(cyclops\)'
finish
