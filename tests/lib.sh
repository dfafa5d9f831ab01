# Common functions of tests in shell. To be sourced at the top of the tree, first of all. Each has a
# folder of its own, $dir; with `within` set to a folder below the tree it lies there, where
# programs may write with --rw.
#
#   run WANT ARGS...     runs the program, which should end with status WANT; its output lies in
#                        $dir/out and $dir/err, its input is the file $stdin, or empty
#   check WHAT TEST...   counts whether the command TEST is true; if it is not, prints WHAT and the
#                        last command, $command. ENOUGH failures end the test
#   passes WHAT TEST...  the same of a TEST that reports what it found: its output is printed
#   says FILE TEXT       FILE, of $dir, has this text
#   silent FILE          it is empty
#   same_bytes A B       whether two files are the same, without a process; `diff` shows the
#                        difference
#   as_kept KEPT NAME    file `out` is KEPT.txt; with a NAME but ro it differs from that as in
#                        KEPT-NAME.diff. UPDATE=1 writes these
#   counts COMMAND...    adds what a program of tests counts, whose last line is as that of finish
#   finish               the last line, and the exit status
set -u
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
passed=0 failed=0 command='' stdin=/dev/null
dir=$(mktemp -d ${within:+-p "$PWD/$within"})
trap 'rm -rf "$dir"' EXIT
: >"$dir/out" >"$dir/err"

run() {
	local want=$1 got=0
	shift
	command="cyclops $*"
	"$CYCLOPS" "$@" >"$dir/out" 2>"$dir/err" <"$stdin" || got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
}

check() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: ${command:+$command: }$what"
		sed 's/^/  out: /' "$dir/out" | head -n 12
		sed 's/^/  err: /' "$dir/err" | head -n 12
		[ $failed -lt "${ENOUGH:-100000}" ] || exit 1
	fi
}

passes() {
	local what=$1 status=0
	shift
	"$@" >"$dir/said" 2>&1 || status=$?
	check "$what: $(head -c 2000 "$dir/said")" [ $status = 0 ]
}

# Without a process, since tests call it thousands of times.
file_has() {
	local text=
	IFS= read -r -d '' text <"$dir/$1"
	[[ $text == *"$2"* ]]
}
says() { check "$1 should say '$2'" file_has "$1" "$2"; }
same_bytes() {
	local -a one other
	mapfile -d '' one <"$1" && mapfile -d '' other <"$2" &&
		[ "${#one[@]} ${one[*]}" = "${#other[@]} ${other[*]}" ]
}
silent() { check "$1 should be empty" [ ! -s "$dir/$1" ]; }

as_kept() {
	local now=out kept=$1.txt
	if [ "$2" != ro ]; then
		diff "$kept" out >difference
		now=difference kept=$1-$2.diff
	fi
	[ -z "${UPDATE:-}" ] || cp $now "$kept"
	passes "each call gives what it did" diff "$kept" $now
}

counts() {
	local p= f= status=0
	"$@" >"$dir/out" 2>&1 </dev/null || status=$?
	read -r p f < <(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' "$dir/out")
	passed=$((passed + ${p:-0})) failed=$((failed + ${f:-0}))
	if [ "$status" != 0 ] || [ "${p:-0}" = 0 ]; then
		[ "${f:-0}" != 0 ] || failed=$((failed + 1))
		echo "FAIL: $*: status $status"
		head -n 40 "$dir/out"
	fi
}

finish() {
	echo "$passed passed, $failed failed"
	[ "$failed" = 0 ]
}

# bounded COMMAND...: within a minute of processor time; what elapses depends on the host's load.
bounded() { (ulimit -t 60 && exec "$@"); }
