#!/bin/bash
# Firmware beside programs: programs are unaffected, firmware's results are correct, and neither can
# be mistaken for the other.
. tests/lib.sh
top=$PWD
demos=build/demos
profiler=$demos/firmware/pcprofile.elf
tick=$demos/firmware/tick.elf
own=build/tests/firmware
export HOME=$dir COLUMNS=200
unset XDG_CONFIG_HOME XDG_STATE_HOME
cd "$top" || exit 1

# session STATUS FIRMWARE PROGRAM COMMAND...
session() {
	local want=$1 firmware=$2 program=$3 args=()
	shift 3
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --batch ${firmware:+--firmware "$firmware"} "${args[@]}" "$program"
}
# A regular expression here.
says() { check "$1 should say '$2'" grep -qE -- "$2" "$dir/$1"; }
stat_of() { awk -v name="$2" '$1 == name { print $2 }' "$dir/$1"; }
# between LO VALUE HI
between() { awk -v lo="$1" -v v="$2" -v hi="$3" 'BEGIN { exit !(v != "" && v >= lo && v <= hi) }'; }

# ---- the program is unaffected: output, status, executed instructions ----
# Interrupts every 17 instructions on average, or every 300 cycles, in each mode and on machines of
# several kinds.
declare -A without # executed instructions
unnoticed() {
	local program=$1 firmware=$2 count=sim.insts
	shift 2
	[[ " $* " != *" --functional "* ]] || count=sim.functional_insts
	run 0 run --stats "$dir/with" --firmware "$firmware" "$@" "$demos/$program"
	silent err
	check "the output is the program's" cmp -s "$dir/out" "demos/programs/expected/$program.out"
	check "interrupts were taken" between 5 "$(stat_of with firmware.interrupts)" 1e9
	# Nor does an interrupt between LR and SC affect it.
	local alone=${without["$program $*"]:-}
	if [ -z "$alone" ]; then
		run 0 run --stats "$dir/without" "$@" "$demos/$program"
		alone=$(stat_of without "$count")
		without["$program $*"]=$alone
	fi
	check "$count differs" [ "$alone" = "$(stat_of with "$count")" ]
}
# longjmp runs all cases, two others every second case; at scale long all programs run all cases.
turn=0
for program in hello selfmod longjmp; do
	while read -r firmware options; do
		turn=$((turn + 1))
		[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || [ $program = longjmp ] ||
			[ $((turn % 2)) = $([ $program = hello ] && echo 0 || echo 1) ] || continue
		# shellcheck disable=SC2086
		unnoticed $program $own/$firmware.elf $options
	done <<-'END'
		fast
		clobber
		clobber --functional
		often
		fast --config classic5
		often --config burrows2000 -o lsq.speculate=1
	END
done
longer='fib linked branchy matmul readfile'
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || longer=fib
for program in $longer; do
	unnoticed $program $profiler --config zilles2001
	unnoticed $program $own/fast.elf --functional
	unnoticed $program $own/often.elf --functional
done
unnoticed fib $own/fast.elf --ff 90k --warmup
unnoticed fib $own/often.elf --ff 50k

# The program's own fault and status stay its own.
run 139 run --firmware $own/often.elf $own/reach load
says err 'cyclops: the program faulted: load from a bad address, 0x4000000000 \(SIGSEGV\)'

# ---- firmware writes a program's code: pages that the program may only execute, one that ends
# within the instruction, on every machine ----
for firmware in patch halves; do
	for across in '' across; do
		for machine in '' --functional '--config classic5' \
			'--config burrows2000 -o lsq.speculate=1' '--ff 5k'; do
			# shellcheck disable=SC2086  # options, and perhaps no argument
			run 34 run $machine --firmware $own/$firmware.elf $own/patched $across
			silent err
		done
	done
done
# Going back restores the old instruction, forwards the new one.
session 0 $own/patch.elf "$own/patched" 'x/i _start+16' continue 'goto 100' 'x/i _start+16' continue
check "its code is twice the old one" [ "$(grep -c 'li a0,273' "$dir/out")" = 2 ]
check "it ends twice" [ "$(grep -c 'exited with status 34' "$dir/out")" = 2 ]

# ---- one sample per period, of the executed instructions ----
run 0 run --stats "$dir/with" --firmware $profiler $demos/branchy
insts=$(stat_of with sim.insts)
samples=$(stat_of with firmware.interrupts)
check "$samples samples of $insts instructions" between $((insts / 4001 * 9 / 10)) "$samples" \
	$((insts / 4001 * 11 / 10))
# Instruction counts are independent of time: every machine, and execution without timing, gives the
# same profile.
profile() {
	session 0 "$@" continue 'info profile 100000 --json'
	sed -n '/^{"view"/,$p' "$dir/out" | sed 's/"cycle": [0-9]*/"cycle": 0/; s/"role.*//' \
		>"$dir/profile"
}
profile $own/fast.elf $demos/hello
cp "$dir/profile" "$dir/first"
check "the profile is there" grep -q '"address": "0x' "$dir/first"
check "the hottest comes first" awk -F'"samples": ' \
	'/"address"/ { n = $2 + 0; if (last && n > last) exit 1; last = n }' "$dir/first"
sum=$(awk -F'"samples": ' '/"address"/ { sum += $2 } END { print sum }' "$dir/first")
interrupts=$(sed -n 's/.*"summary": "\([0-9,]*\) samples.*/\1/p' "$dir/first" | tr -d ,)
check "$sum samples in rows, $interrupts in all" [ "$sum" = "$interrupts" ]
for machine in '--config classic5' '--config zilles2001' '-o pipe.commit_width=1' '--ff 3k' \
	'--ff 5000 --warmup'; do
	command="$machine"
	# shellcheck disable=SC2086  # options
	"$CYCLOPS" --batch $machine --firmware $own/fast.elf -e continue \
		-e 'info profile 100000 --json' $demos/hello </dev/null 2>&1 |
		sed -n '/^{"view"/,$p' | sed 's/"cycle": [0-9]*/"cycle": 0/; s/"role.*//' \
		>"$dir/out"
	check "another profile" cmp -s "$dir/out" "$dir/first"
done

# Against the commits in a trace of the program alone: each hot instruction's share is
# within four standard errors of its samples. Start-up alone is over before many are taken; longjmp
# goes on for a while.
session 0 '' $demos/longjmp "trace konata $dir/trace" continue
awk '$1 == "L" && $3 == 1 { pc[$2] = $NF } $1 == "R" && $4 == 0 { n[pc[$2]]++; all++ }
	END { for (p in n) print p, n[p] / all, n[p] }' "$dir/trace" >"$dir/exact"
profile $own/fast.elf $demos/longjmp
sed -n 's/.*"address": "\(0x[0-9a-f]*\)", "samples": \([0-9]*\),.*/\1 \2/p' "$dir/profile" \
	>"$dir/sampled"
awk 'NR == FNR { exact[$1] = $2; count[$1] = $3; next } { samples[$1] = $2; all += $2 }
	END {
		for (p in samples) if (!(p in exact)) { print "never executed: " p; bad = 1 }
		for (p in exact) {
			if (exact[p] < 0.005) continue
			hot++
			share = samples[p] / all
			off = share - exact[p]
			error = sqrt(exact[p] * (1 - exact[p]) / all)
			if (off > 4 * error || -off > 4 * error) { print p " is off: " share ", exactly " exact[p]; bad = 1 }
		}
		if (hot < 10) { print "only " hot " hot instructions"; bad = 1 }
		exit bad
	}' "$dir/exact" "$dir/sampled" >"$dir/out" 2>"$dir/err"
check "samples are not shares of what was executed" [ ! -s "$dir/out" ]

sum=$(awk '{ sum += $2 } END { print sum }' "$dir/sampled")
session 0 $own/fast.elf $demos/longjmp continue 'info profile functions 100000 --json'
check "functions have other samples" \
	[ "$(awk -F'"samples": ' '/"address"/ { sum += $2 } END { print sum }' "$dir/out")" \
	= "$sum" ]
check "a function stands twice" awk -F'"' '/"address"/ { if (seen[$4]++) exit 1 }' "$dir/out"
says out '"place": "descend \(longjmp.c:[0-9]+\)", "instruction": null'
session 1 $own/fast.elf $demos/longjmp 'info profile function'
says err "'function' is not a number"

# Beside the oracle, which counts what the sampler estimates: by instruction and by function.
for what in '' 'functions '; do
	run 0 --batch -o oracle.enable=true --firmware $own/fast.elf -e continue \
		-e "info profile ${what}100000 --json" $demos/longjmp
	awk -F'"(share|error|exact)": ' '/"address"/ {
			share = $2 + 0; error = $3 + 0; exact = $4 + 0; sum += exact
			if (exact >= 0.5) hot++
			if (exact >= 0.5 && (share - exact > 4 * error || exact - share > 4 * error)) { print; bad = 1 }
		}
		END { if (hot < 8 || sum > 100.001 || sum < 80) { print hot " hot, " sum " % in all"; bad = 1 }; exit bad }' "$dir/out" >"$dir/err"
	check "the oracle disagrees" [ ! -s "$dir/err" ]
