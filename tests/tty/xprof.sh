#!/bin/bash
# The screen of a program that profiles itself: the panes of Xprof are there, move, answer why, in
# colours and without.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/tty/lib.sh
. tests/tty/lib.sh

AT_SKIP="-e 'catch skip' -e 'ignore 1 63' -e continue tests/golden/profile.elf"

open_terminal 120 34
start "$AT_SKIP"
press 'front end: flags' 1 '─ Profile flags ─'
check 'front end: the table' wait_for '─ Block descriptor table ─'
check 'the queue has a gap' wait_for '⋯ +4 skipped, to wo'
check 'the table marks the entry that skips' wait_for '▶ +23 +0 work\+0xa'
press 'the leader is dropped' s 'drops 1: #[0-9]+ pi\.0 ld'
check 'the table marks the entry that decode found' wait_for '◆ +23 +0 work\+0xa'
press 'back' S 'this cycle .*skips 4'
press 'profilers: flags' 3 '─ Profile flags ─.*─ Block descriptor table ─'
check 'profilers: statistics' wait_for 'xprof\.fetched'
press 'the window' 2 '─ Pipe ─'
for cycle in 819 820 821 822; do press "on to $cycle" s "cycle $cycle"; done
check 'window: gaps in the diagram' wait_for '⋯ +4 skipped, to work'
check 'window: drops' wait_for '#771 pi\.0 ld .*[F=]-'
command_line 'why of one' 'why #771' \
	'was dropped at decode in cycle 818: profile flag 0 was off; the rest of its block'
leave

# A program without profile instructions gets its usual panes.
open_terminal 120 34
start "-e 'break walk' -e continue tests/golden/guest.elf"
press 'front end as ever' 1 '─ Return stack ─'
check 'no flags there' wait_gone 'Profile flags'
press 'systems to turn on' 3 '─ Profiling systems ─'
check 'none there' wait_gone 'Profile flags'
leave

open_terminal 80 24 NO_COLOR=1
start "-e 'tbreak work+0x24' -e 'ignore 1 9' -e continue tests/golden/profile.elf"
press 'without colours: the front end' 1 '─ Fetch queue ─'
check 'what is skipped' wait_for 'work\+0x24 +skips 4'
check 'and what would be dropped' wait_for '^ - +work\+0x26 pi\.1'
leave
finish
