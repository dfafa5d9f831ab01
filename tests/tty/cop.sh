#!/bin/bash
# The screen of a machine with a co-processor: layout 3 shows its engine, slots and filters,
# forwards and backwards.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

AT="--cop tests/cop/slots.mic -e 'cop step 3' tests/golden/guest.elf"

open_terminal 120 40
start "$AT"
enter 'scrub off'
press 'profilers: the engine' 3 '─ Co-processor ─.* slot-test, running( ›)? ─'
check 'what was executed' wait_for '^ X ◆ +new\+1 +cmp total, v0'
check 'what is next' wait_for '^ D ▶ +new\+2 +write cam'
check 'what that will read' wait_for 'write cam\[victim\], pc +victim 0, pc 0x'
check 'its registers by name' wait_for '^ v7 +samples +1( |$)'
check 'the slots' wait_for '─ Slots ─'
check 'the filters' wait_for "─ Co-processor's filters ─"
command_line 'a microinstruction on' 'cop step' '^ X ◆ +new\+2'
check 'a slot is written' wait_for '^ ◆ +0 +● +[a-z_]+'
command_line 'and back' 'cop reverse-step' '^ X ◆ +new\+1'
check 'no slot any more' wait_gone '^ ◆ +0 +●'
command_line 'a cycle' 'step' '^ X ◆ +new\+2'
command_line 'a breakpoint on microcode' 'cop break other' 'Breakpoint 1 at microcode 8 \(other\)'
press 'going there' c '^ X ◆ +other +inc.8 misses'
command_line 'why' 'why cop' 'the co-processor executes other\+1 next: read.8 hits'
command_line 'a mistake' 'cop load nosuch.mic' 'nosuch.mic: No such file or directory'
command_line 'tags in the window' 'layout window' '─ Reorder buffer ─'
check 'marked' wait_for '◈ #[0-9]+'
leave

open_terminal 80 24 NO_COLOR=1
start "$AT"
press 'in a small terminal' 3 '^ X ◆ +new\+1 +cmp total, v0'
check 'and the slots' wait_for '─ Slots ─'
leave

# Enter on an empty line steps again, but loads nothing again.
open_terminal 100 50
shell_runs "$CYCLOPS -n --no-screen -o cop.enable=true tests/golden/guest.elf"
check 'a prompt' wait_for '^\(cyclops\) $|^\(cyclops\)$'
type_text 'cop load tests/cop/slots.mic'
keys Enter
check 'loaded' wait_for '^Loaded slot-test'
keys Enter Enter
type_text 'cop step'
keys Enter
check 'stepped' wait_for '^  load +match slot, pc'
keys Enter Enter
check 'and again, twice' wait_for '^  new\+1 +cmp total, v0'
check 'loaded once' [ "$(screen | grep -c '^Loaded')" = 1 ]
type_text quit
keys Enter
check 'the end' wait_until at_shell

# Without one the layout is the usual one, and the views show how to get one.
open_terminal 120 34
start "-e 'break walk' -e continue tests/golden/guest.elf"
press 'systems to turn on' 3 '─ Profiling systems ─'
check 'no co-processor there' wait_gone '─ Co-processor'
command_line 'its view' 'view cop' 'this machine has no cop: start with -o cop.enable=true'
leave
finish
