#!/bin/bash
# The screen of a machine with a stream sampler: layout 3 has its compressor and its counters, which
# move, and explain themselves.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

AT="-o sampler.enable=true -o 'sampler.compressor=T(64, hit=3, replace=2, evict=4), A(4)' -e 'catch compress if act == \"E5\"' -e continue tests/golden/guest.elf"

open_terminal 120 40
start "$AT"
press 'profilers: the flow' 3 '─ Compressor ─'
check 'its rail' wait_for '├◆ +0 T\(64\)'
check 'what it did' wait_for 'E5 in entry [0-9]+: too many misses'
check 'the counters' wait_for '─ Buckets ─'
check 'their map' wait_for '0 [·▁▂▃▄▅▆▇█×◆]{48} +28'
check 'the one that was touched' wait_for '◆[·▁▂▃▄▅▆▇█×]+ '
press 'a cycle on' s '├▶ +0 T\(64\)'
press 'and back' S '├◆ +0 T\(64\)'
command_line 'why' 'why tuple' \
	'selected 1 cycle ago, 8,772: component 0, T\(64\), hashes it to set 16'
leave

open_terminal 80 24 NO_COLOR=1
start "$AT"
press 'in a small terminal' 3 '─ Compressor ─'
check 'and the counters' wait_for '─ Buckets ─'
leave

# Without a sampler the layout is the usual one.
open_terminal 120 34
start "-e 'break walk' -e continue tests/golden/guest.elf"
press 'systems to turn on' 3 '─ Profiling systems ─'
check 'no sampler there' wait_gone 'Compressor'
leave
finish
