#!/bin/bash
# Runs the tests of one build and adds up their counts.
#
#   tests/run.sh [--unit] [--only FILE] BUILD [NAME...]
#
# Tests are the programs BUILD/tests/unit/*/test_* (cmocka) and every executable script tests/*/*.sh
# outside bench/ and fuzz/. NAMEs (test_cache, diff/run, ...) pick some of them, or a part:
# reverse/test_history is one cmocka program of that folder, lua/test_plugin one script of Lua,
# timing/run:latency a script with an argument. FILE has NAMEs, one a line. A script runs at the top
# of the tree with CYCLOPS (the program), BUILD and CYCLOPS_TEST_SCALE (full or small) set and
# closes with a line "N passed, N failed"; one that fails, prints nothing or takes over TIMEOUT
# seconds counts as a failure. Logs stay in BUILD/test-logs, or in BUILD/test-logs-PID while another
# run is at work there. Each line has the seconds that a test took, and those that processors were
# at work for it, which are more reliable where others are at work, too; the line before the last
# has the sum of these. A test that uses a command which this computer lacks is skipped, with a note
# in its line; with CI set it fails. WITHOUT="COMMAND..." treats these as lacking.
set -u
cd "$(dirname "$0")/.." || exit 1

unit_only=
if [ "${1:-}" = --unit ]; then
	unit_only=1
	shift
fi
only=()
if [ "${1:-}" = --only ]; then
	mapfile -t only < <(sed 's/#.*//; s/[[:space:]]//g; /^$/d' "$2")
	shift 2
fi
BUILD=${1:?usage: tests/run.sh [--unit] [--only FILE] BUILD [NAME...]}
shift
set -- "${only[@]}" "$@"
export BUILD CYCLOPS=$PWD/$BUILD/cyclops CYCLOPS_TEST_SCALE=${CYCLOPS_TEST_SCALE:-full}
export TIMEOUT=${TIMEOUT:-1800} LOGS=$BUILD/test-logs
# Another run in the same folder keeps its own logs.
if running=$(cat "$LOGS/pid" 2>/dev/null) && kill -0 "$running" 2>/dev/null; then
	LOGS=$LOGS-$$
fi
export ASAN_OPTIONS=${ASAN_OPTIONS:-detect_leaks=1:quarantine_size_mb=32:malloc_context_size=10:handle_sigill=1}
# Freed memory is kept, and lies in large pages: instrumenting a program touches eighty megabytes,
# and faults of small pages took half of its time. Guests of qemu, which would inherit it, and whose
# C library would do the same, don't see it.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=268435456:glibc.malloc.trim_threshold=268435456 QEMU_UNSET_ENV=GLIBC_TUNABLES
# No files of the caller: guests of qemu number theirs after them. 255 is the shell's own.
for fd in /proc/$$/fd/*; do
	fd=${fd##*/}
	[ "$fd" -le 2 ] || [ "$fd" = 255 ] || eval "exec $fd>&-"
done
# Debian's own tools, not those of a user's version manager, whose python3 may take a second to
# start.
export PATH=/usr/bin:/bin:$PATH
# Results must not depend on the user's locale; a test that needs another locale sets it.
export LC_ALL=C.UTF-8
unset LANGUAGE
# Nothing of the user's: neither settings, nor a place for layouts and history.
HOME=$(mktemp -d)
export HOME
trap 'rm -rf "$HOME"' EXIT
unset XDG_CONFIG_HOME XDG_STATE_HOME

list() {
	# The longest first, then scripts: short ones fill in beside them, and no processor is left
	# idle at the end.
	if [ -z "$unit_only" ]; then
		find tests -mindepth 2 -maxdepth 2 -name '*.sh' -perm -u+x \
			! -path 'tests/bench/*' ! -path 'tests/fuzz/*' | sort
	fi
	for source in tests/unit/*/test_*.c; do
		[ -e "$source" ] && echo "$BUILD/${source%.c}"
	done
}

# The longest tests: a late one would run alone.
longest() {
	awk -v first="reverse/run edit/run edit/flags edit/contexts edit/generated diff/demos xprof/stress lua/run xprof/instrument edit/real test_uop_fields tours/run papers/run papers/ammons" '
		BEGIN { n = split(first, names, " ") }
		{ path[NR] = $0 }
		END {
			for (i = 1; i <= n; i++)
				for (k = 1; k <= NR; k++)
					if (path[k] == "tests/" names[i] ".sh" || path[k] ~ ("/unit/[a-z]+/" names[i] "$")) {
						print path[k]
						path[k] = ""
					}
			for (k = 1; k <= NR; k++)
				if (path[k] != "") print path[k]
		}'
}

# Sets name to that of a test's path.
name_of() {
	name=${1#"$BUILD/tests/"}
	case $1 in
	tests/*) name=${1#tests/} name=${name/.sh/} name=${name%.lua} ;;
	*/unit/*) name=${1##*/} ;;
	esac
}

# A NAME that list does not have is a part of a test.
part() {
	local script=tests/${1%%:*}.sh
	if [[ $1 == *:* && -x $script ]]; then
		echo "$script:${1#*:}"
	elif [[ $1 == */test_* && -e tests/$1.lua ]]; then
		echo "tests/$1.lua"
	elif [[ $1 == */test_* && -e tests/$1.c ]]; then
		echo "$BUILD/tests/$1"
	else
		echo "there is no test $1" >&2
	fi
}

