#!/bin/bash
# Programs, files and arguments that attack their user's terminal, and messages when output cannot
# be written.
within=build/tests/cli
mkdir -p $within
. tests/lib.sh
cp build/tests/cli/guest build/tests/cli/hostile tests/cli/guest.c "$dir"
cd "$dir" || exit 1
ESC=$(printf '\033')

# Escapes in names.
clean() { check "$1 holds no escape" [ "$(tr -cd '\033\233\007' <"$1" | wc -c)" = 0 ]; }
run 125 run "no${ESC}[31mfile"
clean err
says err "no�[31mfile"
run 125 "$(printf 'no\302\233file')"
clean err
run 1 --no-init --batch -e "break red${ESC}[31m" ./hostile
clean err
run 0 --no-init --batch -e "run" -e "backtrace" -e "info symbol main" -e "x/4i main" ./hostile file
clean out
run 139 run ./hostile
clean err
run 0 --no-init --batch -e "trace konata k 24000 26000" -e "trace chrome c.json 24000 26000" \
	./hostile file
clean k
clean c.json
# No output has a program's name with control characters in it.
run 0 --no-init --batch -e "break main" -e "run" -e "view backtrace --json" \
	-e "view disasm --json" ./hostile file
clean out
check "one UTF-8" iconv -f UTF-8 -t UTF-8 out -o /dev/null

# Names of files, in the output of each command.
name=$'x\u202ey\033]0;P\007z'
hides() {
	check "nothing for a terminal" [ "$(cat out err | tr -d '\n\t' |
		LC_ALL=C grep -cP '[\x00-\x1f\x7f]|\xe2\x80\xae')" = 0 ]
	check "the name is there" grep -qF 'x�y�]0;P�z' out err
}
cp guest "$name"
run 0 instrument --kind edge -o "$name.new" guest
hides
echo 'return {}' >"$name.lua"
run 0 compare default "$name.lua" -- ./guest
hides
cp "$name.lua" $'\u202e\033.lua' # short, since it heads columns
run 0 compare default $'\u202e\033.lua' -- ./guest
check "nothing for a terminal" [ "$(tr -d '\n\t' <out |
	LC_ALL=C grep -cP '[\x00-\x1f\x7f]|\xe2\x80\xae')" = 0 ]
run 125 compare default "./$name.none" -- ./guest
hides
run 0 run --summary "$name"
hides
run 0 bakeoff -p ammons -a edges --max-insts 20k "$name"
hides
printf 'return { out = "%s.out", configs = { base = "default" }, programs = { g = { "./%s" } } }\n' \
	"$name" "$name" >"$name.lua"
for option in --status --dry-run '' --collect '--emit parallel jobs'; do
	run "$([ "$option" = --status ] && echo 1 || echo 0)" sweep $option "$name.lua"
	check "nothing for a terminal" [ "$(cat out err | tr -d '\n\t' |
		LC_ALL=C grep -cP '[\x00-\x1f\x7f]|\xe2\x80\xae')" = 0 ]
done

# A source file of another program.
run 139 run ./hostile
says err "at 0x"
says err "/etc/passwd:1"
check "its text is not shown" [ "$(grep -c root: err)" = 0 ]
run 1 --no-init --batch -e "list /etc/passwd:1" ./hostile
says err "--source FOLDER lets it be read"
run 0 --no-init --batch -e "break main" -e run -e "view source" ./hostile file
check "nor by the view" [ "$(grep -c root: out)" = 0 ]
says out "--source FOLDER lets it be read"
run 139 run --source /etc ./hostile
says err "$(head -n 1 /etc/passwd | sed 's/^ *//')"
run 125 run --source /no/such/folder ./hostile
says err "--source /no/such/folder: No such file or directory"
# Neither a link out of the folders nor ".." avoids the check.
mkdir below elsewhere
cp hostile guest below
mv guest.c elsewhere
ln -s "$PWD/elsewhere/guest.c" below/guest.c
(cd below && "$CYCLOPS" run ./guest segv) >out 2>err
says err guest.c:13
check "a link leads nowhere" [ "$(grep -c 'the line a fault report must name' err)" = 0 ]
(cd below && "$CYCLOPS" run --source ../elsewhere ./guest segv) >out 2>err
says err "the line a fault report must name"

# Output that can't be written.
fails() { # WANT ARGS...: with a full standard output
	local want=$1 got=0
	shift
	command="cyclops $* >/dev/full"
	: >out
	"$CYCLOPS" "$@" >/dev/full 2>err </dev/null || got=$?
	check "exit status $got, expected $want" [ $got = "$want" ]
}
fails 125 run ./guest hello
says err "output of the program is lost: No space left on device"
fails 125 run --functional ./guest hello
says err "output of the program is lost: No space left on device"
fails 125 --no-init --batch -e "info registers" ./guest
says err "could not be written to standard output"
for words in help --help --version "help lua" "run --help" "microcode --help" "sweep --help" \
	"instrument --help" values; do
	fails 125 $words
	says err "could not be written to standard output"
done
echo 'print("x")' >print.lua
fails 125 lua print.lua
says err "could not be written to standard output"

# Started without descriptors: no file of the program gets the number of one of Cyclops's.
command="cyclops run hostile, with descriptors 0 to 2 closed"
"$CYCLOPS" run --rw ./hostile data <&- >&- 2>&-
check "exit status" [ $? = 0 ]
check "what it wrote" [ "$(cat data)" = data ]
"$CYCLOPS" --no-init --batch -e run -e "info registers" --rw ./hostile data2 <&- >&- 2>&-
check "what it wrote" [ "$(cat data2)" = data ]

finish
