# shellcheck shell=bash
# Scripts of Lua as files. To be sourced after tests/lib.sh, whose run it takes the place of.

# run STATUS SCRIPT ARGS...: the script's text, run as a file.
run() {
	local want=$1 got=0
	printf '%s\n' "$2" >"$dir/script.lua"
	command=$2
	shift 2
	"$CYCLOPS" lua ${options:-} "$dir/script.lua" "$@" >"$dir/out" 2>"$dir/err" </dev/null ||
		got=$?
	check "exit status $got, expected $want" [ "$got" = "$want" ]
}

G=build/tests/lua/guest
