#!/bin/bash
# Long runs from checkpoints: a run that was saved, killed and restored ends like an undisturbed
# one.
. tests/lib.sh
demos=$PWD/build/demos input=$PWD/demos/programs/input profiled=$PWD/build/tests/reverse/profiled
cp build/tests/cli/guest "$input"/words.txt "$input"/phrases.txt "$dir"
cd "$dir" || exit 1
small=
[ "${CYCLOPS_TEST_SCALE:-full}" = long ] || small=1

# run STATUS ARGS...: out and err have its output; input comes from $stdin.
run() {
	local want=$1 got=0
	shift
	command="cyclops run $*"
	"$CYCLOPS" run "$@" >out 2>err <"${stdin:-/dev/null}" || got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
}
says() { check "should say '$1'" grep -qF -- "$1" err; }
state() { sed -n 's/^  state *\([0-9a-f]*\) .*/\1/p' "$1"; }
count() { ls "$@" 2>/dev/null | wc -l; }

# whole OPTIONS -- PROGRAM ARGS: the undisturbed run, kept as whole.out, whole.json, whole.state,
# whole.rep. as_whole: the last run ends like the whole one; its output is the rest of the whole
# output.
whole() {
	run 0 --summary --stats whole.json "$@"
	mv out whole.out
	state err >whole.state
	check "the whole run has a digest" [ -s whole.state ]
}
as_whole() {
	check "the same statistics" cmp -s now.json whole.json
	check "the same state" [ "$(state err)" = "$(cat whole.state)" ]
	check "the rest of the output" cmp -s out <(tail -c "$(stat -c %s out)" whole.out)
}

# ---- a checkpoint's text ----
run 0 -o 'sim.hostname=a, b = c' --save-every 3k --save-keep 1 --save-to named "$demos/hello"
run 0 --restore named "$demos/hello"
run 125 -o sim.hostname=a --restore named "$demos/hello"
says "not a: the program depends on it; add -o 'sim.hostname=a, b = c'"

# ---- checkpoints of older and newer versions ----
format=$(($(od -An -tu4 -j20 -N4 named)))
for other in $((format - 1)) $((format + 1)); do
	cp named other
	printf "\\x$(printf %02x $other)" | dd of=other bs=1 seek=20 conv=notrunc 2>/dev/null
	run 125 -o 'sim.hostname=a, b = c' --restore other "$demos/hello"
	says "other is a checkpoint of format $other, this is format $format: save it again with this version"
done

# ---- saved in the middle and restored, in each kind of machine ----
each() {
	local every=$1 name
	shift
	rm -f at-*
	whole "$@"
	run 0 --save-every "$every" --save-keep 0 --save-to 'at-%i' --summary --stats now.json "$@"
	as_whole
	check "saving changes no output" cmp -s out whole.out
	check "several were saved" [ "$(count at-*)" -ge 2 ]
	for name in $(ls at-* | awk 'NR == 1 { print } { last = $0 } END { print last }'); do
		run 0 --restore "$name" --summary --stats now.json "$@"
		as_whole
	done
}
each 50k "$demos/fib"
each 40k -c classic5 "$demos/fib"
each 10k,cycles -c sastry2001 "$demos/selfmod"
each 20k -o oracle.enable=true -o oracle.contexts=true "$demos/longjmp"
each 100k --firmware "$demos/firmware/pcprofile.elf" "$demos/branchy"
each 100k --functional "$demos/branchy"
if [ ! $small ]; then
	stdin=phrases.txt each 9M "$demos/anagram" words.txt
	stdin=phrases.txt each 6M,cycles -o oracle.enable=true --firmware \
		"$demos/firmware/pcprofile.elf" "$demos/anagram" words.txt
fi

# An oracle's counts go on, too.
run 0 -o oracle.enable=true --report oracle=whole.csv "$demos/fib"
run 0 -o oracle.enable=true --save-every 60k --save-to oracle.point "$demos/fib"
run 0 --restore oracle.point --report oracle=now.csv "$demos/fib"
check "the oracle's report is that of the whole run" cmp -s whole.csv now.csv

