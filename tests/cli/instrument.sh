#!/bin/bash
# `cyclops instrument` and xprof-cc from outside: options, refusals and their messages, the form of
# the text.
set -u
cd "$(dirname "$0")/../.." || exit 1
export CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
top=$PWD
passed=0 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/it's a folder" && cd "$dir/it's a folder" || exit 1

check() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $command: $what"
		sed 's/^/  out: /' out | head -n 5
		sed 's/^/  err: /' err | head -n 5
	fi
}
# run STATUS COMMAND...
run() {
	local want=$1 got=0
	shift
	command=$*
	"$@" >out 2>err </dev/null || got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
}
instrument() { run "$1" "$CYCLOPS" instrument "${@:2}"; }
says() { check "$1 should say '$2'" grep -qF -- "$2" "$1"; }
silent() { check "$1 should be empty" [ ! -s "$1" ]; }
# refuses TEXT ARGS...: prints one line, and writes no file.
refuses() {
	rm -f new.s
	instrument 125 "${@:2}"
	says err "$1"
	check "one line" [ "$(wc -l <err)" = 1 ]
	check "nothing is written" [ ! -e new.s ]
	silent out
}

cat >prog.c <<'END'
int printf(const char *, ...);
__attribute__((noinline)) static int twice(int x) { return x > 3 ? 2 * x : x; }
__attribute__((noinline)) static int thrice(int x) { return 3 * twice(x); }
int main(void) { for (int i = 0; i < 5; i++) printf("%d ", thrice(i)); return 3; }
END
riscv64-linux-gnu-gcc -O2 -g -S prog.c

# ---- the output ----
instrument 0 --blocks --asm prog.s -o new.s
silent out
silent err
check "counters" grep -q 'auipc.*%pcrel_hi(xprof.blocks.main+0)' new.s
check "every original line is there, in order" diff -q prog.s \
	<(grep -vxFf <(grep -vxFf prog.s new.s) new.s | head -n "$(wc -l <prog.s)")
instrument 0 --blocks --asm prog.s
check "standard output has the same" cmp -s out new.s
instrument 0 --blocks --asm prog.s --output=-
check "- is standard output" cmp -s out new.s
instrument 0 --asm prog.s --list
says out "twice "
says out "3 blocks"
check "three functions" [ "$(wc -l <out)" = 3 ]
pushed() { grep -c '# pushpf' new.s; }
instrument 0 --blocks --asm prog.s -o new.s --functions 't*ice,none'
check "two functions fit" [ "$(pushed)" = 2 ]
instrument 0 --blocks --asm prog.s -o new.s --except 't?ice'
check "one is left out" [ "$(pushed)" = 2 ]
instrument 0 --blocks --asm prog.s -o new.s --except 't*'
check "two are left out" [ "$(pushed)" = 1 ]
instrument 0 --blocks --asm prog.s -o new.s --except '*'
check "all are left out" [ "$(pushed)" = 0 ]
check "then nothing changes" cmp -s prog.s new.s
instrument 0 --blocks --asm prog.s -o new.s --on
check "setpf" [ "$(grep -c '# setpf 0' new.s)" = 3 ]
check "no resetpf" eval '! grep -q resetpf new.s'
instrument 0 --calls --asm prog.s -o new.s
check "type 0" grep -q '# resetpf 0' new.s
check "near" grep -q 'jal.*xprof_mcount' new.s
instrument 0 --calls --far --type calls=6 --asm prog.s -o new.s
check "type 6" [ "$(grep -c '# resetpf 6' new.s)" = 3 ]
check "far" grep -q 'auipc.*xprof_mcount' new.s
instrument 0 --calls --blocks --asm prog.s -o new.s
check "two types" [ "$(grep -c '# resetpf 0' new.s) $(grep -c '# resetpf 1' new.s) $(grep -c '# pushpf all' new.s)" = "3 3 3" ]
instrument 0 --calls --blocks --type blocks=2,calls=2 --asm prog.s -o new.s
check "one type" [ "$(grep -c '# resetpf 2' new.s) $(grep -c '# pushpf 2' new.s)" = "3 3" ]
instrument 0 --control-only --asm prog.s -o new.s
check "no profile instruction" [ "$(pushed) $(grep -c '# pi' new.s)" = "3 0" ]

# ---- flags in loops: how many resetpf each function has ----
cat >loops.s <<'END'
	.text
	.type nest, @function
nest:
	li t0,9
1001:
	nop
.Lo:
	li t1,9
.Li:
	addi t1,t1,-1
	bnez t1,.Li
	addi t0,t0,-1
	bnez t0,.Lo
	ret
	.size nest, .-nest
	.type short, @function
