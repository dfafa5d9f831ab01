#!/bin/bash
# The palette: hits of Ctrl-P, effects of Enter, Tab and the mouse, at the smallest size and at a
# large one.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# The first item is this: kind, name.
first() { look && [[ ${lines[3]} =~ ^.│\ ($1\ +$2)(\ |$) ]]; }
# The last item in sight is this.
last() {
	local line text=
	look
	for line in "${lines[@]}"; do [[ ! $line =~ ^.│\ [a-z]+\ +[^\ ] ]] || text=$line; done
	[[ $text =~ ^.│\ ($1\ +$2)(\ |$) ]]
}
opens() { keys C-p && wait_for '┌─ Find anything' || not_ok "the palette opens: $1"; }
# finds NAME QUERY KIND NAME: the first hit.
finds() {
	opens "$1"
	type_text "$2"
	check "$1" wait_until first "$3" "$4"
}
closed() { keys Escape && wait_gone 'Esc closes'; }

open_terminal 80 24
start build/demos/linked

# ---- hits ----
press 'all there is' C-p '│ command +advance '
check 'how many' wait_for '^ └─* 200 of [0-9]+: Enter runs it, Tab: on the prompt, Esc closes'
type_text rs
check 'an abbreviation' wait_until first command reverse-step
keys C-u
type_text 'rob.oc'
check 'what is typed can go' wait_until first statistic rob.occupancy
keys C-u
type_text 'roB'
check 'whatever the case' wait_until first view rob
keys BSpace BSpace BSpace
check 'nothing is typed' wait_until first command advance
type_text 'nothing zqzqz'
check 'nothing is found' wait_for '^ └─* 0 of 0: '
keys Enter
check 'Enter closes it then' wait_gone 'Find anything'
found() { finds "$1: $2" "${3:-$2}" "$1" "$2" && closed; }
found command step
found view l1d
found view regs registers
finds 'words of its summary find continue' 'run to end' command continue
check 'and the library with scattered letters comes last' wait_until last data _nl_current_default_domain
closed
found layout frontend
found pane 'Reorder buffer' 'buffer pane'
found key 'c +continue' 'continue key'
found tour linked 'linked tour'
found parameter pipe.rob_size robsize
found statistic bpred.mispredicts mispredicts
found word misprediction mispredictio
found word amoadd.w
found function main
found data main_arena
found source linked.c:37 'linked.c:37'
found source linked.c:37 '>next)'

# ---- Enter ----
run() { finds "$1: is found" "$2" "$3" "$4" && keys Enter; }
run 'a command' rs command reverse-step
check 'a command runs' wait_until says 'Beginning of history'
run 'one that must be told something' goto command goto
check 'goes on the prompt' wait_for '^ \(cyclops\) goto *$'
keys Escape
wait_gone '\(cyclops\)'
run 'a key' 'step key' key 's +step'
check 'a key does what it does' wait_until is 1 cycle
run 'a view' hot view hot
check 'a view is in the focused pane' wait_for '─ Hot instructions ─'
run 'a pane' 'fun pane' pane 'Functional units'
check 'a pane has the focus' wait_until focused 'Functional units'
run 'a layout' 'memory layout' layout memory
check 'a layout is shown' wait_for '\[?4 memory(\]|$)'
run 'a parameter' robsize parameter pipe.rob_size
check 'a parameter shows its value' wait_for '2 to 1024 entries, 64 by default, 64 now'
run 'a statistic' sim.cycles statistic sim.cycles
check 'so does a statistic' wait_until says '^ now 1 *$'
run 'a word' misprediction word misprediction
check 'a word is explained' wait_for '^ misprediction:'
run 'a line' 'linked.c:37' source linked.c:37
check 'a line is shown' wait_for '^ +37 +for \(;'
run 'a function' main function main
check 'a function is shown' wait_for '^ +43 +\{'
run 'without source' malloc function malloc
check 'by its instructions' wait_for '─ Disassembly ─'
run 'data' main_arena data main_arena
check 'data are shown' wait_for '─ Memory ─'

# ---- Tab, and the rest of the keys ----
put() {
	finds "Tab, $2" "$1" "$2" "$3"
	keys Tab
	check "Tab puts it on the prompt: $4" wait_for "^ \\(cyclops\\) $4 *$"
	keys Escape
	wait_gone '\(cyclops\)'
}
put step command step step
put 'goto key' key 'g +goto' goto
put rob view rob 'view rob'
put robsize parameter pipe.rob_size 'set pipe.rob_size ='
put sim.cycles statistic sim.cycles 'stats sim.cycles'
put 'linked.c:37' source linked.c:37 'list [^ ]*linked.c:37'
put 'linked tour' tour linked 'tour linked'
opens 'arrows'
type_text 'reverse-'
check 'the first of several' wait_until first command reverse-next
keys Down C-n C-p Tab
check 'arrows choose another' wait_for '^ \(cyclops\) reverse-step'
keys Escape
wait_gone '\(cyclops\)'
opens 'words'
type_text 'one two'
check 'words' wait_for '> one two'
keys C-w
check 'the last word can go' wait_for '> one *│'
type_text ':?q'
check 'all that is typed is text' wait_for '> one :\?q *│'
closed
command_line 'a command of the console, with what to find' 'palette l1d' '> l1d'
closed
enter 'bind X palette rob'
press 'it can be bound to a key' X '> rob'
closed

# ---- the mouse ----
opens 'the wheel'
type_text 'reverse-step'
check 'an item to click' wait_until first command reverse-step
mouse 65 20 8
mouse 0 20 3
check 'a click on the line is none on an item' wait_for '> reverse-step'
type_text ' view'
keys BSpace BSpace BSpace BSpace BSpace
mouse 0 20 4
check 'a click runs what is under it' wait_until is 0 cycle
opens 'a click elsewhere'
mouse 0 79 23
check 'a click elsewhere closes it' wait_gone 'Find anything'

# ---- pasted, and typed ahead ----
opens 'what is pasted'
tell "set-buffer -b pasted 'l2 view'" 'paste-buffer -p -b pasted'
check 'pasted text is typed there' wait_for '> l2 view'
closed
leave
shell_runs "$CYCLOPS -n -o ui.start=main build/demos/linked"
wait_for ' cycle [0-9]' && wait_until drawn
tell 'send-keys c C-p' 'send-keys -l -- "q quit"'
check 'typed ahead: text, no key that stops or leaves' wait_for '> q quit'
check 'the program ran to its end' wait_for 'exited 0'
closed

# ---- large ----
resize 200 60
opens 'in a large window'
type_text 'mispred'
check 'more of each line' wait_for \
	'│ statistic +bpred.mispredicts +committed control instructions that were mispredicted'
closed
leave
finish
