#!/bin/bash
# A program that profiles itself, in sessions: stops on profile flags and the block descriptor
# table, questions about them, and answers to invalid input. shellcheck source=tests/cmd/lib.sh
. tests/cmd/lib.sh
guest=$top/tests/golden/profile.elf
like() { check "$1 should match '$2'" grep -qE -- "$2" "$1"; }

# ---- stopping on it ----
batch 0 "$guest" 'catch pflag' continue 'watch pflag[0]' 'delete 1' continue continue \
	'print pflag[0]'
like out 'Catchpoint 1, pflag .*: flags 0x1, before 0x0'
like out 'Watchpoint 2, pflag\[0\]: false -> nothing \(nil\)' # until the poppf brings it
like out 'Watchpoint 2, pflag\[0\]: nothing \(nil\) -> false'
like out '^pflag\[0\] = (true|false)'
batch 0 "$guest" 'catch profile_misfetch' continue why reverse-continue
like out 'Catchpoint 1, profile_misfetch #[0-9]*, work\+0x34 .*predicted count'
like out 'was dropped at decode in cycle [0-9,]*: profile flag 0 was off; fetch had followed it to count: '
like out 'Beginning of history'
batch 0 "$guest" "catch bdt if set == 23 and action == 'made'" continue 'print bdt[23].locked' \
	'print bdt[23][0].leader == loop' 'view bdt loop'
like out 'Catchpoint 1, bdt .*action made, leader work\+0xa.*set 23'
like out '^bdt\[23\].locked = 1'
like out '^bdt\[23\]\[0\].leader == loop = true'
like out 'learning .*■ locked'
batch 0 "$guest" 'watch bdt[23].locked' continue continue
like out 'Watchpoint 1, bdt\[23\].locked: 0 -> 1'
like out 'Watchpoint 1, bdt\[23\].locked: 1 -> 0'
batch 0 "$guest" 'catch skip' continue why 'view fetchq' step why 'view fetchq --json'
like out 'fetch skipped the rest of its block, to work\+0x24: the descriptor table expects flag 0 off'
like out '⋯ *4 skipped, to work\+0x24'
like out '^#[0-9]* .* commits next' # after the event's stop: the oldest again
sed -n '/^{"view"/,$p' out >json
check "the queue is JSON" "$json" <json
batch 0 "$guest" 'catch flag_mispredict' continue why
like out 'decode found flag 0 on: fetched after all, from cycle'
batch 0 "$guest" 'catch drop if profile == 1' continue \
	'catch commit if profile == 0 and flags_before == 1' 'delete 1' continue
like out 'Catchpoint 1, drop .*work\+0x26'
like out 'Catchpoint 2, commit .*work\+0xa'
batch 0 "$guest" 'tbreak leave+8' continue 'step 2' why 'view pflag'
like out '^ *stack +○ ○ ○ ○ ○ ○ ○ ○ +sp 0x[0-9a-f]*, entry of _start\*? +0x[0-9a-f]*$'

# ---- the instructions themselves ----
batch 0 "$guest" 'catch skip' continue 'view disasm work 20'
like out '^- *work\+0x26 *pi\.1 addi s5,s5,1'
like out '^⋯ *work\+0x10 *pi\.0 addi t2,t2,1'
batch 0 "$guest" 'catch skip' continue 'view disasm work+0x14 3'
like out '^⋯ *work\+0x14 *pi\.0 sd t2,0\(s3\)' # the leader stands above
batch 0 "$guest" 'tbreak loop' continue 'break *(work+0x1a)' 'disassemble work' 'x/3i loop' \
	'x/i work+0x26'
like out '^=> 0x[0-9a-f]* <work\+0xa> +[0-9a-f]{4} [0-9a-f]{8}  pi\.0 ld t2,0\(s3\)'
like out '^   0x[0-9a-f]* <work\+0x10> +[0-9a-f]{4} [0-9a-f]{4}      pi\.0 addi t2,t2,1'
like out '^  \*0x[0-9a-f]* <work\+0x1a> +[0-9a-f]{4} [0-9a-f]{8}  pi\.0 jal t3,count'
like out '^=> 0x[0-9a-f]* <work\+0xa>:.pi\.0 ld t2,0\(s3\)'
like out '<work\+0x26>:.pi\.1 addi s5,s5,1'
batch 1 "$guest" 'x/i work+1'
says err 'instructions begin at even addresses'
batch 1 "$guest" 'set pflags = 256'
says err "pflags can't be 0x100: it holds 0 to 0xff"
batch 1 "$guest" 'set pfbase = 0x3fff6ffff1'
says err "pfbase can't be 0x3fff6ffff1: it holds bits of 0xfffffffffffffff8"
batch 1 "$guest" 'lua m.csr.pflags = -1'
says err 'it holds 0 to 0xff'
batch 0 "$guest" 'set pflags = 255' 'print pflags'
says out 'pflags = 255'
batch 0 "$guest" 'break work+6' 'break loop' 'break work+0xc' 'break work'
says out 'acts at decode and is dropped there: `catch control at work+6`'
says out 'dropped while flag 0 is off: `catch drop at loop`'
like out 'part of the instruction with the prefix at \*0x'
like out 'Breakpoint 4 at work \(profile.S:[0-9]*\), commit$'

# ---- help ----
for words in xprof setpf pi pi.3 pushpf; do
	run 0 help $words
	like out '^  setpf K, resetpf K'
	like out '^  xprof\.dropped_0-7 .* of type 0 to 7 \(instructions\)'
	check "each row once" [ "$(grep -c 'xprof\.fetched' "$dir/out")" = 2 ]
done
# Also a command's name, which takes precedence.
run 0 help mark
like out '^More of such instructions: .help xprof'
run 125 help pi3
run 125 help setpf.0
run 0 help xprof.dropped_3
like out '^statistic xprof.dropped_3: of the dropped ones, those of type 3'

# ---- nonsense ----
for words in 'bdt[64]:sets 0 to 63' 'bdt[-1]:sets 0 to 63' 'bdt[3][2]:ways 0 to 1' \
	'bdt[3].colour:count and locked' \
	'bdt[3][0].colour:valid leader follow' 'pflag[8]:flags 0 to 7' 'pflag.nix:pflag.decode' \
	'bdt.nix:bdt.locked'; do
	batch 1 "$guest" "print ${words%%:*}"
	says err "${words#*:}"
done
batch 1 "$guest" 'view bdt 64'
says err 'out of range: 0 to 63'
batch 1 "$guest" 'view pflag many'
says err "'many' is not a number"
batch 1 "$guest" 'catch bdt if akshun == 1'
says err akshun
batch 1 "$guest" 'catch drop if profile == 9 and TYPO == 1'
says err "called 'TYPO'; did you mean 'type'?"
batch 1 "$guest" 'lua m:run{condition = "a0 == 77 and xprof.droped > 1"}'
says err "did you mean 'xprof.dropped'?"
run 0 --batch -o xprof.enable=false -e 'view pflag' -e 'view bdt' "$guest"
says out 'this machine has none (xprof.enable = false)'
run 1 --batch -o bdt.sets=0 -e 'print bdt[0]' "$guest"
says err 'no block descriptor table'
finish
