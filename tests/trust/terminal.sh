#!/bin/bash
# Names of files, symbols, sections and texts of files with control characters in them: no command
# of the program's table passes them on to a terminal (terminal.py).
within=build/tests
. tests/lib.sh
passes "commands on a terminal" tests/trust/terminal.py "$dir"
cat "$dir/said"
count=$(sed -n 's/^checks: //p' "$dir/said")
passed=$((${count:-0} + passed))
# A name with a line end begins no line.
export HOME=$dir XDG_DATA_HOME='' XDG_CACHE_HOME=''
cp build/tests/cli/guest "$dir/a
forged"
cp tests/asm/hello.s "$dir/a
forged.s"
for words in run asm 'lab check 1' 'lab grade 1' sweep compare lua 'run -c' 'run --restore' \
	'--batch -x' 'lab page' help manual tour demo 'run --stdin' 'run -o' 'run --cc'; do
	for name in "$dir/a
forged" "$dir/a
forged.s"; do
		# shellcheck disable=SC2086
		timeout 60 "$CYCLOPS" $words "$name" >"$dir/out" 2>"$dir/err" </dev/null
		command="$words"
		check "no line is forged" [ "$(cat "$dir/out" "$dir/err" | grep -c '^forged')" = 0 ]
	done
done
finish
