# Drives the program in a terminal of its own: a tmux server for this test alone, a shell in it,
# keys in, screen out. Nothing sleeps: wait_for reads the screen until a text appears.

terminals=0
TTY_HOME=$(mktemp -d)
# The server's socket, where no other has one: those in tmux's own folder stay there when a server
# is killed.
TMUX_SERVER=$TTY_HOME/tmux
passed=0 failed=0
TIMEOUT_SECONDS=90 SHELL_PID=
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}

t() {
	tmux -S "$TMUX_SERVER" -f /dev/null "$@"
}

# Looking and typing, which tests do thousands of times, take no process: one client of the server,
# in control mode, gets commands through a pipe. The screen's contents come in a file, since a shell
# reads pipes byte by byte.
mkfifo "$TTY_HOME/ask" "$TTY_HOME/reply" "$TTY_HOME/idle"
exec {IDLE}<>"$TTY_HOME/idle"
ASK='' REPLY_FROM='' CLIENT=''

# The client for the server that has just begun.
open_client() {
	exec {ASK}<>"$TTY_HOME/ask" {REPLY_FROM}<>"$TTY_HOME/reply"
	exec tmux -S "$TMUX_SERVER" -C attach -f no-output,ignore-size <"$TTY_HOME/ask" \
		>"$TTY_HOME/reply" 2>&1 {ASK}>&- {REPLY_FROM}<&- {IDLE}<&- &
	CLIENT=$!
}

# Ends the tmux server, which waits for its clients: for ever if a client's output is not read.
close_terminal() {
	if [ -n "$CLIENT" ]; then
		kill -KILL "$CLIENT"
		wait "$CLIENT" 2>/dev/null
		exec {ASK}>&- {REPLY_FROM}<&-
		CLIENT=''
	fi
	t kill-server 2>/dev/null
}

# tell LINE...: commands of tmux, one a line, which have been executed when it returns.
tell() {
	local left=$# line
	printf '%s\n' "$@" >&"$ASK"
	while [ "$left" -gt 0 ]; do
		IFS= read -r -t "$TIMEOUT_SECONDS" -u "$REPLY_FROM" line || return 1
		case $line in
		%end\ *\ 1) left=$((left - 1)) ;;
		%error\ *\ 1) return 1 ;;
		esac
	done
}

