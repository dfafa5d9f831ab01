#!/bin/bash
# Lua on the screen: views of one's own in panes, keys, commands, hooks that stop and that fail.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

mkdir -p "$TTY_HOME/.config/cyclops"
cat >"$TTY_HOME/views.lua" <<'EOL'
cyclops.view{
	name = "turns", title = "Turns taken", help = "Text of turns.", empty = "straight on",
	columns = { { "what", "left" }, { "count", "right" } },
	rows = function(m) return { { key = "c", "cycle", m.cycle }, { key = "i", "insts", { value = m.insts, role = "hot" } } }, "sum of it" end,
}
cyclops.view{ name = "bad", title = "Bad one", columns = { "x" }, rows = function(m) local t; return t.x end }
cyclops.view{ name = "narrow", title = "Narrows", columns = { "x" }, rows = function(m) if narrows then narrows = os.execute(narrows) and nil end return { { "x" } } end }
cyclops.view{ name = "slow", title = "Slow one", columns = { "x" }, rows = function(m) while true do end end }
cyclops.command{ name = "go-on", summary = "go on", run = function(m, args) m:step(tonumber(args) or 5) print("now at", m.cycle) end }
EOL
cat >"$TTY_HOME/narrow" <<'EOL'
tmux -S "$1" resize-window -x 80 -y 24
until [ "$(stty size </dev/tty)" = '24 80' ]; do sleep 0.02; done
EOL
cat >"$TTY_HOME/.config/cyclops/screen" <<EOL
bind X lua m:step(10)
bind Y go-on 7
bind Z lua narrows = "sh $TTY_HOME/narrow $TTY_HOME/tmux-1"
EOL
AT_MAIN="-e 'lua $TTY_HOME/views.lua' -e 'break main' -e continue"

open_terminal 100 30
start "$AT_MAIN build/demos/fib"
command_line 'a view of ours in a pane' 'pane view turns' '─ Turns taken ─'
check 'with its summary' wait_for 'sum of it'
at=$(cycle)
keys s
check 'it is of now' wait_for "cycle +\*?$(sed -E 's/([0-9]{3})$/,\1/' <<<$((at + 1)))"
at=$(cycle)
keys X
check 'a key bound to Lua' wait_for " cycle $(sed -E 's/([0-9]{3})$/,\1/' <<<$((at + 10))) "
keys Y
check 'a key bound to a command in Lua' wait_for \
	" cycle $(sed -E 's/([0-9]{3})$/,\1/' <<<$((at + 17))) "
check 'whose answer is shown' wait_for "now at.*$((at + 17))"
keys S
check 'it goes back with the machine' wait_for \
	"cycle +\*?$(sed -E 's/([0-9]{3})$/,\1/' <<<$((at + 16)))"
keys r
resize 80 24
check 'a smaller terminal' wait_for '^.{74,80}live *$'
resize 100 30
check 'and the former one' wait_for '^.{94,100}live *$'
command_line 'a view that makes the terminal smaller' 'pane view narrow' '─ Narrows ─'
keys S Z r # not drawn twice within DRAW_NS: the second picture is built when no key waits
check 'shows it at once' wait_for '^.{74,80}live *$'
command_line 'another in its pane' 'pane view turns' '─ Turns taken ─'
resize 120 40
check 'and a larger one' wait_for '^.{114,120}live *$'
command_line 'the menu of views has it' 'pane menu' 'Which view'
keys t t t t # tlb, twin and timeline come first
check 'by its letter' wait_for 'turns +Turns taken'
press_gone 'Escape closes it' Escape 'Which view'
command_line 'help-view explains it' 'help-view turns' 'Text of turns'
press_gone 'Escape closes that' Escape 'Text of turns'
enter 'pane view turns'
check 'in the layout of this size' wait_for '─ Turns taken ─'
command_line 'saved in a layout' 'layout save mine' 'is now kept'
command_line 'a view that fails says so in its pane' 'pane view bad' 'attempt to index a nil'
check 'under its name' wait_for 'Bad one|bad'
at=$(cycle)
keys s
check 'and the screen goes on' wait_for " cycle $(sed -E 's/([0-9]{3})$/,\1/' <<<$((at + 1))) "
command_line 'one that loops is ended' 'pane view slow' 'lua.hook_budget'
keys s
check 'and the screen goes on' wait_for " cycle $(sed -E 's/([0-9]{3})$/,\1/' <<<$((at + 2))) "
command_line 'a fine one takes its place' 'pane view turns' '─ Turns taken ─'
command_line 'defined again, it is the new one' \
	'lua cyclops.view{ name = "turns", title = "Turned over", columns = { "z" }, rows = function() return { { "zebra" } } end }' 'zebra'
command_line 'a hook' 'lua m:on("commit", function() return "stop" end)' '^ hook 1 on commit'
press 'stops and is named' c 'Stopped by hook 1 on commit'
command_line 'one that loops' 'lua m:on("commit", function() while true do end end)' \
	'^ hook 2 on commit'
press 'fails by its name' c 'hook 2 on commit.*(lua.hook_budget|took)'
command_line 'is off' hook 'hook 2 .*off'
press_gone 'Escape closes the answer' Escape 'hook 2 .*off'
command_line 'an error of Lua' 'lua m:stepp()' 'stepp'
leave

# A layout names a view that comes later.
start "-e 'break main' -e continue build/demos/fib"
command_line 'a layout with a view that is not there yet' 'layout mine' "no view 'turns'"
command_line 'finds it when it comes' "lua $TTY_HOME/views.lua" '─ Turns taken ─'
leave
finish
