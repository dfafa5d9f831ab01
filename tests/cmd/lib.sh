# What the scripts of sessions without a terminal share: how they run, and what must hold of it. To be sourced at the top of the
# tree; they go on in a folder of their own, with the sources of the small demos.
CYCLOPS=${CYCLOPS:-$PWD/build/cyclops}
top=$PWD
demos=$top/build/demos
json=$top/build/tests/cmd/json_check
passed=0 failed=0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export HOME=$dir
unset XDG_CONFIG_HOME XDG_STATE_HOME COLUMNS
cd "$dir" || exit 1
cp "$top/demos/programs/small/"*.c .

# check WHAT COMMAND...: the command must succeed.
check() {
	local what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL: $command: $what"
		sed 's/^/  out: /' out | head -n 12
		sed 's/^/  err: /' err | head -n 12
	fi
}
# run STATUS ARGS...: runs cyclops, input from $stdin; out and err have what it said.
run() {
	local want=$1 got=0
	shift
	command="cyclops $*"
	"$CYCLOPS" "$@" >out 2>err <"${stdin:-/dev/null}" || got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
}
# batch STATUS PROGRAM COMMAND...
batch() {
	local want=$1 program=$2 args=()
	shift 2
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --batch "${args[@]}" "$program"
}
says() { check "$1 should say '$2'" grep -qF -- "$2" "$1"; }
silent() { check "$1 should be empty" [ ! -s "$1" ]; }
is() { check "$1 should be '$2', not '$(cat "$1")'" [ "$(cat "$1")" = "$2" ]; }
