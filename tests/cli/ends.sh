#!/bin/bash
# SIGTERM and SIGHUP at any moment of any mode: the process ends, by the signal or with its status,
# its children end with it, the terminal is restored, and no temporary file is left.
. tests/lib.sh
passes "modes end by signals" tests/cli/ends.py "$dir"
cat "$dir/said"
count=$(sed -n 's/^checks: //p' "$dir/said")
passed=$((${count:-0} + passed))
finish
