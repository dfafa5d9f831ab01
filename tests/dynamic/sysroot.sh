#!/bin/bash
# A guest that tries to change its sysroot, and to read files around it (tests/dynamic/ways.c), with
# and without --rw: nothing there changes or is revealed, and each call's result is that of
# ways.txt, with the differences of ways-rw.diff.
within=build/tests
. tests/lib.sh
here=$PWD
cp build/tests/dynamic/ways "$dir"
cd "$dir" || exit 1
mkdir -p outside sr/lib sr/usr/lib sr/dev inside
echo "SECRET of outside" >outside/file
cp /usr/riscv64-linux-gnu/lib/{ld-linux-riscv64-lp64d.so.1,libc.so.6} sr/lib
echo "data of the sysroot" >sr/lib/data
cp sr/lib/data sr/dev/data
cp sr/lib/data sr/usr/lib/data
ln -s data sr/lib/within
ln -s /lib/data sr/lib/rooted
ln -s ../../outside/file sr/lib/out
ln -s "$PWD/outside/file" sr/lib/out_root
ln -s ../../outside sr/lib/out_dir
ln -s ../../../../../../../../../../../../../../etc/passwd sr/lib/high
ln -s loop sr/lib/loop
mkfifo sr/lib/pipe
cp sr/lib/data sr/lib/hidden
chmod 0 sr/lib/hidden
state() {
	find "$@" -printf '%p %y %#m %U %G %i %n %s %T@ %l\n' | LC_ALL=C sort
	find "$@" -type f -perm -u+r -print0 | LC_ALL=C sort -z | xargs -0 cat | cksum
}
tree() {
	rm -rf inside
	mkdir -p inside/lib
	cp ways inside
	echo own >inside/own
	echo "own file of the tree" >inside/lib/own
}
tries() {
	local name=$1 got=0
	shift
	tree
	state outside sr >before
	command="cyclops run $* --sysroot ../sr ways"
	(cd inside && "$CYCLOPS" run "$@" --sysroot ../sr ways) >out 2>err </dev/null || got=$?
	check "exit status $got" [ $got = 0 ]
	state outside sr >after
	passes "nothing outside or in the sysroot changes" diff before after
	check "nothing outside is revealed" [ "$(grep -c LEAK out)" = 0 ]
	check "the sysroot is read" grep -q '^open  *//lib/data  *ok' out
	as_kept "$here/tests/dynamic/ways" "$name"
}
for mode in --functional ''; do
	# shellcheck disable=SC2086
	tries ro $mode
	# shellcheck disable=SC2086
	tries rw $mode --rw
done
# A static program has no sysroot by default.
cp "$here/build/tests/cli/guest" inside
chmod 644 sr/lib/hidden
finish
