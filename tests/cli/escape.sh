#!/bin/bash
# A guest that tries every way out of its tree (tests/cli/escape.c), with and without --rw: nothing
# around the tree changes or is revealed, and each call's result is that of escape-rw.txt and
# escape-ro.txt.
within=build/tests/cli
mkdir -p $within
. tests/lib.sh
here=$PWD
cp build/tests/cli/escape "$dir"
cd "$dir" || exit 1
ulimit -f 65536

# Files around the tree, none of which may change.
mkdir -p outside/folder outside/empty
printf 'SENTINEL%4313s' '' >outside/SENTINEL
cp outside/SENTINEL outside/folder/SENTINEL
echo more >outside/folder/file
touch outside/NEIGHBOUR outside/folder/NEIGHBOUR
ln outside/folder/file outside/twin
ln -s SECRET outside/link
ln -s ../inside outside/back
mkfifo outside/pipe
printf '#!/bin/sh\necho SENTINEL\n' >outside/program
chmod 755 outside/program
chmod 600 outside/SENTINEL
find outside -exec touch -h -d '2001-02-03 04:05:06.789' {} +

# Names, kinds, modes, owners, inodes, links, times and bytes of all files in these folders.
state() {
	find "$@" -printf '%p %y %#m %U %G %i %n %s %T@ %l\n' | LC_ALL=C sort
	find "$@" -type f -print0 | LC_ALL=C sort -z | xargs -0 cat | cksum
}

tree() {
	rm -rf inside
	mkdir -p inside/sub/deep inside/$'new\nline' inside/$'..\n' inside/... 'inside/.. ' \
		"inside/$(printf 'a%.0s' {1..255})" \
		inside/$'\xc0\xae\xc0\xae'
	cp escape inside
	(cd inside && "$CYCLOPS" run --functional --rw escape links "$dir") >out 2>err </dev/null
	check "the links are made" [ $? = 0 ]
}
tree
command="the links that the guest made"
for link in l_rel l_abs l_high l_to_link l_via_dir chain38 l_longdir/SENTINEL; do
	check "$link leads there without Cyclops" cmp -s outside/SENTINEL inside/$link
done

# tries NAME OPTIONS...
tries() {
	local name=$1 got=0
	shift
	state outside >before
	command="cyclops run $*, escape"
	(cd inside && "$CYCLOPS" run "$@" escape "$dir") >out 2>err </dev/null || got=$?
	check "exit status $got" [ $got = 0 ]
	state outside >after
	passes "nothing outside changes" diff before after
	check "it tried more than 200 times" [ "$(sed -n 's/^tries: //p' out)" -gt 200 ]
	says out "leaks: 0"
	check "nothing outside is revealed" [ "$(grep -c LEAK out)" = 0 ]
	[ -z "${UPDATE:-}" ] || cp out "$here/tests/cli/escape-$name.txt"
	passes "each call gives what it did" diff "$here/tests/cli/escape-$name.txt" out
}
for mode in --functional ''; do
	tree
	state inside >inside_before
	# shellcheck disable=SC2086
	tries ro $mode
	state inside >inside_after
	passes "without --rw, nothing inside changes" diff inside_before inside_after
	# shellcheck disable=SC2086
	tries rw $mode --rw
done
chmod -R u+rwX inside
finish
