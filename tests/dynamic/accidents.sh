#!/bin/bash
# A dynamically linked program with libraries in a folder of --dir and in the sysroot: the host
# fails one of its calls, another in each run, as in tests/cli/accidents.sh. The machine stops
# before the call and reports the cause; the program does not notice.
. tests/lib.sh
here=$PWD
case ${CYCLOPS_TEST_SCALE:-full} in
small) count=4 ;;
long) count=100000 ;;
*) count=8 ;;
esac
cd "$dir" || exit 1
if ! strace -f -o log -e inject=getppid:error=EIO:when=1 true 2>err; then
	echo "SKIPPED: strace does not work here: $(head -n 1 err)"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
mkdir tree libraries
cp "$here"/build/tests/dynamic/{catcher,libplug.so} tree
cp "$here"/build/tests/dynamic/libthrower.so libraries
cd tree || exit 1
session=(inspect --no-init --batch --dir /far=../libraries --env LD_LIBRARY_PATH=/far -e continue)
# The program's output, without the machine's place.
told() { grep -av "^The host can't execute \|^  +\|^The program exited\|^cycle " ../out; }

command="cyclops ${session[*]}"
strace -f -o ../log "$CYCLOPS" "${session[@]}" catcher >../out 2>../err
check "nothing fails: exit status" [ $? = 0 ]
check "it ends" grep -q '^The program exited with status 3' ../out
check "a library is from each of three places" [ "$(grep -acE 'openat\([0-9]*, "(libthrower.so|libplug.so|libstdc\+\+.so.6)", O_RDONLY.* = [0-9]' ../log)" -ge 3 ]
told >../whole
tried=0 stood=0
while read -r -u 5 call n error; do
	# describe its files
	case $error in EXDEV | ENOENT | EOPNOTSUPP | EPERM) continue ;; esac
	command="cyclops ${session[*]}, $call $n: $error"
	got=0
	bounded strace -f --seccomp-bpf -o /dev/null -e "trace=$call" \
		-e "inject=$call:error=$error:when=$n" "$CYCLOPS" "${session[@]}" -e continue \
		catcher \
		>../out 2>../err || got=$?
	told >../left
	tried=$((tried + 1))
	if file_has out "The host can't execute the program's "; then
		stood=$((stood + 1))
		check "it goes on: exit status $got" [ $got = 0 ]
	fi
	check "it ends" grep -q '^The program exited with status 3' ../out
	check "all is as where nothing fails: $(diff ../whole ../left)" cmp -s ../whole ../left
done 5< <(python3 "$here/tests/cli/faults.py" --from '"libthrower' ../log $count openat newfstatat \
	fstatfs read pread64 readlinkat faccessat2)
check "$stood of $tried failures are seen" [ $stood -ge $((tried / 4)) ]
finish
