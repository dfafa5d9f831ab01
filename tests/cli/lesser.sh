#!/bin/bash
# File systems with fewer features: without unnamed files, without links, without permissions; and
# those that fail in the last moment. The old file stays whole until the new one is, whatever is
# missing. And files that others swap between a check and its use: the checked file is written to,
# or none.
within=build/tests/cli
mkdir -p $within
. tests/lib.sh
demos=$PWD/build/demos
shim=$PWD/build/tests/cli/lesser.so
cp build/tests/cli/rename "$dir"
cd "$dir" || exit 1
nothing_over() { [ -z "$(find . -name '.cyclops-*')" ]; }

# less WORDS ARGS...: runs the program without these features; $got: its status.
less() {
	local words=$1
	shift
	command="cyclops $*, without $words" got=0
	# A sanitizer must be first.
	env LESSER="$words" LD_PRELOAD="${SANITIZER:+$SANITIZER:}$shim" "$CYCLOPS" "$@" >out 2>err \
		</dev/null || got=$?
}
SANITIZER=$(ldd "$CYCLOPS" | sed -n 's/.*=> \(.*lib[a-z]*asan[^ ]*\) .*/\1/p')

# Each kind of output: its command, and the written $file.
kinds=("run --stats FILE $demos/hello"
	"run -o oracle.enable=true --report oracle=FILE $demos/hello"
	"run -o oracle.enable=true -o oracle.contexts=true --force --export callgrind=FILE $demos/hello"
	"inspect --no-init --batch -e step -e save\ FILE $demos/hello"
	"inspect --no-init --batch -e trace\ konata\ FILE -e step\ 100 $demos/hello"
	"inspect --no-init --batch -e break\ main -e save\ breakpoints\ FILE $demos/hello"
	"instrument --kind bb -o FILE $demos/hello")
# The first kind has all checks, since all kinds share a writer; the others must only use the
# writer.
for kind in "${kinds[@]}"; do
	eval "args=(${kind//FILE/new})"
	# A write succeeds without the feature.
	succeed=("tmpfile link mode") befores=(old) fail=("tmpfile rename")
	if [ "$kind" = "${kinds[0]}" ] || [ "${CYCLOPS_TEST_SCALE:-full}" = long ]; then
		succeed=(tmpfile "tmpfile link" "tmpfile mode" mode) befores=(old '') \
			fail=("tmpfile rename" "tmpfile sync" sync link)
	fi
	for words in "${succeed[@]}"; do
		for before in "${befores[@]}"; do
			rm -f new
			[ -z "$before" ] || echo old >new
			less "$words" "${args[@]}"
			check "exit status $got" [ $got = 0 ]
			check "the new one is there, whole" [ "$(head -c 3 new)" != old -a -s new ]
			check "nothing is left over" nothing_over
		done
	done
	# No feature is available: the file stays as before, with a message.
	for words in "${fail[@]}"; do
		echo old >new
		less "$words" "${args[@]}"
		check "exit status $got" [ $got != 0 -a $got -lt 126 ]
		check "the old file stays whole" [ "$(cat new)" = old ]
		check "it says why: $(cat err)" grep \
			-q "new: \(Input/output error\|Operation not permitted\)" err
		check "nothing is left over" nothing_over
	done
	[ ${#fail[@]} != 1 ] || continue
	rm -f new
	less "sync" "${args[@]}"
	check "there is none where there was none" [ ! -e new ]
	# Too large for the disk.
	echo old >new
	got=0 command="cyclops ${args[*]}, without tmpfile, of no byte"
	(ulimit -f 0; LESSER=tmpfile LD_PRELOAD="${SANITIZER:+$SANITIZER:}$shim" exec "$CYCLOPS" \
		"${args[@]}" >/dev/null 2>/dev/null </dev/null) || got=$?
	check "exit status $got, not a signal's" [ $got != 0 -a $got -lt 126 ]
	check "the old file stays whole" [ "$(cat new)" = old ]
	check "nothing is left over" nothing_over
	# Killed between the two names: the next writer removes the rest.
	less "tmpfile kill" "${args[@]}"
	check "it was killed: $got" [ $got = 137 ]
	check "the old file stays whole" [ "$(cat new)" = old ]
	check "the other one is left over" [ "$(find . -name '.cyclops-*' | wc -l)" = 1 ]
	less "tmpfile" "${args[@]}"
	check "exit status $got" [ $got = 0 ]
	check "nothing is left over" nothing_over
done

# ---- swapped ----
swapped() { # SWAP ARGS...
	local words=$1
	shift
	command="cyclops $*, SWAP=$words" got=0
	env SWAP="$words" LD_PRELOAD="${SANITIZER:+$SANITIZER:}$shim" timeout 20 "$CYCLOPS" "$@" \
		>out 2>err </dev/null || got=$?
}
# A pipe has become a user's file, or a link to one.
mkdir other
for what in file link pipe; do
	rm -rf pipe* other/*
	mkfifo pipe
	exec 8<>pipe
	echo whole >other/precious
	case $what in
	file) echo whole >other/it ;;
	link) ln -s "$PWD/other/precious" other/it ;;
	pipe) mkfifo other/it ;;
	esac
	[ $what != pipe ] || exec 7<>other/it
	swapped "openat pipe other/it" run --stats pipe "$demos/hello"
	check "exit status $got" [ $got = 125 ]
	check "it says why: $(cat err)" grep -q "pipe: \(Stale file handle\|Too many levels\)" err
	[ $what = pipe ] || check "nothing was written to it" [ "$(cat pipe)" = whole ]
	check "nor to the link's target" [ "$(cat other/precious)" = whole ]
	exec 8>&- 7>&-
done
swapped "openat nothing nothing" run --stats new "$demos/hello"
check "exit status $got" [ $got = 0 ]

# A guest's folder has become a link: its target keeps its permissions.
rm -rf other
mkdir -p other/secret
chmod 500 other/secret
ln -s "$PWD/other/secret" other/it
(umask 777; swapped "fchmodat made other/it" run --rw ./rename mkdir made 700)
check "the link was there" [ -L made ]
check "what it leads to keeps its permissions" [ "$(stat -c %a other/secret)" = 500 ]
chmod 700 other/secret
finish
