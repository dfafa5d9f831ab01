#!/bin/bash
# System calls through glibc (os.py).
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/diff/os.py
