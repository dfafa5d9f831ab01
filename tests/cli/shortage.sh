#!/bin/bash
# Every command of the program with one failing allocation, a different one each time: either output
# and status are as usual, or the command reports that memory ran out, with a status other than 0.
within=build/tests/cli
mkdir -p $within
. tests/lib.sh
passes "commands without memory" tests/cli/shortage.py "$dir" >"$dir/report"
cat "$dir/said"
sed -n 's/^checks: //p' "$dir/said" >"$dir/count"
passed=$(($(cat "$dir/count") + passed))
finish
