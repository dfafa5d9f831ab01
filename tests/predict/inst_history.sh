#!/bin/bash
# The stories that `why` tells, against what stood in the machine while they happened.
set -u
exec "${BUILD:-build/release}/tests/predict/inst_history"
