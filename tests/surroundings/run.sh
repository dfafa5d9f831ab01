#!/bin/bash
# The same program, input and configuration give the same results everywhere: in another folder, of
# another length, on another file system, made in another order; as another user with another umask,
# time zone, locale and home; in folders with permissions for the owner only. All demo programs that
# have an input, for a piece, and guest.c, which prints what it can see, have the same output,
# status and statistics.
. tests/lib.sh
insts=15000
[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || insts=8000
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || insts=40000
trap 'rm -rf "$dir" ${shm:+"$shm"}' EXIT
chmod 755 "$dir"
# Folders that another user may be unable to enter.
cp "$CYCLOPS" "$dir/cyclops"
chmod 755 "$dir/cyclops"

# fill PLACE SORT: the programs' files, made in an order that SORT decides.
fill() {
	local name
	mkdir -p "$1/build/demos" "$1/demos/programs/input" "$1/tree"
	for name in $(printf '%s\n' demos/programs/input/* build/demos/* \
		build/tests/surroundings/guest build/tests/dynamic/plain | sort "$2"); do
		[ ! -f "$name" ] || cp "$name" "$1/${name/tests\/*\//demos/}"
	done
	for name in $(printf '%s\n' Zebra apple _x -y Öl 10 9 .hidden | sort "$2"); do
		echo "$name" >"$1/tree/$name"
	done
	mkdir "$1/tree/empty"
	ln -s ../apple "$1/tree/empty/link"
	ln -s /etc/passwd "$1/tree/escape"
	chmod 755 "$1/tree/Zebra"
}

# try PLACE AS...: everything there, through the command AS. The output lies beside it. Outside the
# plain place, a changing selection of the programs represents all; at scale long, all run.
turn=0 part=3
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || part=1
try() {
	local place=$1 name args input words status
	shift
	mkdir "$place.out"
	while IFS='|' read -r name args input _ <&3; do
		case $name in '' | '#'*) continue ;; esac
		turn=$((turn + 1))
		[ "$place" = "$dir/plain" ] || [ $((turn % part)) = 0 ] || continue
		[ "$input" != - ] || input=/dev/null
		read -ra words <<<"$args"
		one "$place" "$name" "$input" "$@" "$dir/cyclops" run --max-insts $insts --stats - \
			"build/demos/$name" "${words[@]}"
	done 3<demos/programs/list.txt
	one "$place" guest tree/apple "$@" "$dir/cyclops" run --rw --stats - build/demos/guest \
		'an argument'
	one "$place" dynamic /dev/null "$@" "$dir/cyclops" run --stats - build/demos/plain
	rm -rf "$place/new" "$place/folder"
	one "$place" functional tree/apple "$@" "$dir/cyclops" run --rw --functional --stats - \
		build/demos/guest
}

# one PLACE NAME INPUT COMMAND...
one() {
	local place=$1 name=$2 input=$3 status=0
	shift 3
	(cd "$place" && "$@" <"$input") >"$place.out/$name.out" 2>"$place.out/$name.stats" ||
		status=$?
	echo "status $status" >>"$place.out/$name.out"
}

# same PLACE WHAT: the runs there equal those in the plain place.
same() {
	local file
	command="$2"
	for file in "$1.out"/*; do
		check "${file##*/} differs" same_bytes "$dir/plain.out/${file##*/}" "$file"
	done
	check "some programs were run" [ -s "$1.out/guest.out" ]
}

umask 022
fill "$dir/plain" -d
try "$dir/plain" env TZ=UTC LC_ALL=C
command='the plain place'
check 'no program printed anything' grep -qs . "$dir/plain.out/anagram.out"
check 'the guest does not end well' grep -qx 'status 0' "$dir/plain.out/guest.out"
check 'the guest sees too little' [ "$(grep -c 'inode' "$dir/plain.out/guest.out")" -gt 100 ]
check 'statistics are missing' [ "$(grep -l '^sim.cycles' "$dir/plain.out"/*.stats | wc -l)" -gt \
	10 ]

shm=$(mktemp -d -p /dev/shm 2>/dev/null) || shm=
if [ -n "$shm" ]; then
	deep=$shm/a/folder/far/deeper/in/the/tree/and/some/more
	mkdir -p "${deep%/*}"
	fill "$deep" -r
	try "$deep" env TZ=Asia/Tokyo
	same "$deep" 'another depth, on tmpfs'
else
	echo 'there is no /dev/shm to write to: not tried on another file system'
fi

if [ "$(id -u)" = 0 ] && setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null; then
	fill "$dir/other" -r
	chown -R 65534:65534 "$dir/other"
	umask 077
	try "$dir/other" setpriv --reuid=65534 --regid=65534 --clear-groups env TZ=Pacific/Chatham \
		LC_ALL=tr_TR.UTF-8 HOME=/nonexistent USER=nobody \
		LOGNAME=nobody PWD=/somewhere/else COLUMNS=40 TERM=dumb
	umask 022
	same "$dir/other" 'another user'
else
	echo 'not tried as another user: needs root'
fi

fill "$dir/closed" -n
find "$dir/closed" -exec touch -h -d '2001-02-03 04:05:06' {} +
chmod -R go-rwx "$dir/closed"
try "$dir/closed" env -i "PATH=$PATH"
same "$dir/closed" 'only the owner may'

# Saved in the middle of looking around, gone on with in another copy: the rest is the same.
fill "$dir/saved" -d
fill "$dir/restored" -r
third=$(($(awk '$1 == "sim.insts" { print $2 }' "$dir/plain.out/guest.stats") / 3))
mkdir "$dir/saved.out" "$dir/restored.out"
one "$dir/saved" guest tree/apple "$dir/cyclops" run --rw --stats - --save-every $third \
	--save-keep 0 --save-to "$dir/at-%i" build/demos/guest 'an argument'
one "$dir/restored" guest tree/apple "$dir/cyclops" run --rw --stats - --restore \
	"$(ls "$dir"/at-* | sort -V | head -n 1)" build/demos/guest 'an argument'
command='restored in another folder'
check 'other statistics' diff <(grep '^[a-z]*\.' "$dir/plain.out/guest.stats") \
	<(grep '^[a-z]*\.' "$dir/restored.out/guest.stats")
check 'little is left to say' [ "$(wc -l <"$dir/restored.out/guest.out")" -gt 100 ]
check 'other output' cmp -s "$dir/restored.out/guest.out" \
	<(tail -c "$(stat -c %s "$dir/restored.out/guest.out")" "$dir/plain.out/guest.out")
finish
