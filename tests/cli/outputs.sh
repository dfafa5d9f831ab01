#!/bin/bash
# Files that Cyclops writes: a guest with --rw redirects none of them out of its folder, and the old
# file stays whole until the new one is.
within=build/tests/cli
mkdir -p $within
. tests/lib.sh
demos=$PWD/build/demos
cp build/tests/cli/rename "$dir"
cd "$dir" || exit 1
mkdir inside outside
cd inside || exit 1
cp ../rename .

whole() { [ -s "$1" ] && [ ! -L "$1" ] && [ "$(head -c 5 "$1")" != whole ]; }

# Before each test: the user's files outside, and only the guest's own files in its folder.
afresh() {
	rm -rf ../outside ../inside/[!r]*
	mkdir ../outside sub
	echo whole >../outside/target
	echo whole >../outside/point
}
# No file of the user was written, made or removed.
untouched() {
	[ "$(cat ../outside/target ../outside/point)" = $'whole\nwhole' ] &&
		[ "$(ls -A ../outside)" = $'point\ntarget' ]
}

# writes NAME COMMAND...: the option or command that writes sub/target or, with "sub" as a folder's
# name, a file there.
attack() { # STATUS NAME -- ARGS of cyclops, in which GUEST stands for program and arguments
	local want=$1 name=$2 got arg file=target
	shift 2
	# The link has the file's own name, or the folder's name.
	for guest in "ln ../../outside/target sub/target" "mv sub away ln ../outside sub"; do
		afresh
		local words=()
		for arg; do
			# shellcheck disable=SC2206
			[ "$arg" = GUEST ] && words+=(./rename $guest) || words+=("$arg")
		done
		command="cyclops ${words[*]}" got=0
		"$CYCLOPS" "${words[@]}" >../out 2>../err </dev/null || got=$?
		check "$name: exit status $got, expected $want" [ "$got" = "$want" ]
		check "$name: nothing outside changes" untouched
		case $guest in
		ln*) file=sub/target ;;
		*) file=away/target ;;
		esac
		[ "$want" != 0 ] || check "$name: $file is written" whole "$file"
		check "$name: nothing is left over" [ -z "$(find . -name '.cyclops-*')" ]
	done
}

# Files named before the guest runs.
attack 0 statistics run --rw --stats sub/target GUEST
attack 0 report run --rw -o oracle.enable=true --report oracle=sub/target GUEST
attack 0 export run --rw -o oracle.enable=true -o oracle.contexts=true --force --export \
	callgrind=sub/target GUEST
attack 0 checkpoints run --rw --save-every 1k --save-keep 1 --save-to sub/target GUEST
attack 0 trace inspect --no-init --batch --rw -e "trace konata sub/target" -e continue GUEST

# The user names these files after the program has run.
for what in "save sub/target" "trace chrome sub/target" "export callgrind sub/target --force" \
	"save breakpoints sub/target"; do
	for guest in "ln ../../outside/target sub/target" "mv sub away ln ../outside sub"; do
		afresh
		# shellcheck disable=SC2086
		"$CYCLOPS" inspect --no-init --batch --rw -o oracle.enable=true \
			-o oracle.contexts=true -e "break here" -e continue -e "$what" \
			-e "step 100" ./rename $guest >../out 2>../err </dev/null
		command="$what, when $guest"
		check "nothing outside changes" untouched
		[[ $guest == ln* ]] || check "the link is not followed" file_has err \
			"'sub' is a symbolic link in a folder that a guest may write (--rw)"
	done
done
afresh
cat >save.lua <<'E2'
local m = cyclops.machine{ program = "./rename", args = { "mv", "sub", "away", "ln", "../outside", "sub" }, rw = true }
m:run()
print(pcall(m.save, m, "sub/point"))
E2
run 0 lua save.lua
check "a script's checkpoint: nothing outside changes" untouched
says out "is a symbolic link"
# A folder that is the user's own link, out of a guest's reach, is fine.
afresh
ln -s "$PWD" ../link
run 0 inspect --no-init --batch --rw -e "break here" -e continue -e "save ../link/sub/point" \
	./rename
