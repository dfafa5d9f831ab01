# Shared by the parts of `make bench`. Each prints rows, NAME, a tab, and a figure, for
# tests/bench/table.sh.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1

BUILD=${BUILD:-build/release}
CYCLOPS=${CYCLOPS:-build/cyclops}
REPEAT=${REPEAT:-3}
guests=build/tests/bench
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# ir ARGS...: host instructions of `cyclops ARGS...`, which a limit ends, counted by callgrind. The
# difference between runs of two lengths is exact. A run that ends before its limit has no figure.
ir() {
	local said status=0
	said=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null "$CYCLOPS" "$@" 2>&1 \
		>/dev/null <"${input:-/dev/null}") || status=$?
	if [ $status != 124 ]; then
		echo "cyclops $*: its limit should end it, and it ended with status $status" >&2
		return 1
	fi
	sed -n 's/.*Collected : \([0-9]*\).*/\1/p' <<<"$said"
}

# row NAME EXPRESSION [FORMAT]: the expression's value by awk.
row() { printf '%s\t%s\n' "$1" "$(awk "BEGIN { printf \"${3:-%.0f}\", $2 }")"; }

# per_inst SHORT LONG ARGS...: host instructions for each committed one, between runs of two
# lengths.
per_inst() {
	local short=$1 long=$2 a b
	shift 2
	a=$(ir run --max-insts "$short" "$@") && b=$(ir run --max-insts "$long" "$@") || return
	awk "BEGIN { print ($b - $a) / ($long - $short) }"
}

# demo NAME: sets `command` and `input` from demos/programs/list.txt.
demo() {
	local args words
	IFS='|' read -r _ args input _ < <(grep "^$1|" demos/programs/list.txt)
	[ "$input" != - ] || input=/dev/null
	read -ra words <<<"$args"
	command=("build/demos/$1" "${words[@]}")
}