done
session 0 $own/fast.elf $demos/hello continue 'info profile --json'
check "an exact column without an oracle" [ "$(grep -c '"exact"' "$dir/out")" = 0 ]

# ---- looking into firmware ----
# Steps by lines and calls pass over interrupts: the same lines with firmware and without. One
# commit a cycle, for a step ends with its cycle.
lines_of() {
	local args=(-e 'tbreak main' -e continue)
	for i in $(seq 40); do args+=(-e next); done
	"$CYCLOPS" --batch -o pipe.commit_width=1 "$@" "${args[@]}" -e finish "$demos/branchy" \
		2>&1 |
		sed -E '/^ +[+-][0-9,]+ cycles?/d; s/cycle [0-9,]+//; s/[0-9,]+ instructions//'
}
command="next, with interrupts"
lines_of >"$dir/err"
lines_of --firmware build/tests/firmware/fast.elf >"$dir/out"
check "next passes over firmware" cmp -s "$dir/out" "$dir/err"
check "next goes on for forty lines" [ "$(grep -c branchy.c "$dir/out")" -gt 40 ]
session 0 $tick $demos/hello 'info firmware'
check 'registers of the program are not among them' \
	[ "$(grep -cE '^(fcsr|frm|hpmselect)' "$dir/out")" = 0 ]