# A word as tmux reads it.
quoted() {
	local word=${1//\'/\'\"\'\"\'}
	word=${word//$'\n'/"'\"\\n\"'"}
	printf -v "$2" "'%s'" "$word"
}

tty_end() {
	close_terminal
	# A session hung up may still be writing its history.
	until rm -rf "$TTY_HOME" 2>/dev/null; do sleep 0.02; done
}
trap tty_end EXIT
trap 'exit 130' INT TERM

# A shell in a terminal of W columns and H rows; more words set its environment.
open_terminal() {
	local w=$1 h=$2
	shift 2
	close_terminal
	# Each terminal has a server of its own, because a server takes a moment to end.
	terminals=$((terminals + 1))
	TMUX_SERVER=$TTY_HOME/tmux-$terminals
	t new-session -d -x "$w" -y "$h" \
		"exec env -i PATH='$PATH' HOME='$TTY_HOME' TERM=tmux-256color LANG=C.UTF-8 ${ASAN_OPTIONS:+ASAN_OPTIONS='$ASAN_OPTIONS'} $* PS1='shell> ' bash --norc --noprofile -i"
	t set -g status off
	t set -g default-terminal tmux-256color
	t set -g remain-on-exit on
	SHELL_PID=$(t display-message -p '#{pane_pid}')
	open_client
	resize "$w" "$h"
	wait_until at_shell && return
	# Nothing that follows could succeed, and each thing would be waited for.
	not_ok 'a terminal opens'
	finish
	exit 1
}

resize() {
	tell "resize-window -x $1 -y $2"
}

# The screen's lines into the array lines; look -eN has colours, too.
look() {
	lines=()
	tell "capture-pane -b screen ${1:-}" "save-buffer -b screen '$TTY_HOME/screen'" &&
		mapfile -t lines <"$TTY_HOME/screen"
}

# The screen's text, and with colours.
screen() { look && printf '%s\n' "${lines[@]}"; }
screen_colours() { look -eN && printf '%s\n' "${lines[@]}"; }

keys() {
	local key line=send-keys
	for key; do
		quoted "$key" key
		line+=" $key"
	done
	tell "$line"
}

# Text as it is, no names of keys.
type_text() {
	local text
	quoted "$1" text
	tell "send-keys -l -- $text"
}

# The processes of the terminal's session: sets session_ticks to the processor time that they and
# their children have taken, in the host's ticks; false if none of them is running or about to.
session_runs() {
	local file stat runs=1
	session_ticks=0
	for file in /proc/[0-9]*/stat; do
		{ read -r stat <"$file"; } 2>/dev/null || continue
		# From the state on: the name before it may have blanks and brackets.
		read -ra stat <<<"${stat##*) }"
		[ "${stat[3]}" = "$SHELL_PID" ] || continue
		session_ticks=$((session_ticks + stat[11] + stat[12] + stat[13] + stat[14]))
		[[ ${stat[0]} != [RD] ]] || runs=0
	done
	return $runs
}

# Looks until the command succeeds. False after the terminal's processes have waited for
# TIMEOUT_SECONDS, or have computed for as long: on a busy computer, which serves them late, the
# check takes longer and does not fail.
wait_until() {
	local since=$SECONDS next=$((SECONDS + 2)) per_second first='' last='' session_ticks
	until "$@"; do
		read -r -t 0.02 -u "$IDLE" || : # without a writer
		[ $SECONDS -ge $next ] || continue
		next=$((SECONDS + 2))
		if session_runs || [ "$session_ticks" != "$last" ]; then since=$SECONDS; fi
		last=$session_ticks first=${first:-$last}
		[ $((SECONDS - since)) -lt $TIMEOUT_SECONDS ] || return 1
		per_second=${per_second:-$(getconf CLK_TCK)}
		[ $((last - first)) -lt $((TIMEOUT_SECONDS * per_second)) ] || return 1
	done
}

# True if a line of the screen matches; with -eN, of the screen with colours.
shows() {
	local line
	look "${2:-}"
	for line in "${lines[@]}"; do
		[[ ! $line =~ $1 ]] || return 0
	done
	return 1
}
lacks() { ! shows "$1"; }

# Looks until the screen has a line that matches.
wait_for() {
	wait_until shows "$1"
}

wait_gone() {
	wait_until lacks "$1"
}

# is TEXT COMMAND...: true if the command prints TEXT; is_not: if it prints something else.
is() { [ "$("${@:2}")" = "$1" ]; }
is_not() { ! is "$@"; }

# The line above the bottom one: the last message, or the reason for the selected row.
message() { look && printf '%s\n' "${lines[-2]}"; }
says() { look && [[ ${lines[-2]} =~ $1 ]]; }

# The title of the focused pane is bold.
focused() { shows $'\e\\[1m(\e\\[[0-9;]*m)*'" $1 " -eN; }

ok() {
	passed=$((passed + 1))
}

not_ok() {
	failed=$((failed + 1))
	echo "FAILED: $1"
	screen 2>&1 | sed 's/^/  | /'
	[ $failed -lt "${ENOUGH:-12}" ] || { echo "giving up"; finish; exit 1; }
}

# check NAME COMMAND...: the command succeeds.
check() {
	local name=$1
	shift
	if "$@"; then ok; else not_ok "$name"; fi
}

# Expected text is not there before: a check that waits for it could not fail.
not_yet() {
	wait_gone "$2" || not_ok "$1: '$2' is there before $3"
}

# press NAME KEYS PATTERN: after the keys (words), the pattern appears, which was not there.
press() {
	local name=$1 words pattern=$3
	not_yet "$name" "$pattern" "$2"
	read -ra words <<<"$2"
	keys "${words[@]}"
	if wait_for "$pattern"; then ok; else not_ok "$name: no '$pattern' after $2"; fi
}

# changes NAME KEYS COMMAND...: after the keys, the command prints something else than before.
changes() {
	local name=$1 words before
	before=$("${@:3}")
	read -ra words <<<"$2"
	keys "${words[@]}"
	check "$name" wait_until is_not "$before" "${@:3}"
}

# tells NAME KEYS PATTERN: after the keys, the message line matches, which did not.
tells() {
	local name=$1 words
	! says "$3" || not_ok "$name: the message is '$3' before $2"
	read -ra words <<<"$2"
	keys "${words[@]}"
	check "$name" wait_until says "$3"
}

# press_gone NAME KEYS PATTERN: after the keys, the pattern goes away, which was there.
press_gone() {
	local name=$1 words pattern=$3
	wait_for "$pattern" || not_ok "$name: no '$pattern' before $2"
	read -ra words <<<"$2"
	keys "${words[@]}"
	if wait_gone "$pattern"; then ok; else not_ok "$name: still '$pattern' after $2"; fi
}

# enter LINE: types a line at the screen's prompt.
enter() {
	keys :
	wait_for '\(cyclops\)' || not_ok "$1: no prompt"
	type_text "$1"
	keys Enter
}

# command_line NAME LINE PATTERN: the same as press for a line typed at the prompt.
command_line() {
	local name=$1 line=$2 pattern=$3
	not_yet "$name" "$pattern" "'$line'"
	enter "$line"
	if wait_for "$pattern"; then ok; else not_ok "$name: no '$pattern' after '$line'"; fi
}

# The shell waits for a line: its prompt is the last text of the screen, and alone in its line, unlike
# the one at which a session was begun.
at_shell() {
	local line text=
	look
	for line in "${lines[@]}"; do text=${line:-$text}; done
	[ "$text" = 'shell>' ]
}
has_only_prompt() { at_shell && [ "${lines[0]}" = 'shell>' ]; }

# The shell executes a line, on a screen without what was there before: that is no answer to it, and
# a session that still ends takes none of its keys.
shell_runs() {
	wait_until at_shell || not_ok "the shell is back before '$1'"
	keys C-l
	wait_until has_only_prompt || not_ok "the screen is cleared before '$1'"
	type_text "$1"
	keys Enter
}

# The screen shows the layout of this number and name, which is drawn last: at the end of the bottom
# line, or as a tab in brackets.
named() {
	look || return 1
	local line=${lines[-1]}
	[[ $line == *"[$1]"* || ( $line != *"["* && $line == *" $1" ) ]]
}

# The bottom line is drawn last: once it is there, the screen is complete.
drawn() { look && [ -n "${lines[-1]}" ]; }

# Starts the program on a demo, before its first cycle; waits for its whole screen.
start() {
	# Cycles as those of `run` and --batch.
	shell_runs "$CYCLOPS -n -o ui.start=reset -o sim.terminal=false $*"
	wait_for ' cycle [0-9]' && wait_until drawn || not_ok "the screen opens: $*"
}

leave() {
	keys Escape
	wait_gone 'Esc closes'
	keys q
	wait_until at_shell || not_ok "q leaves"
}

# mouse BUTTON COLUMN ROW [m]: as terminals report it, from 1; 0 is the left button, 64 and 65 the
# wheel.
mouse() {
	type_text $'\e'"[<$1;$2;$3${4:-M}"
}

# double_click COLUMN ROW COMMAND...: until the command succeeds; a busy computer may serve the
# second press too late for a double click.
double_click() { wait_until try_double_click "$@"; }
try_double_click() {
	local end=$((SECONDS + 3)) place=$'\e'"[<0;$1;$2"
	type_text "${place}M${place}m${place}M${place}m"
	until "${@:3}"; do
		[ $SECONDS -lt $end ] || return 1
	done
}

# Number after "cycle" in the top line, without commas.
cycle() {
	look && [[ ${lines[0]} =~ ^.*' cycle '([0-9][0-9,]*) ]] && echo "${BASH_REMATCH[1]//,/}"
}

finish() {
	echo "$passed passed, $failed failed"
	[ $failed = 0 ]
}
