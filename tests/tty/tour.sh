#!/bin/bash
# Guided tours on the screen: Space plays them, the user may go anywhere in between, and Space leads
# back to the same tour as without leaving it.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

start_tour() {
	shell_runs "$CYCLOPS tour $*"
	wait_for '─ Tour ' || not_ok "the tour opens: $*"
}

# Where a tour stands: "3/7".
at() { wait_for "─ Tour [a-z]+  $1/"; }
goes_on() { wait_for 'Space goes on'; }
leads_back() { wait_for 'Space leads back to the tour'; }

# ---- one in detail, in the smallest window ----
open_terminal 80 24
start_tour linked
check 'it begins with its words' wait_for 'Pointer chasing. First the list in memory order:'
check 'and says what Space does' wait_for \
	'^ Space: tbreak linked.c:37 · continue · tbreak linked.c:61 · continue'
check 'before main its source stands there, and the code once' wait_for '^ +42 int main.*│ ▶ +_start'
press 'Space plays' Space 'Temporary breakpoint 3 at main.* .linked.c:61'
check 'what was typed is there' wait_for '\(cyclops\) tbreak linked.c:37'
press 'a page on' Space 'About 116,000 cycles for 8,192 nodes'
check 'the next step' at 2
there=$(cycle)
check 'source is shown' wait_for '─ Source ─'
press 'the next: a view' Space '─ Pipe ─'
check 'it alone' wait_gone '─ Source ─'
check 'and what is next' wait_for '^ Space: why'
press 'the rest of the step' Space '^ .cyclops. why'
check 'and what it says' wait_for '^ #[0-9]+ .*: L1D miss, in L2'
back=$(cycle)
check 'it went back' test "$back" = $((there - 50000))
# Explores: another layout, another cycle, a change that cannot be undone.
press 'another layout' 2 '─ Reorder buffer ─'
check 'Space would lead back' leads_back
press 'and does' Space 'Space (goes|reads) on'
check 'to the stage' wait_gone '─ Reorder buffer ─'
check 'at the step' at 3
keys s s S
check 'moving is exploring' leads_back
press_gone 'Space leads back' Space 'leads back'
check 'to the cycle' test "$(cycle)" = "$back"
command_line 'a breakpoint in the way' 'break linked.c:38' 'Breakpoint [0-9]+ at main'
check 'changes things' leads_back
keys Space
check 'Space leads back' wait_for 'Space (goes|reads) on'
check 'to the same cycle' test "$(cycle)" = "$back"
command_line 'nothing is left of it' 'info breakpoints' 'No breakpoints|no breakpoints'
keys Escape
press 'on' Space '─ Memory traffic ─'
check 'further' at 4
press 'BackSpace goes a step back' BSpace '─ Pipe ─'
check 'there' at 3
resize 100 60
press '? knows these keys' '?' 'Space +on in the tour, or back to it +tour next'
keys Escape
resize 80 24
command_line 'from the beginning' 'tour again' 'Pointer chasing. First'
check 'begun' at 1
command_line 'nonsense' 'tour nowhere' "no tour is called 'nowhere'"
command_line 'another one' 'tour hello' '─ Tour hello '
leave

# ---- the way in from a session ----
start -e "'step 7'" build/demos/hello
command_line 'no tour is played' 'tour next' 'no tour is being played: `tour` lists them'
press 't offers tours' t 'Tours: Enter begins one'
press 'the first' Enter '─ Tour first '
press 'which is played' Space '─ Tour first +2/'
keys q
check 'q leads back to the own session' wait_until says \
	'back from tour first: this is your own session'
check 'which is where it was' wait_for '^ hello  cycle 7 '
check 'at its cycle' is 7 cycle
command_line 'with its history' 'reverse-step 4' 'cycle 3 '
command_line 'what is no tour is said' 'tour nowhere' "no tour is called 'nowhere'"
command_line 'one by name' 'tour hello' '─ Tour hello '
command_line 'others from there' 'tour fib' '─ Tour fib '
keys C-z
check 'stopped, the shell is back' wait_for 'Stopped'
type_text 'fg'
press 'and goes on' Enter '─ Tour fib '
keys q
check 'all of them lead back' wait_until says 'back from tour hello'
command_line 'it goes on' 'step 2' 'cycle 5 '
leave

# ---- all tours to their ends: on the screen each reaches the same cycle as in text ----
resize 170 50
# Goes on from what the screen shows; true at the tour's end.
tour_goes_on() {
	! shows 'End of the tour' || return 0
	! shows 'Space (goes|reads) on' || keys Space
	# A question: it is passed over.
	! shows 'Space answers' || keys Space '?' Enter
	return 1
}
tours=demos/tours/*.cyc
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] ||
	tours='demos/tours/first.cyc demos/tours/hello.cyc demos/tours/values.cyc'
for tour in $tours; do
	name=$(basename "$tour" .cyc)
	{ cat "$tour" && echo && echo 'print cycle'; } >"$TTY_HOME/$name.cyc"
	end=$("$CYCLOPS" tour --batch "$TTY_HOME/$name.cyc" 2>&1 </dev/null | tail -n 1 |
		grep -oE '[0-9,]+$')
	start_tour "$name"
	check "$name: reaches its end" wait_until tour_goes_on
	check "$name: cycle $end" test "$(cycle)" = "${end//,/}"
	check "$name: all views are there" wait_gone 'no view is called'
	leave
done
finish