session 0 $tick $demos/hello 'info firmware' 'break firmware_interrupt' continue 'info firmware' \
	backtrace \
	'print firmware_ticks' finish 'info registers mepc mcause mtvec' \
	'info symbol firmware_trap+4' 'list tick.c:28' \
	'disassemble firmware_start'
silent err
says out '^Firmware  M-mode: firmware runs; 0 interrupts, 0 instructions'
says out '^mepc +0x[0-9a-f]+ +_start '
says out 'Breakpoint 1, firmware_interrupt(\+0x[0-9a-f]+)? \(.*\) at tick.c:'
says out '^Firmware  M-mode: firmware runs; 1 interrupt, '
says out '^mcause +0x8000000000000007\* +interrupt 7, timer'
says out '^mie +0x80\* +7 timer'
says out '#0  0x[0-9a-f]+ firmware_interrupt.* at tick.c:'
says out '#1  0x[0-9a-f]+ firmware_trap.* at crt.S:'
says out '^mtvec +0x0*4000000068  firmware_trap$'
says out 'is firmware_trap\+0x4 \(crt.S:[0-9]+\)'
says out 'firmware_ticks\+\+;'
says out '<firmware_start>.* csrw mscratch,sp'
says out '<firmware_start\+0x.*>.* mret'
session 0 $tick $demos/hello 'info program' 'info memory'
says out '^firmware build/demos/firmware/tick.elf, entry 0x4000000000, digest [0-9a-f]{16}$'
says out '^0x4000000000 .* r-xm +4 KiB  firmware text$'
says out '^0x4000001000 .* rw-m .* KiB  firmware data$'
says out ' r-x  .* KiB  text$'
session 0 '' $demos/hello 'info firmware' 'info profile'
says out 'no firmware runs: start with --firmware FILE.elf'
session 0 $tick $demos/hello 'info profile'
says out 'tick.elf keeps no profile: it has no symbol firmware_profile'
session 1 '' $demos/hello 'info registers mepc'
says err "no register is called 'mepc'"

# ---- back and forth, again from the start, and from a checkpoint ----
session 0 $own/fast.elf $demos/hello 'goto 30000' 'info profile 100 --json' 'goto 9000' \
	'goto 30000' 'info profile 100 --json'
awk '/^{"view"/ { n++ } n && /"address"/ { sub(/"role.*/, ""); print n ":" $0 }' "$dir/out" \
	>"$dir/both"
