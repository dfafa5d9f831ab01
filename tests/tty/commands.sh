#!/bin/bash
# The screen's commands are commands as all others: completion, aliases, files, lists of commands
# and Lua give them. And messages of keys without effect.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

open_terminal 120 36
start build/demos/linked
command_line 'help knows them' 'help layout' '^ *│? *layout \[N \| NAME'
press_gone 'read' Escape 'layout \[N \| NAME'
printf 'layout 4\nstep 3\n' >"$TTY_HOME/file"
command_line 'a file gives one' "source $TTY_HOME/file" '─ L1 data cache'
check 'and goes on' is 3 cycle
enter 'alias m5 = layout 5'
command_line 'an alias is one' 'm5' '─ Source'
command_line 'a line of several commands has one' 'step 2; layout 2' '─ Reorder buffer'
check 'which took both' is 5 cycle
command_line 'Lua gives one' 'lua m:cmd("layout 5")' '─ Source'
command_line 'a beginning is enough, if no other command has it' 'layo 2' '─ Reorder buffer'
tells 'what is wrong with one is said' ': layout Space nowhere Enter' 'nowhere'
keys :
type_text 'anim'
press 'Tab completes them' Tab '\(cyclops\) animate$'
type_text 'fas'
press 'and their words' Tab '\(cyclops\) animate faster$'
keys Escape
wait_gone '\(cyclops\)'

tells 'gdb has a word for the screen' ': tui Space enable Enter' 'this is the screen'
command_line 'and for layouts' 'tui layout 5' '─ Source'
tells 'a key that does nothing says where keys are listed' X \
	'X does nothing here; \? lists the keys'
tells 'one that a tour has says so' BSpace \
	'BackSpace does nothing here; while a tour is played: a step back'
tells 'with Control, too' C-x 'C-x does nothing here'
tells 'and letters of any script' é 'é does nothing here'
enter 'bind X layout 4'
press 'till it is bound' X '─ L1 data cache'
leave

# ---- the ends of long lines ----
resize 80 24
start "-e 'break sum_series' -e continue -e 'step 200' tests/golden/guest.elf"
keys 5
wait_for '\[?5 source(\]|$)' || not_ok 'layout 5'
enter 'focus source'
check 'a long line is cut' wait_for "^ +85  +line\[--n\] = .*…"
press 'its end comes into sight' '> > >' "^ +85 .*value % 10\);"
press 'and goes' '< < <' "^ +85  +line\[--n\] = .*…"
leave

# What-if runs copies of the machine: it shows its progress, Esc ends it, and keys typed meanwhile
# do not go to the box that then opens.
open_terminal 120 36
start "-e 'goto 500000' build/demos/linked"
command_line 'what-if shows how far it is' 'what-if' 'what-if: [0-9]+ of [0-9]+'
press 'Esc ends it' Escape ' interrupted *$'
keys W n
check 'a key does not close what was not there yet' wait_for 'what would help: without'
press_gone 'it closes what is there' Escape 'what would help: without'
check 'and has not stepped' is 500000 cycle
leave
finish
