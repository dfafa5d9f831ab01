#!/bin/bash
# tests/covers.txt: every source file has a test, every test exists, no row is of no use.
# tests/breaks: each row can be applied.
cd "$(dirname "$0")/.." || exit 1
python3 make/covers.py lint && python3 tests/breaks/run.py --check