check "through a link outside the guest's folder" whole sub/point

# A sweep's jobs write, too: the first job cannot redirect the second one's statistics, log and
# output.
afresh
cat >sweep.lua <<E2
return { out = "sub", configs = { base = "vaswani2003" }, programs = { it = { "./rename", "mv", "sub/jobs", "sub/jobs2", "ln", "../../outside", "sub/jobs",
	"mv", "sub/logs", "sub/logs2", "ln", "../../outside", "sub/logs", rw = true } }, vary = { ["l1d.ways"] = { 2, 4 } } }
E2
"$CYCLOPS" sweep -j 1 sweep.lua >../out 2>../err
command="sweep"
check "nothing outside changes" untouched
check "its results are there" test -s sub/results.csv

# ---- whole ----
cd ..
full() { # WHAT FILE ARGS...: with files of at most 1 KiB
	local what=$1 file=$2 got=0
	shift 2
	echo old >"$file"
	command="cyclops $* with ulimit -f 1"
	(ulimit -f 1; exec "$CYCLOPS" "$@" >out 2>err </dev/null) || got=$?
	check "$what: exit status $got, not a signal's" [ "$got" -lt 126 -a "$got" != 0 ]
	check "$what: the old file stays whole" [ "$(cat "$file")" = old ]
	check "$what: says why" grep -q "File too large\|can.t write" err
	check "$what: nothing is left over" [ -z "$(find . -name '.cyclops-*')" ]
}
full statistics stats.json run --stats stats.json "$demos/fib"
full report blocks.csv run -o oracle.enable=true -o oracle.blocks=true --report \
	"oracle blocks=blocks.csv" "$demos/fib"
full export calls run -o oracle.enable=true -o oracle.contexts=true --force --export \
	callgrind=calls "$demos/fib"
full checkpoint point inspect --no-init --batch -e "step 1000" -e "save point" "$demos/fib"
full trace k inspect --no-init --batch -e "trace konata k" -e "step 3000" "$demos/fib"
full instrument new instrument --kind bb -o new "$demos/fib"
full table c.json compare --json c.json vaswani2003 classic5 -- "$demos/fib"
mkfifo pipe
run 125 instrument --kind bb -o /dev/full "$demos/fib"
check "a device is still one" [ -c /dev/full ]
run 125 instrument --kind bb -o pipe "$demos/fib"
check "a pipe is still one" [ -p pipe ]

# Devices and pipes are written to.
command="statistics into a pipe"
"$CYCLOPS" run --stats pipe "$demos/fib" >/dev/null 2>&1 &
check "there they are" grep -q sim.cycles pipe
wait
command="statistics by /dev/stdout and /dev/fd"
check "there they are" grep -q sim.cycles <("$CYCLOPS" run --stats /dev/stdout "$demos/hello")
"$CYCLOPS" run --stats /dev/stdout "$demos/hello" >mixed
check "behind what is in a file" [ "$(grep -c 'sim.cycles\|ello' mixed)" = 2 ]

# Killed while it replaces a file: the next writer of the target removes the rest.
echo old >killed
name=.cyclops-$(python3 - <<'E2'
h = 0xcbf29ce484222325
for b in b"killed": h = (h ^ b) * 0x100000001b3 % 2**64
print("%016x" % h)
E2
)
touch "$name"
run 0 run --stats killed "$demos/fib"
check "what was left over is gone" [ ! -e "$name" ]
check "and the new one there" whole killed
# A replaced file keeps its permissions; a new file has those allowed by the umask.
afresh
for mode in 640 604 755 600; do
	echo whole >sub/target
	chmod $mode sub/target
	run 0 run --stats sub/target ./rename
	check "$mode: is replaced" whole sub/target
	check "$mode: its permissions are $(stat -c %a sub/target)" [ "$(stat -c %a sub/target)" \
		= $mode ]
done
rm sub/target
umask 027
run 0 run --stats sub/target ./rename
check "umask 027: its permissions are $(stat -c %a sub/target)" [ "$(stat -c %a sub/target)" = 640 ]

finish
