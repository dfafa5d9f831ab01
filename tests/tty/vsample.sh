#!/bin/bash
# The screen of a machine with a value sampler: layout 3 shows its handler, forwards and backwards.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

QUICK='-o vsample.enable=true -o vsample.interval_min=1000 -o vsample.interval_max=1000 -o vsample.interrupt_cycles=20 -o vsample.start_cycles=10'
AT="$QUICK -o vsample.inst_cycles=6 -o vsample.tuple_cycles=4 -e 'catch vsample if interprets' -e continue tests/golden/guest.elf"

open_terminal 120 40
start "$AT"
press 'profilers: the handler' 3 '─ Value sampler ─.* interrupt( ›)? ─'
check 'entered' wait_for '^.?handler +runs +●enter +○start .* 20 left'
check 'beside its cost' wait_for 'cost +[0-9,]+ '
command_line 'an instruction' 'catch interpret' 'Catchpoint 2'
press 'it is interpreted' c '◆ 1 +[a-z_]+\+0x'
command_line 'a few cycles on' 'step 5' '▶ 2 +[a-z_]+\+0x'
command_line 'and back' 'reverse-step 5' '◆ 1 +[a-z_]+\+0x'
check 'no second one any more' wait_gone '▶ 2 '
command_line 'the end' 'catch interpreted' 'Catchpoint 3'
enter 'delete 2'
wait_gone '\(cyclops\)' || not_ok 'others away'
press 'why it stopped' c 'stopped +[a-z_]+\+0x[0-9a-f]+ +length'
check 'and when it comes again' wait_for \
	'next +1,000 .* of 1,000 instructions +the one after it interprets'
command_line 'why' 'why vsample' "the value sampler's next interrupt comes after 1,000 more"
command_line 'the pipe' 'view pipe' 'interpreted, 6'
leave

open_terminal 80 24 NO_COLOR=1
start "$AT"
press 'in a small terminal' 3 '─ Value sampler ─'
check 'the handler' wait_for 'handler +runs +●enter'
leave

open_terminal 200 60
start "$AT"
press 'in a large one' 3 '─ Value sampler ─'
check 'with statistics' wait_for 'vsample.interrupts'
leave

# Values of instructions, below it.
open_terminal 120 40
start "--values results $AT"
press 'with hotlists' 3 '─ Hotlists ─'
command_line 'later' 'goto 17000' 'values of [1-9][0-9]* instructions and kinds'
check 'hot ones' wait_for ' results +[0-9]+ '
command_line 'one of them' 'view hotlist link_nodes+0x46' 'srai a2,a3,0x3f, [0-9]+ values? seen'
leave

# Without one the layout is the usual one, and the view shows how to get one.
open_terminal 120 34
start "-e 'break walk' -e continue tests/golden/guest.elf"
press 'systems to turn on' 3 '─ Profiling systems ─'
check 'no value sampler there' wait_gone '─ Value sampler'
command_line 'its view' 'view vsample' \
	'this machine has no vsample: start with -o vsample.enable=true'
leave
finish
