#!/bin/bash
# Signals (run.py).
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/signals/run.py
