#!/bin/bash
# The stories of `why`, against the machine's state while they happened.
set -u
exec "${BUILD:-build/release}/tests/predict/inst_history"
