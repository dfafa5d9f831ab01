#!/bin/bash
# Every command of the program, with one allocation failing, each time another one: its output and
# status are the usual ones, or it ends with a status other than 0 and reports that it is out of
# memory.
within=build/tests/cli
mkdir -p $within
. tests/lib.sh
passes "commands without memory" tests/cli/shortage.py "$dir" >"$dir/report"
cat "$dir/said"
sed -n 's/^checks: //p' "$dir/said" >"$dir/count"
passed=$(($(cat "$dir/count") + passed))
finish
