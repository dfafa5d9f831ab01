#!/bin/bash
# Each column of each view and report has its sentence in their help, those of devices too.
# shellcheck source=tests/lib.sh
. tests/lib.sh
mapfile -t names < <(python3 tests/cmd/columns.py names)
check "views and reports are found in the sources" [ "${#names[@]}" -gt 60 ]
args=()
for name in "${names[@]}"; do args+=(-e "help $name"); done
run 0 --json "${args[@]}" tests/golden/guest.elf
mv "$dir/out" "$dir/answers"
: >"$dir/out"
command=''
told=$(python3 tests/cmd/columns.py check <"$dir/answers" 2>&1) && ok=1 || ok=0
check "$told" [ "$ok" = 1 ]

finish
