#!/bin/bash
# Two machines in step on the screen: the machine ahead, where the gap grew, both there by Enter,
# why of both, back in both, with profilers on.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh
CYCLOPS=$(realpath "$CYCLOPS")
cp demos/programs/list.txt build/demos/sort "$TTY_HOME"
# behind: B's lag in cycles, from the top line, without commas.
behind() { look && [[ ${lines[0]} =~ B\ ([0-9,]+)\ cycles\ (behind|ahead) ]] &&
	echo "${BASH_REMATCH[1]//,/}"; }
text_behind() { (cd "$TTY_HOME" && "$CYCLOPS" -n --batch -e "goto $1" -e 'twin inorder2' ./sort \
	list.txt) | sed -n 's/^Twin  B is \([0-9,]*\) cycles.*/\1/p' | tr -d ,; }

open_terminal 120 40
shell_runs "cd $TTY_HOME"
shell_runs "$CYCLOPS compare --screen default inorder2 -- ./sort list.txt"
check 'it opens' wait_for '^─ Twin ' 
check 'with the layout' wait_for '\[?7 twin(\]|$)'
check 'where the gap grew' shows '^─ Gap '
check 'a stack of each' shows ' B: CPI'
enter 'goto 40000'
check 'A goes there' wait_for ' cycle 40,000 '
known() { behind >/dev/null; }
check 'the machine that is ahead' wait_until known
check 'as in text' [ "$(behind)" = "$(text_behind 40000)" ]
was=$(behind)
press 'back' S ' cycle 39,999 '
check 'and B with it' [ "$(behind)" = "$(text_behind 39999)" ]
press 'forwards again' s ' cycle 40,000 '
check 'both' [ "$(behind)" = "$was" ]
enter 'goto 42000'
check 'what a motion did to the gap' wait_for 'cycles behind \([-+][0-9,]+\)'
enter 'twin by cycle'
check 'by cycle' wait_for 'B [0-9,]+ insts behind'
enter 'twin by instruction'
check 'by instruction' wait_for 'B [0-9,]+ cycles behind'

# The largest place: Enter moves both machines there and shows why for both.
keys Tab
check 'the list has the focus' wait_until focused Gap
rows() { look && printf '%s\n' "${lines[@]}" | sed -n '/^─ Gap/,$p' | sed -n 3,6p | cut -c 1-40; }
before=$(rows)
keys Home Enter
check 'both went there' wait_for ' cycles ago ▶'
check 'why of the twin' wait_for 'in the twin, instruction [0-9,]+:'
check 'and of A' wait_for '^ #[0-9]+ [a-z].* committed in cycle '
keys Escape
check 'the list stays' wait_until is "$before" rows
check 'the pipes are there, side by side' wait_for '^ +│ A +│ B +│A to B'
press 'to the newest cycle' r '● live'
keys q
check 'the end' wait_until at_shell

# From a session, with a profiler.
start "--config zilles2001 -e 'goto 3000' ./sort list.txt"
command_line 'a twin comes with its layout' 'twin pipe.rob_size=8' '^─ Twin '
check 'and is ahead or behind' wait_for ' B ([0-9,]+ cycles (behind|ahead)|as far as A)'
keys 2
check 'another layout' wait_for '\[?2 window(\]|$)'
command_line 'and back' 'layout twin' '^─ Twin '
press 'it goes, and its layout' ': t w i n Space o f f Enter' '\[?2 window(\]|$)'
leave

# A key would stop the motion: the cycle shows that it is over.
goes_on() { command_line 'A goes on' 'goto 40000' ' cycle 40,000 '; }

# The cost of profiling, and its places: the same machine on the program with code put in.
shell_runs "$CYCLOPS compare --screen default default,instrument=bb -- ./sort list.txt"
check 'it opens with code put in' wait_for '\[?7 twin(\]|$)'
goes_on
check 'the twin is behind' wait_for ' B [0-9,]+ cycles behind'
check 'what was put in is marked' wait_for '\+ put in'
check 'and has a column where the gap grew' wait_for '^ *place +gap .* put in( |$)'
keys Tab
check 'the list has the focus' wait_until focused Gap
keys Home Enter
check 'Enter goes to both, and says why' wait_for 'in the twin, instruction [0-9,]+:'
keys Escape q
check 'the end' wait_until at_shell

# Each machine has the plug-ins that its own configuration names.
cp demos/plugins/gshare.lua "$TTY_HOME"
echo 'return { predict = function() return false end }' >"$TTY_HOME/never.lua"
for name in gshare never; do
	echo "return { files = { ['bpred.kind'] = '$name.lua' } }" >"$TTY_HOME/by_$name.lua"
done
shell_runs "$CYCLOPS compare --screen by_gshare.lua by_never.lua -- ./sort list.txt"
check 'it opens with plug-ins of both' wait_for '\[?7 twin(\]|$)'
goes_on
check 'the second predicts by its own' wait_for ' B [0-9,]+ cycles behind'
keys q
check 'the end' wait_until at_shell
cat >"$TTY_HOME/fails.lua" <<'END'
return {
	predict = function() return false end,
	fetched = function(s, b, h) if h:path_bits(0, 1) then return b.target end end,
}
END
echo 'return { files = { ["bpred.kind"] = "fails.lua" } }' >"$TTY_HOME/by_fails.lua"
shell_runs "$CYCLOPS compare --screen by_gshare.lua by_fails.lua -- ./sort list.txt"
check 'it opens with a plug-in that fails' wait_for '\[?7 twin(\]|$)'
goes_on
check 'its error is the reason' wait_for "can't follow to instruction [0-9]+: the branch predictor, .*fails.lua"
keys q
check 'the end of it' wait_until at_shell

# Machines without a screen.
shell_runs "$CYCLOPS compare --screen default -- ./sort list.txt"
check 'one machine' wait_for 'shows two machines, not 1'
shell_runs "$CYCLOPS compare --screen default default -- ./sort list.txt"
check 'the same twice' wait_for 'default is given twice'
shell_runs "$CYCLOPS compare --screen --json - default wide6 -- ./sort list.txt"
check 'tables' wait_for -- '--json is for tables'
shell_runs "$CYCLOPS compare --screen default wide6 -- ./sort list.txt | cat"
check 'no terminal' wait_for 'screen needs a terminal'
finish