short:
	li t0,9
.Ls:
	addi t0,t0,-1
	bnez t0,.Ls
	ret
	.size short, .-short
	.type calling, @function
calling:
	addi sp,sp,-16
	sd ra,8(sp)
	sd s0,0(sp)
	li s0,9
.Lc:
	call short
	addi s0,s0,-1
	bnez s0,.Lc
	ld s0,0(sp)
	ld ra,8(sp)
	addi sp,sp,16
	ret
	.size calling, .-calling
	.type middle, @function
middle:
	li t0,9
	bnez a0,.Lm
.Lb:
	addi t0,t0,-1
.Lm:
	addi t0,t0,-1
	bgtz t0,.Lb
	ret
	.size middle, .-middle
	.type top, @function
top:
.Lt:
	addi a0,a0,-1
	bgtz a0,.Lt
	ret
	.size top, .-top
END
flags() { awk '/^(nest|short|calling|middle|top):/ { f = $1 } /# resetpf/ { n[f]++ } END { print n["nest:"], n["short:"], n["calling:"], n["middle:"], n["top:"] }' new.s; }
# loops COUNTS OPTIONS...
loops() {
	instrument 0 --asm loops.s -o new.s "${@:2}"
	check "flags: $(flags), not $1" [ "$(flags)" = "$1" ]
}
loops "1 1 1 1 1" --blocks
loops "1 1 1 1 1" --blocks --units methods
loops "2 2 2 1 2" --blocks --units loops
check "it is the outer loop's" [ "$(grep -A2 -x '.Lo:' new.s | grep -c resetpf) $(grep -A2 -x '.Li:' new.s | grep -c resetpf)" = "1 0" ]
check "before the block that it stands in, and in the loop" \
	[ "$(grep -A1 -B2 '^.Lxprof_block_1_1:' new.s | cut -f 1,2 | head -n 3 | tr '\n' ' ')" = \
	".Lxprof_flag_1_1: 	c.slli .Lxprof_block_1_1: " ]
loops "3 2 2 1 2" --blocks --units loops --min-loop 2
loops "2 2 2 1 2" --blocks --units loops --min-loop 3
loops "2 2 2 1 2" --control-only --units loops
loops "1 1 2 1 2" --blocks --units loops --loops 'cal*,top'
loops "1 1 1 1 1" --blocks --units loops --loops ''
loops "1 1 1 1 1" --calls --units loops
loops "3 3 3 2 3" --calls --blocks --units loops

# ---- an iteration's flag is in the loop's head, or at the iterations' ends if these blocks are
# shorter ----
cat >turns.s <<'END'
	.text
	.type looking, @function
looking:
	li t0,9
.Lhead1:
	lw a2,0(a0)
	nop
	bnez a2,.Lturn1
	sw a1,0(a0)
.Lturn1:
	addi t0,t0,-1
	bnez t0,.Lhead1
	ret
	.size looking, .-looking
	.type twice, @function
twice:
	li t0,9
.Lhead2:
	lw a2,0(a0)
	nop
	bnez a2,.Lturn2
.Lturn6:
	nop
	nop
	j .Lhead2
.Lturn2:
	addi t0,t0,-1
	bnez t0,.Lhead2
	ret
	.size twice, .-twice
	.type once, @function
once:
	li t0,9
.Lhead5:
	lw a2,0(a0)
	nop
	bnez a2,.Lturn5
.Lturn7:
	nop
	nop
	nop
	j .Lhead5
.Lturn5:
	addi t0,t0,-1
	bnez t0,.Lhead5
	ret
	.size once, .-once
	.type within, @function
within:
	li t0,9
.Lhead3:
	lw a2,0(a0)
	nop
	li t1,9
.Lturn3:
	addi t0,t0,-1
	beqz t0,.Lhead3
	bnez t1,.Lturn3
	ret
	.size within, .-within
	.type as_long, @function
as_long:
	li t0,9
.Lhead4:
	lw a2,0(a0)
	bnez a2,.Lturn4
	sw a1,0(a0)
.Lturn4:
	addi t0,t0,-1
	bnez t0,.Lhead4
	ret
	.size as_long, .-as_long
END
instrument 0 --control-only --units loops --asm turns.s -o new.s
places() { awk '/^\.L(head|turn)[0-9]:/ { at = $1 } /^\.Lxprof_start/ { at = "" } /# resetpf/ && at { printf "%s ", at }' new.s; }
check "flags of rounds are at $(places)" [ "$(places)" \
	= ".Lturn1: .Lturn6: .Lturn2: .Lhead5: .Lhead3: .Lhead4: " ]

