#!/bin/bash
# Takes the pictures of the README: opens the screen on a demo program in a terminal of its own and
# keeps what stands there as SVG.
#
#   demos/screenshots/take.sh SVG-CONVERTER [FOLDER]
set -u
cd "$(dirname "$0")/../.." || exit 1
SVG=${1:?usage: take.sh SVG-CONVERTER [FOLDER]}
OUT=${2:-demos/screenshots}
COLS=120 ROWS=34
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

# picture NAME [light]: the screen as it is now.
picture() {
	screen_colours | "$SVG" $COLS $ROWS "cyclops: $1" "" "${2:-}" >"$OUT/$1.svg" || exit 1
	echo "$OUT/$1.svg"
}

# frame CAPTION: the screen as it is now is the next picture of the moving one.
frames=0
frame() {
	screen_colours | "$SVG" 100 30 cyclops "$1" >"$TTY_HOME/hero-$(printf %02d $frames).svg"
	frames=$((frames + 1))
}
moves() {
	local was
	was=$(cycle)
	keys "$1"
	wait_until is_not "$was" cycle && wait_until drawn
}

# shown TIMES CAPTION: the screen stands for that many frames.
shown() {
	local i
	for ((i = 0; i < $1; i++)); do frame "$2"; done
}

# The first picture that anybody sees, in 20 seconds: where the time goes, the machine in that
# cycle and its reason, back in time, the end, and a what-if.
open_terminal 100 30
shell_runs "$CYCLOPS -n build/demos/linked"
wait_for 'without L1D misses' || not_ok 'the machine is not asked'
shown 2 'cyclops ./linked opens where the time goes: 38 % in one line of C'
press 'the machine' 6 '─ Machine '
shown 1 'the machine in that cycle: one load holds 64 instructions'
wait_for '^ #[0-9]+ ld .*: L1D miss, in L2' || not_ok 'no reason is given'
shown 2 'why? the line below: an L1D miss, and when its data comes'
for _ in 1 2; do moves s; frame 'a cycle on ...'; done
for _ in 1 2 3 4; do moves S; frame '... and four cycles back, to exactly the same state'; done
press 'the window' 2 '─ Reorder buffer '
shown 1 'a layout for each question: the window, the caches, the profilers'
press 'the end' c 'The end: where the time went'
wait_for '^ +-[0-9]+ % +without L1D misses' || not_ok 'not all is counted'
shown 2 'the whole run: the three places that held most, and what would help'
press 'a place' Enter '─ Reorder buffer '
enter 'twin l2.latency=5'
wait_for 'B [0-9,]+ cycles (behind|ahead)' || not_ok 'no twin'
shown 2 'what if the L2 were twice as fast? two machines in step, and where the gap grew'
demos/screenshots/animate.sh 1.25 "$TTY_HOME"/hero-*.svg >"$OUT/hero.svg" || exit 1
echo "$OUT/hero.svg"
leave

open_terminal $COLS $ROWS
shell_runs "$CYCLOPS -n build/demos/linked"
wait_for 'without L1D misses' || not_ok 'the machine is not asked'
picture opening
leave
# Following a linked list: a load waits for the L2, everything else waits for the load.
start "-e 'goto 300000' -e 'watch cpi.l2' -e continue -e 'step 8' build/demos/linked"
keys s
keys 2
wait_for 'Reorder buffer' || not_ok 'no reorder buffer'
enter 'focus rob'
wait_until focused 'Reorder buffer' || not_ok 'the reorder buffer has no focus'
keys Down Down Down Down Down
wait_for '^ #[0-9]+ .*(waits|is )' || not_ok 'no reason is given'
picture window
# The same on a light terminal.
enter 'theme day'
wait_gone '\(cyclops\)' && wait_until drawn
picture day light
enter 'theme night'
wait_gone '\(cyclops\)' && wait_until drawn
press frontend 1 'Branch target buffer'
picture frontend
press memory 4 'L1 data cache'
picture memory
press source 5 'Call stack'
wait_for ' elsewhere; largest ' || not_ok 'the time is not counted'
picture source
# The machine as a picture, in several consecutive cycles.
press machine 6 '─ Machine '
picture machine
for frame in 0 1 2 3 4 5 6 7; do
	screen_colours | "$SVG" $COLS $ROWS 'cyclops: s steps, S steps back' \
		>"$TTY_HOME/frame-$(printf %02d $frame).svg"
	was=$(cycle)
	[ $frame -lt 5 ] && keys s || keys S
	wait_until is_not "$was" cycle && wait_until drawn
done
demos/screenshots/animate.sh 0.7 "$TTY_HOME"/frame-*.svg >"$OUT/stepping.svg" || exit 1
echo "$OUT/stepping.svg"
# The diagram from far away: a queue that fills after misses.
keys 2 z
for _ in 1 2 3 4 5; do keys -; done
wait_for '32 cycles ×' || not_ok 'it is not far away'
picture far
leave
# Two machines in step: where the smaller window lost.
start "-e 'goto 300000' build/demos/linked"
enter 'twin pipe.rob_size=16'
wait_for 'B [0-9,]+ cycles (behind|ahead)' || not_ok 'no twin'
picture twin
leave
# A program that profiles itself with its flag off: dropped instructions, skipped blocks.
start "-e 'catch skip in steps' -e 'ignore 1 20' -e continue -e 'delete 1' build/demos/xprof/blocks"
keys 1
wait_for 'Block descriptor table' || not_ok 'no table'
wait_for 'skips [0-9]' || not_ok 'nothing is skipped'
picture profile
leave
# A parser that calls itself: callers, callees and costs.
start "-o oracle.enable=true -o oracle.contexts=true -e 'tbreak intern' -e 'ignore 1 2000' -e continue build/demos/json demos/programs/input/timezones.json version"
press 'contexts' 3 'Calling context tree'
wait_for 'intern  ◀ here' || not_ok 'the program is nowhere'
picture contexts
leave
# The co-processor's microprogram counts values of loads, and how many it has no time for.
start "-o cop.enable=true -e 'cop load demos/microcode/value.mic' -e 'goto 300000' build/demos/linked"
press 'the co-processor' 3 '─ Co-processor'
picture coprocessor
leave
# A stream of loads and their values, compressed by hardware to one message in seventy.
start "--firmware build/demos/firmware/sampler.elf -o sampler.enable=true -o sampler.reader=interrupt -o 'sampler.compressor=T(256),A(16)' -e 'goto 300000' build/demos/json demos/programs/input/timezones.json version"
press 'the compressor' 3 '─ Compressor '
picture sampling
leave
# Values are sampled: the handler interprets, hotlists stand below, with the oracle's shares.
start "--values results,latency -o vsample.interval_min=900 -o vsample.interval_max=1000 -o vsample.every=1 -o oracle.enable=true -o oracle.values=all \
	-e 'tbreak linked.c:61' -e continue -e 'catch interpret if recorded and place >= 66' -e continue build/demos/linked"
press 'values' 3 'Hotlists'
wait_for '◆ 67' || not_ok 'nothing is recorded'
picture values
[ $failed = 0 ]
