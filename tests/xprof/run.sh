#!/bin/bash
# Profile instructions, profile flags and the block descriptor table: rule by rule, and against
# models at random.
# shellcheck source=tests/cmocka.sh
. tests/cmocka.sh
run_cmocka xprof
