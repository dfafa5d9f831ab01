#!/bin/bash
# "What limits this?", for programs with one limit (kernels.c): the first line of `view slots` must
# name the row of key.txt, an engineer's answer without inspecting the machine.
. tests/lib.sh

asked=0 right=0
while IFS='|' read -r kernel settings why rows; do
	case $kernel in \#*) continue ;; esac
	options=()
	for one in $settings; do
		options+=(-o "$one")
	done
	timeout 60 "$CYCLOPS" inspect --batch "${options[@]}" -e start -e continue \
		-e 'view slots since begin' build/tests/limits/kernels "$kernel" >"$dir/out" \
		2>"$dir/err" </dev/null
	said=$(sed -n 's/^Slot stack  most is lost to \([a-z0-9 ]*\), .*/\1/p' "$dir/out")
	asked=$((asked + 1))
	case ,$rows, in
	*,"$said",*) right=$((right + 1)) ;;
	*) echo "$kernel${settings:+ with $settings}: $why; the screen says '$said'" ;;
	esac
done <tests/limits/key.txt
echo "$right of $asked answers are right"
check "fifty questions are asked" [ "$asked" -ge 50 ]
check "each is answered right by the first line" [ "$right" = "$asked" ]
finish
