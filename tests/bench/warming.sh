#!/bin/bash
# Warming (--ff N --warmup): host instructions for each one of the guest, of kernels of one habit
# each, and of demos; between two lengths.
. "$(dirname "$0")/lib.sh"

# warm NAME SHORT LONG COMMAND...
warm() {
	local name=$1 short=$2 long=$3 a b
	shift 3
	a=$(ir run --max-insts 1 --warmup --ff "$short" "$@") &&
		b=$(ir run --max-insts 1 --warmup --ff "$long" "$@") || return
	row "$name, warming" "($b - $a) / ($long - $short)" %.1f
}

warm hot 3000000 7000000 $guests/hot
warm branchy 3000000 7000000 $guests/branchy
warm chase 30000000 34000000 $guests/chase
warm stream 3000000 7000000 $guests/stream
warm spread 3000000 7000000 $guests/spread
for name in sort anagram lisp; do
	demo $name
	warm $name 10000000 14000000 "${command[@]}"
	input=
done
