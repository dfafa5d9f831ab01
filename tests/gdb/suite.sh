#!/bin/bash
# The most important files of gdb's own test suite, suite/short.txt, on Cyclops's stub. In `make
# test-long` only, which fetches the suite, as `make gdb-suite` does.
if [ "${CYCLOPS_TEST_SCALE:-full}" != long ] || [ ! -e build/gdb-suite/complete ]; then
	echo "for make test-long"
	echo "0 passed, 0 failed, 1 skipped"
	exit
fi
exec python3 tests/gdb/suite/suite.py build/gdb-suite short