# ---- killed in the middle ----
whole "$demos/linked"
mkfifo hold
rm -f at-*
command="a killed run"
"$CYCLOPS" run --save-every 1k --save-keep 0 --save-to 'at-%i' "$demos/linked" >killed.out \
	2>/dev/null &
pid=$!
until [ "$(count at-*[0-9])" -ge 3 ] || ! kill -0 $pid 2>/dev/null; do read -rt 0.02 <>hold; done
check "it was killed" kill -9 $pid
wait $pid 2>/dev/null
rm -f .cyclops-* # it may have been killed while it saved
last=$(ls at-*[0-9] | tail -n 1)
run 0 --restore "$last" --summary --stats now.json "$demos/linked"
as_whole
check "the killed run's output and the rest are the whole" \
	cmp -s <(head -c $(($(stat -c %s whole.out) - $(stat -c %s out))) killed.out; cat out) \
	whole.out
check "some instructions were left" [ "$(stat -c %s out)" -gt 0 ]

# ---- input: a file is read on, a pipe is read past the consumed part ----
seq 1 4000 >numbers
stdin=numbers run 0 --stats whole.json ./guest cat
mv out whole.out
stdin=numbers run 124 --max-insts 14k --save-to input.point ./guest cat
check "it stopped behind some of the input" [ -s input.point ]
stdin=numbers run 0 --restore input.point --stats now.json ./guest cat
check "a file is read on" cmp -s out <(tail -c "$(stat -c %s out)" whole.out)
check "the same statistics" cmp -s whole.json now.json
mkfifo pipe
cat numbers >pipe &
stdin=pipe run 0 --restore input.point ./guest cat
check "a pipe is passed over" cmp -s out <(tail -c "$(stat -c %s out)" whole.out)
echo 1 >short
stdin=short run 125 --restore input.point ./guest cat
says "give it the same input"

