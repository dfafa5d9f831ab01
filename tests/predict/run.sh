#!/bin/bash
# The predictors against models that share nothing with them, and against chance.
set -u
exec "${BUILD:-build/release}/tests/predict/replay"