sed -n 's/^1://p' "$dir/both" >"$dir/before"
sed -n 's/^2://p' "$dir/both" >"$dir/after"
check "the profile is the same when we come back" cmp -s "$dir/before" "$dir/after"
check "and is there" [ "$(wc -l <"$dir/after")" -gt 20 ]
session 0 $profiler $demos/hello continue run 'info profile'
says out '^Profile  1 sample'
session 0 $own/fast.elf $demos/hello 'goto 30000' "save $dir/point" continue 'info profile 20'
sed -n '/^Profile/,$p' "$dir/out" | tr -d '*+' >"$dir/before"
session 0 $own/fast.elf $demos/hello "restore $dir/point" continue 'info profile 20'
sed -n '/^Profile/,$p' "$dir/out" | tr -d '*+' >"$dir/after"
check "a checkpoint goes on as it would have" cmp -s "$dir/before" "$dir/after"
session 1 '' $demos/hello "restore $dir/point"
says err 'was saved with firmware: start with the same --firmware'
session 1 $tick $demos/hello "restore $dir/point"
says err 'was saved with other firmware than build/demos/firmware/tick.elf'
session 0 '' $demos/hello "save $dir/plain"
session 1 $tick $demos/hello "restore $dir/plain"
says err 'was saved without firmware; here is build/demos/firmware/tick.elf'

# ---- files that are no firmware ----
run 125 run --firmware "$dir/nothing" $demos/hello
says err "^cyclops: $dir/nothing: No such file or directory$"
run 125 run --firmware $demos/hello $demos/hello
says err "^cyclops: build/demos/hello: segment .* is not in firmware's memory, 0x4000000000-0x5000000000"
run 125 --batch --firmware demos/programs/small/hello.c $demos/hello
says err 'hello.c: '
run 125 run $tick
says err 'lies above user memory'

# ---- the program cannot access firmware's memory and devices ----
for how in load store call device arm; do
	for mode in '' --functional; do
		run 139 run $mode --firmware $own/often.elf $own/reach $how
		says err 'the program faulted: .*(0x[47][0f]000|not executable)'
	done
done
for how in csr mret wfi; do
	for mode in '' --functional; do
		run 132 run $mode --firmware $own/often.elf $own/reach $how
		says err 'the program faulted: illegal instruction'
	done
done
run 0 run --firmware $own/often.elf $own/reach
says out '^write: Bad address$'
says out '^mmap: Cannot allocate memory$'
says out '^munmap: Invalid argument$'
says out '^mprotect: Cannot allocate memory$'

# ---- firmware that faults ----
fault() {
	for mode in '' --functional; do
		run "$2" run $mode --firmware "$own/fault$1.elf" $demos/hello
		says err "^cyclops: firmware faulted: $3"
		says err 'at 0x40000000[0-9a-f]+ firmware_interrupt.*tests/firmware/fault.c:'
	done
	session 0 "$own/fault$1.elf" $demos/hello continue
	says out "^Firmware faulted: $3"
}
fault 1 139 'store to a bad address'
fault 2 133 'breakpoint'
fault 3 132 'system call in firmware'
fault 4 132 'illegal instruction'
fault 5 139 'load from a bad address'

# ---- limits count the program's instructions, as sim.insts does ----
for how in '' --history --functional; do
	run 124 run $how --max-insts 5000 --stats "$dir/with" --firmware $own/fast.elf "$demos/fib"
	count=sim.insts
	[ "$how" != --functional ] || count=sim.functional_insts
	check "--max-insts$how: 5,000 of the program" between 5000 "$(stat_of with $count)" 5007
	check "and firmware's beside them" between 100 "$(stat_of with firmware.insts)" 1e9
done
cat >"$dir/limits.lua" <<'EOF'
local m = cyclops.machine{ program = arg[1], firmware = arg[2] }
local function near(n, what)
	local over = m.stats["sim.insts"] - n
	print(what, over >= 0 and over < 8 and m.insts == m.stats["sim.insts"])
end
m:run{ insts = 3000 }
near(3000, "insts")
m:run{ until_insts = 5000 }
near(5000, "until_insts")
print("firmware", m.stats["firmware.insts"] > 100)
-- A step goes through firmware, too.
local own, all = m.insts, 0
for _ = 1, 2000 do
	m:stepi()
	all = all + 1
end
print("stepi", m.insts - own < all)
EOF
run 0 lua "$dir/limits.lua" "$demos/fib" $own/fast.elf
for what in insts until_insts firmware stepi; do
	check "$what" grep -q "^$what	true$" "$dir/out"
done
finish
