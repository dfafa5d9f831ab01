#!/bin/bash
# TEACHING.md, README.md and the manual: every command prints the page's output, and every figure
# in an answer is one that was printed.
#
#   tests/teaching/run.sh            compare
#   UPDATE=1 tests/teaching/run.sh   keep what is printed now; then read the answers again
set -u
cd "$(dirname "$0")/../.." || exit 1
CYCLOPS=${CYCLOPS:-${BUILD:-build/release}/cyclops}
unset XDG_CONFIG_HOME COLUMNS
export HOME=/nonexistent LC_ALL=C.UTF-8
python3 tests/teaching/check.py "$CYCLOPS" TEACHING.md README.md docs/*.md ${UPDATE:+--update}