# ---- names of checkpoints, and the kept ones ----
rm -f ./*.checkpoint at-*
run 0 --save-every 20k "$demos/fib"
check "three are kept" [ "$(count fib-*.checkpoint)" = 3 ]
check "the newest ones" compgen -G 'fib-00000012000?.checkpoint' >/dev/null
rm -f ./*.checkpoint
run 0 --save-every 20k --save-keep 1 --save-to 'at-%p-%i-%c-100%%' "$demos/fib"
check "one is kept" [ "$(count at-*)" = 1 ]
check "its name has all of it" compgen -G 'at-fib-00000012000?-0000000?????-100%' >/dev/null
ls at-* >names
run 0 --save-every 30k --save-to between-%i "$demos/fib"
rm -f at-*
run 0 --save-every 20k --save-keep 1 --save-to 'at-%p-%i-%c-100%%' --restore \
	"$(ls between-* | head -n 1)" "$demos/fib"
check "a restored run saves where the whole one does" cmp -s names <(ls at-*)
run 0 --save-every 50k --save-to same "$demos/fib"
run 0 --restore same "$demos/fib"
check "nothing half-written stays" [ "$(count .cyclops-*)" = 0 ]
# ---- a full disk (a limit on file sizes): one line, and earlier checkpoints stay ----
rm -f at-*
run 0 --functional --save-every 20k --save-keep 0 --save-to 'at-%i' "$demos/linked"
fits=$(($(stat -c %s "$(ls at-* | head -n 1)") / 1024 + 100))
check "later ones are larger" [ $(($(stat -c %s "$(ls at-* | tail -n 1)") / 1024)) -gt "$fits" ]
rm -f at-*
got=0
(ulimit -f "$fits" && exec "$CYCLOPS" run --functional --save-every 20k --save-keep 1 \
	--save-to 'at-%i' "$demos/linked") >out 2>err </dev/null || got=$?
check "exit status $got, expected 125" [ "$got" = 125 ]
check "one line says so" [ "$(grep -c 'not saved at instruction' err) $(wc -l <err)" = '1 1' ]
says "File too large"
check "the program ran to its end" grep -q shuffled out
check "the last one that fitted is there" [ "$(count at-*)" = 1 ]
check "nothing half-written stays there" [ "$(count .cyclops-*)" = 0 ]
run 0 --functional --restore "$(ls at-*)" "$demos/linked"
rm -f at-*

run 125 --save-to 'x%q' "$demos/fib"
says "'%q' stands for nothing"
run 125 --save-to no/x "$demos/fib"
says "can't write to no: No such file or directory"
run 125 --save-every 0 "$demos/fib"
says "at least 1"
run 125 --save-every 5,seconds "$demos/fib"
says "10M,cycles for cycles"
run 125 --save-keep 2 "$demos/fib"
says "--save-every N"
run 125 --functional --save-every 5k,cycles "$demos/fib"
says "use instructions"
run 125 --history --save-to x "$demos/fib"
says "one of them at a time"

# A full disk is reported and leaves no partial file; the older checkpoint stays, and the run
# continues to its end and its results.
run 0 --save-every 100k --save-to full "$demos/fib"
cp full before
command="a run on a full disk"
(trap '' XFSZ; ulimit -f 300; "$CYCLOPS" run --save-every 50k --save-to full --stats now.json \
	"$demos/fib" >out 2>err)
check "status 125" [ $? = 125 ]
says "not saved at instruction 5000"
says ": full: File too large"
check "the older one stays" cmp -s full before
check "nothing half-written stays" [ "$(count .cyclops-*)" = 0 ]
check "the program ran on" grep -q "fib(18)" out
check "its statistics are there" grep -q sim.cycles now.json

# Only regular files are replaced, and keep their permissions.
mkfifo nobody
save() { run 125 --max-insts 1k --save-to "$1" "$demos/fib"; }
save nobody
says "nobody is no regular file"
check "the pipe is still one" [ -p nobody ]
[ ! -w /dev ] || save /dev/full # without permission it is reported
[ ! -w /dev ] || says "/dev/full is no regular file"
check "the device is still one" [ -c /dev/full ]
echo old >owned && chmod 640 owned && ln -s owned linked.point
run 124 --max-insts 1k --save-to linked.point "$demos/fib"
check "a link is replaced, not followed" [ "$(cat owned)" = old ]
check "by a file" [ -f linked.point -a ! -L linked.point ]
run 124 --max-insts 1k --save-to owned "$demos/fib"
check "a file keeps its permissions" [ "$(stat -c %a owned)" = 640 ]
(umask 027 && "$CYCLOPS" run --max-insts 1k --save-to fresh "$demos/fib" >/dev/null 2>&1)
check "a new file is as the user's are" [ "$(stat -c %a fresh)" = 640 ]
run 0 --restore owned "$demos/fib"
command="restoring a pipe"
timeout 10 "$CYCLOPS" run --restore nobody "$demos/fib" >out 2>err
check "status 125, at once" [ $? = 125 ]
says "nobody: not a file"
truncate -s 100G huge
run 125 --restore huge "$demos/fib"
says "huge is no checkpoint"
(head -c 64 owned; head -c 8 /dev/zero | tr '\0' '\377') >lengths
truncate -s 100G lengths
run 125 --restore lengths "$demos/fib"
says "lengths is damaged: a section is cut off"

# A file open for writing when saved is open for writing again only with --rw.
run 124 --rw --max-insts 40k --save-to open.point ./guest keep file
check "it was opened" [ -f file ]
run 1 --restore open.point ./guest keep file
check "nothing was written" [ ! -s file ]
run 0 --rw --restore open.point ./guest keep file
check "with --rw it is" grep -qx written file

# ---- refusals ----
run 124 --max-insts 50k --save-to point "$demos/fib"
says "stopped at the limit"
run 125 --restore nowhere "$demos/fib"
says "nowhere: No such file"
run 125 --restore point "$demos/longjmp"
says "belongs to another program"
run 125 --restore point "$demos/fib" 5
says "started without arguments"
run 125 --restore point --env A=B "$demos/fib"
says "started without arguments"
run 125 --restore point --firmware "$demos/firmware/tick.elf" "$demos/fib"
says "saved without firmware"
run 125 --restore point -o pipe.rob_size=8 "$demos/fib"
says "saved with pipe.rob_size=64, not 8: instructions were in flight"
run 125 --restore point -c classic5 "$demos/fib"
says "instructions were in flight"
run 0 --restore point -c default -o pipe.rob_size=64 "$demos/fib"
run 125 --restore point --functional "$demos/fib"
says "saved with timing"
run 125 --restore point --ff 1k "$demos/fib"
says "saved with timing"
head -c 100000 point >cut
run 125 --restore cut "$demos/fib"
says "damaged"
run 124 --max-insts 5k --save-to words "./guest" args a "b c"
run 0 --restore words ./guest args a "b c"
run 0 --restore words ./guest
run 125 --restore words ./guest args a b c
says "other arguments or environment"
says "the arguments were: args a b c"

# Limits count from the restored place.
run 124 --restore point --max-insts 10k --stats now.json "$demos/fib"
insts=$(sed -n 's/^ *"sim.insts": \([0-9]*\),*/\1/p' now.json)
check "ten thousand more: $insts" [ "$insts" -ge 60000 ] && check "" [ "$insts" -lt 60016 ]

