# Common parts of tests of sessions without a terminal: running and checks. To be sourced at the top
# of the tree; the test continues in a folder of its own, with the sources of the small demos.
. tests/lib.sh
top=$PWD
# a path that is the same wherever the tree lies: programs have it on their stack
demos=demos
json=$top/build/tests/cmd/json_check
export HOME=$dir
unset XDG_CONFIG_HOME XDG_STATE_HOME COLUMNS
cd "$dir" || exit 1
ln -s "$top/build/demos" demos
cp "$top/demos/programs/small/"*.c .

# batch STATUS PROGRAM COMMAND...
batch() {
	local want=$1 program=$2 args=()
	shift 2
	for c in "$@"; do args+=(-e "$c"); done
	run "$want" --batch "${args[@]}" "$program"
}
is() {
	local text=
	IFS= read -r -d '' text <"$1"
	while [[ $text == *$'\n' ]]; do text=${text%$'\n'}; done
	check "$1 should be '$2', not '$text'" [ "$text" = "$2" ]
}
# A line of the answer begins like this regular expression.
tells() { check "a line of the answer should be '$1'" grep -qx -- "$1.*" out; }