instrument 0 --help
says out "--no-sibling-calls"
# Each option is listed in the group of its kind.
group() { sed -n "/^Of $1:/,/^$/s/^ \{2,6\}\(-., \)*--\([a-z-]*\) .*/\2/p" out | tr '\n' ' '; }
check "of executables: $(group 'an executable')" [ "$(group 'an executable')" \
	= "kind metrics labels latches checks steady merge-sites cct cct-heap " ]
check "of assembly: $(group assembly)" [ "$(group assembly)" = "asm blocks calls control-only map loops switches pblen far no-sibling-calls list " ]
says out "cyclops instrument"

# ---- pblen's length is right, in both sizes ----
for arch in rv64gc rv64g; do
	riscv64-linux-gnu-gcc -O2 -march=$arch -mabi=lp64d -S prog.c -o arch.s
	instrument 0 --blocks --calls --pblen --asm arch.s -o new.s
	riscv64-linux-gnu-gcc -march=$arch -mabi=lp64d -static new.s \
		"$top/demos/tools/xprof_runtime.c" -o new
	run 0 "$CYCLOPS" lua "$top/tests/xprof/pblen.lua" new
	check "$arch: all lengths" [ "$(<out)" = "$(grep -c '# pblen' new.s)" ]
done

# ---- refusals ----
printf 'int x = 3;\n' >data.c && riscv64-linux-gnu-gcc -S data.c -o data.s
instrument 0 --blocks --asm data.s -o new.s
check "no function, no change" cmp -s data.s new.s
refuses "no program given"
refuses "nothing to count was named" --asm prog.s
refuses "nowhere.s: No such file" --asm nowhere.s --blocks
refuses "prog.s would be overwritten" --asm prog.s --blocks -o prog.s
refuses "no/new.s: No such file" --asm prog.s --blocks -o no/new.s
refuses "Is a directory" --asm . --blocks
refuses "prog.c: is no assembly" --asm prog.c --blocks
gcc -O1 -S prog.c -o host.s
refuses "host.s: is no assembly for RISC-V: line" --asm host.s --blocks
riscv64-linux-gnu-gcc -c prog.c -o prog.o
refuses "is a program or an object" --asm prog.o --blocks
head -c 4000 "$top/build/demos/hello" | tail -c 2000 >bytes
refuses "bytes: is no" --asm bytes --blocks
"$CYCLOPS" instrument --blocks --asm prog.s -o twice.s
refuses "is instrumented already" --asm twice.s --blocks
sed 's/"rv64/"rv32/' prog.s >short.s
refuses "is for RV32" --asm short.s --blocks
refuses "no function fits 'nothing'; there are twice, thrice, main" --asm prog.s --blocks \
	--functions nothing
refuses "did you mean '--blocks'" --asm prog.s --bloks
refuses "--asm needs an argument" --blocks --asm
refuses "takes no argument" --asm prog.s --blocks=3
refuses "unknown option '-z'" --asm prog.s -z
refuses "'prog.s': assembly is named by --asm" --blocks prog.s
refuses "--map puts nothing in" --map --blocks --asm prog.s
for wrong in blocks=8 calls=-1 blocks other=1 'blocks=1x' ''; do
	refuses "--type" --asm prog.s --blocks --type "$wrong"
done
for wrong in 0 -3 x 5x ''; do
	refuses "--min-loop $wrong: a number of instructions" --asm prog.s --blocks --units loops \
		--min-loop "$wrong"
done
refuses "--units blocks: expected methods, loops" --asm prog.s --blocks --units blocks
refuses "--min-loop goes with --units loops" --asm prog.s --blocks --min-loop 5
refuses "--loops goes with --units loops" --asm prog.s --blocks --units methods --loops main
if [ -e /dev/full ]; then
	instrument 125 --asm prog.s --blocks -o /dev/full
	says err "No space left"
fi

# ---- of executables ----
riscv64-linux-gnu-gcc -O2 -static -Wl,--emit-relocs prog.c -o whole
refuses "no statistic 'sim.cicles': did you mean 'sim.cycles'?" --kind path+hw --metrics \
	sim.cicles -o new whole
refuses "sim.ipc is a ratio; a counter counts events or cycles" --kind path+hw --metrics \
	sim.insts,sim.ipc -o new whole
refuses "'l2.misses' is one metric too many" --kind path+hw --metrics \
	sim.insts,l1d.misses,l2.misses -o new whole
