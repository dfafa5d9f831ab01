#!/bin/bash
# The memory-dependence predictors against models that share nothing with them.
set -u
exec "${BUILD:-build/release}/tests/predict/memdep"
