#!/bin/bash
# More of the thousand generated programs: generated.sh has the first hundred, this thirty of the others. All of them take ten minutes:
#
#   CYCLOPS_TEST_SCALE=long TIMEOUT=3600 tests/run.sh build/release edit/thousand
cd "$(dirname "$0")/../.." || exit 1
case ${CYCLOPS_TEST_SCALE:-full} in
small) echo "0 passed, 0 failed, 1 skipped" ;;
long) IN_TURN=1 exec tests/edit/generated.sh 101 1000 ;;
*) IN_TURN=1 exec tests/edit/generated.sh 101 130 ;;
esac
