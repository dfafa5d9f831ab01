#!/bin/bash
# Generated programs, and some by hand: seeds_asm.sh FOLDER
set -eu
mkdir -p "$1"
for seed in 1 2 3 4 5 6 7 8; do
	python3 tests/asm/generate.py $seed 40 >"$1/generated$seed.s"
done
cp tests/asm/*.s "$1"