refuses "no metric after sim.insts" --kind path+hw --metrics sim.insts, -o new whole
refuses "no metrics given" --kind path+hw --metrics ,sim.insts -o new whole
refuses "path counts none" --kind path --metrics sim.insts -o new whole
refuses "labels of paths lie on 'tree'; expected chords, simple" --kind path --labels tree -o new \
	whole
refuses "bb has none" --kind bb --labels simple -o new whole
refuses "--latches is of kinds path, path+hw and cct+path; bb counts no paths" --kind bb --latches \
	-o new whole
instrument 0 --kind path --labels simple -o new whole
says err "hash tables in"
run 3 qemu-riscv64 ./new
instrument 0 --kind path+hw --metrics l1d.read_misses -o new whole
run 3 "$CYCLOPS" run --report hot-procedures=counted.txt new
check "the metric has its name" grep -q 'l1d.read_misses' counted.txt
run 125 "$CYCLOPS" run --metrics sim.insts prog
says err "--metrics goes with --instrument path+hw"

# ---- xprof-cc ----
cc=$top/demos/tools/xprof-cc
run 0 "$cc" --blocks --calls --keep "kept files" -- riscv64-linux-gnu-gcc -O2 -static prog.c \
	-o "my prog"
check "what lies between is kept" [ -s "kept files/prog.s" -a -s "kept files/prog.xprof.s" ]
XPROF_PROFILE=profile run 3 qemu-riscv64 "./my prog"
check "its output" [ "$(<out)" = "0 3 6 9 24 " ]
check "its blocks" grep -qP '^block\tprog.c\ttwice\t0\t-\t\d+\t5$' profile
check "its calls" grep -qP '^call\tmain\t0x[0-9a-f]+\tthrice\t5$' profile
XPROF_PROFILE=- run 3 qemu-riscv64 "./my prog"
check "on stderr" cmp -s err profile
XPROF_PROFILE=no/where run 3 qemu-riscv64 "./my prog"
says err "xprof: the profile can't be written: no/where"
run 3 qemu-riscv64 "./my prog"
silent err
run 0 "$cc" --blocks -- riscv64-linux-gnu-gcc -O2 -c prog.c -o prog2.o
run 0 "$cc" --blocks -- riscv64-linux-gnu-gcc -O2 -S prog.c -o prog2.s
check "the instrumented text" grep -q 'xprof.blocks.main' prog2.s
printf 'extern int f(int); int main(void) { return f(6); }\n' >one.c
printf 'static int g(int x) { return x ? g(x - 1) + 2 : 1; } int f(int x) { return g(x); }\n' >two.c
run 0 "$cc" --calls --type calls=3 -- riscv64-linux-gnu-gcc -O0 -static one.c two.c -o both
XPROF_PROFILE=- run 13 qemu-riscv64 ./both
check "both files are counted" [ "$(grep -cP '^call\t(main|f|g)\t' err)" = 3 ]
# The compiler would expand @two.c; two files of one name collide.
printf -- '-wrapper ./wrapper one.c\n' >words.c
printf '#!/bin/sh\ntouch wrapped\nexec "$@"\n' >wrapper
chmod +x wrapper
for name in @words.c ./@words.c sub/@words.c; do
	run 2 "$cc" --calls -- riscv64-linux-gnu-gcc -O0 -static "$name" two.c -o both
	says err "xprof-cc: $name: a compiler reads words from a file of such a name"
done
check "nothing is read as words" [ ! -e wrapped ]
mkdir -p sub
cp two.c sub/one.c
run 2 "$cc" --calls -- riscv64-linux-gnu-gcc -O0 -static one.c sub/one.c -o both
says err 'one.c and sub/one.c have one name; expected names that differ'
for wrong in "" "--blocks" "--blocks --" "--blocks -- nocompiler x.c" \
	"--blocks -- riscv64-linux-gnu-gcc -o x" \
	"--asm x -- riscv64-linux-gnu-gcc prog.c" "--keep -- riscv64-linux-gnu-gcc prog.c" \
	"-- riscv64-linux-gnu-gcc -c one.c two.c"; do
	# shellcheck disable=SC2086  # words
	run 2 "$cc" $wrong
	check "one line" [ "$(wc -l <err)" = 1 ]
done
run 1 "$cc" --blocks -- riscv64-linux-gnu-gcc nothing.c -o x
run 125 "$cc" --bloks -- riscv64-linux-gnu-gcc prog.c -o x
says err "did you mean '--blocks'"
run 0 "$cc" --help
says out "xprof-cc [OPTIONS] -- COMPILER"

cd "$top" || exit 1
echo "$passed passed, $failed failed"
[ $failed = 0 ]
