#!/bin/bash
# Names of files, symbols, sections and texts of files with control characters in them: no command
# of the program's table passes them on to a terminal (terminal.py).
within=build/tests
. tests/lib.sh
passes "commands on a terminal" tests/trust/terminal.py "$dir"
cat "$dir/said"
count=$(sed -n 's/^checks: //p' "$dir/said")
passed=$((${count:-0} + passed))
finish
