# Drives the program in a terminal of its own: a tmux server for this test alone, a shell in it, keys in, screen out.
# Nothing waits for a time to pass: wait_for looks until a text is there.

TMUX_SERVER=cyclops-tty-$$
terminals=0
TTY_HOME=$(mktemp -d)
passed=0 failed=0
TIMEOUT_SECONDS=${TTY_TIMEOUT:-10}
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}

t() {
	tmux -L "$TMUX_SERVER" -f /dev/null "$@"
}

tty_end() {
	t kill-server 2>/dev/null
	# What was hung up may still be writing its history.
	until rm -rf "$TTY_HOME" 2>/dev/null; do sleep 0.02; done
}
trap tty_end EXIT
trap 'exit 130' INT TERM

# A shell in a terminal of W columns and H rows; more words set its environment.
open_terminal() {
	local w=$1 h=$2
	shift 2
	t kill-server 2>/dev/null
	# A server takes a moment to go: each terminal has one of its own.
	terminals=$((terminals + 1))
	TMUX_SERVER=cyclops-tty-$$-$terminals
	t new-session -d -x "$w" -y "$h" \
		"env -i PATH='$PATH' HOME='$TTY_HOME' TERM=tmux-256color LANG=C.UTF-8 ${ASAN_OPTIONS:+ASAN_OPTIONS='$ASAN_OPTIONS'} $* PS1='shell> ' bash --norc --noprofile -i"
	t set -g status off
	t set -g default-terminal tmux-256color
	t set -g remain-on-exit on
	resize "$w" "$h"
	wait_for 'shell>'
}

resize() {
	t resize-window -x "$1" -y "$2"
}

# The screen's text.
screen() {
	t capture-pane -p
}

# With colours.
screen_colours() {
	t capture-pane -epN
}

keys() {
	t send-keys "$@"
}

# Text as it is, no names of keys.
type_text() {
	t send-keys -l -- "$1"
}

# Looks until the screen has a line that matches; false after TIMEOUT_SECONDS.
wait_for() {
	local end=$((SECONDS + TIMEOUT_SECONDS))
	until screen | grep -qE -- "$1"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.02
	done
}

wait_gone() {
	local end=$((SECONDS + TIMEOUT_SECONDS))
	while screen | grep -qE -- "$1"; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.02
	done
}

ok() {
	passed=$((passed + 1))
}

not_ok() {
	failed=$((failed + 1))
	echo "FAILED: $1"
	screen 2>&1 | sed 's/^/  | /'
	[ $failed -lt 12 ] || { echo "giving up"; finish; exit 1; }
}

# check NAME COMMAND...: the command succeeds.
check() {
	local name=$1
	shift
	if "$@"; then ok; else not_ok "$name"; fi
}

# press NAME KEYS PATTERN: after the keys (words), the pattern appears.
press() {
	local name=$1 words pattern=$3
	read -ra words <<<"$2"
	keys "${words[@]}"
	if wait_for "$pattern"; then ok; else not_ok "$name: no '$pattern' after $2"; fi
}

# The same for the pattern to go away.
press_gone() {
	local name=$1 words pattern=$3
	read -ra words <<<"$2"
	keys "${words[@]}"
	if wait_gone "$pattern"; then ok; else not_ok "$name: still '$pattern' after $2"; fi
}

# command NAME LINE PATTERN: types a line at the screen's prompt.
command_line() {
	local name=$1 line=$2 pattern=$3
	keys :
	wait_for '\(cyclops\)' || not_ok "$name: no prompt"
	type_text "$line"
	keys Enter
	if wait_for "$pattern"; then ok; else not_ok "$name: no '$pattern' after '$line'"; fi
}

# Starts the program on a demo; waits for its screen.
start() {
	type_text "$CYCLOPS -n $*"
	keys Enter
	wait_for ' cycle [0-9]' || not_ok "the screen opens: $*"
}

leave() {
	keys Escape
	wait_gone 'Esc closes'
	keys q
	wait_for 'shell>' || not_ok "q leaves"
}

# mouse BUTTON COLUMN ROW [m]: as terminals report it, from 1; 0 is the left button, 64 and 65 the wheel.
mouse() {
	type_text $'\e'"[<$1;$2;$3${4:-M}"
}

# Number behind "cycle" in the top line, without commas.
cycle() {
	screen | sed -n '1s/^.* cycle \([0-9][0-9,]*\).*/\1/p' | tr -d ,
}

finish() {
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}
