#!/bin/bash
# The host fails one call of a program that uses files, another call in each run (strace injects the
# errors that faults.py chooses). The program never sees the failure: the call is repeated at once
# or, if that is impossible, the machine stops before the call and reports the cause; `continue`
# then repeats it. The program's answers and files equal those of a run without failures.
. tests/lib.sh
here=$PWD
case ${CYCLOPS_TEST_SCALE:-full} in
small) count=8 ;;
long) count=100000 ;;
*) count=30 ;;
esac
cd "$dir" || exit 1
if ! strace -f -o log -e inject=getppid:error=EIO:when=1 true 2>err; then
	echo "SKIPPED: strace does not work here: $(head -n 1 err)"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi

afresh() {
	rm -rf tree
	mkdir tree
	cp "$here/build/tests/cli/accidents" tree
	printf 'where it begins\n' >tree/begin
	printf 'input\n' >input
	cd tree || exit 1
}
left() { find . -type f ! -name accidents -exec cksum {} + -o -type d -o -type l | LC_ALL=C sort; }
session=(inspect --no-init --batch --rw --stdin ../input -e continue -e continue accidents)

afresh
command="cyclops ${session[*]}"
strace -f -o ../log "$CYCLOPS" "${session[@]:0:8}" accidents >../out 2>../err
check "nothing fails: exit status" [ $? = 0 ]
check "nothing is said" [ ! -s ../err ]
check "the program's own limit of descriptors" grep \
	-q '^61 more descriptors, then Too many open files$' answers
check "the program's own limit of lengths" grep -q '1L << 60) = -1 File too large$' answers
left >../whole
cd ..
calls=(openat newfstatat fstatfs read pread64 pwrite64 ftruncate mkdirat linkat symlinkat \
	readlinkat faccessat2 renameat renameat2 chmod fchmod utimensat unlinkat
	getdents64)
tried=0 stood=0
while read -r -u 5 call n error; do
	# describe its files
	case $error in EXDEV | ENOENT | EOPNOTSUPP | EPERM) continue ;; esac
	afresh
	command="cyclops ${session[*]}, $call $n: $error"
	got=0
	bounded strace -f --seccomp-bpf -o /dev/null -e "trace=$call" \
		-e "inject=$call:error=$error:when=$n" "$CYCLOPS" "${session[@]}" >../out 2>../err \
		|| got=$?
	left >../left
	cd ..
	tried=$((tried + 1))
	if file_has out "The host can't execute the program's "; then
		stood=$((stood + 1))
		check "it goes on: exit status $got" [ $got = 0 ]
		check "an interrupted call is tried again at once" [ "$call $error" != \
			"openat EINTR" ]
	fi
	check "it ends" grep -q '^The program exited with status 0' out
	check "all is as where nothing fails: $(diff whole left)" cmp -s whole left
done 5< <(python3 "$here/tests/cli/faults.py" --from '"begin"' log $count "${calls[@]}")
check "$stood of $tried failures are seen" [ $stood -ge $((tried / 2)) ]

# The second piece of a write that began without timing and is repeated with timing.
afresh
command="cyclops --ff, pwrite64 2: ENOSPC"
got=0
strace -f -o /dev/null -e inject=pwrite64:error=ENOSPC:when=2 "$CYCLOPS" --batch --no-init --rw \
	--ff 10000000 --stdin ../input -e continue accidents >../out 2>../err || got=$?
left >../left
cd ..
check "exit status $got" [ $got = 0 ]
check "where timing begins is said: $(cat err)" grep -qE \
	'^cyclops: .*: [0-9]+ of 10000000 instructions were executed without timing$' err
check "it has ended" grep -q '^The program exited with status 0' out
check "all is as where nothing fails: $(diff whole left)" cmp -s whole left

# A script gets the true reason: the program has not ended.
afresh
command="cyclops, m:run, pwrite64 2: ENOSPC"
strace -f -o /dev/null -e inject=pwrite64:error=ENOSPC:when=2 "$CYCLOPS" --batch --no-init --rw \
	--stdin ../input -e 'lua print("reason", m:run().reason, m.status)' \
	-e 'lua print("reason", m:run().reason, m.status)' accidents >../out 2>../err
cd ..
check "it is reported, and the program goes on: $(grep -a reason out)" \
	[ "$(grep -a '^reason' out | tr '\t\n' '  ')" \
	= "reason starved starved reason exit exited " ]

# A run ends there, and reports the failure.
afresh
strace -f -o ../log "$CYCLOPS" run --rw accidents >../out 2>../err </dev/null
n=$(sed '/"new"/q' ../log | grep -c ' openat(')
cd ..
afresh
command="cyclops run --rw accidents, openat $n: EMFILE"
got=0
strace -f -o /dev/null -e "inject=openat:error=EMFILE:when=$n" "$CYCLOPS" run --rw accidents \
	>../out 2>../err </dev/null || got=$?
cd ..
check "exit status $got" [ $got = 125 ]
says err "the host can't execute the program's "
says err ": Too many open files, at cycle "
finish
