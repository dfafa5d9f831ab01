#!/bin/bash
# Programs with threads end as under qemu: functionally, in three machines and with short slices;
# the same cycles again; a checkpoint between two switches continues; a deadlock is reported; walks
# backwards over switches find the former states.
within=build/tests
. tests/lib.sh
root=/usr/riscv64-linux-gnu
cp build/tests/threads/{basic,classes,loops}{,-dynamic} \
	build/tests/threads/{deadlock,calls,descriptors,many,yields} "$dir"
scale=${CYCLOPS_TEST_SCALE:-full}
top=$PWD
cd "$dir" || exit 1

# as_qemu PROGRAM: qemu's threads deadlock in one of some thousand runs on a busy host.
as_qemu() {
	local want how
	for _ in 1 2 3; do
		want=0
		timeout -s KILL 60 qemu-riscv64 -L $root "./$1" "${@:2}" >want 2>want_err \
			</dev/null || want=$?
		[ $want = 137 ] || break
	done
	check "qemu runs $1" [ -s want ]
	for how in --functional '' '--config classic5' '--config wide6' \
		'-o os.slice=1000 -o os.switch=0' '--functional -o os.slice=1000'; do
		# shellcheck disable=SC2086
		run "$want" run $how "$@"
		passes "$how gives what qemu gives" diff want out
	done
}
as_qemu basic
as_qemu basic-dynamic mutex cond broadcast
as_qemu classes
as_qemu classes-dynamic
as_qemu loops
as_qemu loops-dynamic
for guest in calls descriptors; do
	qemu-riscv64 ./$guest >want
	for how in --functional ''; do
		# shellcheck disable=SC2086
		run 0 run $how $guest
		passes "$guest say what qemu's say" diff want out
	done
done
if command -v go >/dev/null; then
	cp "$top/tests/threads/goroutines.go" .
	GOPROXY=off GO111MODULE=off GOCACHE=$PWD/cache GOARCH=riscv64 GOOS=linux go build \
		-o goroutines goroutines.go
	as_qemu goroutines
fi

# Time is the machine's, and only threads that run count cycles.
run 0 run --stats one.json basic
run 0 run --stats two.json basic
passes "all statistics are the same again" diff one.json two.json
run 0 run --stats - basic slices
check "slices end" [ "$(awk '$1 == "os.slices" { print $2 }' err)" -gt 3 ]
run 0 run --stats - -o os.slice=1000 basic mutex
check "slices are switches, and yields others" awk '{ n[$1] = $2 } END { print n["os.switches"]; exit !(n["os.switches"] > n["os.slices"] && n["os.slices"]) }' err
run 0 run --stats - basic sleeping
check "sleeping takes no cycles" [ "$(awk '$1 == "sim.cycles" { print $2 }' err)" -lt 1000000 ]
run 0 run --stats - -o os.switch=0 basic join
few=$(awk '$1 == "sim.cycles" { print $2 }' err)
check "and no slots" [ "$(awk '$1 == "slots.os_switch" { print $2 }' err)" -lt 100 ]
run 0 run --stats - -o os.switch=50000 basic join
check "a switch costs what os.switch says" [ "$(awk '$1 == "sim.cycles" { print $2 }' err)" -gt \
	$((few + 8 * 50000)) ]
check "in slots, too" [ "$(awk '$1 == "slots.os_switch" { print $2 }' err)" -gt $((4 * 8 * 50000)) ]

# A checkpoint in the middle.
"$CYCLOPS" run --stats whole.json basic mutex rwlocks >whole
for at in 60000 150000 300000; do
	run 124 run --save-to half --max-cycles $at basic mutex rwlocks
	cp out first
	run 0 run --restore half --stats again.json basic mutex rwlocks
	cat first out >both
	passes "output goes on from $at" diff whole both
	passes "so do all statistics" diff whole.json again.json
done

# No thread can continue.
for how in --functional ''; do
	# shellcheck disable=SC2086
	run 125 run $how deadlock
	read -r first second <out
	says err "no thread can go on: thread 1 waits for the lock at $second, which thread 2 holds; thread 2 waits for the lock at $first, which thread 1 holds"
	# shellcheck disable=SC2086
	run 125 run $how deadlock self
	says err "it waits for the futex at"
done


run 0 --batch -e 'break backwards' -e continue -e 'info threads' -e continue -e 'info threads' \
	deadlock
says out "* 2 "
says out "waits for the lock at $first, which thread 1 holds"

# Numbers of ended threads are used again once no others are free.
run 0 run --functional many
check "no thread has the number of one that waits" [ "$(tr '\n' ' ' <out)" = '65535 4467 0 1 ' ]

# A line that gives the hart away is one line, forwards and back.
line=$(grep -n 'ecall' "$top/tests/threads/yields.c" | cut -d: -f1)
run 0 --batch -e "tbreak yields.c:$((line - 1))" -e continue -e next -e next -e 'info threads' \
	-e reverse-next -e reverse-next yields
check "over it in the same thread" [ "$(grep -c "^thread 2, .* (yields.c:$((line + 2)))" out)" = 1 ]
check "back to it" [ "$(grep -c "^thread 2, .* (yields.c:$line)" out)" = 2 ]

count=20
[ "$scale" = small ] || count=200
run 0 lua "$top/tests/threads/walks.lua" $count 40000 340000 basic mutex rwlocks
says out "all as they were"
cp "$top/build/tests/diff/os/memory" .
run 0 lua "$top/tests/threads/walks.lua" "$count" 20000 3000000 memory files
says out "all as they were"
finish
