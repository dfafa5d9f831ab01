#!/bin/bash
# SIGTERM and SIGHUP at any moment of any mode: the process ends, by the signal or with its status,
# what it started ends with it, the terminal is what it was, and nothing is left in the folder for
# temporary files.
. tests/lib.sh
passes "modes end by signals" tests/cli/ends.py "$dir"
cat "$dir/said"
count=$(sed -n 's/^checks: //p' "$dir/said")
passed=$((${count:-0} + passed))
finish
