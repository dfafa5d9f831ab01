#!/bin/bash
# Labs on the screen: a question stands beside its evidence and owns the digits; a wrong answer gets
# a second try before the right one is shown; each step is saved, however the session ends; the end
# leads to the task; the start page lists it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# Presses Space while there is more to read, until a text appears.
until_says() {
	local i before
	for ((i = 0; i < 12; i++)); do
		shows "$2" && break
		wait_for 'Space (goes on|reads on)' || continue
		before=$(screen)
		keys Space
		# the state after the command is present already, and may match
		wait_until is_not "$before" screen
	done
	check "$1" wait_for "$2"
}
open_terminal 80 24 PAGER=cat
shell_runs "$CYCLOPS lab 1"
check 'its page comes first' wait_for '^What is graded$'
check 'and waits' wait_for 'Enter begins the steps'
keys Enter
check 'then its steps' wait_for '─ Lab 1 '
check 'with its words' wait_for 'The machine is the textbook'
until_says 'a question' '│ iteration of .near. take\?'
check 'waits for an answer' wait_for 'digits answer'
check 'the evidence stands beside it' shows '#157 +ld a0,0.s0. .*│ best'
check 'without a transcript' lacks 'tbreak'
press 'a prompt takes words' Space 'cyclops. answer'
type_text 'nan of it'
press 'which are no number' Enter '│ Not yet: nan of it; expected a'
press 'a digit is an answer, no layout' 9 'cyclops. answer 9$'
press 'it is judged' Enter '│ Not yet: 9 is not it'
check 'without what would be right' lacks 'from = 40'
check 'and asked once more' shows '│ iteration of .near. take\?'
press 'Space opens the prompt, too' Space 'cyclops. answer'
type_text '7'
press 'the verdict comes first' Enter '│ Not so: 7 is not it'
check 'then what was found' shows '│ cycle - .from = 40'
check 'without commands' lacks 'tbreak|continue$'
until_says 'the next question' '│ iteration of .far. take\?'
press 'a key passes it over' '?' '│ Passed over\.'
check 'and opens no window' lacks 'Not so|─ Keys'
# Another session writes to the same progress meanwhile.
HOME=$TTY_HOME XDG_DATA_HOME='' "$CYCLOPS" lab check 1 >/dev/null
check 'a hand-in is graded meanwhile' grep -q '^hand-in [0-9]* [1-9]' \
	"$TTY_HOME/.local/share/cyclops/labs/01-pipeline/progress"
step=$(t capture-pane -p | sed -n 's,.*─ Lab 1 *\([0-9]*\)/\([0-9]*\) .*,step \1 of \2,p')
# The terminal is closed, or so it seems to the session.
kill -HUP "$(pgrep -P "$(t display-message -p '#{pane_pid}')")"
check 'the session ends' wait_until at_shell
check 'the step lasts' grep -q '^beat [5-9]' "$TTY_HOME/.local/share/cyclops/labs/01-pipeline/progress"

# Results last: the list, and where it continues.
shell_runs "$CYCLOPS lab"
check 'the list says it' wait_for \
	"1  Lab 1: a pipeline and its hazards: ${step:-no step}, predictions 0 of 2"
shell_runs "$CYCLOPS lab 1"
check 'it goes on' wait_for '─ Lab 1 +[5-9]/'
check 'at what was said' wait_for 'Passed over\.'
keys q
check 'the hand-in is named' wait_for \
	'Your hand-in of this lab: .*/\.local/share/cyclops/labs/01-pipel'
check 'tries are counted' grep -q '^tries near 2$' \
	"$TTY_HOME/.local/share/cyclops/labs/01-pipeline/progress"
check 'answers last' grep -q '^answer near 7$' \
	"$TTY_HOME/.local/share/cyclops/labs/01-pipeline/progress"
check 'and what another session wrote' grep -q '^hand-in [0-9]* [1-9]' \
	"$TTY_HOME/.local/share/cyclops/labs/01-pipeline/progress"

# The start page.
shell_runs "$CYCLOPS"
check 'the page' wait_for 'What shall it be'
keys Down Down Enter
check 'has the labs' wait_for '1 pipeline +step [0-9]+ of [0-9]+, predictions 0 of 2, hand-in 0 of 20: a'
check 'and others' wait_for '2 forwarding +forwarding and load-use'
keys Enter
check 'and begins one' wait_for '─ Lab 1 '
keys q
check 'and comes back' wait_for '2 forwarding'
keys q

# To the end, skipping every question: no command fails, and every question is visible. The screen
# is read once for both texts, since a question may end between two readings.
question_in_sight() {
	local now
	now=$(screen)
	! grep -q 'digits answer' <<<"$now" || grep -q 'passes it over\.' <<<"$now"
}
# Goes on from what the screen shows; true at the lab's end, and at an error.
lab_goes_on() {
	local before
	! shows 'Space: to the task|cyclops: ' || return 0
	! shows 'You predicted 0 of [0-9]' || points=said
	! shows 'Space (goes|reads) on' || keys Space
	shows 'digits answer' || return 1
	check "lab $lab: the question is in sight" wait_until question_in_sight
	before=$(screen)
	keys Space '?' Enter
	wait_until is_not "$before" screen
	return 1
}
labs='1 8 10'
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || labs='1 2 3 4 5 6 7 8 9 10 11 12'
for lab in $labs; do
	[ $((lab % 2)) = 0 ] && resize 120 40 || resize 80 24
	rm -rf "$TTY_HOME/.local/share/cyclops/labs"
	shell_runs "$CYCLOPS lab $lab"
	wait_for 'Enter begins the steps' && keys Enter
	wait_for "─ Lab $lab "
	points=
	wait_until lab_goes_on
	check "lab $lab: reaches its end" wait_for 'Space: to the task'
	! shows 'You predicted 0 of [0-9]' || points=said
	check "lab $lab: says its points" [ -n "$points" ]
	if [ "$lab" = 1 ]; then
		press 'the end leads to the task' Space 'Adds up x.i. - y.i.'
		keys Escape
	fi
	keys q
	wait_for 'Your hand-in'
	shell_runs "$CYCLOPS lab"
	check "lab $lab: all steps are done" wait_for " $lab  Lab $lab: .*: all steps"
done
# Tables that are wider than the box: their columns stand close.
resize 80 24
shell_runs "$CYCLOPS lab 5"
wait_for 'Enter begins the steps' && keys Enter
check 'a lab begins' wait_for '─ Lab 5 +1/.* Space goes on ─'
press 'a wide table' Space '│ l1d\.size  = 4096  L1 data cache,'
keys q
resize 100 40

# A page of the manual on a terminal.
shell_runs "$CYCLOPS manual coursework"
check 'headings are no marks' wait_for '^Coursework: write a branch predictor$'
check 'but underlined' wait_for '^=====+$'
open_terminal 80 24
shell_runs "$CYCLOPS lab page 11"
check 'a pager says how to read on' wait_for '^Space reads on, q goes on$'
press 'and at the end how to leave' G '^q goes on$'
keys q
finish
