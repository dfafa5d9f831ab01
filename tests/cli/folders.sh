#!/bin/bash
# Folders of the host that --dir puts into a program's tree: results of calls there (folders.c;
# folders.txt and folders-rw.diff have each); only writable folders change; their place on the host
# makes no difference, also to a checkpoint and to the past; and the message, once, about a file
# outside.
within=build/tests
. tests/lib.sh
here=$PWD
cp build/tests/cli/folders build/tests/cli/opens "$dir"
cd "$dir" || exit 1
# The length of the host's path must not show.
top=$PWD

# Files around the tree.
world() {
	chmod -R u+rwX world 2>/dev/null
	rm -rf world
	mkdir -p world/outside world/data/sub world/work world/deep world/hid world/tree/hidden \
		world/tree/dir
	cd world || exit 1
	echo "SECRET of outside" >outside/file
	echo "data f" | tee data/f >data/hidden
	echo "data g" >data/sub/g
	ln -s f data/in
	ln -s /tree_file data/rooted
	ln -s ../other data/beside
	ln -s ../../../outside/file data/out
	ln -s "$top/world/outside/file" data/out_root
	ln -s ../../../outside data/out_dir
	ln -s ../../../../../../../../../../../../../../etc/passwd data/high
	chmod 0 data/hidden
	mkfifo data/pipe
	echo "deep f" >deep/f
	echo "work f" >work/f
	ln -s /m/data/f work/into
	echo "hid f" >hid/f
	echo own >tree/hidden/own
	echo tree_file >tree/tree_file
	ln -s /work/f tree/into
	echo "a file" >tree/covered
	cp ../folders tree
	cd ..
}
state() {
	find "$@" -printf '%p %y %#m %U %G %i %n %s %T@ %l\n' | LC_ALL=C sort
	find "$@" -type f -perm -u+r -print0 | LC_ALL=C sort -z | xargs -0 cat | cksum
}
places=(--dir /m/data=../data --dir /work=../work:rw --dir /m/data/deep/er=../deep --dir \
	/hidden=../hid --dir //covered/=../hid/ --dir /gone=../going)
# tries NAME OPTIONS...
tries() {
	local name=$1 got=0
	shift
	world
	mkdir world/going
	state world/outside world/data world/deep world/hid >before
	command="cyclops run $*, folders"
	(cd world/tree && "$CYCLOPS" run "$@" "${places[@]}" folders) >out 2>err </dev/null ||
		got=$?
	check "exit status $got" [ $got = 0 ]
	state world/outside world/data world/deep world/hid >after
	passes "nothing changes where nothing may" diff before after
	check "nothing outside is revealed" [ "$(grep -c LEAK out)" = 0 ]
	check "what :rw names was written" [ "$(cat world/work/f.n 2>/dev/null)" = new ]
	as_kept "$here/tests/cli/folders" "$name"
}
for mode in --functional ''; do
	# shellcheck disable=SC2086
	tries ro $mode
	check "without --rw, the tree stays" [ ! -e world/tree/tree_file.n ]
	# shellcheck disable=SC2086
	tries rw $mode --rw
	check "with it, it changes" [ "$(cat world/tree/tree_file.n)" = new ]
done

# Where they lie.
world
cd world/tree || exit 1
cp ../../opens .
cp -r ../data "../elsewhere a long way off" 2>/dev/null
cycles() { sed -n 's/^  cycles *//p' "$dir/err"; }
run 0 run --summary --dir /d=../data opens r /d/f r /d/sub/g
check "both are read" [ "$(tr '\n' ' ' <"$dir/out")" = 'data f data g ' ]
once=$(cycles)
run 0 run --summary "--dir=/d=../elsewhere a long way off" opens r /d/f r /d/sub/g
check "cycles are the same from another place" [ "$once" = "$(cycles)" ]
run 0 run --functional --dir /d=../data opens r d/f r /../d/sub/../f
check "relative paths lead there, too" [ "$(tr '\n' ' ' <"$dir/out")" = 'data f data f ' ]

# A checkpoint between two reads of an open file, and the past.
"$CYCLOPS" run --stats "$dir/whole.json" --dir /d=../data opens k /d/f w >"$dir/whole"
run 124 run --save-to half --max-insts 30000 --dir /d=../data opens k /d/f w
cp "$dir/out" "$dir/first"
run 0 run --restore half --stats "$dir/again.json" --dir /d=../data opens k /d/f w
cat "$dir/first" "$dir/out" >"$dir/both"
passes "output goes on" diff "$dir/whole" "$dir/both"
passes "so do all statistics" diff "$dir/whole.json" "$dir/again.json"
run 124 run --save-to late --max-insts 40000 --dir /w=../work:rw opens W /w/made x
rm -f ../work/made
echo old >../work/made
run 0 run --restore late --dir /w=../work opens W /w/made x
check "what a checkpoint has open for writing is written with :rw only" [ "$(cat ../work/made)" \
	= old ]
says out 'EROFS'
run 0 --batch -e continue -e 'goto 20000' -e continue -e run --dir /d=../data opens k /d/f w
check "a program that is started anew in a session has them" [ "$(grep -c '^data f' "$dir/out")" \
	= 2 ]
rm -f half late

# Output of Cyclops is not redirected by links that the program may have made.
ln -s ../outside ../work/led
run 1 --batch --dir /w=../work:rw -e 'save ../work/led/half' opens
check "a link in a folder that it may write is not followed" [ ! -e ../outside/half ]
run 0 --batch --dir /w=../work -e 'save ../work/led/half' opens
check "where it may not write, it is" [ -e ../outside/half ]
rm ../outside/half ../work/led

# An access outside is reported once, with a remedy.
says_once() {
	check "stderr has one line" [ "$(wc -l <"$dir/err")" = 1 ]
	says err "$1"
}
for how in --functional ''; do
	# shellcheck disable=SC2086
	run 1 run $how opens r "$PWD/../outside/file" r "$PWD/../data/f"
	says_once "file, which is outside of its / (the current directory): --dir "
done
run 1 run --functional opens r /etc/passwd r /etc/group
says_once 'the program asked for /etc/passwd, which is outside of its / (the current directory): --dir /etc=/etc lets it read that folder'
run 1 run --functional opens r ../data/f
says_once "the program asked for ../data/f, which is outside of its / (the current directory): --dir /data=$top/world/data lets it read that folder"
run 0 run --functional --dir "/data=$top/world/data" opens r ../data/f
silent err
run 1 run --functional opens s /etc
says_once '--dir /etc=/etc lets it read that folder'
run 1 run --functional opens c /etc
says_once '--dir /etc=/etc lets it read that folder'
run 1 run --functional opens a /etc/passwd
says_once '--dir /etc=/etc lets it read that folder'
run 1 run --functional opens W /tmp/new x
says_once 'the program asked for /tmp/new, which is outside of its / (the current directory): --dir /tmp=/tmp:rw lets it write to that folder'
run 1 run --functional opens r "$PWD/tree_file"
says_once "its / is the current directory, where the path is /tree_file"
if [ -w /dev/shm ]; then # the folder may hold users' files, too
	shared=$(mktemp /dev/shm/cyclops-test-XXXXXX)
	run 1 run --functional opens r "$shared"
	says_once 'start cyclops in /dev/shm, or copy it here'
	run 1 run --functional opens W "$shared.new" x
	says_once 'named shared memory and semaphores do not exist here'
	rm "$shared"
fi
run 1 run --functional opens r ../none r /none/none r /etc/localtime r /etc/ld.so.cache r \
	/proc/self/maps W /none/new x
silent err
ln -s ../data/f leads_out
run 1 run --functional opens r leads_out
says_once "the program asked for leads_out, a link out of its / (the current directory): copy $top/world/data/f here"
run 1 run --functional opens r ../loose
silent err
echo loose >../loose
run 1 run --functional opens r ../loose
says_once "start cyclops in $top/world, or copy it here"
run 1 run --functional opens r "$(printf '/etc/\033[31m/../passwd')"
check "nothing that a terminal would act on is printed" [ "$(grep -c $'\033' "$dir/err")" = 0 ]

# Refused arguments.
refused() { run 125 run --dir "$1" opens; says err "$2"; }
refused data=../data 'expected /PLACE=FOLDER'
refused /data 'expected /PLACE=FOLDER'
refused /data= 'no folder given'
refused /=../data 'its / is the current directory'
refused ///=../data 'its / is the current directory'
refused /dev=../data '/dev is the machine'
refused /dev/x=../data '/dev is the machine'
refused /a/../b=../data 'a place without . and .. is needed'
refused /data=../none '../none: No such file or directory'
refused /data=../data/f '../data/f: Not a directory'
refused "/$(printf 'x%.0s' {1..200})=../data" 'too long a name'
run 125 run --dir /a=../data --dir /a/=../work opens
says err '/a is ../data already'
many=()
for i in {1..17}; do many+=(--dir "/d$i=../data"); done
run 125 run "${many[@]}" opens
says err 'at most 16 of them'
run 125 compare --dir /a=../data:rw default -- opens
says err 'machines that run at once write nothing'
run 0 compare --dir /a=../data default classic5 -- opens r /a/f
chmod -R u+rwX ..
finish
