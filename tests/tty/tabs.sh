#!/bin/bash
# Layout 3 shows the hardware that a machine has and a tour speaks of, at each size; panes without
# room are on the tab bar.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# tour NAME: its first screen, then layout 3.
tour() {
	shell_runs "$CYCLOPS tour $1"
	wait_for ' cycle [0-9]' && wait_until drawn || not_ok "tour $1 opens"
	keys 3
	wait_for '\[?3 profilers(\]|$)' || not_ok "layout 3 of tour $1"
}

for size in 80x24 120x36; do
	open_terminal "${size%x*}" "${size#*x}"
	while read -r name title other; do
		tour "$name"
		check "$size, tour $name: what it is about" wait_for "^─ $title"
		check "$size, tour $name: what else there is" wait_for "^ \[ \] also: .*\b$other\b"
		leave
	done <<'END'
cop Co-processor copfilter
cct Calling.context.tree slots
sampler Compressor cpi
profile Profile.flags disasm
values Value.sampler slots
paths Paths history
END
done

open_terminal 80 24
start '-o cop.enable=true -o vsample.enable=true -o sampler.enable=true build/demos/linked'
keys 3
check 'three devices share the room' wait_for '^─ Compressor'
check 'the second' wait_for '^─ Co-processor'
check 'the third' wait_for '^─ Value sampler'
check 'what they show besides is on the bar' wait_for 'also: .*buckets +copslots +copfilter'
press 'one comes in the place of the last' ] '^─ Hotlists?'
check 'that has the focus' wait_until focused Hotlists
check 'and stands on the bar' wait_for 'also: .*vsample'
press 'back' [ '^─ Value sampler'
command_line 'one by name' 'focus copslots' '^─ Slots'
command_line 'another' 'tab cpi' '^─ CPI stack'
look
at=${lines[1]%%buckets*}
mouse 0 $((${#at} + 1)) 2
check 'a click takes one, too' wait_for '^─ Buckets'
enter 'tab nonsense'
check 'what is none is said' wait_for "'nonsense' is not on the tab bar"
press_gone 'zoomed there is no bar' z 'also: '
press 'and there again' z 'also: '
keys 2
check 'a layout that has room for all of its panes has none' wait_gone 'also: '
tells 'which is said' ] 'there is no tab bar'
leave
finish
