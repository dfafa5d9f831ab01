#!/bin/bash
# tests/covers.txt: every source file has a test, every test exists, no row is of no use.
exec python3 "$(dirname "$0")/covers.py" lint
