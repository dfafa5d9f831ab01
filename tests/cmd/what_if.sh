#!/bin/bash
# Removing causes judges the slot stack of real programs: half a million cycles of the demos, in
# `make test-long` of all that are as long. On no preset does a remedy cost cycles.
. tests/lib.sh
top=$PWD
printf '%s\n' 'goto 1200000' 'what-if 700000 1200000' 'view what-if all --json' >"$dir/ask.cyc"
case ${CYCLOPS_TEST_SCALE:-full} in
long) demos="anagram sort lisp compress chess json cg nbody hash fft regex" ;;
*) demos=lisp ;;
esac
answer() { # FILE DEMO OPTION...: what-if's answer about a demo
	local arguments input
	IFS='|' read -r _ arguments input _ < <(grep "^$2|" demos/programs/list.txt)
	# shellcheck disable=SC2086
	"$CYCLOPS" inspect --batch "${@:3}" -x "$dir/ask.cyc" "build/demos/$2" $arguments \
		<"${input/#-//dev/null}" 2>&1 | sed -n '/^{/,$p' >"$dir/$1"
}
for demo in $demos; do
	answer "$demo" "$demo"
done
printf '%s\n' 'goto 350000' 'what-if 300000 350000' 'view what-if all --json' >"$dir/ask.cyc"
presets=()
for preset in demos/configs/*.lua; do
	for demo in $demos sort; do
		presets+=("$(basename "$preset" .lua)-$demo")
		answer "${presets[-1]}" "$demo" --config "$(basename "$preset" .lua)"
	done
done
# Loops limited by memory, or by a slow bus: no other cause may come first.
printf '%s\n' 'goto 100000' 'what-if 50000 100000' 'view what-if all --json' >"$dir/ask.cyc"
for loop in sum copy fill; do
	for bus in 1 16; do
		"$CYCLOPS" inspect -n -o bus.cycles=$bus -o bus.bytes=$((bus > 1 ? 8 : 32)) \
			--batch -x "$dir/ask.cyc" build/tests/cmd/loops $loop </dev/null 2>&1 |
			sed -n '/^{/,$p' >"$dir/$loop-$bus"
	done
done
# The paragraph in words, also if no remedy can be measured.
loops=build/tests/cmd/loops
run 0 inspect -n --batch -e 'goto 100000' -e 'slow 50000 100000' -e 'view what-if' $loops sum
says out 'are lost to L1D misses: memory 60%, bus 1%; 100% of that in begin, most'
says out "what would help: without L1D misses (l1d.perfect=true) 61% fewer cycles; without memory's latency (mem.latency=1) 59% fewer cycles"
says out 'What if  cycles 50,000 to 100,000'
# In a longer part, the cause is the whole part's, and what-if runs cycles with that cause.
cat >"$dir/tail.s" <<'END'
	.globl _start
_start:	la t0, data
	li t1, 0x100000
	add t1, t0, t1
1:	ld t2, 0(t0)
	addi t0, t0, 64
	bltu t0, t1, 1b
	li t0, 20000
2:	mul t2, t2, t2
	addi t0, t0, -1
	bnez t0, 2b
	li a7, 93
	li a0, 0
	ecall
	.bss
data:	.space 0x100000
END
run 0 inspect -n --batch -e c -e slow -e 'slow -50000' -e 'slow since 0' "$dir/tail.s"
check 'after the end it is of the whole run' \
	grep -qE '^all [0-9,]+ cycles: .* most, [0-9]+%, are lost to L1D misses: ' "$dir/out"
check 'the last cycles have another cause than all of them' \
	grep -qE '^since -50000, .* most, [0-9]+%, are lost to latency imuldiv: ' "$dir/out"
check 'the cause is the one of the whole part' \
	grep -qE '^since 0, .* most, [0-9]+%, are lost to L1D misses: .* at _start\+0xe ' "$dir/out"
check 'what-if runs cycles that have it' grep -qE \
	'of cycles .*, where [0-9]+% are lost to that, without L1D misses .*\) [0-9]+% fewer' "$dir/out"
# A miss that was under way when the part began costs the machine without misses as much.
run 0 inspect -n --batch -e 'goto 400' -e 'slow 40 220' "$dir/tail.s"
says out '(l1i.perfect=true) alone nothing is saved: it was under way when the part began'
run 0 inspect -n --batch -o bus.cycles=16 -o bus.bytes=8 -e 'goto 100000' \
	-e whyslow $loops copy
says out 'the last 50,000 cycles: '
says out 'are lost to bus: the oldest waits for the bus'
says out '; without the bus (bus.bytes=256 bus.cycles=1) '
run 0 inspect -n --batch -e 'goto 9000' -e 'set a7=93' -e 'goto 9500' -e 'why slow' $loops fill
says out 'what would help is not measured: the machine was changed by hand'
run 1 inspect -n --batch -e slow $loops sum
says err 'no cycle of that is recorded'
run 1 inspect -n --no-history --batch -e 'goto 9000' -e slow $loops sum
says err 'no cycle of that is recorded'
# A program whose path depends on the time: without a cause it would take another path, so what-if
# does not run it, but shows the cycles charged to the causes.
cat >"$dir/turns.s" <<'END'
	.globl _start
_start:	la s1, data
	li s2, 0xfffff
1:	rdcycle t0
	srli t0, t0, 11
	andi t0, t0, 1
	beqz t0, 2f
	.rept 200
	add t1, s1, s0
	ld t1, 0(t1)
	addi s0, s0, 64
	.endr
	and s0, s0, s2
	j 1b
2:	.rept 400
	mul t2, t2, s0
	.endr
	j 1b
	.bss
data:	.space 0x110000
END
run 0 inspect -n --batch -e 'set width 200' -e 'goto 60000' -e 'what-if 10000 60000' "$dir/turns.s"
check 'a charged cause that can not be run is shown, with the reason' \
	grep -qE '^L1D misses +[0-9,]{6} +the program takes another path then' "$dir/out"
# In order, a wait for a product or a quotient is that instruction's, not its consumer's.
run 0 inspect -n --batch --config classic5 -e 'goto 300000' -e 'slow -10000' build/demos/linked
says out 'are lost to latency imuldiv: the oldest multiplies or divides integers (in order: what the next needs;'
says out 'most at main+0xa6 (linked.c:63), in a loop of lines 61 to 66'
cd "$dir" || exit 1
passes "where lines come from is what costs" python3 "$top/tests/cmd/what_if.py" \
	--lines {sum,copy,fill}-{1,16}
cat said
passes "no remedy costs cycles" python3 "$top/tests/cmd/what_if.py" --costs "${presets[@]}"
cat said
# shellcheck disable=SC2086
passes "what the stack says is what is saved" python3 "$top/tests/cmd/what_if.py" $demos
cat said
finish
