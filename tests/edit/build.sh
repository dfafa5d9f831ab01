#!/bin/bash
# Writes a generated program, OUT.c or OUT.cc, and compiles it by its first line: OUT.
#
#   bash tests/edit/build.sh SEED OUT
suffix=c
[ $(($1 % 16)) != 0 ] || suffix=cc
python3 tests/edit/generate.py "$1" "$2.$suffix" && read -r _ compiler flags <"$2.$suffix" &&
	# shellcheck disable=SC2086
	"riscv64-linux-gnu-$compiler" $flags -o "$2" "$2.$suffix"
