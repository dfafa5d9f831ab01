#!/bin/bash
# Files of every kind that Cyclops reads, mangled (mangled.py): each is read, or refused with a
# message that a terminal can show.
#
#   tests/cli/mangled.sh [SEED [COUNT [KIND...]]]
. tests/lib.sh
count=2
[ "${CYCLOPS_TEST_SCALE:-full}" != small ] || count=1
[ "${CYCLOPS_TEST_SCALE:-full}" != long ] || count=500
passes "mangled files" python3 tests/cli/mangled.py "$CYCLOPS" . "$dir" "${1:-1}" "${2:-$count}" \
	"${@:3}"
cat "$dir/said"
check "all kinds were tried" [ "$(grep -c ' tried, ' "$dir/said")" \
	= "$([ $# -lt 3 ] && echo 14 || echo $(($# - 2)))" ]
finish
