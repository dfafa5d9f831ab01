#!/bin/bash
# The pipeline diagram from near and far by keys: + and - where it has the focus and stands still;
# else they are for stepping by itself.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

open_terminal 120 36
start "-e 'goto 500000' build/demos/linked"
keys 2 z
check 'a cycle a column' wait_for '^─ Pipe ─+ cycles 499,9[0-9]+ to 499,999 '
tells 'no closer' + 'a column is a cycle'
press 'farther away' - '^─ Pipe .*499,[0-9]+ to 499,999 · 2 cycles × 8 insts '
press 'twice as far' - ' · 4 cycles × [0-9]+ insts '
press 'and closer' + ' · 2 cycles × 8 insts '
press 'back to a cycle a column' + '^─ Pipe ─+ cycles 499,9[0-9]+ to 499,999 '
for _ in 1 2 3 4 5 6 7 8 9 10 11; do keys -; done
press 'thousands of cycles' - ' · 4,096 cycles × [0-9,]+ insts '
check 'rows of many instructions' wait_for '^ #[0-9]+ +[0-9]+,[0-9]{3} +ld a5,8\(a4\) '
tells 'no farther' - 'the smallest scale'
press 'it steps, and the diagram with it' s ' to 500,000 · 4,096 cycles'
press 'and back' S ' to 499,999 · 4,096 cycles'
command_line 'the pane of a place, from far' 'pane pipe 400000 by 64' ' to 400,000 · 64 cycles'
press 'stays at its place' - ' to 400,000 · 128 cycles'
command_line 'zoom has two words' 'zoom sideways' "zoom 'sideways'"
leave
finish
