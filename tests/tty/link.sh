#!/bin/bash
# Links: the moment that one leads to is the moment in which it was made, on the screen and as text.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# The link that the terminal's clipboard has; tmux keeps it as a buffer.
LINK=
copied() {
	local name
	name=$(t list-buffers -F '#{buffer_name}' | grep -m 1 '^buffer')
	[ -n "$name" ] && LINK=$(t show-buffer -b "$name") && t delete-buffer -b "$name"
}
# The panes: neither the top line, which has the history's size, nor the timeline and messages.
panes() { look && printf '%s\n' "${lines[@]:1:20}"; }

open_terminal 120 34 CYCLOPS_PAGE=https://example.org/c/
t set -g set-clipboard on
shell_runs "$CYCLOPS demo -o pipe.rob_size=24 -e 'goto 500000' linked"
check 'a demo opens' wait_for 'cycle 500,000 '
press 'a layout' 4 '─ L1 data cache'
keys Tab x
check 'without one of its panes' wait_gone '─ L2 cache'
press 'the link' L 'https://example.org/c/#1\.'
check 'is in the clipboard' wait_until copied
keys Escape
before=$(panes)
keys q
shell_runs "$CYCLOPS '$LINK'"
check 'it opens in that cycle' wait_for 'cycle 500,000 '
check 'with that layout and contents' wait_until is "$before" panes
keys S
check 'and goes back' wait_for 'cycle 499,999 '
keys q

# A playground's text as it was run, and the session's own folder for it.
mkdir -p "$TTY_HOME/work"
printf '_start: li s0, 9\nloop: addi s0, s0, -1\n bnez s0, loop\n li a0, 3\n li a7, 93\n ecall\n' \
	>"$TTY_HOME/work/mine.s"
shell_runs "cd $TTY_HOME/work && $CYCLOPS mine.s"
check 'a text opens' wait_for 'F5 run'
keys Escape
command_line 'in the text' 'goto 31' 'cycle 31 '
press 'its link' L '#1\.'
check 'is in the clipboard, too' wait_until copied
keys Escape q
wait_until at_shell
rm "$TTY_HOME/work/mine.s"
for again in '' ' again'; do
	shell_runs "$CYCLOPS link '$LINK'"
	check "the text is there$again" wait_for 'loop: addi s0, s0, -1'
	check "in that cycle$again" wait_for 'cycle 31 '
	if [ -z "$again" ]; then # an edit of it is kept beside the next opening
		keys E
		check 'it can be edited' wait_for 'F5 run'
		keys End Enter
		type_text 'addi s0,s0,2'
		keys F5
		check 'and run' wait_for 'than before|as before'
		keys Escape
		wait_for 's step'
	fi
	keys Escape q
	wait_until at_shell
done
check 'each opening has its folder' [ "$(ls -d "$TTY_HOME"/.local/share/cyclops/link-* | wc -l)" = 2 ]
shell_runs "$CYCLOPS '${LINK:0:70}'"
check 'a link that is cut short is refused' wait_for 'cut short'

# Without a screen.
link=$("$CYCLOPS" demo --batch -e 'set args 9 9' -e starti -e 'goto 900' -e link fib | grep '^#1')
opened() { [[ $("$CYCLOPS" link --batch -e 'show args' "$link" 2>&1) == *"$1"* ]]; }
check 'arguments of `set args` go with it' opened 'args = 9 9'
link=$(python3 -c "
import base64, zlib
text = b'demo fib\nconfig default\ncycle 3000\ninsts 9\n\n'
print('#1.' + base64.urlsafe_b64encode(zlib.compress(text)).decode().rstrip('='))")
check 'another run is reported' opened 'in cycle 3,000 that had executed 9 instructions'
finish
