#!/bin/bash
# Hostile guests (hostile.py).
cd "$(dirname "$0")/../.." || exit 1
exec python3 tests/threads/hostile.py
