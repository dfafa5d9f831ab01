#!/bin/bash
# The screen of a program that counts paths: layout 3 has them and the flow graph, which follow the
# program forwards and backwards.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

AT="--instrument path+hw --latches -e 'tbreak count' -e continue build/tests/edit/branchy 64"

open_terminal 120 40
start "$AT"
press 'profilers: paths' 3 '─ Paths ─'
check 'with their metrics' wait_for 'blocks +sim.cycles +l1d.misses +insts'
check 'the flow of the function' wait_for '─ Flow of count ─.* 6 blocks, 1 loop, 13 paths'
check 'where the program is' wait_for '▶0 '
check 'the loop' wait_for '└─▶ +3 ◀───┐'
press 'to the end of the function' f 'Flow of main'
command_line 'a function to stay at' 'pane view paths count' '─ Paths of count ─'
check 'how often' wait_for ' 64 +count: 3 of 13 paths'
command_line 'back before it' 'goto 1000' 'no path of count was executed'
command_line 'and one path' 'pane view paths count 3' '─ Path 3 of count ─'
check 'its labels' wait_for 'r \+= 2 +3 +0 +5 insts'
command_line 'to the end again' 'goto live' 'live'
press 'disassembly' 5 '─ Disassembly ─'
check 'what was put in' wait_for '│ \+  [a-z_]+' 
leave

open_terminal 80 24 NO_COLOR=1
start "$AT"
press 'in a small terminal' 3 '─ Flow of count ─'
check 'and paths' wait_for '─ Paths ─'
leave

# A program that counts nothing has the usual layout.
open_terminal 120 34
start "-e 'break walk' -e continue tests/golden/guest.elf"
press 'systems to turn on' 3 '─ Profiling systems ─'
check 'no paths there' wait_gone 'Paths'
command_line 'the flow graph is there' 'pane view cfg' '─ Flow of walk ─'
leave
finish
