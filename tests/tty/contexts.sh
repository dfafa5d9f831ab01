#!/bin/bash
# The calling context tree on the screen: layout 3 has it where contexts are kept, rows expand and
# collapse, and it grows and shrinks with time.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

AT="-e 'break sum_series' -e continue tests/golden/guest.elf"

open_terminal 120 40
start "-o oracle.enable=true -o oracle.contexts=true $AT"
press 'profilers: the tree' 3 '─ Calling context tree ─.* 6 contexts by sim.insts, by the oracle'
check 'what is large' wait_for ' 2 +link_nodes +84.3 % +1 +9,749 '
check 'where the program is' wait_for ' 5 +sum_series  ◀ here '
keys Home Down
press 'the second row collapses' e ' 1 +▸ main  ◀ in sum_series '
check 'with all below' wait_gone 'link_nodes +84'
press 'expands' e ' 2 +link_nodes '
command_line 'a procedure' 'collapse _start' ' 0 +▸ _start  ◀ in sum_series'
command_line 'all of it' 'expand all' ' 4 +▾ depth '
check 'with its back edge' wait_for '↺ 4 +↺ depth \(itself\)'
command_line 'what is large again' 'expand' ' 4 +▸ depth '
changes 'a step' s cycle
check 'the tree is still there' wait_for '─ Calling context tree ─.* 6 contexts'
keys Home
press 'why' Enter 'context ▾ _start; share 100.0 % with all below; calls 0; sim.insts 11,'
keys Tab
check 'another pane' wait_until focused Source
press 'has nothing to expand' e 'this pane has nothing to expand'
leave

open_terminal 80 24 NO_COLOR=1
start "-o oracle.enable=true -o oracle.contexts=true $AT"
press 'in a small terminal' 3 '─ Calling context tree ─'
check 'the tree' wait_for ' 2 +link_nodes +84.3 % '
leave

# An instrumented program has it, too; any other shows how.
open_terminal 120 34
start "--instrument cct -e 'break leaf' -e continue build/tests/cmd/contexts"
press 'records' 3 'contexts by calls, in the program.s memory'
check 'of what was called' wait_for ' 4 +▾ down '
leave
open_terminal 120 34
start "$AT"
press 'systems to turn on' 3 '─ Profiling systems ─'
command_line 'without contexts' 'pane view cct' 'start with --instrument cct, or -o oracle'
leave
finish