# ---- a program without timing continues in any machine ----
run 124 --functional --max-insts 60k --save-to alone "$demos/fib"
for machine in "-c classic5" "-c zilles2001" "-c sastry2001 -o pipe.rob_size=16"; do
	run 0 $machine --ff 60k --summary --stats whole.json "$demos/fib"
	mv out whole.out
	state err >whole.state
	run 0 $machine --restore alone --summary --stats now.json "$demos/fib"
	as_whole
done
whole --ff 60k --warmup "$demos/fib"
run 124 --ff 60k --warmup --max-insts 0 --save-to warm "$demos/fib"
run 0 --restore warm --summary --stats now.json "$demos/fib"
as_whole
run 125 --restore warm -c classic5 "$demos/fib"
says "warmed caches and predictors"
run 124 --functional --max-insts 70k --save-to later "$demos/fib"
run 0 --restore alone --functional "$demos/fib"
run 0 --restore alone --ff 20k --max-insts 5M "$demos/fib"
run 0 --restore alone -o oracle.enable=true "$demos/fib"
run 125 --restore alone -o sim.clock_hz=2000000000 "$demos/fib"
says "sim.clock_hz=1000000000, not 2000000000: the program depends on it; add -o sim.clock_hz=1000000000"
run 124 --firmware "$demos/firmware/pcprofile.elf" --functional --max-insts 60k --save-to beside \
	"$demos/fib"
run 125 --firmware "$demos/firmware/pcprofile.elf" --restore beside -c classic5 "$demos/fib"
says "warmed caches and predictors, firmware or profiling devices"

# ---- a sampler that has seen more receivers than it remembers ----
run 124 -o sampler.enable=true -o sampler.select=type --max-cycles 30k --save-to types "$demos/sort"
run 124 --restore types --max-cycles 1k "$demos/sort"

# ---- tail calls stay equal after a checkpoint: the oracle gets the procedures' beginnings ----
calls=(-o oracle.enable=true -o oracle.contexts=true "$profiled")
run 18 --report "oracle contexts=whole.csv" "${calls[@]}"
run 124 --max-cycles 300 --save-to tail "${calls[@]}"
run 18 --restore tail --report "oracle contexts=now.csv" "$profiled"
check "the same contexts" cmp whole.csv now.csv

# ---- Ctrl-C saves, too ----
rm -f at-*
command="an interrupted run"
"$CYCLOPS" run --save-to stopped ./guest spin >out 2>err &
pid=$!
until grep -q spinning out 2>/dev/null || ! kill -0 $pid; do
	read -rt 0.02 <>hold
done
kill -TERM $pid
wait $pid
check "status 143" [ $? = 143 ]
says interrupted
run 124 --restore stopped --max-insts 1k ./guest spin

finish
