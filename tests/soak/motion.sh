#!/bin/bash
# A long session moves at random, and its memory does not grow (motion.lua).
#
#   tests/soak/motion.sh [COMMANDS|SECONDSs [SEED]]
. tests/lib.sh
case ${CYCLOPS_TEST_SCALE:-full} in
long) length=3600s ;;
*) length=600 ;;
esac
length=${1:-$length} seed=${2:-1}

run 0 lua tests/soak/motion.lua "$length" "$seed" "$dir"
cat "$dir/out"
check "forty pieces" [ "$(grep -cE '^[0-9]+ [0-9]+ [0-9]+ [0-9]+$' "$dir/out")" = 40 ]
# Of another seed, a peak of the first half may hide a leak of a few commands.
run 1 lua tests/soak/motion.lua 160 1 "$dir" leak
says err "memory grows: seed 1"
finish
