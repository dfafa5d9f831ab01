#!/bin/bash
# System calls through glibc: each part of tests/diff/os/guest.c prints the same and ends the same under
# qemu-riscv64 and cyclops, functional and detailed, and leaves the same files behind.
set -u
cd "$(dirname "$0")/../.." || exit 1
umask 022 # qemu's guests have the person's, ours have this one

top=$PWD
CYCLOPS=${CYCLOPS:-$top/build/cyclops}
[[ $CYCLOPS = /* ]] || CYCLOPS=$top/$CYCLOPS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TEST_OS=given
passed=0 failed=0
SCALE=${CYCLOPS_TEST_SCALE:-full} # small: without timing alone, and what the C library makes of calls is left out

# A fresh folder to work in.
place() {
	rm -rf "$work/$1"
	cp -a "$work/template" "$work/$1"
	cd "$work/$1/tree" || exit 1
}
mkdir -p "$work/template/tree"
printf 'Tyger Tyger, burning bright,\nIn the forests of the night;\n\nWhat immortal hand or eye' >"$work/template/tree/poem.txt"
ln -s poem.txt "$work/template/tree/link"
ln -s ../secret "$work/template/tree/escape"
echo secret >"$work/template/secret"

# run HOW PART COMMAND...: its output, error output, status and files in $work/HOW
run() {
	local how=$1 part=$2
	shift 2
	place "$how"
	{ # the shell's own remarks on signals are nobody's output
		if [ "$part" = input ]; then
			(cat poem.txt; sleep 0.1; echo; echo end) | "$@" >../out 2>../err
		else
			"$@" <poem.txt >../out 2>../err
		fi
	} 2>"$work/remarks"
	echo "status $?" >../status
	# The wrapper's own words: a shell's about signals, ours about calls and faults.
	[ ! -s ../err ] || sed -i '/^cyclops: /d; /^qemu: /d; /^  /d' ../err
	find . -printf '%p %y %m %l\n' >../files
	cd "$top" || exit 1
}

# Output, error output, status, names and modes of files, which a folder may list in another order, and all that is in them.
same() {
	local how
	for how in reference "$2"; do sort -o "$work/$how/files" "$work/$how/files"; done
	if diff -r --no-dereference "$work/reference" "$work/$2" >"$work/diff"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $1 ($2): it differs from qemu-riscv64's (<)"
		head -n 10 "$work/diff"
	fi
}

# Parts that compute, with no call or signal that time has a part in, are executed with timing at scale long alone.
quick=" sorting searching regexes trees words locales converting calendars options streams identity "
[ "$SCALE" != long ] || quick=
# compare PROGRAM PART: under all three.
compare() {
	local program=$top/build/tests/diff/os/$1 part=$2
	run reference "$part" qemu-riscv64 "$program" "$part"
	run functional "$part" "$CYCLOPS" run --rw --env TEST_OS=$TEST_OS --functional "$program" "$part"
	same "$1 $part" functional
	[ "$SCALE" != small ] && [[ $quick != *" $part "* ]] || return 0
	run detailed "$part" "$CYCLOPS" run --rw --env TEST_OS=$TEST_OS "$program" "$part"
	same "$1 $part" detailed
}

for part in input seek_input files tree memory clocks self signals redirect database devices abort assert; do
	compare guest $part
done
[ "$SCALE" = small ] || for part in formats sorting searching regexes trees words locales converting calendars mathematics jumping contexts \
	handlers options memory alone streams descriptors identity; do
	compare libc $part
done
for part in nested patch lr.w lr.d amo.w amo.d; do
	compare stack $part
done

# Where we differ on purpose. fixed PROGRAM PART LINE...: what it prints, without --rw.
fixed() {
	local program=$top/build/tests/diff/os/$1 part=$2
	shift 2
	place fixed
	"$CYCLOPS" run --functional "$program" "$part" >../out 2>../err
	cd "$top" || exit 1
	if diff <(printf '%s\n' "$@") "$work/fixed/out"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAILED $part"
	fi
}

# Nothing outside the folder exists, which is the root, and it is read-only.
fixed guest walls '0 0 2' '0 0 2' '1 1 0' '0 0 2' '0 0 2' '1 1 0' / 30
# There is one thread of one process.
fixed libc refusals EAGAIN 'fork: Resource temporarily unavailable' EAGAIN 'system: 32512' 'wait: No child processes' \
	'popen: 0'

echo "$passed passed, $failed failed"
[ $failed = 0 ]
