#!/bin/bash
# Time travel: stopping, stepping and going back, on small programs and in random walks.
# shellcheck source=tests/cmocka.sh
. tests/cmocka.sh
run_cmocka reverse
