#!/bin/bash
# Sessions to begin with, into the folder given.
set -eu
mkdir -p "$1"
cd "$1"
n=0
seed() { printf '%s\n' "$@" >"session$((n += 1))"; }
seed 'break main' 'continue' 'step 20' 'view pipe' 'reverse-step 7' 'view rob --json' 'why'
seed 'break twice if a0 == 3' 'c' 'p a0' 'bt' 'finish' 'next' 'reverse-next' 'reverse-finish' 'rc'
seed 'tbreak *main fetch' 'c' 'watch sim.syscalls' 'watch s0' 'watch mem32(sp + 8)' \
	'watch 0x3ffffffce0,16' 'c' 'rc' 'info b'
seed 'catch squash in twice' 'c' 'condition 1 rob.count > 3' 'ignore 1 2' 'disable 1' 'enable' \
	'delete 1-2' 'clear main'
seed 'goto 300' 'goto #100' 'goto -5' 'goto start' 'goto live' 'until' 'advance main' \
	'u guest.c:15' 'starti' 'start'
seed 'x/8xg sp' '' 'x/5i pc' 'x/s main' 'x/3dw main' 'disassemble main' 'list' '' 'list -' \
	'list main' 'frame 1' 'up' 'down'
seed 'set a0 = 3' 'set *(u8)sp = 1' 'set pipe.rob_size = 16' 'set fa0 = 1.5' 'set pc = main' \
	'set args 5 "a b"' 'run'
seed 'display a0' 'display/x sp' 'display view rob' 'step 3' 'undisplay 2' 'info display' \
	'alias zz = step 2; zz' 'zz'
seed "p str(main)" 'p view.rob[1].seq' 'p {1, x = {2}}' 'p *(u8 *)sp + 1' 'p $a0 != 0' \
	"p stat['sim.ipc']" 'p rob[1].why' "p where()"
seed 'step 200' 'view btb' 'view l1d' 'view mem sp 64' 'view cpi' 'view regs' 'view stats' \
	'view source' 'view history' 'stats l1' 'config pipe'
seed 'help' 'help rob' 'help sim.ipc' 'apropos cache' 'info registers a0 sp' 'info line main' \
	'info symbol main' 'info functions fi' 'info memory'
