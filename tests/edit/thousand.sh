#!/bin/bash
# More of the thousand generated programs: generated.sh has the first hundred, this the others, in
# ten minutes:
#
#   CYCLOPS_TEST_SCALE=long TIMEOUT=3600 tests/run.sh build/release edit/thousand
cd "$(dirname "$0")/../.." || exit 1
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || ALL=0 exec tests/edit/generated.sh 101 1000
echo "0 passed, 0 failed, 1 skipped"
