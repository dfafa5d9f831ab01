#!/bin/bash
# Timing is proved, not assumed: micro-programs measure the machine and compare with its parameters.
#
#   tests/timing/run.sh [GROUP...]
#
# One line per check: parameter, settings, what is counted, expected, measured.
set -u
exec "${BUILD:-build/release}/tests/timing/timing" "$@"