# Commands of tests that not every computer has; `make setup` installs them.
tools=(qemu-riscv64 gdb-multiarch tmux valgrind slurmctld parallel rsync zsh chromium mkdocs strace
	clang ld.lld riscv64-unknown-elf-gcc riscv64-linux-gnu-gcc riscv64-linux-gnu-g++ node patch
	dot groff dpkg-deb)
lacking=
for tool in "${tools[@]}"; do
	if [[ " ${WITHOUT-} " == *" $tool "* ]] ||
		{ [ -z "${CI:-}" ] && ! command -v "$tool" >/dev/null; }; then
		lacking+=" $tool"
	fi
done
export lacking

# Sets lacks to the commands that the test at a path uses, in its script or in a file that this
# names, and that are lacking.
lacking_of() {
	local script=${1%%:*} files tool
	lacks=
	[ -n "$lacking" ] && [[ $script == *.sh ]] || return
	mapfile -t files < <(grep -ohE '\btests/[a-z_]+/[a-z_]+\.(sh|py)' "$script" | sort -u)
	for tool in $lacking; do
		sed '/^[[:space:]]*#/d' "$script" "${files[@]}" 2>/dev/null |
			grep -qE "(^|[^a-z-])$tool([^a-z-]|\$)" && lacks+=" $tool"
	done
}

# Runs one test; leaves LOGS/NAME.log and LOGS/NAME.result ("passed failed skipped").
run_one() {
	local path=$1 name log lacks note= work start=$EPOCHREALTIME
	local status=0 passed=0 failed=0 skipped=0
	name_of "$path"
	log=$LOGS/${name//\//-}.log
	lacking_of "$path"
	if [ -n "$lacks" ]; then
		echo "0 0 1 0" >"${log%.log}.result"
		echo "skipped $name: this computer lacks$lacks (make setup installs it)"
		return
	fi
	case $path in
	*.sh:*) set -- "${path%%:*}" "${path#*:}" ;;
	*.lua) set -- "$CYCLOPS" lua "$path" ;;
	esac
	CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 "$TIMEOUT" "$@" >"$log" 2>&1 </dev/null || status=$?
	# Little of what follows is a process of its own, for there are hundreds of tests. Of times,
	# its children's are on the second line: 1m2.345s 0m1.234s
	times >"$log.times"
	read -r passed failed skipped work < <(awk -v script="$([[ $path == tests/* ]] && echo 1)" '
		FILENAME ~ /times$/ { if (FNR == 2) { split($0, t, /[ms ]+/); work = (t[1] + t[3]) * 60 + t[2] + t[4] } next }
		script && /^([a-z]+: )?[0-9]+ passed, [0-9]+ failed(, [0-9]+ skipped)?$/ { sub(/^[a-z]+: /, ""); p = $1; f = $3; s = $5 }
		!script && /^(not )?ok / { if (/# SKIP/) s++; else if ($1 == "ok") p++; else f++ }
		END { printf "%d %d %d %.1f\n", p, f, s, work }' "$log.times" "$log")
	rm "$log.times"
	if [ "$status" = 124 ] || [ "$status" = 137 ]; then
		note="took over $TIMEOUT s"
	elif [ "$status" != 0 ]; then
		note="exit status $status"
	elif [ $((passed + failed + skipped)) = 0 ]; then
		note="ran no test"
	fi
	if [ -n "$note" ] && [ "$failed" = 0 ]; then
		failed=1
	fi
	echo "$passed $failed $skipped $work" >"${log%.log}.result"
	local us=$((${EPOCHREALTIME/./} - ${start/./})) verdict=ok seconds
	[ "$failed" = 0 ] || verdict=FAILED
	printf -v seconds %d.%06d $((us / 1000000)) $((us % 1000000))
	printf '%-6s %-28s %5d passed  %3d failed %8.1f s %8.1f  %s\n' $verdict "$name" "$passed" \
		"$failed" \
		"$seconds" "$work" "$note"
	if [ "$failed" != 0 ]; then
		sed -n '/^not ok\|^#\|FAIL\|rror\|Sanitizer/{p}' "$log" | head -n 60 |
			sed 's/^/    | /'
		echo "    | ... the end of $log:"
		tail -n 25 "$log" | sed 's/^/    | /'
	fi
}
export -f run_one name_of lacking_of

rm -rf "$LOGS"
mkdir -p "$LOGS"
echo $$ >"$LOGS/pid"
list | longest | while read -r path; do
	name_of "$path"
	[ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
	echo "$path"
done >"$LOGS/list"
for name; do
	[[ $name != */* ]] || [ -x "tests/$name.sh" ] || part "$name"
done >>"$LOGS/list"
xargs -r -P "$(nproc)" -I{} bash -c 'run_one {}' <"$LOGS/list"
rm -f "$LOGS/pid"

read -r passed failed skipped work < <(cat "$LOGS"/*.result 2>/dev/null |
	awk '{ p += $1; f += $2; s += $3; w += $4 } END { printf "%d %d %d %.0f\n", p, f, s, w }')
if [ $((passed + failed + skipped)) = 0 ]; then
	echo "no test ran" >&2
	failed=1
fi
echo "$work s of processor time"
echo "$passed passed, $failed failed$([ $skipped = 0 ] || echo ", $skipped skipped")"
[ $failed = 0 ]
