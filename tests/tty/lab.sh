#!/bin/bash
# Labs on the screen: a question waits for a prediction, which is judged by what comes; what is done
# lasts; the start page lists it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# Space, as often as there is more to read, until a text is there.
until_says() {
	local i before
	for ((i = 0; i < 12; i++)); do
		shows "$2" && break
		wait_for 'Space (goes on|reads on)' || continue
		before=$(screen)
		keys Space
		# what it leads to is there, and may be what is looked for
		wait_until is_not "$before" screen
	done
	check "$1" wait_for "$2"
}
open_terminal 100 40 PAGER=cat
shell_runs "$CYCLOPS lab 1"
check 'its page comes first' wait_for '^What is graded$'
check 'and waits' wait_for 'Enter begins the steps'
keys Enter
check 'then its steps' wait_for '─ Tour lab '
check 'with its words' wait_for 'The machine is the one of the textbooks'
until_says 'a question' 'How many cycles does one iteration of .near. take'
check 'waits for an answer' wait_for 'Space answers'
press 'Space opens the prompt' Space 'cyclops. answer'
type_text '9'
keys Enter
check 'which takes it' wait_for 'Space goes on'
until_says 'it is judged' 'not yet: near: 9: too high\. Count the columns'
check 'without what would be right' wait_gone 'near: 8'
until_says 'the next question' 'one iteration of .far. take'
keys Space
wait_for 'cyclops. answer'
type_text '?'
keys Enter
check 'is passed over' wait_for 'Space goes on'
until_says 'and said so' 'not yet: far: passed over'
# Another session writes its part of the same progress meanwhile.
HOME=$TTY_HOME XDG_DATA_HOME='' "$CYCLOPS" lab check 1 >/dev/null
check 'a hand-in is graded meanwhile' grep -q '^hand-in [0-9]* [1-9]' \
	"$TTY_HOME/.local/share/cyclops/labs/01-pipeline/progress"
keys q
check 'the hand-in is named' wait_for \
	'Your hand-in of this lab: .*/\.local/share/cyclops/labs/01-pipeline/task\.s'

# Results last: the list, and where it continues.
shell_runs "$CYCLOPS lab"
check 'the list says it' wait_for \
	'1  Lab 1: a pipeline and its hazards: step [0-9]+ of [0-9]+, predictions 0 of 2'
shell_runs "$CYCLOPS lab 1"
check 'it goes on' wait_for '─ Tour lab +[5-9]/'
until_says 'at what was said' 'far: passed over'
keys q
wait_for 'Your hand-in'
check 'answers last' grep -q '^answer near 9$' \
	"$TTY_HOME/.local/share/cyclops/labs/01-pipeline/progress"
check 'and what another session wrote' grep -q '^hand-in [0-9]* [1-9]' \
	"$TTY_HOME/.local/share/cyclops/labs/01-pipeline/progress"
shell_runs "$CYCLOPS lab edit 1"
check 'the hand-in on its machine' wait_for 'Adds up x.i. - y.i.'
keys Escape q
wait_for 'Your hand-in'

# The start page.
shell_runs "$CYCLOPS"
check 'the page' wait_for 'What shall it be'
keys Down Down Enter
check 'has the labs' wait_for '1 pipeline +step [0-9]+ of [0-9]+, predictions 0 of 2, hand-in 0 of 20: a'
check 'and others' wait_for '2 forwarding +forwarding and load-use'
keys Enter
check 'and begins one' wait_for '─ Tour lab '
keys q
check 'and comes back' wait_for '2 forwarding'
keys q

# To the end, with every question passed over: no command fails on the way.
resize 150 50
labs='8 10'
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || labs='1 2 3 4 5 6 7 8 9 10 11 12'
for lab in $labs; do
	rm -rf "$TTY_HOME/.local/share/cyclops/labs"
	shell_runs "$CYCLOPS lab $lab"
	wait_for 'Enter begins the steps' && keys Enter
	wait_for '─ Tour lab '
	begun=$SECONDS
	until shows 'End of the tour' || [ $SECONDS -gt $((begun + 6 * TIMEOUT_SECONDS)) ]; do
		! shows 'Space (goes|reads) on' || keys Space
		! shows 'Space answers' || keys Space '?' Enter
		! shows 'cyclops: ' || break
		read -r -t 0.05 -u "$IDLE" || :
	done
	check "lab $lab: reaches its end" wait_for 'End of the tour'
	check "lab $lab: says its points" wait_for '^.*0 of [0-9]+ points'
	keys q
	wait_for 'Your hand-in'
	shell_runs "$CYCLOPS lab"
	check "lab $lab: all steps are done" wait_for " $lab  Lab $lab: .*: all steps"
done
resize 100 40

# A page of the manual on a terminal.
shell_runs "$CYCLOPS manual coursework"
check 'headings are no marks' wait_for '^Coursework: write a branch predictor$'
check 'but underlined' wait_for '^=====+$'
finish
